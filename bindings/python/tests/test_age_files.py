"""Files of the system and of Python: permissions, pipes, and sources that fail."""

import contextlib
import io
import os
import struct
import subprocess
import sys
import threading

import pytest

from keys import IDENTITY
from sealane import _io, _sealane, age

CHUNK = 65536
DATA = os.urandom(5 * CHUNK)
LIST, DEFAULT_LIST = "system.posix_acl_access", "system.posix_acl_default"
#: Lets the owner and user 12345 read and write. The group and others get nothing.
ENTRIES = [(0x01, 6, -1), (0x02, 6, 12345), (0x04, 0, -1), (0x10, 6, -1), (0x20, 0, -1)]
ACCESS_LIST = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in ENTRIES)


def mode(path):
    return path.stat().st_mode & 0o777


def cannot_check(reason):
    """Skips the test. If all checks are wanted, the test fails instead."""
    if "SEALANE_ALL_CHECKS" in os.environ:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def other_owners(tmp_path_factory):
    """Skips the test unless this user can give files to others."""
    if sys.platform != "linux":
        cannot_check("this test needs the owners and groups of Linux")
    probe = tmp_path_factory.mktemp("owners") / "probe"
    probe.touch()
    try:
        os.chown(probe, 12345, 54321)
    except OSError as error:
        cannot_check(f"this user cannot give files to others: {error}")


@pytest.fixture(scope="module")
def access_lists(tmp_path_factory):
    """Skips the test unless the temporary folder has access lists."""
    if sys.platform != "linux":
        cannot_check("this test needs the access lists of Linux")
    probe = tmp_path_factory.mktemp("lists")
    try:
        os.setxattr(probe, LIST, ACCESS_LIST)
        os.setxattr(probe, DEFAULT_LIST, ACCESS_LIST)
    except OSError as error:
        cannot_check(f"the temporary folder has no access lists: {error}")


@pytest.fixture
def sealed(tmp_path):
    path = tmp_path / "sealed"
    path.write_bytes(age.encrypt(DATA, IDENTITY.recipient))
    return path


def test_modes_of_new_files(tmp_path):
    plain, sealed = tmp_path / "plain", tmp_path / "sealed"
    plain.write_bytes(b"data")
    old = os.umask(0o027)
    try:
        age.encrypt_file(plain, sealed, IDENTITY.recipient)
    finally:
        os.umask(old)
    assert sealed.stat().st_mode & 0o777 == 0o640
    sealed.chmod(0o600)
    age.encrypt_file(plain, sealed, IDENTITY.recipient)
    assert sealed.stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("other_owners")
def test_a_file_stays_with_its_owner_and_group(sealed, tmp_path, monkeypatch):
    opened = tmp_path / "opened"
    opened.write_bytes(b"old")
    for path, work in (
        (opened, lambda: age.decrypt_file(sealed, opened, IDENTITY)),
        (sealed, lambda: age.rekey_file(sealed, IDENTITY, IDENTITY.recipient)),
    ):
        os.chown(path, 12345, 54321)
        path.chmod(0o640)
        work()
        now = path.stat()
        assert (now.st_uid, now.st_gid, mode(path)) == (12345, 54321, 0o640)

    def refused(*args):
        raise PermissionError

    monkeypatch.setattr(os, "fchown", refused)
    # With the old mode, another group would get the rights of the old group, and the old group,
    # which is among the others now, might get rights that it did not have.
    for old, kept in ((0o640, 0o600), (0o604, 0o600), (0o644, 0o604), (0o647, 0o604)):
        os.chown(opened, 12345, 54321)
        opened.chmod(old)
        age.decrypt_file(sealed, opened, IDENTITY)
        assert (opened.stat().st_gid, mode(opened)) == (os.getegid(), kept)
    assert opened.read_bytes() == DATA


@pytest.mark.usefixtures("access_lists")
def test_an_access_list_is_kept_or_grants_nothing(sealed, tmp_path, monkeypatch):
    opened = tmp_path / "opened"
    opened.write_bytes(b"old")
    os.setxattr(opened, LIST, ACCESS_LIST)
    assert mode(opened) == 0o660
    age.decrypt_file(sealed, opened, IDENTITY)
    assert (os.getxattr(opened, LIST), mode(opened)) == (ACCESS_LIST, 0o660)

    def refused(*args):
        raise PermissionError

    monkeypatch.setattr(os, "setxattr", refused)
    age.decrypt_file(sealed, opened, IDENTITY)
    assert mode(opened) == 0o600
    with pytest.raises(OSError, match="No data available"):
        os.getxattr(opened, LIST)


@pytest.mark.usefixtures("access_lists")
def test_the_access_list_of_a_folder(sealed, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    private = folder / "private"
    private.write_bytes(b"old")
    private.chmod(0o600)
    os.setxattr(folder, DEFAULT_LIST, ACCESS_LIST)
    # A new file gets the mode and the list of any new file in this folder. A replaced file keeps
    # its mode and gets no list.
    (folder / "usual").write_bytes(b"")
    age.decrypt_file(sealed, folder / "new", IDENTITY)
    assert mode(folder / "new") == mode(folder / "usual") == 0o660
    assert os.getxattr(folder / "new", LIST) == os.getxattr(folder / "usual", LIST)
    age.decrypt_file(sealed, private, IDENTITY)
    assert mode(private) == 0o600
    with pytest.raises(OSError, match="No data available"):
        os.getxattr(private, LIST)


PIPE = """
import os, sys, threading, time
from sealane import age

case, folder = sys.argv[1:]
pipe, other = f"{folder}/pipe", f"{folder}/other"
identity = age.Identity.generate()
sealed = age.encrypt(b"data", identity.recipient)
os.mkfifo(pipe)
result = []
if case == "open_age":
    work = lambda: result.append(age.open_age(pipe, identity).read())
elif case == "encrypt_file":
    work = lambda: age.encrypt_file(pipe, other, identity.recipient)
else:
    open(other, "wb").write(sealed)
    work = lambda: age.decrypt_file(other, pipe, identity)
thread = threading.Thread(target=work)
thread.start()
time.sleep(0.3)
with open(pipe, "rb" if case == "decrypt_file" else "wb") as file:
    if case == "decrypt_file":
        result.append(file.read())
    else:
        file.write(sealed if case == "open_age" else b"data")
thread.join()
if case == "encrypt_file":
    result.append(age.decrypt(open(other, "rb").read(), identity))
assert result == [b"data"], result
"""


@pytest.mark.parametrize("case", ["open_age", "encrypt_file", "decrypt_file"])
def test_another_thread_opens_the_other_end_of_a_pipe(case, tmp_path):
    subprocess.run([sys.executable, "-c", PIPE, case, str(tmp_path)], check=True, timeout=60)


class FailingOnce(io.BytesIO):
    """A file whose first read at or after a position fails."""

    def __init__(self, data, position, error):
        super().__init__(data)
        self.position, self.error = position, error

    def read(self, size=-1):
        if self.error is not None and self.tell() >= self.position:
            error, self.error = self.error, None
            raise error
        return super().read(size)


@pytest.mark.parametrize("armor", [False, True])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(5, "broken")], ids=["interrupt", "error"])
def test_a_failure_of_the_source_is_reported_and_loses_nothing(error, armor):
    source = age.encrypt(DATA, IDENTITY.recipient, armor=armor)

    def reader():
        return age.open_age(FailingOnce(source, 3 * CHUNK, error), IDENTITY)

    file = reader()
    with pytest.raises(type(error)):
        file.read(len(DATA))
    assert file.tell() == 0
    assert file.read(10) == DATA[:10] and file.read() == DATA[10:]
    file, room = reader(), bytearray(len(DATA))
    with pytest.raises(type(error)):
        file.readinto(room)
    assert not any(room)
    assert file.readinto(room) == len(DATA) and room == DATA
    if not armor:
        file = reader()
        with pytest.raises(type(error)):
            file.read(len(DATA))
        assert file.seek(7, os.SEEK_CUR) == 7
        assert file.read(CHUNK) == DATA[7 : 7 + CHUNK]


READS = [lambda file: file.read(), lambda file: file.read(len(DATA)), lambda file: file.readinto(bytearray(len(DATA)))]


@pytest.mark.parametrize("armor", [False, True])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(5, "broken")], ids=["interrupt", "error"])
@pytest.mark.parametrize("read", READS, ids=["all", "steps", "buffer"])
def test_a_failure_in_a_later_step_loses_nothing(read, error, armor, monkeypatch):
    monkeypatch.setattr(_io, "_STEP", CHUNK)
    source = age.encrypt(DATA, IDENTITY.recipient, armor=armor)

    def failed():
        file = age.open_age(FailingOnce(source, 4 * CHUNK, error), IDENTITY)
        assert file.read(5) == DATA[:5]
        with pytest.raises(type(error)):
            read(file)
        assert file.tell() == 5
        return file

    assert failed().read() == DATA[5:]
    file = failed()
    for start in range(5, len(DATA), 10_000):
        assert file.read(10_000) == DATA[start : start + 10_000]
    assert file.read() == b""
    if not armor:
        file = failed()
        assert file.seek(7, os.SEEK_CUR) == 12
        assert file.read(CHUNK) == DATA[12 : 12 + CHUNK]
        file = failed()
        assert file.read(10) == DATA[5:15]
        assert file.seek(-7, os.SEEK_CUR) == 8
        assert file.read() == DATA[8:]


def test_damage_after_several_steps_loses_nothing(monkeypatch):
    monkeypatch.setattr(_io, "_STEP", CHUNK)
    sealed = bytearray(age.encrypt(DATA, IDENTITY.recipient))
    sealed[-1] ^= 1
    file = age.open_age(io.BytesIO(sealed), IDENTITY)
    for _ in range(2):
        with pytest.raises(age.PayloadError):
            file.read()
        assert file.tell() == 0
    assert file.read(CHUNK) == DATA[:CHUNK]


@pytest.mark.parametrize("change", ["replaced", "written to", "made longer"])
def test_a_file_that_others_change_meanwhile(change, sealed, monkeypatch):
    native, newer = _sealane.rekey_header, age.encrypt(b"newer", IDENTITY.recipient)

    def changing(*args, **kwargs):
        if change == "replaced":
            (sealed.parent / "newer").write_bytes(newer)
            os.replace(sealed.parent / "newer", sealed)
        elif change == "written to":
            sealed.write_bytes(newer)
        else:
            with open(sealed, "ab") as file:
                file.write(b"more")
        return native(*args, **kwargs)

    monkeypatch.setattr(_sealane, "rekey_header", changing)
    with pytest.raises(OSError, match="others changed the"):
        age.rekey_file(sealed, IDENTITY, age.Identity.generate().recipient)
    assert os.listdir(sealed.parent) == ["sealed"]
    if change == "made longer":
        assert sealed.read_bytes().endswith(b"more")
    else:
        assert sealed.read_bytes() == newer
    monkeypatch.undo()
    sealed.write_bytes(newer)
    other = age.Identity.generate()
    age.rekey_file(sealed, IDENTITY, other.recipient)
    assert age.decrypt(sealed.read_bytes(), other) == b"newer"


@pytest.mark.parametrize("size", [10, -1, 5 << 20])
def test_a_pipe_is_read_but_cannot_seek(size, tmp_path):
    data = os.urandom(6 << 20)
    os.mkfifo(tmp_path / "pipe")
    sealed = age.encrypt(data, IDENTITY.recipient)
    writer = threading.Thread(target=lambda: _ignoring_a_closed_pipe(tmp_path / "pipe", sealed))
    writer.start()
    with age.open_age(tmp_path / "pipe", IDENTITY) as file:
        assert not file.seekable()
        assert file.read(size) == data[: size if size > 0 else None]
        for work in (lambda: file.seek(0), file.plaintext_len):
            with pytest.raises(io.UnsupportedOperation):
                work()
    writer.join()


def _ignoring_a_closed_pipe(path, data):
    with contextlib.suppress(BrokenPipeError):
        path.write_bytes(data)
