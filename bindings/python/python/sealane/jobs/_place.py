"""Addresses of objects, which are sent to workers and opened there."""

from __future__ import annotations

import dataclasses
import os
import re
import secrets
import threading
import unicodedata
from collections.abc import Iterable
from typing import Any

import fsspec
from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem

from .._replacement import temporary_prefix
from ._listing import Listing, followed, is_in
from ._report import JobError
from ._stores import protocols_of, store_of

_LINK = "a symbolic link leads to a folder outside the sources: name that folder as a source"
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
    def protocols(self) -> frozenset[str]:
        """All names of the protocol. Two addresses of the same object may differ in the name."""
        return frozenset(protocols_of(self.fs()))

    def has_protocol_of(self, other: Place) -> bool:
        """Whether both have the same protocol, by any of its names."""
        # Jobs ask this for each object, and the filesystem is only needed for different names.
        return self.protocol == other.protocol or self.protocols == other.protocols

    @property
    def url(self) -> str:
        """The address."""
        return str(self.fs().unstrip_protocol(self.path))


@dataclasses.dataclass(frozen=True)
class Found:
    """An object of a listing, with its path below the address that was listed."""

    place: Place
    relative: str
    info: dict[str, Any] = dataclasses.field(repr=False)
    #: Why there is no object to process: the place is a folder that cannot be listed, or a link.
    error: str | None = None


def _is_temporary(path: str) -> bool:
    return re.fullmatch(r"[.].+[.][0-9a-f]{16}[.]tmp", path.rpartition("/")[2], re.DOTALL) is not None


def _listed(fs: Any, path: str) -> tuple[Listing, str]:
    """Lists a path or a pattern. Returns also the folder in which the relative paths begin."""
    listing = Listing(fs)
    if any(letter in path for letter in "*?[") and not fs.exists(path):
        return listing, listing.add_matches(path)
    listing.add(path)
    return listing, path.rstrip("/")


def _relative(path: str, root: str) -> str:
    return path.rpartition("/")[2] if path == root else path.removeprefix(root).lstrip("/")


def find(sources: str | Iterable[str], options: dict[str, Any] | None) -> list[Found]:
    """Returns the objects at addresses: all below a folder, and all that match a pattern.

    Everything below a folder that matches a pattern belongs to it. Temporary objects that
    interrupted writes left behind are excluded. Folders that cannot be listed are returned with an
    error. Links to folders are not followed: they are returned with an error, too, unless they lead
    to a folder that is listed anyway. Raises ``FileNotFoundError`` if an address yields nothing,
    and ``JobError`` if it names a version of an object.
    """
    found: dict[tuple[frozenset[str], str], Found] = {}
    folders: set[str] = set()
    for source in [sources] if isinstance(sources, str) else sources:
        place = Place.of(source, options)
        fs, protocols = place.fs(), place.protocols
        # Raises the error about an address of a version of an object.
        store_of(fs, place.path)
        fs.invalidate_cache()
        listing, root = _listed(fs, place.path)
        if isinstance(fs, LocalFileSystem):
            folders |= {os.path.realpath(folder) for folder in listing.folders}
        is_empty = not listing.errors
        for path, caught in sorted(listing.errors.items()):
            reason = f"the folder cannot be listed: {type(caught).__name__}: {caught}"
            folder = {"name": path, "type": "directory"}
            found[protocols, path] = Found(place.at(path), _relative(path, root), folder, reason)
        for path, info in sorted(listing.infos.items()):
            info = followed(fs, path, info)
            if info["type"] != "file" and not (info.get("islink") and info["type"] == "directory"):
                continue
            # Stores show a folder as an object without contents.
            if _is_temporary(path) or (path.endswith("/") and info["size"] == 0):
                continue
            error = None if info["type"] == "file" else _LINK
            if path.endswith("/"):
                error = "the name of the object ends in /, as that of a folder"
            found[protocols, path] = Found(place.at(path), _relative(path, root), info, error)
            is_empty = False
        if is_empty:
            raise FileNotFoundError(source)
    return [one for one in found.values() if one.error != _LINK or not is_in(os.path.realpath(one.place.path), folders)]


def without_links(found: list[Found]) -> list[Found]:
    """Returns one of the names of each file, which is a link only if there is no other name."""
    names: dict[int | str, Found] = {}
    for number, one in enumerate(found):
        path = one.place.path
        is_local = one.place.protocol in LocalFileSystem.protocol and one.error is None
        file = os.path.realpath(path) if is_local else number
        if file not in names or (os.path.islink(names[file].place.path) and not os.path.islink(path)):
            names[file] = one
    return list(names.values())


def leads_out(relative: str) -> bool:
    """Whether a path below a folder might lead out of it. Stores allow such names."""
    return any(part in ("", ".", "..") for part in relative.split("/"))


def is_result(found: Found, target: Place) -> bool:
    """Whether an object lies in a target folder below the source, so an earlier call wrote it."""
    place, folder = found.place, target.path.rstrip("/") + "/"
    source = place.path[: len(place.path) - len(found.relative)]
    is_below = folder.startswith(source) and folder != source
    return is_below and place.path.startswith(folder) and place.has_protocol_of(target)


def _is_same(one: Place, other: Place) -> bool:
    """Whether two places are the same object. A local folder may have several names."""
    if not one.has_protocol_of(other):
        return False
    if isinstance(one.fs(), LocalFileSystem):
        return os.path.realpath(one.path) == os.path.realpath(other.path)
    return one.path == other.path


def target_of(found: Found, target: Place) -> Place:
    """Returns where the result of an object belongs.

    Raises ``JobError`` if that is the object itself.
    """
    place = target.at(f"{target.path.rstrip('/')}/{found.relative}")
    if _is_same(place, found.place):
        raise JobError(f"the source and the target are the same object: {found.place.url}")
    return place


def _is_one_name(one: str, other: str) -> bool:
    """Whether the folders of this machine take two paths for the same one."""
    end = f"{secrets.token_hex(8)}.tmp"
    folders, names = zip(*map(os.path.split, (one, other)), strict=True)
    if temporary_prefix(names[0]) == temporary_prefix(names[1]):
        # If the ends of long names differ, a temporary file would not have them.
        names = tuple(name[-50:] for name in names)
    for folder in folders:
        os.makedirs(folder, exist_ok=True)
    paths = [os.path.join(folder, temporary_prefix(name) + end) for folder, name in zip(folders, names, strict=True)]
    os.close(os.open(paths[0], os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        return os.path.lexists(paths[1])
    finally:
        os.unlink(paths[0])


def check_targets(targets: list[Place]) -> None:
    """Raises ``JobError`` if two of the targets, which are in one filesystem, are the same object.

    On this machine, this may be because of a link, or because a folder ignores case.
    """
    is_local = bool(targets) and isinstance(targets[0].fs(), LocalFileSystem)
    alike: dict[str, list[str]] = {}
    for target in targets:
        path = name = target.path
        if is_local:
            path = os.path.realpath(path)
            name = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", path).casefold())
        others = alike.setdefault(name, [])
        if path in others or any(_is_one_name(path, other) for other in others):
            raise JobError(f"two objects would have the same target: {target.url}: use a job for each")
        others.append(path)
