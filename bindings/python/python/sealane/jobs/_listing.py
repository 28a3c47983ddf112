"""Lists folders and patterns, and names the folders that cannot be listed.

``find`` and ``glob`` of most filesystems leave such folders out in silence.
"""

from __future__ import annotations

import re
from typing import Any

from fsspec.asyn import AsyncFileSystem
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.spec import AbstractFileSystem
from fsspec.utils import glob_translate

#: How often a folder is listed if objects vanish from it meanwhile.
_ATTEMPTS = 3


def detailed(fs: Any, listing: Any) -> dict[str, dict[str, Any]]:
    """Returns the result of ``fs.find`` with ``detail``: information about objects, by path.

    adlfs returns a list instead of a dict for a single object.
    """
    return listing if isinstance(listing, dict) else {path: fs.info(path) for path in listing}


def followed(fs: Any, path: str, info: dict[str, Any]) -> dict[str, Any]:
    """Returns information about what a link leads to, if the object of a listing is a link."""
    found: dict[str, Any] = fs.info(path) if info.get("islink") and fs.exists(path) else info
    return found


def is_in(path: str, folders: set[str]) -> bool:
    """Whether a path is one of the folders, or lies below one."""
    return any(path[:end] in folders for end in [*(i for i, c in enumerate(path) if c == "/"), len(path)])


def _has_own_find(fs: Any) -> bool:
    """Whether the filesystem lists everything below a folder by itself, and then reports errors."""
    if isinstance(fs, DirFileSystem):
        return _has_own_find(fs.fs)
    if fs.async_impl:
        return type(fs)._find is not AsyncFileSystem._find
    return type(fs).find is not AbstractFileSystem.find


def _exists(fs: Any, path: str) -> bool:
    """Does the same as ``fs.exists``, but an error other than absence means that the path exists."""
    try:
        fs.info(path)
    except FileNotFoundError:
        return False
    except OSError:
        pass
    return True


class Listing:
    """The objects of a filesystem that were listed."""

    def __init__(self, fs: Any) -> None:
        self._fs = fs
        #: Information about objects, and about links to folders, by path.
        self.infos: dict[str, dict[str, Any]] = {}
        #: The folders of which everything is listed, except for what ``errors`` names.
        self.folders: set[str] = set()
        #: The folders that cannot be listed.
        self.errors: dict[str, OSError] = {}

    def add(self, path: str) -> None:
        """Adds everything below a folder, or the object at a path."""
        self.folders.add(path.rstrip("/"))
        self.infos |= self._below(path)

    def add_matches(self, pattern: str) -> str:
        """Adds the objects that match a pattern, and everything below the folders that match it.

        Returns the last folder before the first part with a wildcard.
        """
        fixed = pattern[: min(pattern.find(letter) for letter in "*?[" if letter in pattern)]
        root = fixed.rpartition("/")[0]
        self._match(root, pattern.split("/"), fixed.count("/"))
        return root

    def _match(self, folder: str, parts: list[str], index: int) -> None:
        """Adds the matches in a folder, which matches the first ``index`` parts of the pattern."""
        if "**" in parts[index]:
            self._match_below(folder, "/".join(parts))
            return
        is_match = re.compile(glob_translate("/".join(parts[: index + 1]))).match
        for info in self._entries(folder or self._fs.root_marker):
            path = info["name"].rstrip("/")
            if not is_match(path):
                continue
            if info["type"] == "directory":
                if index + 1 < len(parts):
                    self._match(path, parts, index + 1)
                else:
                    self.add(path)
            elif index + 1 == len(parts):
                self.infos[info["name"]] = info

    def _match_below(self, folder: str, pattern: str) -> None:
        """Does the same as ``_match`` for a pattern whose next part is ``**``."""
        is_match = re.compile(glob_translate(pattern)).match
        # As in fsspec, such a pattern matches the folder before it.
        end = "/" if pattern.endswith("/**") else ""
        for path, info in self._below(folder or self._fs.root_marker).items():
            above = [path[:i] for i in range(len(folder), len(path)) if path[i] == "/"]
            matching = next((one for one in above if is_match(one + end)), None)
            if matching is not None:
                self.folders.add(matching)
            if matching is not None or is_match(path):
                self.infos[path] = info

    def _below(self, path: str) -> dict[str, dict[str, Any]]:
        """Returns everything below a folder, or the object at a path."""
        if _has_own_find(self._fs):
            return detailed(self._fs, self._fs.find(path, detail=True))
        found = {}
        root, pending = path.rstrip("/"), [path]
        while pending:
            for info in self._entries(pending.pop()):
                name = info["name"].rstrip("/")
                if info["type"] != "directory":
                    found[info["name"]] = info
                elif name != root:
                    pending.append(name)
        if not found and self._fs.isfile(path):
            # Some filesystems cannot list a single object.
            self.errors.pop(path, None)
            return {path: self._fs.info(path)}
        return found

    def _entries(self, folder: str) -> list[dict[str, Any]]:
        """Returns what is in a folder. If it cannot be listed, notes the error."""
        for attempt in range(_ATTEMPTS):
            try:
                return list(self._fs.ls(folder, detail=True))
            except FileNotFoundError as error:
                if not _exists(self._fs, folder):
                    break
                # Some filesystems raise this when an object vanishes from the folder meanwhile.
                if attempt + 1 == _ATTEMPTS:
                    self.errors[folder] = error
            except OSError as error:
                self.errors[folder] = error
                break
        return []
