"""Re-keys in which a process is killed: a worker of Dask or Ray, or the one that started the job."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
import ray
from distributed import Client, LocalCluster

import cluster
from keys import IDENTITY, OTHER
from records import states
from sealane import age, jobs

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


# Kills itself between the replacement of the third object and its record.
PROGRAM = """
import itertools, os, signal, sys
import cluster
from sealane import jobs
from sealane.jobs._ledger import Ledger

written, put = itertools.count(1), Ledger.put

def put_or_die(*args):
    if next(written) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    put(*args)

Ledger.put = put_or_die
jobs.rekey(f"{sys.argv[1]}/lake", **cluster.TO_OTHER, ledger=f"{sys.argv[1]}/ledger", workers=1)
"""


def test_the_process_that_started_the_job_is_killed(tmp_path):
    lake, ledger = tmp_path / "lake", tmp_path / "ledger"
    lake.mkdir()
    for i in range(5):
        (lake / str(i)).write_bytes(age.encrypt(cluster.DATA, IDENTITY.recipient))

    def objects():
        return {path.name: path.read_bytes() for path in lake.iterdir()}

    before = objects()
    program = [sys.executable, "-c", PROGRAM, tmp_path.as_uri()]
    assert subprocess.run(program, cwd=Path(__file__).parent).returncode == -signal.SIGKILL
    replaced = {name: data for name, data in objects().items() if data != before[name]}
    assert len(replaced) == 3 and len(list(ledger.glob("records/*"))) == 2
    call = {**cluster.TO_OTHER, "ledger": ledger.as_uri()}
    assert sorted(states(jobs.rekey(lake.as_uri(), **call).check())) == ["done"] * 3 + ["unchanged"] * 2
    # No object is lost or replaced twice, and the ledger agrees with the objects.
    after = objects()
    assert after.keys() == before.keys() and replaced.items() <= after.items()
    assert all(age.decrypt(data, OTHER) == cluster.DATA for data in after.values())
    assert states(jobs.rekey(lake.as_uri(), **call).check()) == ["unchanged"] * 5
    assert objects() == after
