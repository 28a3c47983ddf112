"""Identities, and the keys of files."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from .. import age
from ._headers import Entry
from ._references import resolve_identities


class Keys:
    """The part of the filesystem that resolves identities and unlocks files."""

    _references: Any
    _resolved: list[Any] | None
    _lock: threading.Lock

    def _identities(self, old: list[Any] | None = None) -> list[Any]:
        """Returns the identities. Resolves them if no others than ``old`` are known."""
        with self._lock:
            if self._resolved is old:
                self._resolved = resolve_identities(self._references)
            return self._resolved or []

    async def _unlock(self, entry: Entry) -> age.PayloadKey:
        if entry.key is None:
            known = self._resolved
            try:
                identities = await asyncio.to_thread(self._identities) if known is None else known
                entry.key = await self._key(entry, identities)
            except (age.NoMatchError, age.ThresholdError, age.WrongPassphraseError):
                if known is None:
                    raise
                # The references may stand for other identities by now.
                identities = await asyncio.to_thread(self._identities, known)
                entry.key = await self._key(entry, identities)
        return entry.key

    async def _key(self, entry: Entry, identities: list[Any]) -> age.PayloadKey:
        if entry.preamble.work_factor is not None:
            return await asyncio.to_thread(entry.preamble.unlock, identities)
        return entry.preamble.unlock(identities)
