"""Each job on Dask and on Ray."""

import pytest
import ray
from distributed import Client, LocalCluster

from keys import IDENTITY, OTHER
from records import states
from sealane import jobs

# Dask and Ray use deprecated Python functions.
pytestmark = pytest.mark.filterwarnings("default")

OTHER_KEY = {"identities": "env:SEALANE_OTHER_KEY"}
PLAIN = {"a": b"", "b": b"text", "c": bytes(range(256)) * 1024}


def each_job(root, **runner):
    """Seals, re-keys, verifies and opens three files."""
    (root / "plain").mkdir()
    for name, data in PLAIN.items():
        (root / "plain" / name).write_bytes(data)
    to_other = {"identities": "env:SEALANE_TEST_KEY", "recipients": str(OTHER.recipient)}
    for job, addresses, keys in (
        (jobs.seal, ("plain", "lake"), {"recipients": str(IDENTITY.recipient)}),
        (jobs.rekey, ("lake",), to_other),
        (jobs.verify, ("lake",), OTHER_KEY),
        (jobs.open, ("lake", "back"), OTHER_KEY),
    ):
        urls = [f"file://{root}/{name}" for name in addresses]
        report = job(*urls, **keys, ledger=f"file://{root}/ledgers/{job.__name__}", **runner).check()
        assert states(report) == ["done"] * len(PLAIN), job
    # All data is opened with the key of `rekey`.
    assert {path.name: path.read_bytes() for path in (root / "back").iterdir()} == PLAIN


def test_dask(tmp_path):
    # The client is not the default one, as in a program that has several.
    with (
        LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None) as workers,
        Client(workers, set_as_default=False) as client,
    ):
        each_job(tmp_path, runner="dask", client=client)


def test_ray(tmp_path):
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        each_job(tmp_path, runner="ray")
    finally:
        ray.shutdown()
