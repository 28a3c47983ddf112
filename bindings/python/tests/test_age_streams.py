"""Python files that fail or return little, wrappers of writers, forks and other threads."""

import base64
import contextlib
import dataclasses
import io
import os
import signal
import threading
import time
import warnings
from types import SimpleNamespace

import pytest

from conftest import ROOT
from keys import IDENTITY, OTHER
from sealane import age

CHUNK = 65536
SSH = ROOT / "crates" / "age" / "tests" / "data"


@pytest.mark.parametrize("wrap", [io.BufferedWriter, lambda file: io.TextIOWrapper(file, write_through=True)])
@pytest.mark.parametrize("fails", [False, True])
def test_a_wrapper_inside_the_block_of_a_writer(wrap, fails):
    target, data = io.BytesIO(), "text" * CHUNK
    with contextlib.suppress(ZeroDivisionError), age.create_age(target, IDENTITY.recipient) as writer:
        wrapper = wrap(writer)
        wrapper.write(data if isinstance(wrapper, io.TextIOWrapper) else data.encode())
        if fails:
            raise ZeroDivisionError
        wrapper.flush()
    del wrapper
    if fails:
        with pytest.raises(age.PayloadError):
            age.decrypt(target.getvalue(), IDENTITY)
    else:
        assert age.decrypt(target.getvalue(), IDENTITY) == data.encode()


class Interrupted(io.BytesIO):
    """A file whose second call of a method raises ``InterruptedError``."""

    def __init__(self, method, data=b""):
        super().__init__(data)
        self.method, self.calls = method, 0

    def _count(self, method):
        self.calls += method == self.method
        if method == self.method and self.calls == 2:
            raise InterruptedError

    def read(self, size=-1):
        self._count("read")
        return super().read(size)

    def write(self, data):
        self._count("write")
        return super().write(data)

    def seek(self, offset, whence=0):
        self._count("seek")
        return super().seek(offset, whence)


def test_an_interrupted_error_ends_a_call():
    """A retry would skip the data that had been read when the exception was raised."""
    data = os.urandom(48 * CHUNK)
    sealed = age.encrypt(data, IDENTITY.recipient)
    for work, source, keys in (
        (age.encrypt_stream, data, IDENTITY.recipient),
        (age.decrypt_stream, sealed, IDENTITY),
    ):
        calls = []

        def progress(done, total, calls=calls):
            calls.append(done)
            if len(calls) == 2:
                raise InterruptedError

        for read, write, report in (
            (io.BytesIO(source), io.BytesIO(), progress),
            (Interrupted("read", source), io.BytesIO(), None),
            (io.BytesIO(source), Interrupted("write"), None),
        ):
            with pytest.raises(InterruptedError):
                work(read, write, keys, progress=report)
    reader = age.open_age(Interrupted("read", sealed), IDENTITY)
    with pytest.raises(InterruptedError):
        reader.read()
    assert reader.read() == data
    file = Interrupted("seek", sealed)
    reader = age.open_age(file, IDENTITY)
    file.calls = 1
    with pytest.raises(InterruptedError):
        reader.seek(5)


def test_a_long_read_before_a_damaged_end():
    data = os.urandom(100 * CHUNK)
    sealed = bytearray(age.encrypt(data, IDENTITY.recipient))
    sealed[-1] ^= 1
    reader = age.open_age(io.BytesIO(sealed), IDENTITY)
    assert reader.read(5 << 20) == data[: 5 << 20]
    assert reader.read(5 << 20) == data[5 << 20 : 99 * CHUNK]
    with pytest.raises(age.PayloadError):
        reader.read(5 << 20)


class Short(io.BytesIO):
    """A file whose reads return few bytes, or ``None`` at a position."""

    blocked = None

    def read(self, size=-1):
        if self.tell() == self.blocked:
            return None
        return super().read(min(size, 50) if size >= 0 else 50)


@pytest.mark.parametrize("armor", [False, True])
def test_headers_of_files_with_short_reads(armor):
    holders = [age.Identity.generate() for _ in range(3)]
    recipient = age.Recipient.threshold(2, [holder.recipient for holder in holders])
    sealed = age.encrypt(b"data", recipient, armor=armor)
    assert age.inspect(Short(sealed)) == age.inspect(sealed)
    assert [part.point for part in age.parts_of(Short(sealed), holders)] == [1, 2, 3]
    file = Short(sealed)
    file.blocked = 100
    with pytest.raises(BlockingIOError):
        age.inspect(file)


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
@pytest.mark.parametrize("header_len", [1_600_000, 2 << 20])
def test_long_headers_of_armored_files(header_len, ending):
    """Armor makes a header longer than the longest one without armor."""
    holders = [age.Identity.generate() for _ in range(3)]
    recipient = age.Recipient.threshold(2, [holder.recipient for holder in holders])
    binary = age.Sealer(recipient, header_len=header_len).finish(b"data" * 100_000)
    lines = [base64.b64encode(binary[start : start + 48]) for start in range(0, len(binary), 48)]
    first, last = (b"-----%s AGE ENCRYPTED FILE-----" % word for word in (b"BEGIN", b"END"))
    sealed = b"\n" * 900 + ending.join([first, *lines, last])
    assert age.decrypt(sealed, holders) == b"data" * 100_000
    assert age.inspect(sealed) == dataclasses.replace(age.inspect(binary), armored=True, plaintext_len=None)
    assert age.inspect(sealed).header_len == header_len
    assert [part.point for part in age.parts_of(sealed, holders)] == [1, 2, 3]


class Meeting(io.BytesIO):
    """A file in which the first write waits until another thread has written, or cannot."""

    def __init__(self, writer):
        super().__init__()
        self._start, self._others = writer, []

    def write(self, data):
        if not self._others and len(data) > CHUNK:
            self._others.append(threading.Thread(target=self._start))
            self._others[0].start()
            # Another thread has to wait for this one. If it does not, it writes at once.
            self._others[0].join(0.3)
        return super().write(data)

    def wait(self):
        self._others[0].join()
        return self.getvalue()


@pytest.mark.parametrize("end", ["write", "close"])
def test_threads_share_a_writer(end):
    """Otherwise the ciphertext of one would be written before that of the other."""
    first, second = b"1" * 2 * CHUNK, b"2" * 2 * CHUNK
    target = Meeting(lambda: writer.write(second) if end == "write" else writer.close())
    writer = age.create_age(target, IDENTITY.recipient)
    writer.write(first)
    sealed = target.wait()
    if end == "write":
        writer.close()
        sealed = target.getvalue()
    assert age.decrypt(sealed, IDENTITY) == (first + second if end == "write" else first)


def test_a_thread_that_is_already_writing():
    """A signal handler must not write into the middle of a chunk."""
    caught = []

    def write(data):
        with pytest.raises(RuntimeError, match="already writing"):
            writer.write(b"more")
        caught.append(data)
        return io.BytesIO.write(target, data)

    target = io.BytesIO()
    writer = age.create_age(SimpleNamespace(write=write), IDENTITY.recipient)
    writer.write(b"1" * 2 * CHUNK)
    writer.close()
    assert len(caught) == 2 and age.decrypt(target.getvalue(), IDENTITY) == b"1" * 2 * CHUNK


def hold(writer, is_held, go_on):
    with writer._exclusive():
        is_held.set()
        go_on.wait()


def test_a_sealer_seals_nothing_in_a_forked_process():
    """Both processes would seal different data with the same key and chunk number."""
    target = io.BytesIO()
    writer = age.create_age(target, IDENTITY.recipient)
    # The child has no copy of the thread that holds the lock.
    is_held, go_on = threading.Event(), threading.Event()
    thread = threading.Thread(target=lambda: hold(writer, is_held, go_on))
    thread.start()
    is_held.wait()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Other threads are running.
        process = os.fork()
    if process == 0:
        # Ends the process if it waits for the lock.
        signal.alarm(20)
        errors = 0
        for seal in (writer.write, writer._sealer.update):
            try:
                seal(bytes(2 * CHUNK))
            except RuntimeError:
                errors += 1
        os._exit(errors != 2)
    try:
        assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
    finally:
        go_on.set()
        thread.join()
    with writer:
        writer.write(b"data")
    assert age.decrypt(target.getvalue(), IDENTITY) == b"data"


def test_other_threads_run_while_an_ssh_key_is_decrypted():
    pem, ticks, end = (SSH / "ssh_ed25519_encrypted").read_bytes(), 0, threading.Event()

    def tick():
        nonlocal ticks
        while not end.wait(0.001):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    before = ticks
    key = age.Identity.ssh(pem, passphrase="correct horse")
    after = ticks
    end.set()
    thread.join()
    assert after - before > 3
    assert key.recipient == age.Identity.ssh((SSH / "ssh_ed25519").read_bytes()).recipient


def test_the_report_of_progress_after_a_failure_does_not_replace_it(tmp_path):
    sealed = tmp_path / "sealed"
    sealed.write_bytes(age.encrypt(b"data", IDENTITY.recipient))

    def progress(*_):
        # Reports during the work begin after 0.1 seconds.
        if time.monotonic() - start < 0.1:
            raise ZeroDivisionError

    start = time.monotonic()
    with pytest.raises(age.NoMatchError):
        age.decrypt_file(sealed, tmp_path / "opened", OTHER, progress=progress)
    if os.path.exists("/dev/full"):
        start = time.monotonic()
        with pytest.raises(OSError, match="No space left"):
            age.encrypt_file(sealed, "/dev/full", IDENTITY.recipient, progress=progress)


def test_a_path_that_cannot_be_converted(tmp_path):
    class Path:
        def __init__(self, path):
            self.path = path

        def __fspath__(self):
            return self.path or 1 / 0

        def read(self, size):
            raise AssertionError("a path is not read")

    (tmp_path / "sealed").write_bytes(age.encrypt(b"data", IDENTITY.recipient))
    assert age.open_age(Path(str(tmp_path / "sealed")), IDENTITY).read() == b"data"
    with pytest.raises(ZeroDivisionError):
        age.open_age(Path(None), IDENTITY)
