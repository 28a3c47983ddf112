"""Tests that jobs write no object outside the target, write no secret, and lose no task."""

import time

import fsspec
import pytest

from keys import IDENTITY
from records import states
from sealane import age, jobs
from sealane.jobs._place import Found, Place, target_of
from sealane.jobs._stores import store_of
from sealane.jobs._task import Job, Task, _can_retry, _retried

OLD = {"identities": "env:SEALANE_TEST_KEY", "progress": False}
RECIPIENT = str(IDENTITY.recipient)


pytestmark = pytest.mark.usefixtures("empty_memory")


@pytest.mark.parametrize("name", ["../evil", "x/../../evil", "./evil", "x//evil"])
def test_a_name_does_not_lead_out_of_the_target(tmp_path, name):
    """Object stores allow such names, and encrypting an object needs only the public key."""
    sealed = age.encrypt(b"evil", IDENTITY.recipient)
    fs = fsspec.filesystem("memory")
    with fs.open("/lake/good", "wb") as file:
        file.write(age.encrypt(b"good", IDENTITY.recipient))
    with fs.open("/temporary", "wb") as file:
        file.write(sealed)
    fs.store[f"/lake/{name}"] = fs.store.pop("/temporary")
    report = jobs.open("memory://lake", f"file://{tmp_path}/a/b/out", **OLD, ledger=f"file://{tmp_path}/ledger")
    [failure] = report.failures
    assert "leads out" in failure.error and len(report.records) == 2
    found = [path for path in tmp_path.rglob("*") if path.is_file() and "ledger" not in path.parts]
    assert found == [tmp_path / "a/b/out/good"]


def test_a_secret_as_a_recipient_is_written_nowhere(tmp_path):
    secret = age.Identity.generate().to_text()
    (tmp_path / "a").write_bytes(b"a")
    for recipients in (secret, [RECIPIENT, secret]):
        with pytest.raises(age.KeyFormatError) as caught:
            jobs.seal(
                f"file://{tmp_path}/a", f"file://{tmp_path}/out", recipients=recipients, ledger=f"{tmp_path}/ledger"
            )
        assert secret not in str(caught.value)
        with pytest.raises(age.KeyFormatError):
            fsspec.filesystem("age", recipients=recipients, skip_instance_cache=True)
    assert not (tmp_path / "ledger").exists()


def test_more_tasks_than_are_handed_out_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("sealane.jobs._runners._IN_FLIGHT", 2)
    for i in range(7):
        (tmp_path / f"in{i}").write_bytes(b"x")
    report = jobs.seal(
        f"file://{tmp_path}/in*", f"file://{tmp_path}/out", recipients=RECIPIENT, ledger=f"{tmp_path}/ledger"
    )
    assert states(report.check()) == ["done"] * 7


def test_a_target_below_the_source(tmp_path):
    (tmp_path / "lake" / "folder").mkdir(parents=True)
    (tmp_path / "lake" / "folder" / "a").write_bytes(b"a")
    call = {"recipients": RECIPIENT, "ledger": f"{tmp_path}/ledger"}
    for state in ("done", "unchanged"):
        report = jobs.seal(f"file://{tmp_path}/lake", f"file://{tmp_path}/lake/sealed", **call)
        assert states(report.check()) == [state]
    # Objects are not excluded if the target lies above the source.
    report = jobs.open(f"file://{tmp_path}/lake/sealed", f"file://{tmp_path}/lake", **OLD, ledger=f"{tmp_path}/open")
    assert states(report.check()) == ["done"]


def test_only_own_temporary_objects_are_left_out(tmp_path):
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake" / ".config.tmp").write_bytes(b"a")
    report = jobs.seal(
        f"file://{tmp_path}/lake", f"file://{tmp_path}/out", recipients=RECIPIENT, ledger=f"{tmp_path}/ledger"
    )
    assert states(report.check()) == ["done"] and (tmp_path / "out" / ".config.tmp").exists()


def test_options_in_an_address_are_kept():
    place = Place.of("abfs://c@account.dfs.core.windows.net/x", {"anon": True})
    assert place.options["account_name"] == "account" and place.fs().account_name == "account"


def test_failed_connections_are_tried_again():
    import aiohttp
    from azure.core.exceptions import ClientAuthenticationError, HttpResponseError, ServiceRequestError
    from botocore.exceptions import EndpointConnectionError, NoCredentialsError, ReadTimeoutError

    s3 = Place.of("s3://b/x", {"anon": True})
    azure = Place.of("abfs://c/x", {"account_name": "a", "anon": True})
    local = Place.of("file:///x", None)
    for store, good, bad in [
        (
            s3,
            (
                EndpointConnectionError(endpoint_url="x"),
                ReadTimeoutError(endpoint_url="x"),
                aiohttp.ClientPayloadError(),
            ),
            NoCredentialsError(),
        ),
        (azure, (ServiceRequestError("x"), HttpResponseError("x")), ClientAuthenticationError("x")),
    ]:
        # Of the source, the target and the ledger.
        for source, target, ledger in [(store, None, local), (local, store, local), (local, local, store)]:
            task = Task(Job("seal", "1", ledger, None, None, False, None, 5), source, target)
            assert all(_can_retry(task, error) for error in good) and not _can_retry(task, bad)
    task = Task(Job("seal", "1", local, None, None, False, None, 5), local, local)
    assert not _can_retry(task, EndpointConnectionError(endpoint_url="x"))
    assert _can_retry(task, OSError()) and not _can_retry(task, FileNotFoundError())


def test_the_wait_between_attempts_is_limited(monkeypatch):
    waits = []
    monkeypatch.setattr(time, "sleep", waits.append)
    local = Place.of("file:///x", None)
    task = Task(Job("seal", "1", local, None, None, False, None, 20), local, local)
    with pytest.raises(OSError, match="busy"):
        _retried(task, busy := Busy())
    assert busy.calls == 20 and waits[:3] == [0.2, 0.4, 0.8]
    assert len(waits) == 19 and max(waits) == 30 and waits == sorted(waits)
    task = Task(Job("seal", "1", local, None, None, False, None, 2000), local, local)
    with pytest.raises(OSError, match="busy"):
        _retried(task, Busy())


class Busy:
    calls = 0

    def __call__(self):
        self.calls += 1
        raise OSError("busy")


def test_names_that_stand_for_versions():
    """s3fs and adlfs read such a name as the version of an object with a shorter name."""
    s3, azure = fsspec.filesystem("s3", anon=True), fsspec.filesystem("abfs", account_name="a", anon=True)
    for fs, name in ((s3, "b/x?versionId=1"), (s3, "b/x?versionId="), (azure, "c/x?versionid=1")):
        with pytest.raises(jobs.JobError, match="no object with this name"):
            store_of(fs, name)
    for fs, name in ((s3, "b/folder/x?versionid=1"), (s3, "b/x/"), (azure, "c/folder/x?versionId=1")):
        assert store_of(fs, name).path == name
    with pytest.raises(jobs.JobError, match="no versions of objects: b/x"):
        jobs.verify("s3://b/x?versionId=1", **OLD, storage_options={"anon": True}, ledger="memory://ledger")


def test_names_with_wildcards(tmp_path):
    """Neither objects nor ledgers with such names are taken for patterns."""
    for name in ["a[1]*.bin", "a1.bin"]:
        fsspec.filesystem("memory").pipe_file(f"/lake/{name}", age.encrypt(name.encode(), IDENTITY.recipient))
    new = age.Identity.generate()
    for ledger in [f"file://{tmp_path}/ledger[1]", "memory://ledger[2]"]:
        options = OLD | {"recipients": [RECIPIENT, str(new.recipient)], "ledger": ledger}
        assert states(jobs.rekey("memory://lake", **options)) == ["done"] * 2
        assert states(jobs.rekey("memory://lake", **options)) == ["unchanged"] * 2
        fs, root = fsspec.core.url_to_fs(ledger)
        assert fs.find(f"{root}/intents") == []
    for name in ["a[1]*.bin", "a1.bin"]:
        assert age.decrypt(fsspec.filesystem("memory").cat_file(f"/lake/{name}"), new) == name.encode()


def test_a_target_that_is_the_source_by_another_name(tmp_path):
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake/a").write_bytes(b"plain")
    (tmp_path / "link").symlink_to("lake")
    seal = {"recipients": RECIPIENT, "ledger": f"file://{tmp_path}/ledger", "progress": False}
    with pytest.raises(jobs.JobError, match="the same object"):
        jobs.seal(f"file://{tmp_path}/lake", f"file://{tmp_path}/link", **seal)
    assert (tmp_path / "lake/a").read_bytes() == b"plain"


def test_other_names_of_a_protocol(tmp_path):
    sealed = age.encrypt(b"a", IDENTITY.recipient)
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake/a").write_bytes(sealed)
    file, local = f"file://{tmp_path}/lake", f"local://{tmp_path}/lake"
    for source, target in [(file, local), (local, file), (f"{tmp_path}/lake", local)]:
        with pytest.raises(jobs.JobError, match="the same object"):
            jobs.open(source, target, **OLD, ledger=f"file://{tmp_path}/open")
    assert (tmp_path / "lake/a").read_bytes() == sealed
    places = [Place.of(f"{name}://b/x", {"anon": True}) for name in ("s3", "s3a")]
    with pytest.raises(jobs.JobError, match="the same object"):
        target_of(Found(places[0].at("b/x/1"), "1", {}), places[1])
    # Each object is processed once, and neither the ledger nor the results are objects of the job.
    for _ in range(2):
        report = jobs.open([file, local], f"{local}/out", **OLD, ledger=f"{local}/ledger")
        assert len(report.check().records) == 1
    assert (tmp_path / "lake/out/a").read_bytes() == b"a"
