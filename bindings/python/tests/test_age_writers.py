"""Writers whose target fails, or that get data that they cannot write."""

import contextlib
import errno
import io
import os
import subprocess
import sys

import numpy as np
import pytest

from keys import IDENTITY
from sealane import age

DATA = os.urandom(5 * 65536)


class Full(io.RawIOBase):
    """A raw file that takes ten bytes. Later writes take nothing and return ``answer``."""

    def __init__(self, answer):
        self.answer, self.taken = answer, b""

    def writable(self):
        return True

    def write(self, data):
        if not self.taken:
            self.taken = bytes(data[:10])
            return len(self.taken)
        return self.answer


def test_a_path_that_cannot_be_opened(tmp_path):
    """In Python's development mode, failures of finalizers are shown."""
    code = "import sys; from sealane.age import *; create_age(sys.argv[1], Recipient(sys.argv[2]))"
    command = [sys.executable, "-X", "dev", "-c", code, tmp_path / "none" / "file", str(IDENTITY.recipient)]
    errors = subprocess.run(command, stderr=subprocess.PIPE, text=True).stderr
    assert "FileNotFoundError" in errors and "AttributeError" not in errors


@pytest.mark.parametrize(("answer", "error"), [(None, BlockingIOError), (0, OSError)])
def test_a_target_that_takes_nothing(answer, error):
    writer = age.create_age(Full(answer), IDENTITY.recipient)
    with pytest.raises(error):
        writer.write(DATA)
    # The file stays incomplete.
    with pytest.raises(ValueError, match="closed"):
        writer.write(b"more")
    with pytest.raises(OSError, match="incomplete, because a write to it failed"):
        writer.close()
    writer.close()
    assert writer.closed
    with pytest.raises(error):
        age.encrypt_stream(io.BytesIO(DATA), Full(answer), IDENTITY.recipient)


def test_the_reason_of_a_write_that_failed_is_kept():
    """Closing a file while the exception of its write is handled does not hide the exception."""
    target = Full(None)
    with pytest.raises(BlockingIOError), contextlib.closing(age.create_age(target, IDENTITY.recipient)) as writer:
        writer.write(DATA)
    with pytest.raises(KeyError), contextlib.closing(age.create_age(target, IDENTITY.recipient)) as writer:
        try:
            writer.write(DATA)
        except BlockingIOError:
            raise KeyError from None
    with pytest.raises(OSError, match="incomplete"), age.create_age(target, IDENTITY.recipient) as writer:
        with contextlib.suppress(BlockingIOError):
            writer.write(DATA)
    writer = age.create_age(target, IDENTITY.recipient)
    with contextlib.suppress(BlockingIOError):
        writer.write(DATA)
    writer.abort()
    writer.close()


def test_a_write_that_failed_keeps_no_plaintext():
    writer, plaintext = age.create_age(Full(0), IDENTITY.recipient), bytearray(DATA)
    with contextlib.suppress(OSError):
        writer.write(plaintext)
    # Fails if the writer holds a view of the array.
    plaintext.clear()
    with pytest.raises(OSError, match="incomplete"):
        writer.close()


def test_closing_a_file_says_why_its_last_write_failed():
    """``io.BufferedWriter`` closes the file after its last write, and shows only the error of that."""

    class Disk(Full):
        def write(self, data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for kind, reason in ((Disk, errno.ENOSPC), (Full, None)):
        file = io.BufferedWriter(age.create_age(kind(0), IDENTITY.recipient), len(DATA) + 1)
        file.write(DATA)
        with pytest.raises(OSError, match="incomplete, because a write to it failed") as failure:
            file.close()
        assert failure.value.errno == failure.value.__cause__.errno == reason
        assert file.raw.closed


def test_data_that_cannot_be_written():
    target = io.BytesIO()
    with age.create_age(target, IDENTITY.recipient) as writer:
        writer.write(b"good")
        with pytest.raises(TypeError):
            writer.write("text")
        with pytest.raises(BufferError):
            writer.write(memoryview(b"every other")[::2])
        assert writer.tell() == 4
    assert age.decrypt(target.getvalue(), IDENTITY) == b"good"


def test_numpy_tries_to_write_text_first():
    target, array = io.BytesIO(), np.arange(6.0).reshape(2, 3)
    with age.create_age(target, IDENTITY.recipient) as writer:
        np.savetxt(writer, array)
    opened = age.decrypt(target.getvalue(), IDENTITY)
    assert np.array_equal(np.loadtxt(io.BytesIO(opened)), array)


class Answering(io.BytesIO):
    """A file whose ``write`` returns ``None``, as in some libraries."""

    def write(self, data):
        super().write(data)


def test_a_target_that_returns_nothing():
    target = Answering()
    with age.create_age(target, IDENTITY.recipient) as writer:
        writer.write(DATA)
    assert age.decrypt(target.getvalue(), IDENTITY) == DATA
    target = Answering()
    age.encrypt_stream(io.BytesIO(DATA), target, IDENTITY.recipient)
    assert age.decrypt(target.getvalue(), IDENTITY) == DATA
