"""An identity that is itself a sealed object."""

from __future__ import annotations

import dataclasses
import hashlib
import secrets
from typing import Any

import fsspec

from .. import age
from ..fsspec._references import check_identities, resolve_identities

#: A limit, because anyone who can write to the store could otherwise use up a reader's memory.
_MOST_BYTES = 1 << 20
#: Differs in each process, as fsspec's caches do.
_DIGEST_KEY = secrets.token_bytes(32)


@dataclasses.dataclass(frozen=True)
class SealedIdentity:
    """A reference to identities in a sealed object, such as the identity of a data lake.

    All objects of the lake are encrypted to one recipient, and its identity lies beside them,
    sealed to those who may read. To admit a reader, re-key this one object. ``identities`` are
    references to a reader's own identity. A ``SealedIdentity`` can be passed wherever references to
    identities are accepted. It holds no secret, and can be pickled and printed.
    """

    url: str
    identities: Any
    #: If given, the object must hold exactly one identity, and this public text must be its
    #: recipient.
    recipient: str | None = None
    storage_options: dict[str, Any] | None = dataclasses.field(default=None, repr=False)

    def __repr__(self) -> str:
        # fsspec caches filesystems by the texts of their arguments, so the text must differ if the
        # options do. The key keeps others from comparing the digest with those of guessed options.
        options = repr(self.storage_options).encode()
        digest = hashlib.blake2b(options, digest_size=16, key=_DIGEST_KEY).hexdigest()
        return (
            f"SealedIdentity(url={self.url!r}, identities={self.identities!r}, recipient={self.recipient!r},"
            f" storage_options=<digest {digest}>)"
        )

    def __post_init__(self) -> None:
        object.__setattr__(self, "identities", check_identities(self.identities))

    def __call__(self) -> list[age.Identity]:
        """Reads the object, and returns the identities in it."""
        with fsspec.open(self.url, "rb", **(self.storage_options or {})) as file:
            sealed = file.read(_MOST_BYTES + 1)
        if len(sealed) > _MOST_BYTES:
            raise age.IdentityError(f"a sealed identity has at most {_MOST_BYTES} bytes: {self.url}")
        found = age.parse_identities(age.decrypt(sealed, resolve_identities(self.identities)))
        if self.recipient is not None and [str(one.recipient) for one in found] != [self.recipient]:
            raise age.IdentityError(f"this is not the identity of {self.recipient}: {self.url}")
        return found

    def __str__(self) -> str:
        return f"sealed:{self.url}"
