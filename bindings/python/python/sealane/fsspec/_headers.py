"""What is known about an object: its length, its header and its key."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from fsspec.implementations.asyn_wrapper import AsyncFileSystemWrapper

from ..age import PayloadKey, Preamble

#: The number of bytes that are read first. Most headers fit.
FIRST_READ = 4096
#: The length, and the fields of an object's information that change with its contents, by
#: filesystem.
_FIELDS = (
    "size",
    "ETag",
    "etag",
    "md5Hash",
    "md5",
    "version_id",
    "generation",
    "mtime",
    "LastModified",
    "last_modified",
    "modificationTime",
    "modify",
    "created",
)


def token_of(info: Mapping[str, Any]) -> tuple[Any, ...]:
    """Returns a value that changes when the object does."""
    return tuple(map(_number, fields_of(info)))


def fields_of(info: Mapping[str, Any]) -> tuple[Any, ...]:
    """Does the same as ``token_of`` in less time, but a time may have several forms."""
    return tuple(map(info.get, _FIELDS))


def _is_same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    # Most times are equal as they are, and a listing has thousands of them.
    return one == other or tuple(map(_number, one)) == tuple(map(_number, other))


def _number(value: Any) -> Any:
    # Some filesystems give a time as a number in listings, and as a ``datetime`` elsewhere.
    return value.timestamp() if isinstance(value, datetime) else value


async def look(target: Any, path: str, start: int, end: int = 0) -> tuple[dict[str, Any], bytes, bytes]:
    """Returns the information about an object, and its first ``start`` and last ``end`` bytes.

    All three are requested at the same time, so the bytes may be from another version of the
    object than the information. Bytes that were not requested, or that the store did not return,
    are empty.
    """
    if isinstance(target, AsyncFileSystemWrapper):
        # The wrapped filesystem would process the requests one after another.
        return await target._info(path), b"", b""

    async def part(begin: int, stop: int | None) -> Any:
        return await target._cat_file(path, start=begin, end=stop) if begin or stop else b""

    asked = asyncio.gather(target._info(path), part(0, start), part(-end, None), return_exceptions=True)
    found: list[Any] = list(await asked)
    info = found[0]
    if isinstance(info, BaseException):
        raise info
    # A folder has no bytes, and some stores return an error if an object is shorter than the range.
    first, last = [one if isinstance(one, bytes) else b"" for one in found[1:]]
    return info, first, last


@dataclass
class Entry:
    """An object whose header was read."""

    #: The length of the object in bytes.
    sealed_size: int
    preamble: Preamble
    #: The fields that change when the object does, if they are known.
    fields: tuple[Any, ...] | None
    #: The key, once the object has been unlocked.
    key: PayloadKey | None = None
    #: Whether the last chunk has been authenticated.
    end_is_verified: bool = False

    @property
    def payload_size(self) -> int:
        """The number of bytes after the preamble."""
        return max(0, self.sealed_size - self.preamble.length)

    @cached_property
    def size(self) -> int | None:
        """The length of the plaintext, or ``None`` if no sealed file has this length."""
        return PayloadKey.plaintext_len(self.payload_size)

    def checked_size(self) -> int:
        """Returns the length of the plaintext. Raises ``PayloadError`` if no file has this length."""
        size = self.size
        if size is None:
            # Raises the error that says what is wrong with this length.
            PayloadKey.sealed_range(0, 1, self.payload_size)
            raise AssertionError
        return size


class HeaderCache:
    """The most recently used entries, by path. All threads share it, and it is never pickled."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[str, Entry] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, path: str, info: Mapping[str, Any] | None = None) -> Entry | None:
        """Returns the entry, unless ``info`` is the information about another version."""
        with self._lock:
            entry = self._entries.get(path)
            if entry is None:
                return None
            if info is not None and not (entry.fields and _is_same(entry.fields, fields_of(info))):
                return None
            self._entries.move_to_end(path)
            return entry

    def put(self, path: str, entry: Entry) -> None:
        """Adds an entry, and drops the least recently used one if there are too many."""
        with self._lock:
            self._entries[path] = entry
            self._entries.move_to_end(path)
            while len(self._entries) > self._capacity:
                self._entries.popitem(last=False)

    def drop(self, path: str | None = None) -> None:
        """Forgets a path and everything below it, or all paths."""
        with self._lock:
            if path is None:
                self._entries.clear()
                return
            below = path.rstrip("/") + "/"
            for known in [known for known in self._entries if known == path or known.startswith(below)]:
                del self._entries[known]
