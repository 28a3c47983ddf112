"""Files of a transaction are replaced when it ends, and only if no write to them failed."""

import contextlib
import gzip
import io
import os

import fsspec
import pytest
from fsspec.implementations.local import LocalFileSystem

import sealane.fsspec
from keys import IDENTITY, OPTIONS
from sealane import age

DATA = bytes(range(256)) * 1024


pytestmark = pytest.mark.usefixtures("empty_memory")


def test_a_failed_write_and_transactions(tmp_path):
    fs = fsspec.filesystem("age", target_protocol="file", **OPTIONS)
    path = str(tmp_path / "a")
    with pytest.raises(ZeroDivisionError), fs.open(path, "wb") as file:
        file.write(DATA)
        raise ZeroDivisionError
    with pytest.raises(age.PayloadError):
        fs.cat(path)
    with fs.transaction, fs.open(path, "wb") as file:
        file.write(DATA[1:])
    assert fs.cat(path) == DATA[1:]
    with pytest.raises(ZeroDivisionError), fs.transaction:
        with fs.open(path, "wb") as file:
            file.write(DATA)
        raise ZeroDivisionError
    assert fs.cat(path) == DATA[1:]
    assert os.listdir(tmp_path) == ["a"]


def test_a_file_of_a_transaction_that_is_still_open(tmp_path):
    fs = fsspec.filesystem("age", skip_instance_cache=True, **OPTIONS)
    path = f"{tmp_path}/a"
    fs.pipe(path, b"old")
    with fs.transaction:
        file = fs.open(path, "wb")
        file.write(DATA)
        assert fs.cat(path) == b"old"
    assert file.closed and fs.cat(path) == DATA
    with fs.transaction:
        text = fs.open(path, "w")
        text.write("text")
    assert text.closed and fs.cat(path) == b"text"
    for mode in ("wb", "w"):
        with fs.transaction:
            packed = fs.open(f"{path}.gz", mode, compression="gzip")
            packed.write(DATA if mode == "wb" else "text")
        assert gzip.decompress(fs.cat(f"{path}.gz")) == (DATA if mode == "wb" else b"text")
    fs.rm(f"{path}.gz")
    with pytest.raises(OSError, match="a write to it failed") as caught, fs.transaction:
        text = fs.open(path, "w")
        text.write("more")
        text.buffer._put = lambda sealed: 1 / 0
    assert isinstance(caught.value.__context__, ZeroDivisionError)
    assert fs.cat(path) == b"text"
    assert os.listdir(tmp_path) == ["a"]


def test_a_write_that_failed_in_a_transaction(tmp_path):
    fs = fsspec.filesystem("age", skip_instance_cache=True, **OPTIONS)
    path = f"{tmp_path}/a"
    fs.pipe(path, b"old")
    with pytest.raises(OSError, match="a write to it failed"), fs.transaction:
        file = fs.open(path, "wb")
        with pytest.raises(ZeroDivisionError), pytest.MonkeyPatch.context() as patch:
            patch.setattr(file, "_put", lambda sealed: 1 / 0)
            file.write(DATA)
    assert file.closed and fs.cat(path) == b"old"
    fs.start_transaction()
    file = fs.open(path, "wb")
    file._put = lambda sealed: 1 / 0
    try:
        file.write(DATA)
    except ZeroDivisionError:
        with pytest.raises(OSError, match="the file was not replaced"):
            fs.end_transaction()
    assert file.closed and fs.cat(path) == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_a_write_that_failed_outside_a_transaction(tmp_path):
    fs = fsspec.filesystem("age", skip_instance_cache=True, **OPTIONS)
    file = fs.open(f"{tmp_path}/a", "wb")
    file._put = lambda sealed: 1 / 0
    with pytest.raises(ZeroDivisionError):
        file.write(DATA)
    with pytest.raises(OSError, match="incomplete, because a write to it failed"):
        file.close()
    file.close()
    assert file.closed and file._target.closed
    with pytest.raises(ZeroDivisionError), fsspec.open(f"age::file://{tmp_path}/a", "wb", **OPTIONS) as file:
        file._put = lambda sealed: 1 / 0
        file.write(DATA)


@pytest.mark.parametrize("compression", [None, "gzip"])
def test_a_new_local_file_in_a_transaction(tmp_path, compression):
    """fsspec creates such a file at once, not when the transaction ends."""
    fs = fsspec.filesystem("age", skip_instance_cache=True, **OPTIONS)
    with fs.transaction, pytest.raises(NotImplementedError, match="LocalFileSystem has no transactions"):
        fs.open(f"{tmp_path}/a", "xb", compression=compression)
    assert os.listdir(tmp_path) == []
    with fs.open(f"{tmp_path}/a", "xb") as file:
        file.write(DATA)
    assert fs.cat(f"{tmp_path}/a") == DATA


@pytest.mark.parametrize("kind", ["memory", "simplecache", "filecache"])
def test_filesystems_that_ignore_transactions(kind, tmp_path):
    """They would replace the file even if the transaction fails."""
    target = fsspec.filesystem(kind, target_protocol="file", cache_storage=str(tmp_path / "cache"))
    fs = sealane.fsspec.AgeFileSystem(fs=target, skip_instance_cache=True, **OPTIONS)
    path = str(tmp_path / "a")
    fs.makedirs(str(tmp_path), exist_ok=True)
    fs.pipe(path, b"old")
    with pytest.raises(NotImplementedError, match=f"{type(target).__name__} has no transactions"), fs.transaction:
        fs.open(path, "wb")
    fs.invalidate_cache()
    assert fs.cat(path) == b"old"


def test_files_that_wait_for_commit(tmp_path):
    """Those of SFTP say so only by having the method."""

    class File(io.FileIO):
        def commit(self):
            os.replace(self.name, str(self.name).removesuffix(".tmp"))

        def discard(self):
            os.unlink(self.name)

    class Remote(LocalFileSystem):
        cachable = False

        def _open(self, path, mode="rb", block_size=None, autocommit=True, **kwargs):
            return super()._open(path, mode) if autocommit else File(f"{path}.tmp", "w")

    fs = sealane.fsspec.AgeFileSystem(fs=Remote(), skip_instance_cache=True, **OPTIONS)
    path = str(tmp_path / "a")
    fs.pipe(path, b"old")
    with pytest.raises(ZeroDivisionError), fs.transaction, fs.open(path, "wb") as file:
        file.write(1 / 0)
    assert fs.cat(path) == b"old"
    with fs.transaction, fs.open(path, "wb") as file:
        file.write(b"new")
    assert fs.cat(path) == b"new" and os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("in_transaction", [True, False])
def test_a_target_whose_close_fails(tmp_path, in_transaction):
    """Its commit would publish an upload without the last part."""
    discarded = []

    class File(io.FileIO):
        def close(self):
            is_first, self.was_closed = not getattr(self, "was_closed", False), True
            super().close()
            if is_first:
                raise OSError("the last part was refused")

        def commit(self):
            os.replace(self.name, path)

        def discard(self):
            discarded.append(self.name)
            os.unlink(self.name)

    class Remote(LocalFileSystem):
        cachable = False

        def _open(self, path, mode="rb", block_size=None, autocommit=True, **kwargs):
            return super()._open(path, mode) if mode == "rb" else File(f"{path}.tmp", "w")

    path = str(tmp_path / "a")
    (tmp_path / "a").write_bytes(age.encrypt(b"old", IDENTITY.recipient))
    fs = sealane.fsspec.AgeFileSystem(fs=Remote(), skip_instance_cache=True, **OPTIONS)
    with fs.transaction if in_transaction else contextlib.nullcontext():
        file = fs.open(path, "wb")
        file.write(DATA)
        with pytest.raises(OSError, match="the last part was refused"):
            file.close()
        file.close()
    assert fs.cat(path) == b"old"
    assert discarded == [f"{path}.tmp"] and os.listdir(tmp_path) == ["a"]
