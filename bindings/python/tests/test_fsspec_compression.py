"""Compressed files of the filesystem, which are written."""

import bz2
import contextlib
import gc
import gzip
import io
import lzma
import os
import zipfile

import fsspec
import fsspec.compression
import pytest

import sealane.fsspec  # noqa: F401
from keys import OPTIONS
from sealane import age

#: Longer than the buffers, and hardly compressible.
DATA = os.urandom(100_000).hex().encode()


def unzip(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        [name] = archive.namelist()
        return archive.read(name)


KINDS = {
    "gzip": ("gz", gzip.decompress),
    "bz2": ("bz2", bz2.decompress),
    "xz": ("xz", lzma.decompress),
    "lzma": ("lzma", lzma.decompress),
    "zip": ("zip", unzip),
}


@pytest.fixture
def fs():
    return fsspec.filesystem("age", skip_instance_cache=True, **OPTIONS)


@pytest.mark.parametrize("mode", ["wb", "wt", "xb"])
@pytest.mark.parametrize("in_transaction", [False, True])
@pytest.mark.parametrize("infer", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_compressed_file(kind, infer, in_transaction, mode, fs, tmp_path):
    ending, decompress = KINDS[kind]
    path = f"{tmp_path}/a.{ending if infer else 'packed'}"
    compression = "infer" if infer else kind
    data = DATA if "b" in mode else DATA.decode()
    with fs.transaction if in_transaction and mode != "xb" else contextlib.nullcontext():
        with fs.open(path, mode, compression=compression) as file:
            file.write(data[:1000])
            file.flush()
            file.write(data[1000:])
        assert file.closed
    assert decompress(fs.cat(path)) == DATA
    with fs.open(path, mode.translate({ord("w"): "r", ord("x"): "r"}), compression=compression) as file:
        assert file.read() == data
    # Without a block.
    with fs.transaction if in_transaction else contextlib.nullcontext():
        file = fs.open(path, mode.replace("x", "w"), compression=compression)
        file.write(data[:1000])
        file.close()
        file.close()
    assert decompress(fs.cat(path)) == DATA[:1000]
    assert len(os.listdir(tmp_path)) == 1


@pytest.mark.parametrize("mode", ["wb", "wt"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_compressed_file_that_a_transaction_finishes(kind, mode, fs, tmp_path):
    path, data = f"{tmp_path}/a", DATA if mode == "wb" else DATA.decode()
    with fs.transaction:
        kept = fs.open(path, mode, compression=kind)
        kept.write(data)
        fs.open(f"{path}.dropped", mode, compression=kind).write(data)
        gc.collect()
    assert kept.closed
    assert [KINDS[kind][1](fs.cat(one)) for one in (path, f"{path}.dropped")] == [DATA] * 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_block_of_a_compressed_file_that_fails(kind, fs, tmp_path):
    path = f"{tmp_path}/a"
    with pytest.raises(ZeroDivisionError), fs.open(path, "wb", compression=kind) as file:
        file.write(DATA)
        raise ZeroDivisionError
    assert file.closed
    with pytest.raises(age.DecryptError):
        fs.cat(path)
    fs.pipe(path, b"old")
    with pytest.raises(ZeroDivisionError), fs.transaction, fs.open(path, "wb", compression=kind) as file:
        file.write(DATA)
        raise ZeroDivisionError
    assert fs.cat(path) == b"old" and os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_compressed_file_that_cannot_be_written(kind, fs, tmp_path):
    path = f"{tmp_path}/a"
    fs.pipe(path, b"old")
    with fs.transaction:
        file = fs.open(path, "wb", compression=kind)
        file._file._put = lambda sealed: 1 / 0
        with pytest.raises(ZeroDivisionError):
            file.write(DATA)
            file.close()
        with contextlib.suppress(ValueError):
            file.close()
    assert file.closed and fs.cat(path) == b"old" and os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_compressed_file_that_is_never_closed(kind, fs, tmp_path):
    fs.open(f"{tmp_path}/a", "wb", compression=kind).write(DATA)
    gc.collect()
    with pytest.raises(age.DecryptError):
        fs.cat(f"{tmp_path}/a")


def test_a_compressor_that_closes_its_file(fs, tmp_path, monkeypatch):
    """As those of zstandard do."""

    class Compressor(io.BufferedWriter):
        def __init__(self, file, mode):
            super().__init__(file)

    monkeypatch.setitem(fsspec.compression.compr, "closing", Compressor)
    path = f"{tmp_path}/a"
    with fs.open(path, "wb", compression="closing") as file:
        file.write(DATA)
    assert fs.cat(path) == DATA
    with pytest.raises(ZeroDivisionError), fs.open(path, "wb", compression="closing") as file:
        file.write(DATA)
        raise ZeroDivisionError
    with pytest.raises(age.DecryptError):
        fs.cat(path)


def test_a_compression_that_does_not_work(fs, tmp_path, monkeypatch):
    path = f"{tmp_path}/a"
    fs.pipe(path, b"old")
    with pytest.raises(ValueError, match="unknown"):
        fs.open(path, "wb", compression="unknown")
    assert fs.cat(path) == b"old"
    monkeypatch.setitem(fsspec.compression.compr, "broken", lambda file, mode: 1 / 0)
    with pytest.raises(ZeroDivisionError), fs.transaction:
        fs.open(path, "wb", compression="broken")
    assert fs.cat(path) == b"old" and os.listdir(tmp_path) == ["a"]


def test_a_name_without_a_compression(fs, tmp_path):
    with fs.open(f"{tmp_path}/a", "wb", compression="infer") as file:
        file.write(DATA)
    assert fs.cat(f"{tmp_path}/a") == DATA
