"""Jobs on Dask and Ray whose workers are killed in the middle of a re-key."""

import pytest
import ray
from distributed import Client, LocalCluster

import cluster

# Dask and Ray use deprecated Python functions.
pytestmark = pytest.mark.filterwarnings("default")


def test_a_dask_worker_is_killed(bucket, gate):
    cluster.fill(bucket, 6)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as workers, Client(workers) as client:
        cluster.killed_and_checked(bucket, gate, 6, runner="dask", client=client)


def test_a_ray_worker_is_killed(bucket, gate, monkeypatch):
    monkeypatch.setenv("RAY_DEDUP_LOGS", "0")
    cluster.fill(bucket, 4)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        cluster.killed_and_checked(bucket, gate, 4, runner="ray")
    finally:
        ray.shutdown()
