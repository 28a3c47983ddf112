"""ssh keys."""

from __future__ import annotations

from typing import Self

from ... import age
from ._errors import IdentityError
from ._keys import BaseIdentity, BaseRecipient

__all__ = ("Identity", "Recipient")


class Recipient(BaseRecipient):
    """A public key, ``ssh-ed25519 …`` or ``ssh-rsa …``."""

    _hrp = None

    @classmethod
    def _fault(cls, text: str) -> str:
        return "invalid SSH recipient"


class Identity(BaseIdentity):
    """A private key."""

    @classmethod
    def from_buffer(cls, buf: bytes) -> Self:
        """Parses a private key."""
        try:
            return cls(age.Identity.ssh(buf))
        except age.AgeError as error:
            raise IdentityError(str(error)) from None
