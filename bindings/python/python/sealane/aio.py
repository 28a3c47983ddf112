"""Files in the age format for asyncio: ``sealane.age`` in threads that do not block the event loop.

::

    async with await aio.open_age("log.age", identities) as file:
        await file.seek(11)
        line = await file.read(12)

If a task is cancelled, ``encrypt_file`` and ``decrypt_file`` stop at their next step, and the
target stays as it was, unless the last step was done already. The task waits until they have
stopped, and until other functions have ended. If a read of an open file is cancelled, the next read
returns its bytes. A write that is cancelled may have written its data.

``progress`` is called in the thread that does the work.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO, Self, TypeVar

from . import age

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "AsyncAgeReader",
    "AsyncAgeWriter",
    "create_age",
    "decrypt",
    "decrypt_file",
    "encrypt",
    "encrypt_file",
    "open_age",
    "rekey_file",
]

T = TypeVar("T")


class _Cancelled(Exception):
    """Ends the work of a task that was cancelled."""


async def _wait_for(
    work: Callable[[], T], stop: Callable[[], object] = lambda: None, undo: Callable[[T], object] = lambda result: None
) -> T:
    """Runs ``work`` in a thread and waits for its end.

    If the task is cancelled, calls ``stop()`` first. If the work succeeds nevertheless, calls
    ``undo`` with its result, which the task does not get.
    """
    running = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        stop()
        while not running.done():
            # Waits, so that the work's files are closed and its temporary file is removed before
            # this returns.
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([running])
        if not running.cancelled() and running.exception() is None:
            undo(running.result())
        raise


async def _with_progress(work: Callable[[age.Progress], T], progress: age.Progress | None) -> T:
    """Does the same as ``_wait_for``, for work that reports its progress."""
    is_cancelled = threading.Event()

    def report(done: int, total: int | None) -> None:
        if progress is not None:
            progress(done, total)
        if is_cancelled.is_set():
            raise _Cancelled

    return await _wait_for(lambda: work(report), is_cancelled.set)


async def encrypt(
    data: Buffer, recipients: age.Recipients, *, armor: bool = False, threads: int | None = None
) -> bytes:
    """Returns a file with this plaintext: see ``age.encrypt``. ``data`` must not change meanwhile."""
    return await _wait_for(lambda: age.encrypt(data, recipients, armor=armor, threads=threads))


async def decrypt(data: Buffer, identities: age.Identities, *, threads: int | None = None) -> bytes:
    """Returns the plaintext of a file: see ``age.decrypt``. ``data`` must not change meanwhile."""
    return await _wait_for(lambda: age.decrypt(data, identities, threads=threads))


async def encrypt_file(
    source: age.Path,
    target: age.Path,
    recipients: age.Recipients,
    *,
    armor: bool = False,
    threads: int | None = None,
    progress: age.Progress | None = None,
) -> None:
    """Encrypts a file: see ``age.encrypt_file``."""

    def work(report: age.Progress) -> None:
        age.encrypt_file(source, target, recipients, armor=armor, threads=threads, progress=report)

    await _with_progress(work, progress)


async def decrypt_file(
    source: age.Path,
    target: age.Path,
    identities: age.Identities,
    *,
    threads: int | None = None,
    progress: age.Progress | None = None,
) -> None:
    """Decrypts a file: see ``age.decrypt_file``."""

    def work(report: age.Progress) -> None:
        age.decrypt_file(source, target, identities, threads=threads, progress=report)

    await _with_progress(work, progress)


async def rekey_file(
    path: age.Path,
    identities: age.Identities,
    recipients: age.Recipients,
    *,
    keep: bool = False,
    header_len: int | None = None,
) -> None:
    """Encrypts a file to other recipients: see ``age.rekey_file``.

    If the task is cancelled, it waits for the end of the work.
    """
    await _wait_for(lambda: age.rekey_file(path, identities, recipients, keep=keep, header_len=header_len))


class _AsyncFile:
    """A file whose methods run in threads, one at a time."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._lock = asyncio.Lock()

    async def _call(self, method: str, *arguments: Any, undo: Callable[[Any], object] = lambda result: None) -> Any:
        # Otherwise two tasks that share a file could use its position at the same time.
        async with self._lock:
            return await _wait_for(lambda: getattr(self._file, method)(*arguments), undo=undo)

    @property
    def closed(self) -> bool:
        """Whether the file is closed."""
        return bool(self._file.closed)

    def tell(self) -> int:
        """Returns the position in the plaintext."""
        return int(self._file.tell())

    async def close(self) -> None:
        """Closes the file."""
        await self._call("close")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *details: Any) -> None:
        await self.close()

    def __reduce__(self) -> Any:
        raise TypeError("the file holds a key and cannot be pickled")


class AsyncAgeReader(_AsyncFile):
    """Reads the plaintext of a file: see ``open_age``."""

    async def read(self, size: int = -1) -> bytes:
        """Reads ``size`` bytes, or everything. Returns fewer only at the end, or before damage."""
        data: bytes = await self._call("read", size, undo=self._take_back)
        return data

    def _take_back(self, data: bytes) -> None:
        self._file._take_back([data], self._file._position - len(data))

    async def readinto(self, buffer: Buffer) -> int:
        """Fills the buffer, which must not be used meanwhile. Returns the number of bytes."""

        def undo(length: int) -> None:
            self._take_back(memoryview(buffer).tobytes()[:length])

        length: int = await self._call("readinto", buffer, undo=undo)
        return length

    async def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Moves to a position. Seeking to the end authenticates the end of the file."""
        position: int = await self._call("seek", offset, whence)
        return position

    async def plaintext_len(self) -> int:
        """Returns the authentic length of the plaintext."""
        length: int = await self._call("plaintext_len")
        return length


class AsyncAgeWriter(_AsyncFile):
    """Writes the plaintext of a file: see ``create_age``."""

    async def write(self, data: Buffer) -> int:
        """Writes all of ``data``.

        Up to 64 KiB are held back until more is written or the file is closed.
        """
        length: int = await self._call("write", data)
        return length

    async def abort(self) -> None:
        """Leaves the file incomplete, so that nobody can read it to its end."""
        await self._call("abort")

    async def __aexit__(self, kind: Any, *details: Any) -> None:
        await (self.close() if kind is None else self.abort())


async def open_age(
    file: age.Path | age.Readable, identities: age.Identities, *, storage_options: Mapping[str, Any] | None = None
) -> AsyncAgeReader:
    """Opens a file for reading its plaintext: see ``age.open_age``."""
    return AsyncAgeReader(await _wait_for(lambda: age.open_age(file, identities, storage_options=storage_options)))


async def create_age(
    file: age.Path | BinaryIO, recipients: age.Recipients, *, header_len: int | None = None
) -> AsyncAgeWriter:
    """Creates a file, and returns a writer for its plaintext: see ``age.create_age``."""
    return AsyncAgeWriter(await _wait_for(lambda: age.create_age(file, recipients, header_len=header_len)))
