"""Sources of jobs, and stores that promise little: what is not seen or not done is reported."""

import os
import shutil

import fsspec
import pytest
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem

from keys import IDENTITY, OTHER
from records import states
from sealane import age, jobs
from sealane.jobs._stores import Store

OLD = {"identities": "env:SEALANE_TEST_KEY", "progress": False}
TO_OTHER = OLD | {"recipients": str(OTHER.recipient)}


pytestmark = pytest.mark.usefixtures("empty_memory")


@pytest.fixture
def weak(monkeypatch):
    """A filesystem that renames like WebHDFS: nothing happens if the target exists."""
    move = MemoryFileSystem.mv

    def moving(self, path1, path2, **kwargs):
        if not self.exists(path2):
            move(self, path1, path2, **kwargs)

    monkeypatch.setattr(MemoryFileSystem, "mv", moving)
    return fsspec.filesystem("memory")


@pytest.fixture
def sizes(monkeypatch):
    """A filesystem that reports nothing about an object but its size."""
    look, names = MemoryFileSystem.info, MemoryFileSystem.ls

    def info(self, path, **kwargs):
        return {name: value for name, value in look(self, path, **kwargs).items() if name != "created"}

    def ls(self, path, detail=True, **kwargs):
        found = names(self, path, detail=False, **kwargs)
        return [self.info(name) for name in found] if detail else found

    monkeypatch.setattr(MemoryFileSystem, "info", info)
    monkeypatch.setattr(MemoryFileSystem, "ls", ls)
    return fsspec.filesystem("memory")


def sealed(text):
    return age.encrypt(text, IDENTITY.recipient)


def test_a_store_that_does_not_rename_onto_an_object(weak, tmp_path):
    (tmp_path / "a").write_bytes(b"1")
    call = {"recipients": str(IDENTITY.recipient), "ledger": f"{tmp_path}/seal"}
    assert states(jobs.seal(f"{tmp_path}/a", "memory://lake", **call).check()) == ["done"]
    before = weak.cat("/lake/a")
    for report in (
        jobs.rekey("memory://lake", **TO_OTHER, ledger=f"{tmp_path}/rekey"),
        jobs.seal(f"{tmp_path}/a", "memory://lake", **call | {"ledger": f"{tmp_path}/again"}),
    ):
        [failure] = report.failures
        assert "does not rename" in failure.error and failure.attempts == 1
    assert weak.find("/lake") == ["/lake/a"] and weak.cat("/lake/a") == before


def test_a_store_that_reports_only_sizes(sizes, tmp_path):
    sizes.pipe({"/plain/a": b"1", "/lake/a": sealed(b"1")})
    call = {"recipients": str(IDENTITY.recipient), "ledger": f"{tmp_path}/seal"}
    jobs.seal("memory://plain", "memory://sealed", **call).check()
    sizes.pipe("/plain/a", b"2")
    assert states(jobs.seal("memory://plain", "memory://sealed", **call).check()) == ["done"]
    assert age.decrypt(sizes.cat("/sealed/a"), IDENTITY) == b"2"
    # The target alone is not enough either.
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "b").write_bytes(b"1")
    call["ledger"] = f"{tmp_path}/target"
    for _ in range(2):
        assert states(jobs.seal(f"{tmp_path}/plain", "memory://sealed", **call).check()) == ["done"]
    before = sizes.cat("/lake/a")
    [failure] = jobs.rekey("memory://lake", **TO_OTHER, ledger=f"{tmp_path}/rekey").failures
    assert "neither a time nor an ETag" in failure.error and sizes.cat("/lake/a") == before


@pytest.mark.parametrize("field", ["modificationTime", "modify", "mtime", "etag"])
def test_fields_that_name_a_version(field):
    """WebHDFS and FTP have names of their own for the time."""
    first, second = (Store.version_of({"name": "a", "size": 1, field: value}) for value in (1, 2))
    assert first != second and first.is_exact
    assert not Store.version_of({"name": "a", "size": 1}).is_exact


def test_a_change_while_the_new_file_is_synced(tmp_path, monkeypatch):
    path = tmp_path / "lake" / "a"
    path.parent.mkdir()
    path.write_bytes(sealed(b"old"))
    sync, changes = os.fsync, [sealed(b"newer")]

    def changing(descriptor):
        sync(descriptor)
        if changes and os.path.samestat(os.fstat(descriptor), next(path.parent.glob(".a.*.tmp"), path).stat()):
            path.write_bytes(changes.pop())

    monkeypatch.setattr(os, "fsync", changing)
    report = jobs.rekey(f"{path.parent}", **TO_OTHER, ledger=f"{tmp_path}/ledger").check()
    assert report.records[0].attempts == 2 and not changes
    assert age.decrypt(path.read_bytes(), OTHER) == b"newer"


def test_a_change_right_after_the_replacement(tmp_path, monkeypatch):
    """The record names the version that the job wrote, and not a later one."""
    path = tmp_path / "lake" / "a"
    path.parent.mkdir()
    path.write_bytes(sealed(b"old"))
    replace = os.replace

    def changing(source, target):
        replace(source, target)
        if target == str(path):
            path.write_bytes(sealed(b"newer"))

    monkeypatch.setattr(os, "replace", changing)
    jobs.rekey(f"{path.parent}", **TO_OTHER, ledger=f"{tmp_path}/ledger").check()
    monkeypatch.undo()
    assert states(jobs.rekey(f"{path.parent}", **TO_OTHER, ledger=f"{tmp_path}/ledger").check()) == ["done"]
    assert age.decrypt(path.read_bytes(), OTHER) == b"newer"


@pytest.fixture(params=["file", "memory"])
def root(request, tmp_path):
    """The address of a folder with five objects."""
    url = f"file://{tmp_path}/lake" if request.param == "file" else "memory://lake"
    fs, path = fsspec.url_to_fs(url)
    for name in ("top", "year=2027/a", "year=2027/deep/b", "year=2028/c", "odd[1]/d"):
        fs.makedirs(f"{path}/{name}".rpartition("/")[0], exist_ok=True)
        fs.pipe(f"{path}/{name}", sealed(name.encode()))
    return url


def names(sources, folder):
    ledger = f"{folder}/ledger-{len(list(folder.iterdir()))}"
    report = jobs.verify(sources, **OLD, ledger=ledger).check()
    return sorted(record.url.partition("lake/")[2] for record in report.records)


def test_a_pattern_matches_folders_too(root, tmp_path):
    assert names(f"{root}/year=*", tmp_path) == ["year=2027/a", "year=2027/deep/b", "year=2028/c"]
    assert len(names(f"{root}/*", tmp_path)) == len(names(f"{root}/**", tmp_path)) == 5
    jobs.open(f"{root}/year=*", f"{root}/back", **OLD, ledger=f"{tmp_path}/open").check()
    fs, path = fsspec.url_to_fs(f"{root}/back")
    assert sorted(name.removeprefix(path) for name in fs.find(path)) == [
        "/year=2027/a",
        "/year=2027/deep/b",
        "/year=2028/c",
    ]


def test_an_address_without_objects(root, tmp_path):
    for source in (f"{root}/none*", [f"{root}/top", f"{root}/year=2029*"], f"{root}/none"):
        with pytest.raises(FileNotFoundError, match="none|2029"):
            names(source, tmp_path)


def test_a_name_that_looks_like_a_pattern(root, tmp_path):
    assert names(f"{root}/odd[1]", tmp_path) == ["odd[1]/d"]
    assert names(f"{root}/odd[[]1]", tmp_path) == ["odd[1]/d"]


def test_links_to_folders(tmp_path):
    lake, elsewhere = tmp_path / "lake", tmp_path / "elsewhere"
    for folder, name in ((lake / "2027", "a"), (elsewhere, "b")):
        folder.mkdir(parents=True)
        (folder / name).write_bytes(sealed(b"1"))
    # What this link leads to is listed anyway.
    (lake / "latest").symlink_to("2027")
    (lake / "self").symlink_to(".")
    (lake / "gone").symlink_to("nowhere")
    assert names(f"{lake}", tmp_path) == ["2027/a"]
    (lake / "self").unlink()
    assert names(f"{lake}/*", tmp_path) == ["2027/a"]
    (lake / "other").symlink_to(elsewhere)
    for source in (f"{lake}", f"{lake}/*"):
        report = jobs.verify(source, **OLD, ledger=f"{tmp_path}/{len(source)}")
        [failure] = report.failures
        assert failure.url.endswith("/lake/other") and "outside the sources" in failure.error
        assert report.count("done") == 1
    # The folder may be a source, by its own name or by that of the link.
    report = jobs.verify([f"{lake}", f"{elsewhere}"], **OLD, ledger=f"{tmp_path}/both").check()
    assert report.count("done") == 2
    assert names(f"{lake}/other", tmp_path) == ["other/b"]


OPERATIONS = {
    "rekey": lambda source, call: jobs.rekey(source, **TO_OTHER, **call),
    "verify": lambda source, call: jobs.verify(source, **OLD, **call),
    "seal": lambda source, call: jobs.seal(source, f"{call['ledger']}-out", recipients=TO_OTHER["recipients"], **call),
    "open": lambda source, call: jobs.open(source, f"{call['ledger']}-out", **OLD, **call),
}


@pytest.fixture
def unreadable(tmp_path, monkeypatch):
    """A folder with a subfolder that cannot be listed, also not by root."""
    for name in ("x/1", "y/2", "z/deep/3"):
        (tmp_path / "lake" / name).parent.mkdir(parents=True)
        (tmp_path / "lake" / name).write_bytes(sealed(b"1"))
    scan = os.scandir

    def scandir(path="."):
        if str(path).rstrip("/").endswith(("lake/y", "z/deep")):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)
    return tmp_path / "lake"


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_folder_that_cannot_be_listed(operation, unreadable, tmp_path):
    work = OPERATIONS[operation]
    report = work(f"{unreadable}", {"ledger": f"{tmp_path}/1"})
    assert [record.url.partition("lake/")[2] for record in report.failures] == ["y", "z/deep"]
    assert report.count("done") == 1
    with pytest.raises(jobs.JobError, match="lake/y: the folder cannot be listed: PermissionError"):
        report.check()


@pytest.mark.parametrize(
    ("pattern", "count"),
    [("*", 2), ("*/?", 1), ("[xy]/*", 1), ("x*", 0), ("**/*", 2), ("z/**", 1), ("*/deep/*", 2), ("y", 1), ("y/*", 1)],
)
def test_a_pattern_names_the_folders_that_it_needs(pattern, count, unreadable, tmp_path):
    report = jobs.verify(f"{unreadable}/{pattern}", **OLD, ledger=f"{tmp_path}/ledger")
    assert len(report.failures) == count
    assert all("cannot be listed" in failure.error for failure in report.failures)


def test_a_folder_that_vanishes(tmp_path, monkeypatch):
    for name in ("x/1", "y/2"):
        (tmp_path / "lake" / name).parent.mkdir(parents=True)
        (tmp_path / "lake" / name).write_bytes(sealed(b"1"))
    ls, calls = LocalFileSystem.ls, []

    def vanishing(self, path, **kwargs):
        if path.endswith("lake/y"):
            shutil.rmtree(path)
        if path.endswith("lake/x"):
            calls.append(path)
            if len(calls) == 1:
                # As if an object of the folder had vanished.
                raise FileNotFoundError(f"{path}/gone")
        return ls(self, path, **kwargs)

    monkeypatch.setattr(LocalFileSystem, "ls", vanishing)
    assert names(f"{tmp_path}/lake", tmp_path) == ["x/1"]


@pytest.mark.parametrize("pattern", ["*", "year=*/*", "**/b", "year=2027/**", "**", "[ty]*/?", "y*/deep/b", "**/deep"])
def test_patterns_are_those_of_fsspec(pattern, root, tmp_path):
    fs, path = fsspec.url_to_fs(f"{root}/{pattern}")
    expected = set()
    for match in fs.glob(path):
        expected.update(fs.find(match))
    assert names(f"{root}/{pattern}", tmp_path) == sorted(one.partition("lake/")[2] for one in expected)
