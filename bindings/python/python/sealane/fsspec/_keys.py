"""Identities, and the keys of files."""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .. import age
from ._headers import Entry
from ._references import resolve_identities, resolve_recipients

#: The references are resolved again at most once in this many seconds.
_INTERVAL = 10.0


async def _run(thread: ThreadPoolExecutor, work: Callable[..., Any], *arguments: Any) -> Any:
    """Runs ``work`` in one of the filesystem's own threads."""
    # With the context variables of the caller, as in asyncio.to_thread.
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(thread, context.run, work, *arguments)


class Keys:
    """The part of the filesystem that resolves identities and unlocks files."""

    _references: Any
    _recipient_references: Any
    _resolved: list[Any] | None
    #: The time when the references were last resolved again.
    _resolved_again = float("-inf")
    #: Each has one thread, which resolves references one after the other. A function that is a
    #: reference may use fsspec, and so wait for a free thread of the loop's executor. Functions in
    #: all threads of that executor would wait for ever.
    _identity_thread: ThreadPoolExecutor
    _recipient_thread: ThreadPoolExecutor

    def _identities(self) -> list[Any]:
        """Returns the identities. Resolves them the first time."""
        if self._resolved is None:
            try:
                self._resolved = resolve_identities(self._references)
            except (OSError, LookupError) as error:
                # fsspec's mappings report a FileNotFoundError as a missing key.
                raise age.IdentityError(f"the identities cannot be resolved: {error}") from error
        return self._resolved

    def _other_identities(self, known: list[Any]) -> list[Any] | None:
        """Returns identities that differ from ``known``, or ``None`` if there are none.

        Resolves the references again, but not for every file that has other recipients.
        """
        if self._resolved is known:
            now = time.monotonic()
            if now - self._resolved_again < _INTERVAL:
                return None
            self._resolved_again = now
            resolved = resolve_identities(self._references)
            if resolved == known:
                return None
            self._resolved = resolved
        return self._resolved

    async def _recipients(self) -> list[age.Recipient]:
        """Returns the recipients of a new file."""
        thread, references = self._recipient_thread, self._recipient_references
        recipients: list[age.Recipient] = await _run(thread, resolve_recipients, references)
        return recipients

    async def _unlock(self, entry: Entry) -> age.PayloadKey:
        if entry.key is None:
            known = self._resolved
            try:
                identities = await _run(self._identity_thread, self._identities) if known is None else known
                entry.key = await self._key(entry, identities)
            except (age.NoMatchError, age.ThresholdError, age.WrongPassphraseError) as error:
                if known is None:
                    raise
                # The references may stand for other identities by now.
                try:
                    others = await _run(self._identity_thread, self._other_identities, known)
                except Exception as failure:
                    # The references may be unavailable, which says nothing about this file.
                    raise error from failure
                if others is None:
                    raise
                entry.key = await self._key(entry, others)
        return entry.key

    async def _key(self, entry: Entry, identities: list[Any]) -> age.PayloadKey:
        if entry.preamble.work_factor is not None:
            return await asyncio.to_thread(entry.preamble.unlock, identities)
        return entry.preamble.unlock(identities)
