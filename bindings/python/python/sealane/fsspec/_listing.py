"""Information and listings, with the lengths of plaintexts."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from typing import Any

from fsspec.asyn import _run_coros_in_chunks

from .. import age
from ._headers import FIRST_READ, Entry, HeaderCache, look


class Listings:
    """The part of the filesystem that lists files. It needs headers, but no keys.

    Only the length 0 needs a key: engines skip empty files without reading them, so a file that was
    cut off must not seem empty. Until its end is authentic, the size of such a file is ``None``.
    """

    listing_sizes: str
    header_len: int | None
    batch_size: int | None
    _async_target: Any
    _headers: HeaderCache

    def _strip(self, path: Any) -> Any:
        raise NotImplementedError

    async def _entry(
        self, path: str, info: dict[str, Any] | None = None, *, start: bytes = b"", fresh: bool = False
    ) -> Entry:
        raise NotImplementedError

    async def _unlock(self, entry: Entry) -> age.PayloadKey:
        raise NotImplementedError

    async def _verify_end(self, path: str, entry: Entry) -> None:
        raise NotImplementedError

    def _known(self, info: dict[str, Any]) -> dict[str, Any] | None:
        """Returns the information with the length of the plaintext, or ``None`` if the header is needed."""
        if info["type"] != "file" or info.get("size") is None:
            return info
        size: int | None
        known: Entry | None = None
        if self.header_len is not None:
            size = age.PayloadKey.plaintext_len(max(0, info["size"] - self.header_len - 16))
        if self.header_len is None or size == 0:
            known = self._headers.get(info["name"], info)
            if known is None:
                return None
            size = known.size
            if size == 0 and not known.end_is_verified:
                return None
        return {**info, "size": size, "sealed_size": info["size"]}

    async def _convert(self, info: dict[str, Any], start: bytes = b"") -> dict[str, Any]:
        """Does the same as ``_known``, and reads the header if needed, and the end of an empty file.

        ``start`` may hold the first bytes.
        """
        known = self._known(info)
        if known is not None:
            return known
        try:
            entry = await self._entry(info["name"], info, start=start)
            if (size := entry.size) == 0:
                if await self._opens(entry):
                    await self._verify_end(info["name"], entry)
                else:
                    size = None
        except age.AgeError:
            # The object is not an age file, or nothing proves that it is empty.
            size = None
        return {**info, "size": size, "sealed_size": info["size"]}

    async def _opens(self, entry: Entry) -> bool:
        """Returns whether the identities open a file.

        A function that returns the identities may raise anything, which only those who open the
        file need to know.
        """
        try:
            await self._unlock(entry)
        except Exception:
            return False
        return True

    async def _followed(self, info: dict[str, Any]) -> dict[str, Any]:
        """Returns the information about the file that a symbolic link leads to.

        Listings describe the link itself. That information is returned as it is for a link to
        anything but a file, so that a walk cannot loop.
        """
        with contextlib.suppress(OSError):
            followed: dict[str, Any] = await self._async_target._info(info["name"])
            if followed["type"] == "file":
                return followed
        return info

    async def _listed(self, info: dict[str, Any]) -> dict[str, Any] | None:
        """Does the same as ``_convert`` for an entry of a listing.

        One bad file does not make the listing fail. The size of a file that cannot be read is
        ``None``. Returns ``None`` if the file has vanished.
        """
        try:
            return await self._convert(info)
        except FileNotFoundError:
            return None
        except OSError:
            return {**info, "size": None, "sealed_size": info["size"]}

    async def _convert_all(self, infos: Iterable[dict[str, Any]], sizes: str) -> list[dict[str, Any] | None]:
        """Returns the information of a listing with the sizes that ``listing_sizes`` asks for.

        Files that have vanished are ``None``.
        """
        if sizes == "sealed":
            # An object without bytes is no sealed file.
            return [
                {**info, "size": info["size"] or None, "sealed_size": info["size"]} if info["type"] == "file" else info
                for info in infos
            ]
        infos = [await self._followed(info) if info.get("islink") else info for info in infos]
        found = [self._known(info) for info in infos]
        unknown = [index for index, known in enumerate(found) if known is None]
        read: list[dict[str, Any] | None]
        if sizes == "exact":
            coroutines = [self._listed(infos[index]) for index in unknown]
            read = await _run_coros_in_chunks(coroutines, batch_size=self.batch_size, nofiles=True)
        else:
            read = [{**infos[index], "size": None, "sealed_size": infos[index]["size"]} for index in unknown]
        for index, info in zip(unknown, read, strict=True):
            found[index] = info
        return found

    async def _info(self, path: str, **kwargs: Any) -> dict[str, Any]:
        path = self._strip(path)
        # Folders rarely have a suffix, so a name with a suffix is probably a file.
        if kwargs or self.header_len is not None or self._headers.get(path) or not os.path.splitext(path)[1]:
            return await self._convert(await self._async_target._info(path, **kwargs))
        info, start, _ = await look(self._async_target, path, FIRST_READ)
        return await self._convert(info, start)

    async def _ls(self, path: str, detail: bool = True, **kwargs: Any) -> list[Any]:
        infos = await self._async_target._ls(self._strip(path), detail=True, **kwargs)
        if not detail:
            return sorted(info["name"] for info in infos)
        return [info for info in await self._convert_all(infos, self.listing_sizes) if info is not None]

    async def _found(self, path: str, sizes: str, **kwargs: Any) -> dict[str, dict[str, Any]]:
        """Returns the information about everything below a folder, by path."""
        found = await self._async_target._find(self._strip(path), detail=True, **kwargs)
        # For a single object, adlfs returns a list, and fsspec's own method no information.
        entries = found.items() if isinstance(found, dict) else [(one, None) for one in found]
        found = {one: info or await self._async_target._info(one) for one, info in entries}
        infos = await self._convert_all(found.values(), sizes)
        return {one: info for one, info in zip(found, infos, strict=True) if info is not None}

    async def _find(
        self, path: str, maxdepth: int | None = None, withdirs: bool = False, detail: bool = False, **kwargs: Any
    ) -> Any:
        kwargs |= {"maxdepth": maxdepth, "withdirs": withdirs}
        if not detail:
            return sorted(await self._async_target._find(self._strip(path), detail=True, **kwargs))
        return await self._found(path, self.listing_sizes, **kwargs)

    async def _du(self, path: str, total: bool = True, maxdepth: int | None = None, **kwargs: Any) -> Any:
        infos = await self._found(path, "exact", maxdepth=maxdepth, **kwargs)
        # An object that is not sealed counts with its own length.
        sizes = {
            one: info.get("sealed_size") or 0 if info["size"] is None else info["size"] for one, info in infos.items()
        }
        return sum(sizes.values()) if total else sizes
