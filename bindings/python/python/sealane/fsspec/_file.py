"""The files of the filesystem."""

from __future__ import annotations

import contextlib
import io
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from fsspec.asyn import sync
from fsspec.caching import BaseCache
from fsspec.implementations.local import LocalFileSystem
from fsspec.spec import AbstractBufferedFile

from .._errors import PayloadError
from .._io import AbortsOnError, AgeWriter
from .._sealane import ChunkFile, Sealer
from ._headers import Entry
from ._ranges import CHUNK, plan

if TYPE_CHECKING:
    from typing_extensions import Buffer

#: Reads of at least this many bytes are not cached, unless they continue the previous read.
_LARGE = 4 * CHUNK


class _FileSystem(Protocol):
    """What a file needs from its filesystem."""

    target: Any
    loop: Any

    async def _read_ranges(self, path: str, entry: Entry, ranges: list[tuple[int, int, int]]) -> dict[int, bytes]: ...

    def _forget(self, path: str) -> None: ...

    def _forget_version(self, path: str) -> None: ...


class ChunkCache(BaseCache):  # type: ignore[misc]
    """Keeps the chunks of the last request.

    Chunks must be fetched whole in any case. Sequential reads fetch more and more ahead, up to the
    block size. Other reads fetch nothing ahead. Large reads fetch only what they need and cache
    nothing, which saves copies.
    """

    name = "chunks"

    def __init__(self, blocksize: int, fetcher: Any, size: int) -> None:
        super().__init__(blocksize, fetcher, size)
        # The offset and the bytes of what is kept. They are one tuple, so threads that share a file
        # always see a matching pair.
        self._kept = 0, b""
        # The end of the last read, and how far the next one may read ahead.
        self._next: int | None = None
        self._ahead = 0

    def keep(self, start: int, data: bytes) -> None:
        """Keeps bytes that have already been fetched, as if they had been read last."""
        self._kept = start, data

    def _fetch(self, start: int | None, stop: int | None) -> bytes:
        start = 0 if start is None else start
        stop = self.size if stop is None else min(stop, self.size)
        if start >= stop:
            return b""
        in_order, self._next = start == self._next, stop
        kept, data = self._kept
        end = kept + len(data)
        if kept <= start and stop <= end:
            self.hit_count += 1
            return data[start - kept : stop - kept]
        self.miss_count += 1
        if stop - start >= self.blocksize or (not in_order and stop - start >= _LARGE):
            self.total_requested_bytes += stop - start
            whole: bytes = self.fetcher(start, stop)
            return whole
        # The part that has already been fetched.
        here = data[start - kept :] if kept <= start < end else b""
        begin = start + len(here)
        self._ahead = min(self.blocksize, max(4 * CHUNK, 2 * self._ahead)) if in_order else 0
        aligned = begin // CHUNK * CHUNK
        until = min(self.size, -(-(stop + self._ahead) // CHUNK) * CHUNK)
        data = self.fetcher(aligned, until)
        self.total_requested_bytes += until - aligned
        wanted: bytes = here + data[begin - aligned : stop - aligned]
        self._kept = aligned, data
        return wanted


class AgeFile(AbstractBufferedFile):  # type: ignore[misc]
    """A file that is read, always in the version that was opened. Pickling leaves out its key.

    Threads may share it if each seeks before every read: a read then begins where its own thread
    last sought. DuckDB reads one file in several threads in this way. Once a thread reads without
    seeking, all threads continue from the end of the last read.
    """

    fs: _FileSystem
    loc: int

    def __init__(
        self,
        fs: _FileSystem,
        path: str,
        entry: Entry,
        end: bytes,
        *,
        block_size: int,
        cache_type: str,
        **kwargs: Any,
    ) -> None:
        """``end`` holds the last bytes of the plaintext that have already been fetched."""
        is_own = cache_type == ChunkCache.name
        # Local files are read directly. Reads of others are requests in the event loop.
        self._local = ChunkFile(path) if isinstance(fs.target, LocalFileSystem) else None
        # For each thread: the position of its last seek, unless it has read since, and the value of
        # `_turn` at that time.
        self._sought = threading.local()
        # Changes when a thread reads on from the shared position, which voids all earlier seeks.
        self._turn = 0
        self._entry, size = entry, entry.size
        super().__init__(fs, path, "rb", block_size, cache_type="none" if is_own else cache_type, size=size, **kwargs)
        if is_own:
            self.cache = ChunkCache(self.blocksize, self._fetch_range, self.size)
            self.cache.keep(self.size - len(end), end)

    def seek(self, loc: int, whence: int = 0) -> int:
        if whence == io.SEEK_CUR:
            loc, whence = self._place()[1] + loc, io.SEEK_SET
        position: int = super().seek(loc, whence)
        self._sought.place = self._turn, position
        return position

    def tell(self) -> int:
        """Returns the position at which the next read of this thread begins."""
        return self._place()[1]

    def _place(self) -> tuple[int | None, int]:
        """Returns the position of this thread's next read, and ``_turn`` if it sought there."""
        turn, position = getattr(self._sought, "place", None) or (None, self.loc)
        # Without a valid seek of its own, the thread continues from the shared position.
        return (turn, position) if turn == self._turn else (None, self.loc)

    def read(self, length: int | None = -1) -> bytes:
        """Reads ``length`` bytes, or everything to the end. Returns fewer only at the end."""
        if self.closed:
            raise ValueError("I/O operation on closed file")
        turn, start = self._place()
        self._sought.place = None
        if turn is None:
            self._turn += 1
            start = self.loc
        stop = self.size if length is None or length < 0 else start + length
        data: bytes = self.cache._fetch(start, stop) if start < stop else b""
        if not data and length != 0 and not self._entry.end_is_verified:
            # Nothing proves that the file ends here until its last chunk is authentic. That of an
            # empty file was read when it was opened.
            self._fetch_range(self.size - 1, self.size)
        self.loc = start + len(data)
        return data

    def _fetch_range(self, start: int, end: int) -> bytes:
        # Another thread may close the file meanwhile.
        if (local := self._local) is not None:
            return self._read_local(local, start, end)
        found: dict[int, bytes] = sync(self.fs.loop, self.fs._read_ranges, self.path, self._entry, [(0, start, end)])
        return found[0]

    def _read_local(self, file: ChunkFile, start: int, end: int) -> bytes:
        key, entry = self._entry.key, self._entry
        assert key is not None
        requests = plan([(0, start, end)], entry.payload_size)
        if not requests:
            return b""
        [request] = requests
        [(_, skip, length)] = request.pieces
        position, sealed = entry.preamble.length + request.start, request.stop - request.start
        try:
            piece = file.open_piece(key, request.first, request.is_last, position, sealed, (skip, length))
        except (PayloadError, OSError):
            # The file may have been replaced by one of the same length and time.
            self.fs._forget_version(self.path)
            raise
        entry.end_is_verified |= request.is_last
        return piece

    def close(self) -> None:
        self._local = None
        super().close()


def _upload_no_more(target: Any) -> None:
    """Makes closing a file of the other filesystem upload nothing, also in its finalizer."""
    if hasattr(target, "forced"):
        target.forced = True


def give_up(target: Any) -> None:
    """Closes a file of the other filesystem without committing its upload.

    A file without uploads is left incomplete.
    """
    # Otherwise, closing would upload what is buffered and replace a good object.
    _upload_no_more(target)
    # A failure here must not hide the exception that led here.
    with contextlib.suppress(Exception):
        target.discard()
    with contextlib.suppress(Exception):
        target.close()


class AgeWriteFile(AgeWriter):
    """A file that is written.

    If a ``with`` block of this file, or of a compressor that the filesystem has put around it,
    fails, the file stays incomplete or is not created. A block of ``fsspec.open`` or of a text file
    around this file closes it as if it were complete.
    """

    #: Whether the file was left unfinished, and its target closed without its last part.
    _is_given_up = False
    #: Returns the compressed or text file around this file, if there is one. It may hold data that
    #: is not written yet. In a transaction, this keeps it alive.
    wrapper: Callable[[], Any] = staticmethod(lambda: None)

    def __init__(self, fs: _FileSystem, path: str, mode: str, target: Any, sealer: Sealer) -> None:
        super().__init__(target, sealer=sealer)
        self.fs, self.path, self.mode, self._target = fs, path, mode, target

    def _put(self, sealed: bytes) -> None:
        super()._put(sealed)
        if sealed and not isinstance(self._target, AbstractBufferedFile):
            # A forked process would inherit what is buffered, and write it too when it ends. Of an
            # upload, it writes nothing: `_upload_no_more`.
            self._target.flush()

    def close(self) -> None:
        if self.closed:
            return
        try:
            super().close()
        finally:
            # `__del__` removes the sealer of a file that was never closed, and then calls this
            # method.
            if not self._is_finished:
                self._give_up()
            else:
                self._close_target()
                self.fs._forget(self.path)

    def _close_target(self) -> None:
        try:
            if not getattr(self._target, "closed", False):
                self._target.close()
        except BaseException:
            # The last part may be missing, so a later commit must not replace a good object.
            self._give_up()
            raise

    def abort(self) -> None:
        super().abort()
        self._give_up()

    def _give_up(self) -> None:
        self._is_given_up = True
        if self._is_forked():
            # The file and its upload go on in the other process.
            _upload_no_more(self._target)
            return
        give_up(self._target)
        self.fs._forget(self.path)

    def commit(self) -> None:
        """Puts the file in its place, at the end of a transaction, unless it was given up.

        Finishes a file that is still open. Raises ``OSError`` if a write to it failed.
        """
        self._check_process()
        wrapper, self.wrapper = self.wrapper(), lambda: None
        if not self.closed:
            try:
                if wrapper is not None:
                    wrapper.close()
            except BaseException:
                self.abort()
                raise
            self.close()
            if self._is_given_up:
                raise OSError(f"the file was not replaced, because a write to it failed: {self.path}")
        if not self._is_given_up:
            self._target.commit()
            self.fs._forget(self.path)

    def discard(self) -> None:
        """Throws the file away, if a transaction fails."""
        self.wrapper = lambda: None
        if not self._is_given_up and not self._is_forked():
            self._target.discard()


class _Output(io.RawIOBase):
    """The file that a compressor writes to."""

    def __init__(self, file: AgeWriteFile) -> None:
        super().__init__()
        self._file: AgeWriteFile | None = file

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer, /) -> int:
        return memoryview(data).nbytes if self._file is None else self._file.write(data)

    def tell(self) -> int:
        return 0 if self._file is None else self._file.tell()

    def discard(self) -> None:
        """Ignores all further writes."""
        self._file = None


class CompressedFile(AbortsOnError, io.BufferedIOBase):
    """A compressor around a file that is written. Closing it closes both.

    fsspec would return the compressor alone, which does not close the file around it.
    """

    def __init__(self, file: AgeWriteFile, compress: Callable[[Any], Any]) -> None:
        super().__init__()
        self._file, self._output = file, _Output(file)
        try:
            self._compressor = compress(self._output)
        except BaseException:
            self.abort()
            raise

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._compressor, name)

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer, /) -> int:
        written: int = self._compressor.write(data)
        return written

    def flush(self) -> None:
        if not self.closed:
            self._compressor.flush()

    def seekable(self) -> bool:
        return bool(self._compressor.seekable())

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        position: int = self._compressor.seek(offset, whence)
        return position

    def tell(self) -> int:
        position: int = self._compressor.tell()
        return position

    @property
    def closed(self) -> bool:
        return self._file.closed

    def close(self) -> None:
        if self.closed:
            return
        try:
            self._compressor.close()
        except BaseException:
            self.abort()
            raise
        self._file.close()

    def abort(self) -> None:
        """Leaves the file incomplete, or discards it, as ``AgeWriteFile.abort`` does."""
        self._drop()
        self._file.abort()

    def __del__(self) -> None:
        # A file that is not closed is not finished, as with `AgeWriter`.
        self._drop()

    def _drop(self) -> None:
        """Closes the compressor, but writes nothing more to the file."""
        self._output.discard()
        with contextlib.suppress(Exception):
            self._compressor.close()
