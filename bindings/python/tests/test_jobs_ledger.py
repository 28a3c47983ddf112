"""The ledger of a job: writers that were killed, and what tells one job from another."""

import dataclasses
import functools
import json
import os

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from keys import IDENTITY, OTHER
from records import states
from sealane import age, jobs
from sealane.jobs._ledger import Ledger, digest
from sealane.jobs._place import Place
from sealane.jobs._report import Record

OLD = {"identities": "env:SEALANE_TEST_KEY", "progress": False}
RECIPIENT = str(IDENTITY.recipient)


pytestmark = pytest.mark.usefixtures("empty_memory")


def test_a_late_failure_does_not_hide_what_was_done(tmp_path):
    ledger = Ledger(Place.of(f"file://{tmp_path}/ledger", None))
    path = tmp_path / "ledger" / "records" / f"{digest('file:///a')}.json"
    for state, found in [("failed", "failed"), ("done", "done"), ("failed", "done")]:
        ledger.put(Record("file:///a", state, error="late" if state == "failed" else None))
        assert json.loads(path.read_text())["state"] == found


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
    names = [jobs.SealedIdentity(f"az://{one}@account/key", ["env:SEALANE_TEST_KEY"]).address for one in ("a", "b")]
    assert names[0] != names[1]


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
