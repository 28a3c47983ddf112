"""The filesystem."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
import threading
import weakref
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import fsspec
from fsspec.asyn import AsyncFileSystem, _run_coros_in_chunks, sync
from fsspec.callbacks import DEFAULT_CALLBACK
from fsspec.implementations.asyn_wrapper import AsyncFileSystemWrapper
from fsspec.implementations.chained import ChainedFileSystem
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.spec import AbstractBufferedFile, AbstractFileSystem
from fsspec.utils import stringify_path

from .. import age
from .._io import seal_to_file
from .._replacement import replaced_file
from ._file import AgeFile, AgeWriteFile, ChunkCache
from ._headers import FIRST_READ, Entry, HeaderCache, look, token_of
from ._keys import Keys
from ._listing import Listings
from ._objects import Objects
from ._ranges import END, Request, is_read_from_the_end, open_end, plan
from ._references import check_identities, check_recipients, resolve_recipients

#: Ciphertext longer than this is decrypted in a worker thread, not in the event loop's thread.
_INLINE = 256 << 10
#: The number of plaintext bytes in each step of a download.
_STEP = 8 << 20
_LISTING_SIZES = ("exact", "lazy", "sealed")


def _is_async(fs: Any) -> bool:
    """Returns whether a filesystem's coroutines work: a ``DirFileSystem`` calls those of another one."""
    return bool(fs.async_impl) and (not isinstance(fs, DirFileSystem) or _is_async(fs.fs))


class AgeFileSystem(Keys, Listings, Objects, AsyncFileSystem, ChainedFileSystem):  # type: ignore[misc]
    """Files in the age format on another filesystem: ``age::s3://bucket/path``.

    Names, folders and times are those of the other filesystem. ``size`` is the length of the
    plaintext, and ``sealed_size`` that of the object. ``cp``, ``mv`` and ``rm`` work on the
    encrypted objects.
    """

    protocol = "age"
    _strip_tokenize_options = ("fo",)

    def __init__(
        self,
        fs: Any = None,
        *,
        target_protocol: str | None = None,
        target_options: dict[str, Any] | None = None,
        fo: str | None = None,
        identities: Any = None,
        recipients: Any = None,
        header_len: int | None = None,
        listing_sizes: str = "exact",
        verify_end: bool = False,
        block_size: int = 4 << 20,
        max_headers: int = 10_000,
        asynchronous: bool = False,
        loop: Any = None,
        **kwargs: Any,
    ) -> None:
        """Creates a filesystem over another one.

        The other one is ``fs``, or is given by ``target_protocol`` and ``target_options``.

        - ``identities``: references to the identities that read files: ``file:PATH``, ``env:NAME``,
          a function, or a list of these. They are resolved in each process when a file is opened.
        - ``recipients``: the recipients of new files: ``age1…``, an ssh key, an ``age.Recipient``,
          a reference as above, or a list of these.
        - ``header_len``: pads the headers of new files to this length. All files are then assumed
          to have headers of this length, so that listings know the exact sizes without reading
          files, except those that seem empty.
        - ``listing_sizes``: ``exact`` reads the header of each file in a listing, unless it is
          known. ``lazy`` reads no headers, and an unknown ``size`` is ``None``. ``sealed`` leaves
          ``size`` as the length of the object.
        - ``verify_end``: authenticates the end of each file when it is opened, with one more
          request. Without it, a file that was cut between two chunks is detected only when its end
          is read.
        - ``block_size``: how far sequential reads may read ahead.
        - ``max_headers``: the number of files whose headers and keys are remembered.
        """
        super().__init__(asynchronous=asynchronous, loop=loop, **kwargs)
        if listing_sizes not in _LISTING_SIZES:
            raise ValueError(f"listing_sizes must be one of {', '.join(_LISTING_SIZES)}, not {listing_sizes!r}")
        if fs is None:
            options = dict(target_options or {})
            if asynchronous:
                # Otherwise the other filesystem would run in another loop.
                options |= {"asynchronous": True, "loop": loop}
                if not fsspec.get_filesystem_class(target_protocol or "file").async_impl:
                    options = dict(target_options or {})
            fs = fsspec.filesystem(target_protocol or "file", **options)
        #: The other filesystem.
        self.target = fs
        self._async_target = fs if _is_async(fs) else AsyncFileSystemWrapper(fs=fs, asynchronous=asynchronous)
        self.root_marker = fs.root_marker
        self._strip_protocol = self._strip
        self._parent = fs._parent
        self.header_len, self.listing_sizes, self.verify_end = header_len, listing_sizes, verify_end
        self.block_size = block_size
        self._references = check_identities(identities)
        self._recipient_references = check_recipients(recipients)
        self._headers = HeaderCache(max_headers)
        self._resolved: list[Any] | None = None
        self._identity_thread, self._recipient_thread = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
        self._written = threading.local()  # `last`: the file that a thread opened last for writing

    def _strip(self, path: Any) -> Any:
        if isinstance(path, list):
            return [self._strip(one) for one in path]
        path = stringify_path(path)
        for prefix in ("age::", "age://"):
            path = path.removeprefix(prefix)
        return self.target._strip_protocol(path)

    @property
    def fsid(self) -> str:
        """An id that is derived from the id of the other filesystem."""
        return f"age_{self.target.fsid}"

    def _sealer(self, recipients: list[age.Recipient]) -> age.Sealer:
        return age.Sealer(recipients, header_len=self.header_len)

    def _forget(self, path: str | None = None) -> None:
        self._headers.drop(path)

    def _forget_version(self, path: str) -> None:
        """Forgets a file that may have been replaced, also in the other filesystem's listings."""
        self._forget(path)
        self.target.invalidate_cache(path)

    # Headers

    def _first_read(self) -> int:
        return max(FIRST_READ, (self.header_len or 0) + 16)

    async def _entry(
        self, path: str, info: dict[str, Any] | None = None, *, start: bytes = b"", fresh: bool = False
    ) -> Entry:
        """Returns what is known about a file, and reads its header if needed.

        ``start`` may hold the first bytes of the file. Without ``info``, an entry of an earlier
        version may be returned. The file's chunks then fail authentication, and the caller asks
        again with ``fresh``.
        """
        if not fresh and (entry := self._headers.get(path, token_of(info) if info else None)):
            return entry
        wanted, prefix = self._first_read(), start
        if info is None:
            info, prefix, _ = await look(self._async_target, path, wanted)
        if info["type"] == "directory":
            raise IsADirectoryError(path)
        size = info["size"]
        if size is None:
            raise OSError(f"the store does not report the length of this object: {path}")
        if len(prefix) != min(size, wanted):
            # The prefix is empty, or belongs to another version.
            prefix = b""
        while True:
            if size <= 0:
                raise age.HeaderError("the file is empty")
            prefix = prefix or await self._async_target._cat_file(path, start=0, end=min(size, wanted))
            preamble = age.Preamble.parse(prefix)
            if not isinstance(preamble, int):
                break
            if len(prefix) < min(size, wanted) or size <= wanted:
                raise age.HeaderError("the file is cut short: it ends inside the header")
            wanted, prefix = max(preamble, 4 * wanted), b""
        entry = Entry(size, preamble, token_of(info))
        self._headers.put(path, entry)
        return entry

    async def _opened(self, path: str, end: int = 0) -> tuple[Entry, bytes]:
        """Returns the entry of the current version of a file, and the last bytes of its plaintext.

        ``end`` is the number of bytes to fetch from the end of the object at the same time. The
        plaintext comes from these bytes. It is empty if they do not hold whole, authentic chunks.

        Raises ``PayloadError`` if the file has the length of an empty one and is not authentic:
        readers do not read a file without contents, so they would not notice.
        """
        known = self._headers.get(path)
        if self.verify_end and not (known and known.end_is_verified):
            end = END
        info, start, last = await look(self._async_target, path, 0 if known else self._first_read(), end)
        entry = await self._entry(path, info, start=start)
        key = await self._unlock(entry)
        if len(start) == entry.sealed_size:
            # The first bytes are the whole object.
            last = start
        plaintext = open_end(key, entry.size or 0, entry.payload_size, last)
        entry.end_is_verified |= plaintext is not None
        if self.verify_end or entry.size == 0:
            await self._verify_end(path, entry)
        return entry, plaintext or b""

    async def _verify_end(self, path: str, entry: Entry) -> None:
        """Authenticates the last chunk, and so the length of the plaintext, unless it has been."""
        if not entry.end_is_verified:
            size = entry.checked_size()
            await self._read_ranges(path, entry, [(0, size, size)])

    # Reading

    async def _fetch(self, path: str, entry: Entry, requests: list[Request] | Any) -> list[bytes]:
        start = entry.preamble.length
        starts, stops = [start + one.start for one in requests], [start + one.stop for one in requests]
        if len(requests) == 1:
            return [await self._async_target._cat_file(path, start=starts[0], end=stops[0])]
        paths = [path] * len(requests)
        return list(await self._async_target._cat_ranges(paths, starts, stops, on_error="raise"))

    async def _read_ranges(
        self, path: str, entry: Entry, ranges: list[tuple[int, int, int]], max_gap: int = 0
    ) -> dict[int, bytes]:
        """Returns the plaintext of each range by its index.

        A range is an index, a start and a stop.
        """
        found = {index: b"" for index, _, _ in ranges}
        try:
            entry.checked_size()
            key = await self._unlock(entry)
            try:
                requests = plan(ranges, entry.payload_size, max_gap)
            except OverflowError:
                raise ValueError("a range is not possible") from None
            for request, sealed in zip(requests, await self._fetch(path, entry, requests), strict=True):
                if len(sealed) != request.stop - request.start:
                    raise age.PayloadError("the file is cut short, or was changed while it was read")
                if len(sealed) <= _INLINE:
                    found.update(request.open(key, sealed))
                else:
                    found.update(await asyncio.to_thread(request.open, key, sealed))
                entry.end_is_verified |= request.is_last
        except (age.DecryptError, OSError):
            self._forget_version(path)
            raise
        return found

    async def _ranges_of(
        self, path: str, ranges: list[tuple[int, int | None, int | None]], max_gap: int = 0
    ) -> dict[int, bytes]:
        """Reads ranges like Python's slices: negative positions count from the end.

        If the header was already known and a read fails, reads the header again and retries once.
        """
        was_known = self._headers.get(path) is not None
        entry = await self._entry(path)
        for attempt in range(2):
            size = entry.size or 0
            positions = [(index, *slice(start, stop).indices(size)[:2]) for index, start, stop in ranges]
            try:
                return await self._read_ranges(path, entry, [(i, a, max(a, b)) for i, a, b in positions], max_gap)
            except (age.DecryptError, OSError):
                # The file may have been replaced: by one with other recipients or of another
                # length.
                if attempt or not was_known:
                    raise
                entry = await self._entry(path, fresh=True)
        raise AssertionError

    async def _cat_file(self, path: str, start: int | None = None, end: int | None = None, **kwargs: Any) -> bytes:
        path = self._strip(path)
        if start in (None, 0) and end is None:
            try:
                return await self._cat_whole(path, **kwargs)
            except age.DecryptError:
                self._forget_version(path)
                raise
        return (await self._ranges_of(path, [(0, start, end)]))[0]

    async def _cat_whole(self, path: str, **kwargs: Any) -> bytes:
        """Reads a whole file with one request."""
        sealed = await self._async_target._cat_file(path, **kwargs)
        known = self._headers.get(path)
        preamble = age.Preamble.parse(sealed)
        if isinstance(preamble, int):
            raise age.HeaderError("the file is cut short: it ends inside the header" if sealed else "the file is empty")
        entry = Entry(len(sealed), preamble, None)
        if known is not None and known.sealed_size == len(sealed) and known.preamble.length == preamble.length:
            # The object is probably still the known version. The key is not kept, because another
            # version may have the same length.
            entry.token = known.token
        key = await self._unlock(entry)
        payload = memoryview(sealed)[preamble.length :]
        work = (0, True, payload, [(0, entry.checked_size())])
        [data] = key.open_chunks(*work) if len(sealed) <= _INLINE else await asyncio.to_thread(key.open_chunks, *work)
        entry.end_is_verified = True
        self._headers.put(path, entry)
        return data

    async def _cat_ranges(
        self,
        paths: list[str],
        starts: Any,
        ends: Any,
        max_gap: int | None = None,
        batch_size: int | None = None,
        on_error: str = "return",
        **kwargs: Any,
    ) -> list[Any]:
        if not isinstance(paths, list):
            raise TypeError("paths must be a list")
        starts = list(starts) if isinstance(starts, Iterable) else [starts] * len(paths)
        ends = list(ends) if isinstance(ends, Iterable) else [ends] * len(paths)
        if len(starts) != len(paths) or len(ends) != len(paths):
            raise ValueError("paths, starts and ends must have the same length")
        by_path: dict[str, list[tuple[int, int | None, int | None]]] = {}
        for index, (path, start, end) in enumerate(zip(paths, starts, ends, strict=True)):
            by_path.setdefault(self._strip(path), []).append((index, start, end))
        coroutines = [self._ranges_of(path, ranges, max_gap or 0) for path, ranges in by_path.items()]
        results = await _run_coros_in_chunks(
            coroutines, batch_size=batch_size or self.batch_size, nofiles=True, return_exceptions=True
        )
        found: list[Any] = [None] * len(paths)
        for ranges, result in zip(by_path.values(), results, strict=True):
            if isinstance(result, BaseException) and on_error != "return":
                raise result
            for index, _, _ in ranges:
                found[index] = result if isinstance(result, BaseException) else result[index]
        return found

    async def _get_file(self, rpath: str, lpath: Any, callback: Any = DEFAULT_CALLBACK, **kwargs: Any) -> None:
        rpath = self._strip(rpath)
        if await self._isdir(rpath):
            os.makedirs(lpath, exist_ok=True)
            return
        entry, _ = await self._opened(rpath)
        size = entry.size or 0
        callback.set_size(size)
        with contextlib.ExitStack() as stack:
            if hasattr(lpath, "write"):
                output = lpath
            else:
                os.makedirs(os.path.dirname(os.path.abspath(lpath)), exist_ok=True)
                output = stack.enter_context(replaced_file(lpath))
            position = 0
            # The last step reaches the end, and authenticates it.
            while position < size or position == 0:
                step = await self._read_ranges(rpath, entry, [(0, position, max(1, min(size, position + _STEP)))])
                # Neither a slow disk nor a file that uses fsspec stops the event loop.
                await asyncio.to_thread(output.write, step[0])
                position += max(1, len(step[0]))
                callback.absolute_update(min(size, position))
            # Syncs the file to disk, and moves it into place. If the call is cancelled before that
            # begins, the file is still in `stack`, which removes it.
            await asyncio.to_thread(lambda: stack.pop_all().close())

    # Writing

    async def _pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **kwargs: Any) -> None:
        path = self._strip(path)
        recipients = await self._recipients()
        sealed = await asyncio.to_thread(lambda: self._sealer(recipients).finish(value))
        await self._async_target._pipe_file(path, sealed, mode=mode, **kwargs)
        self._forget(path)

    async def _put_file(
        self, lpath: str, rpath: str, mode: str = "overwrite", callback: Any = DEFAULT_CALLBACK, **kwargs: Any
    ) -> None:
        rpath = self._strip(rpath)
        if os.path.isdir(lpath):
            await self._makedirs(rpath, exist_ok=True)
            return
        recipients = await self._recipients()
        # The temporary file holds only ciphertext. A cancelled call closes and removes it at once.
        with tempfile.NamedTemporaryFile(prefix="sealane-") as temporary:
            await asyncio.to_thread(lambda: seal_to_file(self._sealer(recipients), lpath, temporary))
            await self._async_target._put_file(temporary.name, rpath, mode=mode, callback=callback, **kwargs)
        self._forget(rpath)

    def open(self, path: str, mode: str = "rb", *args: Any, **kwargs: Any) -> Any:
        file = super().open(path, mode, *args, **kwargs)
        # `file` may be a compressor or text file around `last`. If so, the end of a transaction
        # closes `file`, to write what it still buffers.
        if "r" not in mode and (last := self._written.last()) not in (None, file):
            last.wrapper = weakref.ref(file)
        return file

    def _open(
        self,
        path: str,
        mode: str = "rb",
        block_size: int | None = None,
        autocommit: bool = True,
        cache_type: str = ChunkCache.name,
        cache_options: dict[str, Any] | None = None,
        size: int | None = None,
        **kwargs: Any,
    ) -> Any:
        if mode == "rb":
            if cache_type == "mmap":
                raise ValueError("cache_type='mmap' would write plaintext to a file on the disk")
            entry, end = sync(self.loop, self._opened, path, END if is_read_from_the_end(path) else 0)
            entry.checked_size()
            return AgeFile(
                self,
                path,
                entry,
                end,
                block_size=block_size or self.block_size,
                cache_type=cache_type,
                cache_options=cache_options,
                **kwargs,
            )
        if mode not in ("wb", "xb"):
            raise ValueError(f"a sealed file cannot be opened with the mode {mode!r}: write it as a whole")
        # First, so that an error leaves the target untouched.
        sealer = self._sealer(resolve_recipients(self._recipient_references))
        target = self._open_target(path, mode, block_size=block_size, autocommit=autocommit, **kwargs)
        self._forget(path)
        self._written.last = weakref.ref(file := AgeWriteFile(self, path, mode, target, sealer))
        return file

    def _open_target(self, path: str, mode: str, autocommit: bool, **kwargs: Any) -> Any:
        """Opens a file of the other filesystem for writing."""
        kind = type(self.target)
        if kind._open is not AbstractFileSystem._open:
            file = self.target._open(path, mode=mode, autocommit=autocommit, **kwargs)
        elif autocommit:
            # `DirFileSystem` overrides only `open`, which calls another filesystem.
            file = self.target.open(path, mode, **kwargs)
        else:
            # The file would belong to a transaction of the other filesystem.
            raise NotImplementedError(f"{kind.__name__} has no transactions")
        if type(file) is AbstractBufferedFile:
            # A file of the base class discards what is written to it.
            raise NotImplementedError(f"{kind.__name__} cannot open files for writing")
        return file
