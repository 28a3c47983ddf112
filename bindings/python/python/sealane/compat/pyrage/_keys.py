"""The base classes of recipients and identities."""

from __future__ import annotations

from typing import ClassVar, Self

from ... import age
from ._errors import RecipientError


class BaseRecipient:
    """A recipient of one kind."""

    _prefix: ClassVar[str] = ""
    _malformed: ClassVar[str] = "invalid Bech32 encoding"

    def __init__(self, recipient: age.Recipient) -> None:
        self._recipient = recipient

    @classmethod
    def from_str(cls, v: str) -> Self:
        """Parses the text of a recipient."""
        try:
            recipient = age.Recipient(v)
        except age.KeyFormatError:
            raise RecipientError(cls._malformed) from None
        if not str(recipient).startswith(cls._prefix):
            raise RecipientError(cls._malformed)
        return cls(recipient)

    def _recipients(self) -> list[age.Recipient]:
        return [self._recipient]

    def __str__(self) -> str:
        return str(self._recipient)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._recipient == other._recipient

    def __hash__(self) -> int:
        return hash(self._recipient)


class BaseIdentity:
    """An identity of one kind."""

    def __init__(self, identity: age.Identity) -> None:
        self._identity = identity

    def _identities(self) -> list[age.Identity]:
        return [self._identity]
