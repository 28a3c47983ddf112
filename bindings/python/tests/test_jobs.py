"""Jobs over many objects, on files and in memory: results, ledgers, damage, secrets."""

import json
import os
import pickle

import fsspec
import pytest

from keys import IDENTITY, OTHER
from records import states
from sealane import age, jobs
from sealane.jobs import _task
from sealane.jobs._ledger import Ledger, digest
from sealane.jobs._place import Place
from sealane.jobs._stores import Conflict, LocalStore, Store

DATA = bytes(range(256)) * 4096  # 1 MiB
NEW = age.Identity.generate()
OLD = {"identities": "env:SEALANE_TEST_KEY"}
TO_OTHER = OLD | {"recipients": str(OTHER.recipient)}
READ_OTHER = {"identities": "env:SEALANE_OTHER_KEY"}
PLAIN = {"a": b"", "b": b"x" * 65536, "folder/c": DATA, "folder/deep/d": DATA * 9}


pytestmark = pytest.mark.usefixtures("empty_memory")


@pytest.fixture(params=["file", "memory"])
def root(request, tmp_path):
    """The address of an empty folder."""
    return f"file://{tmp_path}" if request.param == "file" else "memory://root"


def contents(url):
    fs, path = fsspec.url_to_fs(url)
    return {name.removeprefix(path).lstrip("/"): fs.cat(name) for name in fs.find(path)}


def fill(url, files):
    fs, path = fsspec.url_to_fs(url)
    for name, data in files.items():
        fs.makedirs(f"{path}/{name}".rpartition("/")[0], exist_ok=True)
        fs.pipe(f"{path}/{name}", data)


def sealed(url, files=PLAIN):
    fill(url, {name: age.encrypt(data, IDENTITY.recipient) for name, data in files.items()})


def test_from_plaintext_and_back(root):
    fill(f"{root}/plain", PLAIN)
    ledger = {"ledger": f"{root}/ledgers/seal"}
    report = jobs.seal(f"{root}/plain", f"{root}/lake", recipients=IDENTITY.recipient, **ledger).check()
    assert states(report) == ["done"] * 4
    assert report.bytes_read == sum(map(len, PLAIN.values())) < report.bytes_written
    lake = contents(f"{root}/lake")
    assert {name: age.decrypt(data, IDENTITY) for name, data in lake.items()} == PLAIN
    jobs.open(f"age::{root}/lake/", f"{root}/back", **OLD, ledger=f"{root}/ledgers/open").check()
    assert contents(f"{root}/back") == PLAIN
    assert states(jobs.verify(f"{root}/lake", **OLD, ledger=f"{root}/ledgers/verify")) == ["done"] * 4
    # A second run changes nothing, and reads no object.
    before = contents(f"{root}/lake")
    again = jobs.seal(f"{root}/plain", f"{root}/lake", recipients=IDENTITY.recipient, **ledger).check()
    assert states(again) == ["unchanged"] * 4 and (again.bytes_read, again.bytes_written) == (0, 0)
    assert contents(f"{root}/lake") == before
    assert "4 unchanged" in str(again)


def test_a_job_does_what_is_new(root):
    fill(f"{root}/plain", {"a": b"1", "b": b"2", "c": b"3"})
    call = {"recipients": IDENTITY.recipient, "ledger": f"{root}/ledger"}
    jobs.seal(f"{root}/plain", f"{root}/lake", **call).check()
    fill(f"{root}/plain", {"b": b"22", "d": b"4"})
    fs, path = fsspec.url_to_fs(f"{root}/lake/c")
    fs.rm(path)
    report = jobs.seal(f"{root}/plain", f"{root}/lake", **call).check()
    assert {record.url.rpartition("/")[2]: record.state for record in report.records} == {
        "a": "unchanged",
        "b": "done",
        "c": "done",
        "d": "done",
    }
    lake = contents(f"{root}/lake")
    assert {name: age.decrypt(data, IDENTITY) for name, data in lake.items()} == {
        "a": b"1",
        "b": b"22",
        "c": b"3",
        "d": b"4",
    }


def test_rekey(root):
    sealed(f"{root}/lake")
    before = contents(f"{root}/lake")
    report = jobs.rekey(f"{root}/lake", **TO_OTHER, ledger=f"{root}/ledger").check()
    assert states(report) == ["done"] * 4
    after = contents(f"{root}/lake")
    for name, data in PLAIN.items():
        assert age.decrypt(after[name], OTHER) == data
        with pytest.raises(age.NoMatchError):
            age.decrypt(after[name], IDENTITY)
        # Only the header is new.
        assert after[name][-len(data) - 16 :] == before[name][-len(data) - 16 :]
    assert set(states(jobs.rekey(f"{root}/lake", **TO_OTHER, ledger=f"{root}/ledger").check())) == {"unchanged"}
    assert contents(f"{root}/lake") == after
    jobs.verify(f"{root}/lake", **READ_OTHER, ledger=f"{root}/verified").check()
    # No intents are left, and no temporary files.
    assert all(name.startswith(("job", "records/")) for name in contents(f"{root}/ledger"))


def test_rekey_keeps_and_pads(root):
    sealed(f"{root}/lake", {"a": DATA})
    ledger = {"ledger": f"{root}/ledger"}
    jobs.rekey(f"{root}/lake/a", **TO_OTHER, keep=True, header_len=600, **ledger).check()
    data = contents(f"{root}/lake")["a"]
    assert age.decrypt(data, OTHER) == age.decrypt(data, IDENTITY) == DATA
    assert age.inspect(data).header_len == 600


def test_failures_are_records(root):
    sealed(f"{root}/lake", {"good": DATA})
    damaged = bytearray(age.encrypt(DATA, IDENTITY.recipient))
    damaged[-1] ^= 1
    bad = {
        "text": b"no age file",
        "empty": b"",
        "damaged": bytes(damaged),
        "foreign": age.encrypt(DATA, OTHER.recipient),
        "cut": age.encrypt(DATA, IDENTITY.recipient)[: -65536 - 16],
        "short": age.encrypt(DATA, IDENTITY.recipient)[:90],
    }
    fill(f"{root}/lake", bad)
    report = jobs.verify(f"{root}/lake", **OLD, ledger=f"{root}/ledger")
    errors = {r.url.rpartition("/")[2]: r.error.partition(":")[0] for r in report.failures}
    assert errors == {
        "text": "HeaderError",
        "empty": "HeaderError",
        "damaged": "PayloadError",
        "foreign": "NoMatchError",
        "cut": "PayloadError",
        "short": "HeaderError",
    }
    with pytest.raises(jobs.JobError, match="6 of 7 objects failed"):
        report.check()
    # Damaged objects produce no output. The second run tries the failed objects again, and nothing
    # else.
    for state in ("done", "unchanged"):
        report = jobs.open(f"{root}/lake", f"{root}/back", **OLD, ledger=f"{root}/open")
        assert len(report.failures) == 6 and contents(f"{root}/back") == {"good": DATA}
        assert report.count(state) == 1
    before = contents(f"{root}/lake")
    report = jobs.rekey(f"{root}/lake", **TO_OTHER, ledger=f"{root}/rekey")
    # A header can be replaced although the payload is damaged.
    assert sorted(r.url.rpartition("/")[2] for r in report.failures) == ["empty", "foreign", "short", "text"]
    after = contents(f"{root}/lake")
    assert {n for n in before if before[n] != after[n]} == {"good", "damaged", "cut"}


def test_sources(root):
    sealed(
        f"{root}/lake",
        {"x/1.age": b"1", "x/2.age": b"2", "x/3.txt": b"3", "y/1.age": b"4", "y/.t.0123456789abcdef.tmp": b""},
    )
    call = OLD | {"progress": False}

    def names(sources, ledger):
        report = jobs.verify(sources, **call, ledger=f"{root}/ledgers/{ledger}")
        return [record.url.partition("lake/")[2] for record in report.check().records]

    assert names(f"{root}/lake", 1) == ["x/1.age", "x/2.age", "x/3.txt", "y/1.age"]
    assert names(f"{root}/lake/*/*.age", 2) == ["x/1.age", "x/2.age", "y/1.age"]
    assert names([f"{root}/lake/y", f"{root}/lake/x/1.age"], 3) == ["y/1.age", "x/1.age"]
    jobs.open(f"{root}/lake/x/*.age", f"{root}/back", **call, ledger=f"{root}/ledgers/4").check()
    assert contents(f"{root}/back") == {"1.age": b"1", "2.age": b"2"}
    with pytest.raises(FileNotFoundError):
        names(f"{root}/none", 5)
    both = [f"{root}/lake/x", f"{root}/lake/y"]
    with pytest.raises(jobs.JobError, match="the same target"):
        jobs.open(both, f"{root}/back", **call, ledger=f"{root}/ledgers/6")
    with pytest.raises(jobs.JobError, match="same object"):
        jobs.open(f"{root}/lake", f"{root}/lake", **call, ledger=f"{root}/ledgers/7")
    # The ledger may be in the folder.
    jobs.verify(f"{root}/lake", **call, ledger=f"{root}/lake/ledger").check()
    assert len(jobs.verify(f"{root}/lake", **call, ledger=f"{root}/lake/ledger").check().records) == 4


def test_a_ledger_serves_one_job(root):
    sealed(f"{root}/lake", {"a": b"1"})
    jobs.rekey(f"{root}/lake", **TO_OTHER, ledger=f"{root}/ledger").check()
    with pytest.raises(jobs.JobError, match="belongs to another job: it differs in recipients"):
        jobs.rekey(f"{root}/lake", **OLD, recipients=str(NEW.recipient), ledger=f"{root}/ledger")
    with pytest.raises(jobs.JobError, match="differs in identities, operation, recipients"):
        jobs.verify(f"{root}/lake", **READ_OTHER, ledger=f"{root}/ledger")
    fill(f"{root}/ledger", {"records/x.json": b'{"url": "x", "other": 1}'})
    with pytest.raises(jobs.JobError, match="malformed"):
        jobs.rekey(f"{root}/lake", **TO_OTHER, ledger=f"{root}/ledger")


def test_no_secret_is_in_a_task_or_a_ledger(root):
    sealed(f"{root}/lake", {"a": DATA})
    secret = IDENTITY.to_text()
    with pytest.raises(ValueError, match="references"):
        jobs.verify(f"{root}/lake", identities=secret, ledger=f"{root}/ledger")
    tasks = []

    def kept(task):
        tasks.append(task)
        return run(task)

    run = _task.run
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sealane.jobs._runners.run", kept)
        jobs.rekey(f"{root}/lake", **TO_OTHER, ledger=f"{root}/ledger").check()
    [task] = tasks
    texts = [pickle.dumps(task), repr(task).encode(), *contents(f"{root}/ledger").values()]
    assert not [text for text in texts if secret[20:].encode() in text]
    assert pickle.loads(pickle.dumps(task)) == task


class Dying(BaseException):
    """Ends an attempt as if its process were killed."""


@pytest.mark.parametrize("moment", ["before", "after"])
def test_an_attempt_that_dies(root, moment, monkeypatch):
    """The next run finds out whether the object was replaced, and cleans up."""
    sealed(f"{root}/lake", {"a": DATA})
    fs, path = fsspec.url_to_fs(f"{root}/lake/a")
    name = "replace" if root.startswith("file") else "mv"
    place = os if root.startswith("file") else type(fs)
    move = getattr(place, name)

    def dying(*args, **kwargs):
        if not str(args[-1]).endswith("/a"):
            return move(*args, **kwargs)
        if moment == "after":
            move(*args, **kwargs)
        raise Dying

    monkeypatch.setattr(place, name, dying)
    # Killed processes remove nothing.
    monkeypatch.setattr(Store, "clean", lambda self, handle: None)
    monkeypatch.setattr(os, "unlink", lambda path: None)
    with pytest.raises(Dying):
        jobs.rekey(f"{root}/lake", **TO_OTHER, ledger=f"{root}/ledger")
    monkeypatch.undo()
    left = contents(f"{root}/lake")
    assert len(left) == (2 if moment == "before" else 1)
    assert age.decrypt(left["a"], IDENTITY if moment == "before" else OTHER) == DATA
    report = jobs.rekey(f"{root}/lake", **TO_OTHER, ledger=f"{root}/ledger").check()
    assert states(report) == ["done"]
    after = contents(f"{root}/lake")
    assert list(after) == ["a"] and age.decrypt(after["a"], OTHER) == DATA
    # The object was not replaced twice.
    assert (after["a"] == left["a"]) == (moment == "after")
    assert set(states(jobs.rekey(f"{root}/lake", **TO_OTHER, ledger=f"{root}/ledger").check())) == {"unchanged"}


def test_conflicts_are_tried_again(root, monkeypatch):
    sealed(f"{root}/lake", {"a": DATA})
    cls = LocalStore if root.startswith("file") else Store
    version, calls = cls.version, []

    def changing(store):
        calls.append(store)
        # Before the first attempt ends, someone replaces the object.
        if len(calls) == 2:
            store.fs.pipe(store.path, age.encrypt(b"newer", IDENTITY.recipient))
        return version(store)

    monkeypatch.setattr(cls, "version", changing)
    report = jobs.rekey(f"{root}/lake", **TO_OTHER, ledger=f"{root}/ledger").check()
    assert report.records[0].attempts == 2
    after = contents(f"{root}/lake")
    assert list(after) == ["a"] and age.decrypt(after["a"], OTHER) == b"newer"


@pytest.mark.parametrize("job", ["verify", "open", "rekey"])
def test_an_object_that_others_replace_is_not_damaged(root, job, monkeypatch):
    """Pieces of two versions look like damage, so the job tries again."""
    sealed(f"{root}/lake", {"a": DATA * 9})
    cls = LocalStore if root.startswith("file") else Store
    read, changes = cls._read, [age.encrypt(DATA * 8 + bytes(len(DATA)), IDENTITY.recipient)]
    if job == "rekey":
        # Others are writing the object in place.
        changes = [b"age".ljust(len(changes[0]))]

    def changing(store, version, start, stop):
        if changes and (start > 0 or job == "rekey"):
            store.fs.pipe(store.path, changes.pop())
        return read(store, version, start, stop)

    monkeypatch.setattr(cls, "_read", changing)
    call = OLD | {"ledger": f"{root}/ledger"}
    if job == "verify":
        report = jobs.verify(f"{root}/lake", **call).check()
    elif job == "open":
        report = jobs.open(f"{root}/lake", f"{root}/back", **call).check()
        assert contents(f"{root}/back") == {"a": DATA * 8 + bytes(len(DATA))}
    else:
        report = jobs.rekey(f"{root}/lake", **TO_OTHER, ledger=f"{root}/ledger")
        assert "HeaderError" in report.failures[0].error
    assert report.records[0].attempts == 2 and not changes


def test_attempts_end(root, monkeypatch):
    sealed(f"{root}/lake", {"a": DATA})
    before = contents(f"{root}/lake")

    def conflict(*args):
        raise Conflict

    for cls in (Store, LocalStore):
        monkeypatch.setattr(cls, "replace_header", conflict)
    report = jobs.rekey(f"{root}/lake", **TO_OTHER, ledger=f"{root}/ledger", attempts=2)
    assert report.records[0].attempts == 2 and "others changed" in report.records[0].error
    assert contents(f"{root}/lake") == before
    with pytest.raises(ValueError, match="attempts"):
        jobs.rekey(f"{root}/lake", **TO_OTHER, ledger=f"{root}/ledger", attempts=0)


def test_the_ledger_chooses_nothing_to_remove(root):
    """Someone who can write to the ledger cannot make a job remove other objects."""
    sealed(f"{root}/lake", {"a": DATA, "b": DATA, ".b.0123456789abcdef.tmp": b"", "x/.a.0123456789abcdef.tmp": b""})
    fs, path = fsspec.url_to_fs(f"{root}/lake")
    ledger = Ledger(Place.of(f"{root}/ledger", None))
    [url] = [fs.unstrip_protocol(f"{path}/a")]
    for index, name in enumerate(["b", ".b.0123456789abcdef.tmp", "x/.a.0123456789abcdef.tmp", "", "x"]):
        ledger.intend(url, bytes([index]), f"{path}/{name}")
    before = set(contents(f"{root}/lake"))
    jobs.rekey(f"{root}/lake", **TO_OTHER, ledger=f"{root}/ledger").check()
    assert set(contents(f"{root}/lake")) == before


def test_intents_of_other_objects_are_ignored(root):
    sealed(f"{root}/lake", {"a": DATA})
    fs, path = fsspec.url_to_fs(f"{root}/lake")
    url = fs.unstrip_protocol(f"{path}/a")
    header = fs.cat(f"{path}/a")
    header = header[: age.inspect(header).header_len]
    fill(f"{root}/ledger/intents/{digest(url)}", {f"{digest(header)}.json": b'{"url": "b", "handle": ""}'})
    jobs.rekey(f"{root}/lake", **TO_OTHER, ledger=f"{root}/ledger").check()
    assert age.decrypt(contents(f"{root}/lake")["a"], OTHER) == DATA


def test_progress(tmp_path, capsys):
    sealed(f"file://{tmp_path}/lake", {"a": b"1", "b": b"2", "c": b"no"})
    calls = []
    jobs.verify(f"{tmp_path}/lake", **OLD, ledger=f"{tmp_path}/1", progress=lambda *args: calls.append(args[:2]))
    assert calls == [(1, 3), (2, 3), (3, 3)]
    (tmp_path / "lake" / "c").write_bytes(b"text")
    jobs.verify(f"{tmp_path}/lake", **OLD, ledger=f"{tmp_path}/2", progress=True)
    assert capsys.readouterr().err.endswith("3/3, 1 failed\n")
    jobs.verify(f"{tmp_path}/lake", **OLD, ledger=f"{tmp_path}/3")
    assert capsys.readouterr().err == ""


def test_runners(tmp_path):
    call = OLD | {"ledger": f"{tmp_path}/ledger"}
    sealed(f"file://{tmp_path}/lake", {"a": b""})
    with pytest.raises(ValueError, match="local, dask or ray"):
        jobs.verify(f"{tmp_path}/lake", **call, runner="spark")
    with pytest.raises(ValueError, match="for Dask"):
        jobs.verify(f"{tmp_path}/lake", **call, client=object())
    with pytest.raises(ValueError, match="workers cannot be set for dask"):
        jobs.verify(f"{tmp_path}/lake", **call, runner="dask", workers=2)
    with pytest.raises(ValueError, match="not on a chain"):
        jobs.verify("simplecache::file:///a", **call)
    with pytest.raises(jobs.JobError, match="pip install ray"), pytest.MonkeyPatch.context() as patch:
        patch.setitem(__import__("sys").modules, "ray", None)
        jobs.verify(f"{tmp_path}/lake", **call, runner="ray")
    assert json.loads(json.dumps(jobs.verify(f"{tmp_path}/lake", **call).records[0].to_json()))["state"] == "done"
