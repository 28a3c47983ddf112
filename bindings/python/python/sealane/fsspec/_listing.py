"""Information and listings, with the lengths of plaintexts."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from fsspec.asyn import _run_coros_in_chunks

from .. import age
from ._headers import FIRST_READ, Entry, HeaderCache, look, token_of


class Listings:
    """The part of the filesystem that lists files. It needs headers, but no keys."""

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

    def _known(self, info: dict[str, Any]) -> dict[str, Any] | None:
        """Returns the information with the length of the plaintext, or ``None`` if the header is needed."""
        if info["type"] != "file" or info.get("size") is None:
            return info
        size: int | None
        if self.header_len is not None:
            size = age.PayloadKey.plaintext_len(max(0, info["size"] - self.header_len - 16))
        else:
            known = self._headers.get(info["name"])
            if known is None or known.token != token_of(info):
                return None
            size = known.size
        return {**info, "size": size, "sealed_size": info["size"]}

    async def _convert(self, info: dict[str, Any], start: bytes = b"") -> dict[str, Any]:
        """Does the same as ``_known``, and reads the header if needed.

        ``start`` may hold the first bytes.
        """
        known = self._known(info)
        if known is not None:
            return known
        try:
            size = (await self._entry(info["name"], info, start=start)).size
        except age.HeaderError:
            # The object is not an age file.
            size = None
        return {**info, "size": size, "sealed_size": info["size"]}

    async def _convert_all(self, infos: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """Returns the information of a listing with the sizes that ``listing_sizes`` asks for."""
        infos = list(infos)
        if self.listing_sizes == "sealed":
            return infos
        found = [self._known(info) for info in infos]
        unknown = [index for index, known in enumerate(found) if known is None]
        if self.listing_sizes == "exact":
            coroutines = [self._convert(infos[index]) for index in unknown]
            read = await _run_coros_in_chunks(coroutines, batch_size=self.batch_size, nofiles=True)
        else:
            read = [{**infos[index], "size": None, "sealed_size": infos[index]["size"]} for index in unknown]
        for index, info in zip(unknown, read, strict=True):
            found[index] = info
        return [info for info in found if info is not None]

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
        return await self._convert_all(infos)

    async def _find(
        self, path: str, maxdepth: int | None = None, withdirs: bool = False, detail: bool = False, **kwargs: Any
    ) -> Any:
        found = await self._async_target._find(
            self._strip(path), maxdepth=maxdepth, withdirs=withdirs, detail=True, **kwargs
        )
        if not detail:
            return sorted(found)
        return dict(zip(found, await self._convert_all(found.values()), strict=True))
