"""Readers whose calls are interrupted, as by Ctrl-C, and those that are used again meanwhile."""

import contextlib
import io
import os
import threading

import pytest

from keys import IDENTITY
from sealane import age

CHUNK = 65536
DATA = os.urandom(9 << 20)
SEALED = age.encrypt(DATA, IDENTITY.recipient)
SHORT = os.urandom(3 * CHUNK)
ARMORED = age.encrypt(SHORT, IDENTITY.recipient, armor=True)


class Interrupted:
    """A native reader. The call ``number`` of a method ends with an exception after its work.

    CPython raises ``KeyboardInterrupt`` at this place, if Ctrl-C was pressed during the call.
    """

    def __init__(self, reader, method, number=1):
        self.reader, self.method, self.number = reader, method, number

    def __getattr__(self, name):
        value = getattr(self.reader, name)
        return self._interrupt(value) if name == self.method else value

    def _interrupt(self, work):
        def run(*args):
            result = work(*args)
            self.number -= 1
            if self.number == 0:
                raise KeyboardInterrupt
            return result

        return run


@contextlib.contextmanager
def interrupted(reader, method, number=1):
    """Expects a block to be interrupted in this call of the native reader's method."""
    native = reader._reader
    reader._reader = Interrupted(native, method, number)
    with pytest.raises(KeyboardInterrupt):
        yield
    reader._reader = native


READS = {
    "read": (lambda reader, size: reader.read(size), "read"),
    "readall": (lambda reader, size: reader.readall()[:size], "read"),
    "readinto": (lambda reader, size: read_into(reader, size), "read_into"),
}


def read_into(reader, size):
    buffer = bytearray(size)
    return bytes(buffer[: reader.readinto(buffer)])


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("size", [10, 5 << 20])
@pytest.mark.parametrize("kind", READS)
def test_an_interrupted_read(kind, size, number):
    """Its bytes must be those of the next read. Otherwise the caller would skip them."""
    read, method = READS[kind]
    reader = age.open_age(io.BytesIO(SEALED), IDENTITY)
    assert reader.read(5) == DATA[:5]
    start = 5
    with interrupted(reader, method, number):
        for _ in range(number):
            read(reader, size)
            start = reader.tell()
    assert reader.tell() == start
    assert reader.read(size) == DATA[start : start + size]
    assert reader.read() == DATA[start + size :]


@pytest.mark.parametrize("whence", [os.SEEK_SET, os.SEEK_CUR, os.SEEK_END])
def test_an_interrupted_seek(whence):
    reader = age.open_age(io.BytesIO(SEALED), IDENTITY)
    assert reader.read(5) == DATA[:5]
    with interrupted(reader, "seek"):
        reader.seek(-10 if whence == os.SEEK_END else 10, whence)
    assert reader.tell() == 5
    assert reader.read(5) == DATA[5:10]
    with interrupted(reader, "seek"):
        reader.seek(100)
    assert reader.seek(2, os.SEEK_CUR) == 12 and reader.read(5) == DATA[12:17]


@pytest.mark.parametrize("size", [10, -1])
def test_an_interrupted_read_of_a_file_that_cannot_seek(size):
    reader = age.open_age(io.BytesIO(ARMORED), IDENTITY)
    assert reader.read(5) == SHORT[:5]
    with interrupted(reader, "read"):
        reader.read(size)
    for _ in range(2):
        with pytest.raises(OSError, match="lost plaintext"):
            reader.read(size)
    assert reader.tell() == 5


def test_steps_that_an_interrupted_read_takes_back():
    """Nothing is lost, also in a file that cannot seek, if the source raises the exception."""

    class Source(io.RawIOBase):
        left = 6 << 20

        def __init__(self):
            self.file = io.BytesIO(SEALED)

        def read(self, size=-1):
            if self.left is not None and self.left < size:
                self.left = None
                raise KeyboardInterrupt
            data = self.file.read(size)
            self.left = self.left and self.left - len(data)
            return data

    for size in (-1, 8 << 20):
        reader = age.open_age(Source(), IDENTITY)
        assert reader.read(5) == DATA[:5]
        with pytest.raises(KeyboardInterrupt):
            reader.read(size)
        assert reader.tell() == 5 and reader.read() == DATA[5:]


@pytest.mark.parametrize(
    "use",
    [
        lambda reader: reader.read(1),
        lambda reader: reader.readall(),
        lambda reader: reader.readinto(bytearray(1)),
        lambda reader: reader.seek(0),
        lambda reader: reader.plaintext_len(),
    ],
)
def test_a_thread_that_is_already_reading(use):
    """A signal handler may run inside the file's ``read``. Waiting there would never end."""
    caught = []

    class Source(io.BytesIO):
        reader = None

        def read(self, size=-1):
            if self.reader is not None:
                with pytest.raises(RuntimeError, match="already"):
                    use(self.reader)
                caught.append(use)
            return super().read(size)

    source = Source(SEALED)
    source.reader = reader = age.open_age(source, IDENTITY)
    thread = threading.Thread(target=lambda: caught.append(reader.read(3 * CHUNK)), daemon=True)
    thread.start()
    thread.join(30)
    assert not thread.is_alive()
    assert use in caught and caught[-1] == DATA[: 3 * CHUNK]
    assert reader.read() == DATA[3 * CHUNK :]


def test_threads_share_a_reader():
    reader = age.open_age(io.BytesIO(SEALED), IDENTITY)
    parts = {}

    def work():
        while data := reader.read(1000):
            parts[data] = None

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = {DATA[start : start + 1000] for start in range(0, len(DATA), 1000)}
    assert parts.keys() == expected and reader.tell() == len(DATA)
