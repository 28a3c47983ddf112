"""Moves of sealed objects on filesystems that can rename."""

import os

import fsspec
import pytest
from fsspec.asyn import sync
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.implementations.local import LocalFileSystem

import sealane.fsspec
from keys import OPTIONS


def filesystem(kind, folder):
    """Returns a filesystem over a folder, and what the paths of its objects begin with."""
    target, root = LocalFileSystem(), f"{folder}/"
    if kind == "dir":
        target, root = DirFileSystem(str(folder), fs=target), ""
    return sealane.fsspec.AgeFileSystem(fs=target, skip_instance_cache=True, **OPTIONS), root


def there(fs, root):
    """Returns the contents of all objects by their names."""
    return {path.removeprefix(root): fs.cat_file(path).decode() for path in fs.find(root)}


@pytest.mark.parametrize("kind", ["file", "dir", "simplecache"])
def test_a_move_is_a_rename(kind, tmp_path):
    """A copy would cut off the old file first, and so lose it if the copy is interrupted."""
    target = {
        "file": lambda: LocalFileSystem(),
        "dir": lambda: DirFileSystem("/", fs=LocalFileSystem()),
        "simplecache": lambda: fsspec.filesystem("simplecache", target_protocol="file"),
    }[kind]()
    fs = sealane.fsspec.AgeFileSystem(fs=target, skip_instance_cache=True, **OPTIONS)
    new, old = str(tmp_path / "new"), str(tmp_path / "old")
    for move in [fs.mv, fs.move, fs.rename, lambda *paths: sync(fs.loop, fs._mv_file, *paths)]:
        fs.pipe({old: b"old" * 99, new: b"new"})
        # simplecache itself does not notice that a file was replaced.
        is_known = kind != "simplecache" and fs.cat_ranges([old, new], [0, 0], [3, 3]) == [b"old", b"new"]
        inode = os.stat(new).st_ino
        move(new, old)
        assert os.listdir(tmp_path) == ["old"] and os.stat(old).st_ino == inode
        if is_known:
            assert fs.cat_file(old, 0, 9) == b"new"
            with pytest.raises(FileNotFoundError):
                fs.cat_file(new, 0, 9)


@pytest.mark.parametrize("kind", ["file", "dir"])
def test_names_with_the_characters_of_patterns_are_moved(kind, tmp_path):
    """The base class copies what matches the name, and removes the object with the name."""
    fs, root = filesystem(kind, tmp_path)
    names = ("d/a1", "d/a[1]", "d/b?", "d/bb", "d/f[2]/g", "d/f2/h")
    for folder in ("d/f[2]", "d/f2", "e"):
        (tmp_path / folder).mkdir(parents=True)
    fs.pipe({f"{root}{name}": name.encode() for name in names})

    fs.mv(f"{root}d/a[1]", f"{root}e/")
    fs.mv([f"{root}d/b?"], f"{root}e")
    fs.mv(f"{root}d/f[2]", f"{root}e/", recursive=True)
    kept = {"d/a1": "d/a1", "d/bb": "d/bb", "d/f2/h": "d/f2/h"}
    assert there(fs, root) == kept | {"e/a[1]": "d/a[1]", "e/b?": "d/b?", "e/f[2]/g": "d/f[2]/g"}
    with pytest.raises(FileNotFoundError):
        fs.mv(f"{root}d/x*", f"{root}e")


@pytest.mark.parametrize("kind", ["file", "dir"])
def test_matches_of_a_pattern_are_moved(kind, tmp_path):
    fs, root = filesystem(kind, tmp_path)
    for folder in ("d/x", "d/y", "e/x", "e/y", "f"):
        (tmp_path / folder).mkdir(parents=True)
    names = ("d/1.age", "d/2.age", "d/3.txt", "d/x/1", "d/y/2")
    fs.pipe({f"{root}{name}": name.encode() for name in names})
    inodes = {os.stat(tmp_path / name).st_ino for name in names}
    fs.mv(f"{root}d/?.age", f"{root}e")
    fs.mv([f"{root}d/3*"], f"{root}e/")
    fs.mv(f"{root}d/?/[12]", f"{root}e")
    assert there(fs, root) == {name.replace("d/", "e/"): name for name in names}
    # Folders only with `recursive`.
    with pytest.raises(FileNotFoundError):
        fs.mv(f"{root}e/*x", f"{root}f")
    fs.mv(f"{root}e/*x", f"{root}f", recursive=True)
    assert fs.cat(f"{root}f/x/1") == b"d/x/1" and not fs.exists(f"{root}e/x")
    found = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {os.stat(path).st_ino for path in found} == inodes


@pytest.mark.parametrize("kind", ["file", "dir"])
def test_matches_that_overlap_or_collide(kind, tmp_path):
    """An object is moved once. What a rename cannot do is refused before anything is moved."""
    fs, root = filesystem(kind, tmp_path)
    for folder in ("d/x", "d/y", "e/x", "e/2.age", "g", "h"):
        (tmp_path / folder).mkdir(parents=True)
    fs.pipe(
        {f"{root}{name}": name.encode() for name in ("d/1.age", "d/2.age", "d/x/1", "d/x/2.age", "d/y/2", "h/1.age")}
    )
    before = there(fs, root)
    for error, reason, names, folder, options in (
        (NotImplementedError, "what is in it", "d/**", "g", {"recursive": True}),
        (NotImplementedError, "what is in it", ["d/*", "d/x/*"], "g", {"recursive": True}),
        (NotImplementedError, "maxdepth", "d/*", "g", {"recursive": True, "maxdepth": 1}),
        (FileExistsError, "a folder has the new name", "d/?", "e", {"recursive": True}),
        (FileExistsError, "a folder has the new name", "d/*.age", "e", {}),
        (ValueError, "onto or into", "d/*", "d/y", {"recursive": True}),
        (ValueError, "onto or into", "d/**", "d/x", {}),
        (ValueError, "cannot both", ["d/*.age", "h/*.age"], "g", {}),
    ):
        paths = f"{root}{names}" if isinstance(names, str) else [f"{root}{name}" for name in names]
        with pytest.raises(error, match=reason):
            fs.mv(paths, f"{root}{folder}", **options)
        assert there(fs, root) == before
    fs.mv([f"{root}d/*.age", f"{root}d/1*"], f"{root}g")
    # Below the limit of `maxdepth`, nothing matches.
    (tmp_path / "g/x").mkdir()
    (tmp_path / "d/x/z").mkdir()
    fs.pipe(f"{root}d/x/z/3", b"d/x/z/3")
    fs.mv(f"{root}d/x/**", f"{root}g/x", maxdepth=1)
    moved = {"g/1.age": "d/1.age", "g/2.age": "d/2.age", "g/x/1": "d/x/1"}
    assert there(fs, root) == moved | {
        "g/x/2.age": "d/x/2.age",
        "d/x/z/3": "d/x/z/3",
        "d/y/2": "d/y/2",
        "h/1.age": "h/1.age",
    }


def test_several_objects_are_moved(tmp_path):
    fs = fsspec.filesystem("age", skip_instance_cache=True, **OPTIONS)
    for name in ("a1", "a2", "folder/c"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        fs.pipe(str(tmp_path / name), name.encode())
    (tmp_path / "x").mkdir()
    fs.mv([f"{tmp_path}/a1", f"{tmp_path}/a2"], f"{tmp_path}/x/")
    fs.mv(f"{tmp_path}/folder", f"{tmp_path}/y", recursive=True)
    found = {path.removeprefix(f"{tmp_path}/"): fs.cat(path) for path in fs.find(str(tmp_path))}
    assert found == {"x/a1": b"a1", "x/a2": b"a2", "y/c": b"folder/c"}
