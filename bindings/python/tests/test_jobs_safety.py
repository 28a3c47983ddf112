"""Tests that jobs write no object outside the target, write no secret, and lose no task."""

import dataclasses
import functools
import json
import os

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from keys import IDENTITY, OTHER
from sealane import age, jobs
from sealane.jobs._ledger import Ledger, digest
from sealane.jobs._place import Found, Place, target_of
from sealane.jobs._report import Record
from sealane.jobs._stores import store_of
from sealane.jobs._task import _can_retry

OLD = {"identities": "env:SEALANE_TEST_KEY", "progress": False}
RECIPIENT = str(IDENTITY.recipient)


@pytest.fixture(autouse=True)
def empty():
    MemoryFileSystem.store.clear()
    MemoryFileSystem.pseudo_dirs[:] = [""]


def states(report):
    return [record.state for record in report.records]


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


def test_a_late_failure_does_not_hide_what_was_done(tmp_path):
    ledger = Ledger(Place.of(f"file://{tmp_path}/ledger", None))
    path = tmp_path / "ledger" / "records" / f"{digest('file:///a')}.json"
    for state, found in [("failed", "failed"), ("done", "done"), ("failed", "done")]:
        ledger.put(Record("file:///a", state, error="late" if state == "failed" else None))
        assert json.loads(path.read_text())["state"] == found


def test_options_in_an_address_are_kept():
    place = Place.of("abfs://c@account.dfs.core.windows.net/x", {"anon": True})
    assert place.options["account_name"] == "account" and place.fs().account_name == "account"


def test_failed_connections_are_tried_again():
    import aiohttp
    from botocore.exceptions import EndpointConnectionError, NoCredentialsError, ReadTimeoutError

    from sealane.jobs._stores._s3 import raise_if_connection

    for error in (
        EndpointConnectionError(endpoint_url="x"),
        ReadTimeoutError(endpoint_url="x"),
        aiohttp.ClientPayloadError(),
    ):
        with pytest.raises(OSError) as caught:
            raise_if_connection(error)
        assert _can_retry(caught.value)
    raise_if_connection(NoCredentialsError())
    assert not _can_retry(NoCredentialsError())


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


@pytest.fixture
def lake():
    fs = fsspec.filesystem("memory")
    fs.pipe("/lake/a", age.encrypt(b"x", IDENTITY.recipient))
    return {"sources": "memory://lake", "recipients": RECIPIENT, "ledger": "memory://ledger", **OLD}


PARTIAL = [b"", b'{"url": "mem', b"\xff"]


@pytest.mark.parametrize("partial", PARTIAL)
def test_a_writer_of_the_ledger_that_was_killed(partial, lake):
    """In a store that writes in place, a killed writer leaves an incomplete file."""
    fs = fsspec.filesystem("memory")
    url = fs.unstrip_protocol("/lake/a")
    fs.pipe({"/ledger/job.json": partial, f"/ledger/intents/{digest(url)}/{'0' * 64}.json": partial})
    fs.pipe(f"/ledger/records/{digest(url)}.json", partial)
    assert states(jobs.rekey(**lake).check()) == ["done"]
    assert states(jobs.rekey(**lake).check()) == ["unchanged"]
    fs.pipe(f"/ledger/records/{digest(url)}.json", partial)
    fs.pipe("/lake/a", b"not sealed")
    assert states(jobs.rekey(**lake)) == ["failed"]
    assert json.loads(fs.cat(f"/ledger/records/{digest(url)}.json"))["state"] == "failed"


def test_records_of_an_unknown_job_are_not_used(lake):
    jobs.rekey(**lake).check()
    fs = fsspec.filesystem("memory")
    fs.pipe("/ledger/job.json", b"")
    with pytest.raises(jobs.JobError, match="job.json is damaged"):
        jobs.rekey(**lake)


@pytest.mark.parametrize("behaviour", ["replaces", "does nothing", "refuses"])
def test_files_of_the_ledger_are_renamed(behaviour, lake, monkeypatch):
    """A file gets its name once it is complete.

    Filesystems differ in how they rename onto an existing file.
    """
    pipe, move, written = MemoryFileSystem.pipe_file, MemoryFileSystem.mv, []

    def piping(self, path, value, **kwargs):
        written.append(path)
        pipe(self, path, value, **kwargs)

    def moving(self, path1, path2, **kwargs):
        if path2.startswith("/ledger/") and behaviour != "replaces" and self.exists(path2):
            if behaviour == "refuses":
                raise OSError("the file exists")
            return
        move(self, path1, path2, **kwargs)

    monkeypatch.setattr(MemoryFileSystem, "pipe_file", piping)
    monkeypatch.setattr(MemoryFileSystem, "mv", moving)
    fs = fsspec.filesystem("memory")
    sealed = fs.cat("/lake/a")
    for data, state in [(b"not sealed", "failed"), (sealed, "done"), (b"not sealed", "failed"), (sealed, "done")]:
        fs.pipe("/lake/a", data)
        assert states(jobs.rekey(**lake)) == [state]
    ledger = [path for path in written if path.startswith("/ledger/")]
    assert ledger and all(path.endswith(".tmp") for path in ledger)
    assert not [path for path in fs.find("/ledger") if path.endswith(".tmp")]


def test_a_ledger_that_cannot_be_listed(lake, tmp_path, monkeypatch):
    lake["ledger"] = f"{tmp_path}/ledger"
    jobs.rekey(**lake).check()
    scan = os.scandir

    def scandir(path="."):
        if str(path).rstrip("/").endswith("records"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(PermissionError):
        jobs.rekey(**lake)


def test_systems_without_copy_file_range(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "copy_file_range", raising=False)
    (tmp_path / "a").write_bytes(age.encrypt(b"x", IDENTITY.recipient))
    call = {"recipients": RECIPIENT, "ledger": f"{tmp_path}/ledger", **OLD}
    assert states(jobs.rekey(f"{tmp_path}/a", **call).check()) == ["done"]
    assert age.decrypt((tmp_path / "a").read_bytes(), IDENTITY) == b"x"


def test_a_verification_belongs_to_its_identities(tmp_path):
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake/a").write_bytes(age.encrypt(b"a", IDENTITY.recipient))
    ledger = f"file://{tmp_path}/ledger"
    assert states(jobs.verify(f"file://{tmp_path}/lake", **OLD, ledger=ledger)) == ["done"]
    new = OLD | {"identities": "env:SEALANE_OTHER_KEY"}
    with pytest.raises(jobs.JobError, match="differs in identities"):
        jobs.verify(f"file://{tmp_path}/lake", **new, ledger=ledger)
    [failure] = jobs.verify(f"file://{tmp_path}/lake", **new, ledger=f"{ledger}-2").failures
    assert "NoMatchError" in failure.error


def to_test():
    return RECIPIENT


def to_other():
    return str(OTHER.recipient)


def of(team):
    return str((IDENTITY if team == "a" else OTHER).recipient)


class Team:
    def __call__(self):
        return RECIPIENT


def test_the_ledger_tells_functions_apart(lake):
    assert states(jobs.rekey(**lake | {"recipients": to_test}).check()) == ["done"]
    assert states(jobs.rekey(**lake | {"recipients": [to_test]} | {"ledger": "memory://list"}).check()) == ["done"]
    for other in (to_other, [to_other], [to_test]):
        with pytest.raises(jobs.JobError, match="differs in recipients"):
            jobs.rekey(**lake | {"recipients": other})

    def nested():
        return RECIPIENT

    for unnamed in (lambda: RECIPIENT, functools.partial(of, "a"), nested, Team(), Team().__call__):
        with pytest.raises(ValueError, match="cannot tell this function from others"):
            jobs.rekey(**lake | {"recipients": [unnamed], "ledger": "memory://unnamed"})
        with pytest.raises(ValueError, match="cannot tell this function from others"):
            jobs.verify("memory://lake", identities=unnamed, ledger="memory://unnamed")
    assert not fsspec.filesystem("memory").exists("/unnamed")


def test_the_ledger_tells_sealed_identities_apart(lake):
    fs = fsspec.filesystem("memory")
    for name in ("1", "2"):
        fs.pipe(f"/keys/{name}", age.encrypt(IDENTITY.to_text().encode(), IDENTITY.recipient))
    first = jobs.SealedIdentity("memory://keys/1", ["env:SEALANE_TEST_KEY"])
    call = {"sources": "memory://lake", "ledger": "memory://ledger", "progress": False}
    for _ in range(2):
        assert states(jobs.verify(**call, identities=first).check()) == ["done"]
    assert states(jobs.verify(**call, identities=dataclasses.replace(first)).check()) == ["done"]
    for change in (
        {"url": "memory://keys/2"},
        {"recipient": RECIPIENT},
        {"identities": ["env:SEALANE_OTHER_KEY"]},
        {"identities": dataclasses.replace(first, url="memory://keys/2")},
    ):
        with pytest.raises(jobs.JobError, match="differs in identities"):
            jobs.verify(**call, identities=dataclasses.replace(first, **change))


@pytest.mark.parametrize("ledger", ["file", "memory"])
def test_each_verification_reads_everything(tmp_path, ledger):
    """A store can change an object and report the same version."""
    (tmp_path / "lake").mkdir()
    for name in "abcd":
        (tmp_path / "lake" / name).write_bytes(age.encrypt(name.encode(), IDENTITY.recipient))
    ledger = f"file://{tmp_path}/ledger" if ledger == "file" else "memory://ledger[1]"
    call = {"sources": f"file://{tmp_path}/lake", "ledger": ledger} | OLD

    class Interrupted(Exception):
        pass

    def interrupt(done, total, record):
        raise Interrupted

    # Only a verification that was interrupted is continued.
    with pytest.raises(Interrupted):
        jobs.verify(**call | {"progress": interrupt}, workers=1)
    report = jobs.verify(**call).check()
    assert report.count("unchanged") >= 1 and report.count("unchanged") + report.count("done") == 4
    assert states(jobs.verify(**call)) == ["done"] * 4

    path = tmp_path / "lake" / "b"
    stat = path.stat()
    with path.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        last = file.read()[0]
        file.seek(-1, os.SEEK_END)
        file.write(bytes([last ^ 1]))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    for _ in range(2):
        report = jobs.verify(**call)
        assert states(report) == ["done", "failed", "done", "done"]
        assert report.failures[0].error.startswith("PayloadError")
    path.unlink()
    assert states(jobs.verify(**call)) == ["done"] * 3


def test_a_finished_verification_whose_records_are_removed(tmp_path, monkeypatch):
    """A run that is killed while it removes the records leaves none that the next one uses."""
    (tmp_path / "a").write_bytes(age.encrypt(b"a", IDENTITY.recipient))
    call = {"sources": f"file://{tmp_path}/a", "ledger": "memory://ledger"} | OLD
    assert states(jobs.verify(**call)) == ["done"]

    def killed(*args, **kwargs):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(MemoryFileSystem, "rm", killed)
        with pytest.raises(KeyboardInterrupt):
            jobs.verify(**call)
    assert states(jobs.verify(**call)) == ["done"]


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


def test_a_file_with_another_hard_link_keeps_its_header(tmp_path):
    """Otherwise the other name would still have the header for the old recipients."""
    sealed = age.encrypt(b"a", IDENTITY.recipient)
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake/a").write_bytes(sealed)
    os.link(tmp_path / "lake/a", tmp_path / "other")
    new = age.Identity.generate().recipient
    ledger = f"file://{tmp_path}/ledger"
    [failure] = jobs.rekey(f"file://{tmp_path}/lake", recipients=str(new), **OLD, ledger=ledger).failures
    assert "has 2 hard links" in failure.error
    with pytest.raises(OSError, match="has 2 hard links"):
        age.rekey_file(tmp_path / "lake/a", IDENTITY, new)
    assert (tmp_path / "lake/a").read_bytes() == sealed
    assert sorted(os.listdir(tmp_path / "lake")) == ["a"]
