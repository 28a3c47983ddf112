"""Listings: files that cannot be read or vanish, links, and objects that are not sealed."""

import time

import fsspec
import pytest
from fsspec.implementations.asyn_wrapper import AsyncFileSystemWrapper
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem
from fsspec.spec import AbstractFileSystem

import sealane.fsspec
from keys import OPTIONS

DATA = b"x" * 1000


class Failing(MemoryFileSystem):
    """A filesystem in memory in which no file whose name ends in "bad" can be read."""

    protocol = "failing"
    store = {}
    pseudo_dirs = [""]
    cachable = False
    error = PermissionError

    def cat_file(self, path, start=None, end=None, **kwargs):
        if path.endswith("bad"):
            raise self.error(path)
        return super().cat_file(path, start, end, **kwargs)


class Single(Failing):
    """Returns a list for a single object even with ``detail``, as adlfs does."""

    def find(self, path, maxdepth=None, withdirs=False, detail=False, **kwargs):
        if self.isfile(path):
            return [path]
        return super().find(path, maxdepth=maxdepth, withdirs=withdirs, detail=detail, **kwargs)


class Unlisted(Failing):
    """Cannot list a file, so fsspec's ``find`` of a single object returns no information."""

    find = AbstractFileSystem.find

    def ls(self, path, detail=True, **kwargs):
        if self.isfile(path):
            raise NotADirectoryError(path)
        return super().ls(path, detail=detail, **kwargs)


@pytest.fixture(autouse=True)
def empty():
    Failing.store.clear()
    Failing.pseudo_dirs[:] = [""]


def over(target, **options):
    fs = sealane.fsspec.AgeFileSystem(fs=target, skip_instance_cache=True, **OPTIONS | options)
    fs.pipe({"/f/a": DATA, "/f/bad": DATA, "/f/c": DATA})
    # Nothing is known of the files.
    return sealane.fsspec.AgeFileSystem(fs=target, skip_instance_cache=True, **OPTIONS | options)


@pytest.mark.parametrize("error", [PermissionError, FileNotFoundError])
def test_a_file_that_cannot_be_read(error, monkeypatch):
    monkeypatch.setattr(Failing, "error", error)
    fs = over(Failing())
    # Another process has deleted the file if it is not found.
    listed = {"/f/a": 1000, "/f/c": 1000} | ({} if error is FileNotFoundError else {"/f/bad": None})
    assert {info["name"]: info["size"] for info in fs.ls("/f")} == listed
    assert {name: info["size"] for name, info in fs.find("/f", detail=True).items()} == listed
    assert sorted(fs.glob("/f/*")) == sorted(listed)
    [(folder, folders, files)] = fs.walk("/f")
    assert (folder, folders, sorted(files)) == ("/f", [], sorted(name[3:] for name in listed))
    [bad] = [info for info in fs.ls("/f") if info["name"] == "/f/bad"] or [{"sealed_size": None}]
    assert bad["sealed_size"] == (None if error is FileNotFoundError else len(Failing.store["/f/bad"].getvalue()))
    with pytest.raises(error):
        fs.cat("/f/bad")


@pytest.mark.parametrize("target", [Single, Unlisted])
@pytest.mark.parametrize("sizes", ["exact", "lazy", "sealed"])
def test_find_of_a_single_object(sizes, target):
    fs = over(target(), listing_sizes=sizes)
    [(name, info)] = fs.find("/f/a", detail=True).items()
    sealed = len(Failing.store["/f/a"].getvalue())
    assert (name, info["size"]) == ("/f/a", {"exact": 1000, "lazy": None, "sealed": sealed}[sizes])
    assert fs.find("/f/a") == ["/f/a"] and fs.du("/f/a") == 1000


@pytest.mark.parametrize("sizes", ["exact", "lazy", "sealed"])
def test_du_counts_objects_that_are_not_sealed(sizes, tmp_path):
    fs = fsspec.filesystem("age", listing_sizes=sizes, **OPTIONS)
    (tmp_path / "lake").mkdir()
    fs.pipe({f"{tmp_path}/lake/a": DATA, f"{tmp_path}/lake/b": DATA})
    (tmp_path / "lake" / "_SUCCESS").touch()
    (tmp_path / "lake" / "notes").write_bytes(b"text")
    fs.invalidate_cache()
    assert fs.du(f"{tmp_path}/lake") == 2004
    each = fs.du(f"{tmp_path}/lake", total=False)
    assert {name.rpartition("/")[2]: size for name, size in each.items()} == {
        "_SUCCESS": 0,
        "a": 1000,
        "b": 1000,
        "notes": 4,
    }


def test_links(tmp_path):
    """A link to a file has the length of its plaintext, and a link to a folder is not followed."""
    fs = fsspec.filesystem("age", skip_instance_cache=True, **OPTIONS)
    lake = tmp_path / "lake"
    lake.mkdir()
    fs.pipe(f"{lake}/a", DATA)
    (lake / "link").symlink_to(lake / "a")
    (lake / "self").symlink_to(lake)
    (lake / "gone").symlink_to(lake / "nowhere")
    fs.invalidate_cache()
    info = {info["name"].rpartition("/")[2]: info for info in fs.ls(f"{lake}")}
    assert set(info) == {"a", "link", "self", "gone"}
    assert (info["link"]["type"], info["link"]["size"]) == ("file", 1000)
    assert info["link"]["sealed_size"] == (lake / "a").stat().st_size
    assert info["link"]["size"] == fs.info(f"{lake}/link")["size"]
    assert fs.find(f"{lake}", detail=True)[f"{lake}/link"]["size"] == 1000
    assert [folder for folder, _, _ in fs.walk(f"{lake}")] == [f"{lake}"]


class SlowFolders(LocalFileSystem):
    """Creates each folder after the files in it could have been copied."""

    def cp_file(self, path1, path2, **kwargs):
        if self.isdir(path1):
            time.sleep(0.1)
        super().cp_file(path1, path2, **kwargs)


TARGETS = {
    "plain": SlowFolders,
    "folder": lambda: DirFileSystem("/", fs=SlowFolders()),
    "wrapped": lambda: AsyncFileSystemWrapper(SlowFolders()),
}


@pytest.mark.parametrize("target", TARGETS)
def test_folders_are_copied_before_their_files(target, tmp_path):
    fs = sealane.fsspec.AgeFileSystem(fs=TARGETS[target](), **OPTIONS)
    names = ["a", "b/c", "b/d/e"]
    for name in names:
        (tmp_path / "old" / name).parent.mkdir(parents=True, exist_ok=True)
        fs.pipe(f"{tmp_path}/old/{name}", name.encode())
    fs.cp(f"{tmp_path}/old", f"{tmp_path}/new", recursive=True)
    assert {name: fs.cat(f"{tmp_path}/new/{name}") for name in names} == {name: name.encode() for name in names}
    fs.mv(f"{tmp_path}/new", f"{tmp_path}/moved", recursive=True)
    assert {name: fs.cat(f"{tmp_path}/moved/{name}") for name in names} == {name: name.encode() for name in names}
    assert not (tmp_path / "new").exists()


def test_the_arguments_of_a_copy_by_position(tmp_path):
    fs = fsspec.filesystem("age", **OPTIONS)
    files = [f"{tmp_path}/missing"], [f"{tmp_path}/copy"]
    with pytest.raises(FileNotFoundError):
        fs.copy(*files, True, "raise")
    fs.copy(*files, True, "ignore")
