"""X25519 keys."""

from __future__ import annotations

from typing import Self

from ... import age
from ._bech32 import fault, hrp_of
from ._errors import IdentityError
from ._keys import BaseIdentity, BaseRecipient

__all__ = ("Identity", "Recipient")


class Recipient(BaseRecipient):
    """A public key, ``age1…``."""

    _hrp = "age"


class Identity(BaseIdentity):
    """A private key, ``AGE-SECRET-KEY-1…``. ``str()`` returns the secret text."""

    @classmethod
    def generate(cls) -> Self:
        """Generates an identity."""
        return cls(age.Identity.generate())

    @classmethod
    def from_str(cls, v: str) -> Self:
        """Parses the text of an identity."""
        try:
            if hrp_of(v) == "age-secret-key-":
                return cls(age.Identity(v))
        except age.AgeError:
            pass
        raise IdentityError(fault(v))

    def to_public(self) -> Recipient:
        """Returns the recipient of this identity."""
        return Recipient(self._identity.recipient)

    def __str__(self) -> str:
        return self._identity.to_text()
