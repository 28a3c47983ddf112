"""Operations on the encrypted objects, which the other filesystem does."""

from __future__ import annotations

import asyncio
import os
import posixpath
from glob import has_magic
from pathlib import PurePosixPath
from typing import Any

from fsspec.implementations.asyn_wrapper import AsyncFileSystemWrapper
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.spec import AbstractFileSystem


def _has_own_mv(fs: Any) -> bool:
    """Returns whether a filesystem moves in its own way, which may be a rename."""
    if isinstance(fs, DirFileSystem):
        return _has_own_mv(fs.fs)
    # Not the method of the class: caches of fsspec pass on the one of the filesystem below.
    return getattr(fs.mv, "__func__", None) is not AbstractFileSystem.mv


class Objects:
    """The part of the filesystem that needs neither headers nor keys."""

    target: Any
    _async_target: Any

    def _strip(self, path: Any) -> Any:
        raise NotImplementedError

    def _forget(self, path: str | None = None) -> None:
        raise NotImplementedError

    async def _exists(self, path: str, **kwargs: Any) -> bool:
        return bool(await self._async_target._exists(self._strip(path), **kwargs))

    async def _isfile(self, path: str) -> bool:
        return bool(await self._async_target._isfile(self._strip(path)))

    async def _isdir(self, path: str) -> bool:
        return bool(await self._async_target._isdir(self._strip(path)))

    async def _cp_file(self, path1: str, path2: str, **kwargs: Any) -> None:
        await self._async_target._cp_file(self._strip(path1), self._strip(path2), **kwargs)
        self._forget(self._strip(path2))

    async def _copy(
        self,
        path1: Any,
        path2: Any,
        recursive: bool = False,
        on_error: str | None = None,
        maxdepth: int | None = None,
        batch_size: int | None = None,
        **kwargs: Any,
    ) -> None:
        # fsspec copies a folder and the files in it at the same time. Where folders are more than
        # parts of names, a file whose folder does not exist yet is not copied, and fsspec ignores
        # that. In turns, folders come first.
        if recursive and isinstance(self._async_target, AsyncFileSystemWrapper):
            batch_size = 1
        await super()._copy(path1, path2, recursive, on_error, maxdepth, batch_size, **kwargs)  # type: ignore[misc]

    async def _mv_file(self, path1: str, path2: str) -> None:
        if _has_own_mv(self.target):
            await asyncio.to_thread(self._rename, path1, path2)
            return
        await self._cp_file(path1, path2)
        await self._rm_file(path1)

    def mv(self, path1: Any, path2: Any, recursive: bool = False, maxdepth: int | None = None, **kwargs: Any) -> None:
        """Moves objects.

        If the other filesystem can rename, single objects are renamed, and so are those that match
        a pattern. On such a filesystem, the name of an object that exists is never a pattern. If
        renames cannot do what a pattern asks for, nothing is moved, and this raises ``ValueError``,
        ``FileExistsError`` or ``NotImplementedError``.
        """
        is_list = not isinstance(path1, str | os.PathLike)
        names = self._strip(list(path1)) if is_list else [self._strip(path1)]
        is_pattern = any(has_magic(name) for name in names) and isinstance(path2, str | os.PathLike)
        if not _has_own_mv(self.target) or (not is_pattern and (is_list or recursive)):
            super().mv(path1, path2, recursive=recursive, maxdepth=maxdepth, **kwargs)  # type: ignore[misc]
        elif not is_list and (not is_pattern or self.target.exists(names[0])):
            self._rename(path1, path2)
        else:
            self._rename_matches(names, self._strip(path2), recursive, maxdepth, is_list)

    def _rename_matches(
        self, names: list[str], folder: str, recursive: bool, maxdepth: int | None, is_flat: bool
    ) -> None:
        """Moves objects into a folder: those with these names, and those that match the patterns.

        Each match is renamed, because the base class copies the matches, and then removes the
        object that has the pattern itself as its name. If a rename could not give what a copy
        gives, this raises an exception, and nothing is moved.
        """
        matches: list[str] = []
        for name in names:
            if not has_magic(name) or self.target.exists(name):
                matches.append(name)
            else:
                globbed = self.target.glob(name, maxdepth=maxdepth)
                matches += [one for one in globbed if recursive or not self.target.isdir(one)]
        # Several patterns may match an object.
        found = dict.fromkeys(one.rstrip("/") for one in matches)
        if not found:
            raise FileNotFoundError(names)
        # As in fsspec's copies, names below the common folder stay.
        common = posixpath.commonpath(posixpath.dirname(one) for one in found)
        moves: dict[str, str] = {}
        for one in found:
            below = posixpath.basename(one) if is_flat else posixpath.relpath(one, common or ".")
            self._check_move(one, new := f"{folder.rstrip('/')}/{below}", found, recursive and maxdepth is not None)
            if new in moves:
                raise ValueError(f"{moves[new]} and {one} cannot both be moved to {new}")
            moves[new] = one
        for new, one in moves.items():
            self._rename(one, new)

    def _check_move(self, old: str, new: str, found: dict[str, None], is_limited: bool) -> None:
        """Raises an exception if a match cannot be renamed as a whole to exactly this name."""
        for parent in map(str, PurePosixPath(old).parents):
            if parent in found:
                raise NotImplementedError(f"a pattern matches the folder {parent} and what is in it: {old}")
        for other in (new, *map(str, PurePosixPath(new).parents)):
            if other in found and old != new:
                raise ValueError(f"{old} would be moved onto or into {other}, which is a match: {new}")
        if is_limited and self.target.isdir(old):
            raise NotImplementedError(f"a folder is moved as a whole, without maxdepth: {old}")
        if self.target.isdir(new):
            # A rename would put the object into the folder.
            raise FileExistsError(f"a folder has the new name of {old}: {new}")

    def _rename(self, path1: Any, path2: Any) -> None:
        # The base class would copy over the old file, which is lost if the copy is interrupted.
        path1, path2 = self._strip(path1), self._strip(path2)
        try:
            self.target.mv(path1, path2)
        finally:
            self._forget(path1)
            self._forget(path2)

    async def _rm_file(self, path: str, **kwargs: Any) -> None:
        await self._async_target._rm_file(self._strip(path), **kwargs)
        self._forget(self._strip(path))

    async def _rm(self, path: Any, recursive: bool = False, batch_size: int | None = None, **kwargs: Any) -> None:
        await self._async_target._rm(self._strip(path), recursive=recursive, **kwargs)
        for one in path if isinstance(path, list) else [path]:
            self._forget(self._strip(one))

    async def _mkdir(self, path: str, create_parents: bool = True, **kwargs: Any) -> None:
        await self._async_target._mkdir(self._strip(path), create_parents=create_parents, **kwargs)

    async def _makedirs(self, path: str, exist_ok: bool = False) -> None:
        await self._async_target._makedirs(self._strip(path), exist_ok=exist_ok)

    def rmdir(self, path: str) -> None:
        """Removes an empty folder."""
        self.target.rmdir(self._strip(path))

    def created(self, path: str) -> Any:
        """Returns the time at which the object was created."""
        return self.target.created(self._strip(path))

    def modified(self, path: str) -> Any:
        """Returns the time at which the object was changed."""
        return self.target.modified(self._strip(path))

    def checksum(self, path: str) -> Any:
        """Returns a value that changes when the object does."""
        return self.target.checksum(self._strip(path))

    def ukey(self, path: str) -> Any:
        """Returns a value that changes when the object does."""
        return self.target.ukey(self._strip(path))

    def sign(self, path: str, expiration: int = 100, **kwargs: Any) -> str:
        """Raises ``NotImplementedError``: a signed address would give ciphertext."""
        raise NotImplementedError("the address of a sealed object gives ciphertext: use the other filesystem's")

    def invalidate_cache(self, path: str | None = None) -> None:
        """Forgets listings and headers."""
        self._forget(None if path is None else self._strip(path))
        self.target.invalidate_cache(path if path is None else self._strip(path))
