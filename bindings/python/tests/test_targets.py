"""Targets: devices, links, modes, syncing to disk, stores that upload when a file is closed."""

import gc
import io
import os
import stat
import subprocess
import sys
import threading

import fsspec
import pytest
from fsspec.spec import AbstractBufferedFile, AbstractFileSystem

from keys import IDENTITY, OPTIONS
from sealane import age
from sealane._replacement import replaced_file, replacement
from sealane.jobs._stores._local import LocalStore

DATA = bytes(range(256)) * 1024  # 256 KiB


@pytest.fixture
def plain(tmp_path):
    path = tmp_path / "plain"
    path.write_bytes(DATA)
    return path


def test_a_pipe_is_written_to(tmp_path, plain):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    age.encrypt_file(plain, pipe, IDENTITY.recipient)
    reader.join()
    assert age.decrypt(got[0], IDENTITY) == DATA
    sealed = tmp_path / "sealed"
    sealed.write_bytes(got.pop())
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    age.decrypt_file(sealed, pipe, IDENTITY)
    reader.join()
    assert got == [DATA]
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert sorted(tmp_path.iterdir()) == [pipe, plain, sealed]


def test_a_device_is_written_to(tmp_path, plain):
    # A link, so that a bug cannot replace the device itself.
    link = tmp_path / "null"
    link.symlink_to("/dev/null")
    age.encrypt_file(plain, link, IDENTITY.recipient)
    age.encrypt_file(plain, link, IDENTITY.recipient, armor=True)
    assert link.is_symlink() and stat.S_ISCHR(link.stat().st_mode)
    assert sorted(tmp_path.iterdir()) == [link, plain]
    with pytest.raises(io.UnsupportedOperation, match="regular"):
        age.rekey_file(link, IDENTITY, IDENTITY.recipient)


def test_the_standard_output_is_written_to(plain):
    code = "import sys; from sealane.age import *; encrypt_file(sys.argv[1], '/dev/stdout', Recipient(sys.argv[2]))"
    command = [sys.executable, "-c", code, plain, str(IDENTITY.recipient)]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    assert age.decrypt(output, IDENTITY) == DATA
    assert os.path.islink("/dev/stdout")


def test_the_file_behind_a_link_is_replaced(tmp_path, plain):
    folder = tmp_path / "folder"
    folder.mkdir()
    real, link = folder / "real", tmp_path / "link"
    link.symlink_to(real)
    # The file does not exist at first.
    for mode in (0o644, 0o640):
        age.encrypt_file(plain, link, IDENTITY.recipient)
        assert link.is_symlink()
        assert age.decrypt(real.read_bytes(), IDENTITY) == DATA
        real.chmod(mode)
    age.rekey_file(link, IDENTITY, IDENTITY.recipient)
    assert link.is_symlink() and real.stat().st_mode & 0o777 == 0o640
    assert os.listdir(folder) == ["real"]


def test_a_file_is_replaced_where_modes_cannot_be_set(tmp_path, plain, monkeypatch):
    def fchmod(descriptor, mode):
        raise PermissionError("the file belongs to another user")

    sealed = tmp_path / "sealed"
    sealed.write_bytes(b"old")
    sealed.chmod(0o600)
    monkeypatch.setattr(os, "fchmod", fchmod)
    age.encrypt_file(plain, sealed, IDENTITY.recipient)
    assert age.decrypt(sealed.read_bytes(), IDENTITY) == DATA


@pytest.mark.parametrize("name", ["a" * 255, "é" * 127 + "a", "a" + "é" * 127])
def test_targets_with_the_longest_names(tmp_path, plain, name):
    path = tmp_path / "folder" / name
    path.parent.mkdir()
    age.encrypt_file(plain, path, IDENTITY.recipient)
    age.rekey_file(path, IDENTITY, IDENTITY.recipient)
    assert age.decrypt(path.read_bytes(), IDENTITY) == DATA
    with pytest.raises(OSError, match="removed the temporary file"), replacement(path) as temporary:
        store = LocalStore(fsspec.filesystem("file"), str(path))
        store.clean(temporary.name)
        assert os.listdir(path.parent) == [name]


@pytest.mark.parametrize("has_proc", [True, False])
def test_the_mask_of_the_process_stays(tmp_path, plain, monkeypatch, has_proc):
    def opened(path, *args):
        if path == "/proc/self/status" and not has_proc:
            raise FileNotFoundError(path)
        return open(path, *args)

    monkeypatch.setattr(age, "open", opened, raising=False)
    old = os.umask(0o027)
    set_mask = os.umask
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("the mask is that of all threads"))
    try:
        age.encrypt_file(plain, tmp_path / "sealed", IDENTITY.recipient)
    finally:
        assert set_mask(old) == 0o027
    assert (tmp_path / "sealed").stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(tmp_path)) == ["plain", "sealed"]


def test_contents_are_on_the_disk_before_their_name(tmp_path, plain, monkeypatch):
    calls = []
    sync, replace = os.fsync, os.replace

    def synced(descriptor):
        calls.append(("sync", os.fstat(descriptor).st_ino, os.fstat(descriptor).st_size))
        sync(descriptor)

    def replaced(*names):
        calls.append("replace")
        replace(*names)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    sealed = tmp_path / "sealed"

    def write():
        with replaced_file(sealed) as file:
            file.write(DATA)

    for work in (
        write,
        lambda: age.encrypt_file(plain, sealed, IDENTITY.recipient),
        lambda: age.rekey_file(sealed, IDENTITY, IDENTITY.recipient),
    ):
        calls.clear()
        work()
        now, folder = sealed.stat(), tmp_path.stat()
        assert calls == [("sync", now.st_ino, now.st_size), "replace", ("sync", folder.st_ino, folder.st_size)]


class Unseekable(io.RawIOBase):
    def __init__(self, data):
        self._data = io.BytesIO(data)

    def readable(self):
        return True

    def readinto(self, buffer):
        return self._data.readinto(buffer)


@pytest.mark.parametrize("size", [sys.maxsize, 1 << 80])
def test_a_huge_size_takes_no_memory(size):
    data = DATA * 33  # Three steps.
    sealed = age.encrypt(data, IDENTITY.recipient)
    for file in (io.BytesIO(age.encrypt(data, IDENTITY.recipient, armor=True)), Unseekable(sealed), io.BytesIO(sealed)):
        reader = age.open_age(file, IDENTITY)
        assert reader.read(5) == data[:5]
        assert reader.read(size) == data[5:]
        assert reader.tell() == len(data)
        assert reader.read(size) == b""
    reader = age.open_age(Unseekable(sealed), IDENTITY)
    assert reader.read((4 << 20) + 7) == data[: (4 << 20) + 7]
    assert reader.read(3) == data[(4 << 20) + 7 : (4 << 20) + 10]
    # Damage is reported by the next call, even if it is at the beginning of a step.
    start = len(sealed) - 132 * (65536 + 16)
    cut = age.open_age(Unseekable(sealed[: start + 64 * (65536 + 16)] + bytes(99)), IDENTITY)
    assert cut.read(size) == data[: 4 << 20]
    with pytest.raises(age.PayloadError):
        cut.read(size)


def test_memory_that_is_not_there():
    sealed = age.encrypt(b"data", IDENTITY.recipient)
    reader = age._sealane.Reader(io.BytesIO(sealed), [IDENTITY])
    with pytest.raises(MemoryError):
        reader.read(sys.maxsize)
    assert reader.read(4) == b"data"


class Uploading(AbstractFileSystem):
    """A store that creates an object when its file is closed. Its files cannot be discarded."""

    protocol = "uploading"
    objects = {}

    def _open(self, path, mode="rb", **kwargs):
        return UploadedFile(self, path, mode, block_size=1 << 30)


class UploadedFile(AbstractBufferedFile):
    def _upload_chunk(self, final=False):
        if final:
            self.fs.objects[self.path] = self.buffer.getvalue()
        return final


fsspec.register_implementation("uploading", Uploading)


@pytest.fixture
def uploading():
    fs = fsspec.filesystem("age", target_protocol="uploading", skip_instance_cache=True, **OPTIONS)
    Uploading.objects.clear()
    with fs.open("a", "wb") as file:
        file.write(DATA)
    [sealed] = Uploading.objects.values()
    assert age.decrypt(sealed, IDENTITY) == DATA
    yield fs
    # The good object is still there.
    assert list(Uploading.objects.values()) == [sealed]


def test_a_block_that_fails_uploads_nothing(uploading):
    with pytest.raises(ZeroDivisionError), uploading.open("a", "wb") as file:
        file.write(DATA)
        raise ZeroDivisionError
    assert file._target.closed


def test_a_file_that_cannot_be_finished_uploads_nothing(uploading):
    file = uploading.open("a", "wb")
    file.write(DATA)
    file._put = lambda sealed: 1 / 0
    with pytest.raises(ZeroDivisionError):
        file.close()
    assert file.closed and file._target.closed
    file.close()


def test_a_file_that_is_never_closed_uploads_nothing(uploading):
    file = uploading.open("a", "wb")
    file.write(DATA)
    target = file._target
    del file
    gc.collect()
    assert target.closed


def test_a_block_that_fails_in_a_transaction(tmp_path):
    fs = fsspec.filesystem("age", target_protocol="file", skip_instance_cache=True, **OPTIONS)
    path = str(tmp_path / "a")
    fs.pipe(path, DATA)
    with pytest.raises(ZeroDivisionError), fs.transaction, fs.open(path, "wb") as file:
        file.write(DATA[1:])
        raise ZeroDivisionError
    with fs.transaction:
        with pytest.raises(ZeroDivisionError), fs.open(path, "wb") as file:
            file.write(DATA[1:])
            raise ZeroDivisionError
    assert fs.cat(path) == DATA
    assert os.listdir(tmp_path) == ["a"]
