"""An identity that is itself a sealed object."""

from __future__ import annotations

import dataclasses
from typing import Any

import fsspec

from .. import age
from ..fsspec._references import check_identities, resolve_identities


@dataclasses.dataclass(frozen=True)
class SealedIdentity:
    """A reference to identities in a sealed object, such as the one of a lake.

    All objects of a lake are encrypted to one recipient, and its identity lies beside them, sealed to
    those who may read. To let someone in, re-key this one object. ``identities`` are references to a
    reader's own identity. Wherever a reference to identities is taken, this is one: it holds no
    secret, and can be pickled and printed.
    """

    url: str
    identities: Any = dataclasses.field(repr=False)
    storage_options: dict[str, Any] | None = dataclasses.field(default=None, repr=False)

    def __post_init__(self) -> None:
        check_identities(self.identities)

    def __call__(self) -> list[age.Identity]:
        """Reads the object, and returns the identities in it."""
        with fsspec.open(self.url, "rb", **(self.storage_options or {})) as file:
            sealed = file.read()
        return age.parse_identities(age.decrypt(sealed, resolve_identities(self.identities)))

    def __str__(self) -> str:
        return f"sealed:{self.url}"
