"""Addresses of objects, which are sent to workers and opened there."""

from __future__ import annotations

import dataclasses
import os
import re
import threading
from collections.abc import Iterable
from typing import Any

import fsspec
from fsspec.core import url_to_fs

from ._report import JobError

_LOCK = threading.Lock()
_SHARED: dict[str, Any] = {}


@dataclasses.dataclass(frozen=True)
class Place:
    """A filesystem and a path in it. It can be pickled, and its ``repr`` leaves out the options."""

    protocol: str
    path: str
    options: dict[str, Any] = dataclasses.field(repr=False)

    @classmethod
    def of(cls, url: str, options: dict[str, Any] | None) -> Place:
        """Resolves an address.

        ``age::`` before it is ignored: jobs work on the encrypted objects.
        """
        url = url.removeprefix("age::")
        if "::" in url:
            raise ValueError(f"jobs work on one filesystem, not on a chain: {url}")
        protocol = fsspec.utils.get_protocol(url)
        fs, path = url_to_fs(url, **(options or {}))
        # The options include what the address contains, such as an account name.
        return cls(protocol, path, dict(fs.storage_options))

    def fs(self) -> Any:
        """Returns the filesystem. An asynchronous one is shared by all threads of a process."""
        if not fsspec.get_filesystem_class(self.protocol).async_impl:
            return fsspec.filesystem(self.protocol, **self.options)
        key = f"{os.getpid()} {fsspec.utils.tokenize(self.protocol, self.options)}"
        with _LOCK:
            if key not in _SHARED:
                _SHARED[key] = fsspec.filesystem(self.protocol, **self.options)
            return _SHARED[key]

    def at(self, path: str) -> Place:
        """Returns another path in the same filesystem."""
        return dataclasses.replace(self, path=path)

    @property
    def url(self) -> str:
        """The address."""
        return str(self.fs().unstrip_protocol(self.path))


@dataclasses.dataclass(frozen=True)
class Found:
    """An object of a listing, with its path below the address that was listed.

    The relative path is empty if two objects of the listing have the same one.
    """

    place: Place
    relative: str
    info: dict[str, Any] = dataclasses.field(repr=False)


def _is_temporary(path: str) -> bool:
    return re.fullmatch(r"[.].+[.][0-9a-f]{16}[.]tmp", path.rpartition("/")[2], re.DOTALL) is not None


def find(sources: str | Iterable[str], options: dict[str, Any] | None) -> list[Found]:
    """Returns the objects at addresses: all below a folder, and all that match a pattern.

    Temporary objects that interrupted writes left behind are excluded. Raises ``FileNotFoundError``
    if nothing is at an address without a pattern.
    """
    found: dict[tuple[str, str], Found] = {}
    for source in [sources] if isinstance(sources, str) else sources:
        place = Place.of(source, options)
        fs = place.fs()
        fs.invalidate_cache()
        if any(letter in place.path for letter in "*?["):
            infos = fs.glob(place.path, detail=True)
            fixed = place.path[: min(place.path.find(letter) for letter in "*?[" if letter in place.path)]
            root = fixed.rpartition("/")[0]
        else:
            infos = fs.find(place.path, detail=True)
            if not isinstance(infos, dict):
                # adlfs returns a list instead of a dict for a single object.
                infos = {path: fs.info(path) for path in infos}
            root = place.path.rstrip("/")
            if not infos:
                raise FileNotFoundError(source)
        for path, info in infos.items():
            if info.get("islink"):
                # The listing describes the link, not the file.
                info = fs.info(path) if fs.exists(path) else info
            if info["type"] != "file" or _is_temporary(path) or path.endswith("/"):
                continue
            relative = path.rpartition("/")[2] if path == root else path.removeprefix(root).lstrip("/")
            found[place.protocol, path] = Found(place.at(path), relative, info)
    relatives = {one.relative for one in found.values()}
    if len(relatives) < len(found):
        # Two objects would have the same target.
        return [dataclasses.replace(one, relative="") for one in found.values()]
    return list(found.values())


def leads_out(relative: str) -> bool:
    """Whether a path below a folder might lead out of it. Stores allow such names."""
    return any(part in ("", ".", "..") for part in relative.split("/"))


def is_result(found: Found, target: Place) -> bool:
    """Whether an object lies in a target folder below the source, so an earlier call wrote it."""
    place, folder = found.place, target.path.rstrip("/") + "/"
    source = place.path[: len(place.path) - len(found.relative)]
    is_below = folder.startswith(source) and folder != source
    return is_below and place.protocol == target.protocol and place.path.startswith(folder)


def target_of(found: Found, target: Place) -> Place:
    """Returns where the result of an object belongs.

    Raises ``JobError`` if there is no such place.
    """
    if not found.relative:
        raise JobError("two of the sources have the same path below their folders: use a job for each")
    place = target.at(f"{target.path.rstrip('/')}/{found.relative}")
    if (place.protocol, place.path) == (found.place.protocol, found.place.path):
        raise JobError(f"the source and the target are the same object: {found.place.url}")
    return place
