"""Runs that use one ledger at the same time, and ledgers whose store fails for a while."""

import os

import fsspec
import pytest

from keys import IDENTITY, OTHER
from records import states
from sealane import age, jobs
from sealane.jobs._ledger import Ledger
from sealane.jobs._place import Place

OLD = {"identities": "env:SEALANE_TEST_KEY", "progress": False}
REKEY = OLD | {"recipients": str(OTHER.recipient)}


pytestmark = pytest.mark.usefixtures("empty_memory")


@pytest.fixture(params=["memory", "s3", "file", "file without links"])
def ledger(request, tmp_path, monkeypatch):
    if request.param == "s3":
        request.getfixturevalue("bucket")
        request.getfixturevalue("gate")
        return "s3://lake/ledger"
    if request.param == "file without links":

        def refused(*args, **kwargs):
            raise PermissionError(1, "Operation not permitted")

        monkeypatch.setattr(os, "link", refused)
    return "memory://ledger" if request.param == "memory" else f"file://{tmp_path}/ledger"


@pytest.mark.parametrize("other", [{"operation": "seal"}, {"operation": "open"}])
def test_two_jobs_begin_one_ledger(ledger, other, monkeypatch):
    create, mine = Ledger._create, {"operation": "seal"}

    def late(self, *arguments):
        monkeypatch.setattr(Ledger, "_create", create)
        Ledger(Place.of(ledger, None)).begin(other)
        create(self, *arguments)

    monkeypatch.setattr(Ledger, "_create", late)
    if mine == other:
        Ledger(Place.of(ledger, None)).begin(mine)
    else:
        with pytest.raises(jobs.JobError, match="another job: it differs in operation"):
            Ledger(Place.of(ledger, None)).begin(mine)
    # The job that came first goes on.
    Ledger(Place.of(ledger, None)).begin(other)
    fs, root = fsspec.core.url_to_fs(ledger)
    fs.invalidate_cache()
    assert [path.rpartition("/")[2] for path in fs.find(root)] == ["job.json"]


def test_a_store_without_exclusive_creation(bucket, gate):
    gate.before = lambda request: "501 Not Implemented" if "IF-NONE-MATCH" in request.headers else None
    Ledger(Place.of("s3://lake/ledger", None)).begin({"operation": "seal"})
    with pytest.raises(jobs.JobError, match="another job"):
        Ledger(Place.of("s3://lake/ledger", None)).begin({"operation": "open"})


def test_another_run_removes_intents_while_they_are_read(tmp_path, monkeypatch):
    ledger = Ledger(Place.of(f"file://{tmp_path}/ledger", None))
    fs, url = fsspec.filesystem("file"), f"file://{tmp_path}/a"
    ledger.intend(url, b"1", "handle")
    ledger.intend(url, b"2", "other")
    read, kept = type(fs).cat_ranges, []

    def late(self, paths, *arguments, **options):
        os.unlink(paths[0])
        kept.append(paths[1])
        return read(self, paths, *arguments, **options)

    monkeypatch.setattr(type(fs), "cat_ranges", late)
    [intent] = ledger.intents(url)
    assert intent.header in kept[0]

    def refused(self, paths, *arguments, **options):
        return [PermissionError(paths[0])]

    monkeypatch.setattr(type(fs), "cat_ranges", refused)
    with pytest.raises(PermissionError):
        ledger.intents(url)


@pytest.mark.parametrize("moment", ["cat_ranges", "pipe_file"])
def test_a_connection_to_the_ledger_that_fails(bucket, gate, tmp_path, monkeypatch, moment):
    from botocore.exceptions import EndpointConnectionError

    (tmp_path / "a").write_bytes(age.encrypt(b"a", IDENTITY.recipient))
    url, fs = f"file://{tmp_path}/a", Place.of("s3://lake/ledger", None).fs()
    Ledger(Place.of("s3://lake/ledger", None)).intend(url, b"1", "handle")
    work, failures = getattr(fs, moment), []

    def failing(first, *arguments, **options):
        path = first if isinstance(first, str) else first[0]
        if ("/intents/" if moment == "cat_ranges" else "/records/") in path and len(failures) < 2:
            failures.append(path)
            raise EndpointConnectionError(endpoint_url="https://example.com")
        return work(first, *arguments, **options)

    monkeypatch.setattr(fs, moment, failing)
    report = jobs.rekey(url, **REKEY, ledger="s3://lake/ledger")
    assert states(report.check()) == ["done"] and len(failures) == 2
    assert age.decrypt((tmp_path / "a").read_bytes(), OTHER) == b"a"
