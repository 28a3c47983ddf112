"""Reads files: their headers, their ends and ranges of them."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Iterable
from typing import Any

from fsspec.asyn import _run_coros_in_chunks
from fsspec.callbacks import DEFAULT_CALLBACK

from .. import age
from .._replacement import replaced_file
from ._headers import FIRST_READ, Entry, HeaderCache, fields_of, look
from ._ranges import END, Request, open_end, plan

#: Ciphertext longer than this is decrypted in a worker thread, not in the event loop's thread.
_INLINE = 256 << 10
#: The number of plaintext bytes in each step of a download.
_STEP = 8 << 20


class Reading:
    """The part of the filesystem that reads files."""

    header_len: int | None
    verify_end: bool
    batch_size: int | None
    _async_target: Any
    _headers: HeaderCache

    def _strip(self, path: Any) -> Any:
        raise NotImplementedError

    def _forget_version(self, path: str) -> None:
        raise NotImplementedError

    async def _isdir(self, path: str) -> bool:
        raise NotImplementedError

    async def _unlock(self, entry: Entry) -> age.PayloadKey:
        raise NotImplementedError

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
        if not fresh and (entry := self._headers.get(path, info)):
            return entry
        wanted, prefix = self._first_read(), start
        if info is None:
            info, prefix, _ = await look(self._async_target, path, wanted)
        if info["type"] == "directory":
            raise IsADirectoryError(path)
        size = info["size"]
        if size is None:
            raise OSError(f"the store does not report the length of this object: {path}")
        preamble: age.Preamble | int = min(size, wanted)
        while isinstance(preamble, int):
            wanted = preamble
            # The prefix is too short, or belongs to another version.
            if len(prefix) != wanted:
                prefix = await self._async_target._cat_file(path, start=0, end=wanted)
            # The store may return fewer bytes if the file was replaced meanwhile.
            preamble = age.Preamble.parse(prefix, size if len(prefix) == wanted else len(prefix))
        entry = Entry(size, preamble, fields_of(info))
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

        If this fails, what is known about the file is forgotten, and it is read again once: it may
        have been replaced by one with other recipients or of another length.
        """
        for is_second in (False, True):
            try:
                entry = await self._entry(path, fresh=is_second)
                size = entry.size or 0
                positions = [(index, *slice(start, stop).indices(size)[:2]) for index, start, stop in ranges]
                return await self._read_ranges(path, entry, [(i, a, max(a, b)) for i, a, b in positions], max_gap)
            except (FileNotFoundError, IsADirectoryError):
                raise
            except (age.DecryptError, OSError):
                # Also the listings of the other filesystem, which may have an old length.
                self._forget_version(path)
                if is_second:
                    raise
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
        entry = Entry(len(sealed), preamble, None)
        if known is not None and known.sealed_size == len(sealed) and known.preamble.length == preamble.length:
            # The object is probably still the known version. The key is not kept, because another
            # version may have the same length.
            entry.fields = known.fields
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
