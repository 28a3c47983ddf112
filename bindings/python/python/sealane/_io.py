"""The reader and the writer of age files, which implement Python's file interface."""

from __future__ import annotations

import contextlib
import errno
import functools
import io
import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from ._errors import ArmorError, PayloadError
from ._sealane import Reader, Sealer

if TYPE_CHECKING:
    from typing_extensions import Buffer

P = ParamSpec("P")
T = TypeVar("T")

#: The largest number of bytes that are read at a time.
_STEP = 4 << 20


def _exclusive(method: Callable[Concatenate[AgeReader, P], T]) -> Callable[Concatenate[AgeReader, P], T]:
    """Makes threads wait for each other. If the method fails, the position stays as it was."""

    @functools.wraps(method)
    def run(self: AgeReader, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with self._lock:
            if self._is_busy:
                # As from a signal handler.
                raise RuntimeError("this thread is already using this file")
            start = self._position
            try:
                self._is_busy = True
                return method(self, *args, **kwargs)
            except BaseException:
                self._position = start
                raise
            finally:
                self._is_busy = False

    return run


class AgeReader(io.RawIOBase):
    """Reads the plaintext of a file: see ``sealane.age.open_age``."""

    _reader: Reader | None = None
    #: A file that is closed with the reader.
    _owned: Any = None
    #: The position of the next byte to read. Ctrl-C may raise an exception when the native reader
    #: has moved and this position has not, so that nobody has got the bytes between them.
    _position = 0
    _is_busy = False

    def __init__(self, file: Any, identities: Any, *, owns_file: bool = False) -> None:
        super().__init__()
        self._lock = threading.RLock()
        if owns_file:
            self._owned = file
        self._reader = Reader(file, identities)
        self._file = None if isinstance(file, str | os.PathLike) else file

    def _open(self) -> Reader:
        if self._reader is None:
            raise ValueError("I/O operation on closed file")
        return self._reader

    def _at_position(self) -> Reader:
        """Returns the native reader, at the position of this one."""
        reader = self._open()
        if reader.position != self._position:
            if not self.seekable():
                raise OSError("an interrupted read lost plaintext, and the file cannot seek: open it again")
            reader.seek(self._position, os.SEEK_SET)
        return reader

    def readable(self) -> bool:
        self._open()
        return True

    def seekable(self) -> bool:
        if not self._open().can_seek:
            return False
        return self._file is None or bool(getattr(self._file, "seekable", lambda: False)())

    @_exclusive
    def readinto(self, buffer: Buffer, /) -> int:
        """Fills the buffer. Reads fewer bytes only at the end of the file, or before damage."""
        length = self._at_position().read_into(buffer)
        self._position += length
        return length

    @_exclusive
    def read(self, size: int | None = -1, /) -> bytes:
        """Reads ``size`` bytes, or everything. Returns fewer only at the end, or before damage."""
        if size is None or size < 0:
            return self._read_all()
        return self._read(size) if size <= _STEP else self._read_in_steps(size)

    @_exclusive
    def readall(self) -> bytes:
        return self._read_all()

    def _read(self, size: int) -> bytes:
        data = self._at_position().read(size)
        self._position += len(data)
        return data

    def _read_in_steps(self, size: int) -> bytes:
        """Reads ``size`` bytes, and allocates memory only for bytes that exist."""
        start, parts = self._position, list[bytes]()
        try:
            while size > 0:
                wanted = min(size, _STEP)
                try:
                    data = self._read(wanted)
                except (ArmorError, PayloadError):
                    # The next call finds the damage again.
                    if parts:
                        break
                    raise
                parts.append(data)
                if len(data) < wanted:
                    break
                size -= wanted
            return b"".join(parts)
        except BaseException:
            self._take_back(parts, start)
            raise

    def _read_all(self) -> bytes:
        start, parts = self._position, list[bytes]()
        try:
            while data := self._read(_STEP):
                parts.append(data)
            return b"".join(parts)
        except BaseException:
            self._take_back(parts, start)
            raise

    def _take_back(self, parts: list[bytes], start: int) -> None:
        """Moves back to ``start``, so that the next read returns ``parts``, the last reads, again."""
        self._position = start
        if self._reader is not None:
            # Only saves the seek, which may be impossible.
            self._reader.take_back(parts, start)

    @_exclusive
    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Moves to a position. Seeking to the end authenticates the end of the file."""
        if not self.seekable():
            raise io.UnsupportedOperation("the file cannot seek: it is armored, or its source cannot")
        if whence == os.SEEK_CUR:
            # The native reader may be ahead of this position.
            offset, whence = self._position + offset, os.SEEK_SET
        self._position = self._open().seek(offset, whence)
        return self._position

    def tell(self) -> int:
        self._open()
        return self._position

    @_exclusive
    def plaintext_len(self) -> int:
        """Returns the authentic length of the plaintext. Needs a file that can seek."""
        if not self.seekable():
            raise io.UnsupportedOperation("the length is not known: the file cannot seek")
        return self._open().plaintext_len()

    def close(self) -> None:
        self._reader = None
        owned, self._owned = self._owned, None
        try:
            if owned is not None:
                owned.close()
        finally:
            super().close()

    def __reduce__(self) -> Any:
        raise TypeError("a reader holds a key and cannot be pickled")


class AbortsOnError(io.IOBase):
    """A file whose ``with`` block leaves it incomplete if it fails."""

    def abort(self) -> None:
        raise NotImplementedError

    def __exit__(self, kind: Any, *details: Any) -> None:
        if kind is None:
            self.close()
        else:
            self.abort()


class AgeWriter(AbortsOnError, io.RawIOBase):
    """Encrypts a file from the plaintext that is written to it: see ``sealane.age.create_age``."""

    #: Used with `_exclusive`, except to drop it, which leaves the file incomplete.
    _sealer: Sealer | None = None
    #: Why a write failed, until the file is closed.
    _failure: BaseException | None = None
    #: Whether the whole file was written.
    _is_finished = False
    _owned = False

    def __init__(
        self, file: Any, recipients: Any = (), *, header_len: int | None = None, sealer: Sealer | None = None
    ) -> None:
        super().__init__()
        self._lock, self._is_busy, self._process = threading.RLock(), False, os.getpid()
        self._sealer = sealer or Sealer(recipients, header_len=header_len)
        is_path = isinstance(file, str | os.PathLike)
        # Without a buffer, which a forked process would inherit and write too when it ends.
        self._file = open(file, "wb", buffering=0) if is_path else file
        # Only now, because the finalizer closes an owned file.
        self._owned = is_path
        self._position = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer, /) -> int:
        """Writes all of ``data``.

        Up to 64 KiB are held back until more is written or the file is closed.
        """
        with self._exclusive():
            sealer = self._sealer
            if sealer is None:
                raise ValueError("I/O operation on closed file")
            view = memoryview(data)
            if not view.c_contiguous:
                raise BufferError("the data is not contiguous")
            try:
                self._put(sealer.update(data))
                if self._sealer is None:
                    raise ValueError("the file was closed during this write, and is incomplete")
            except BaseException as failure:
                # A part of the ciphertext may be missing now, so the file must stay incomplete.
                self._sealer = sealer = None
                self._failure = None if self.closed else failure
                # The traceback of the exception would keep the plaintext.
                del data, view
                raise
            self._position += view.nbytes
            return view.nbytes

    @contextlib.contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Makes threads wait for each other, so that ciphertext is written in its order."""
        # First, because a thread that is not in this process may have held the lock when it was
        # forked.
        self._check_process()
        with self._lock:
            if self._is_busy:
                # As from a signal handler.
                raise RuntimeError("this thread is already writing to this file")
            self._is_busy = True
            try:
                yield
            finally:
                self._is_busy = False

    def _is_forked(self) -> bool:
        """Returns whether this is a copy in a forked process. The file belongs to the other process."""
        return os.getpid() != self._process

    def _check_process(self) -> None:
        if self._is_forked():
            raise RuntimeError("a writer can only be used in the process that made it")

    def _put(self, sealed: bytes) -> None:
        view = memoryview(sealed)
        while view:
            written = self._file.write(view)
            if written is None:
                # Raw files return `None` if they would block, and others if everything is written.
                if isinstance(self._file, io.RawIOBase):
                    raise BlockingIOError(errno.EAGAIN, "the file cannot take more data yet")
                return
            if written == 0:
                raise OSError("the file did not take more data")
            view = view[written:]

    def tell(self) -> int:
        return self._position

    def close(self) -> None:
        """Finishes the file.

        Raises ``OSError`` if a write has failed and its exception is not being handled: the file is
        incomplete then. The exception of the write is the cause of this error.
        """
        try:
            # A finalizer, which has no sealer, must not wait.
            if self._sealer is not None:
                with self._exclusive():
                    sealer = self._sealer
                    # Another thread may have closed the file, or failed to write to it.
                    if sealer is not None:
                        self._put(sealer.finish())
                        if self._sealer is None:
                            raise ValueError("the file was given up while it was closed")
                        self._sealer, self._is_finished = None, True
        finally:
            self._sealer = None
            failure, self._failure = self._failure, None
            self._release()
        # The caller may have ignored the exception of the write.
        if failure is not None and not _is_handled(failure):
            reason = "the file is incomplete, because a write to it failed"
            number = failure.errno if isinstance(failure, OSError) else None
            raise (OSError(reason) if number is None else OSError(number, reason)) from failure

    def abort(self) -> None:
        """Leaves the file incomplete, so that nobody can read it to its end.

        In a forked process, the file of the other process stays as it is.
        """
        self._sealer = self._failure = None
        self._release()

    def _release(self) -> None:
        super().close()
        if self._owned:
            # In a forked process, this closes only its own descriptor.
            self._file.close()

    def __del__(self) -> None:
        # A writer that is not closed has not finished its file.
        self._sealer = self._failure = None
        super().__del__()

    def __reduce__(self) -> Any:
        raise TypeError("a writer holds a key and cannot be pickled")


def _is_handled(error: BaseException) -> bool:
    """Returns whether an exception, or one that it led to, is being handled.

    An exception that leaves a ``with`` block is, too, while the block closes its file.
    """
    handled = sys.exception()
    while handled is not None and handled is not error:
        handled = handled.__context__
    return handled is not None


def seal_to_file(sealer: Sealer, path: str, target: Any) -> None:
    """Writes the ciphertext of the file at ``path`` to ``target``, a buffered file."""
    with open(path, "rb") as source:
        while data := source.read(_STEP):
            target.write(sealer.update(data))
    target.write(sealer.finish())
    target.flush()
