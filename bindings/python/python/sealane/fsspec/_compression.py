"""age as a compression of fsspec, for ``fsspec.open(…, compression="age")``."""

from __future__ import annotations

from typing import Any

import fsspec.compression

from .._io import AgeReader, AgeWriter
from ._references import check_identities, check_recipients, resolve_identities, resolve_recipients


def register_compression(
    *, identities: Any = None, recipients: Any = None, name: str = "age", force: bool = False
) -> None:
    """Registers a compression with this name, for files whose names end in a dot and the same name.

    fsspec gives a compression no options, so the references to identities and recipients are passed
    to this function, as for ``AgeFileSystem``. They are resolved when a file is opened.

    A sealed file cannot be appended to: only the modes ``r``, ``w`` and ``x`` are possible.

    If a ``with`` block of ``fsspec.open`` fails, fsspec closes its files as if they were complete.
    """
    identities, recipients = check_identities(identities), check_recipients(recipients)

    def open_file(file: Any, mode: str = "rb", **_: Any) -> Any:
        if "r" in mode:
            return AgeReader(file, resolve_identities(identities))
        if mode[:1] not in ("w", "x"):
            raise ValueError(f"a sealed file cannot be opened with the mode {mode!r}: write it as a whole")
        return AgeWriter(file, resolve_recipients(recipients))

    fsspec.compression.register_compression(name, open_file, name, force=force)
