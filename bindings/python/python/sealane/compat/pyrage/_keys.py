"""The base classes of recipients and identities."""

from __future__ import annotations

from typing import ClassVar, Self

from ... import age
from ._bech32 import fault, hrp_of
from ._errors import RecipientError


class BaseRecipient:
    """A recipient of one kind."""

    #: The human-readable part of the text. ``None`` if the text is not Bech32.
    _hrp: ClassVar[str | None]

    def __init__(self, recipient: age.Recipient) -> None:
        self._recipient = recipient

    @classmethod
    def from_str(cls, v: str) -> Self:
        """Parses the text of a recipient."""
        try:
            if hrp_of(v) == cls._hrp:
                return cls(age.Recipient(v))
        except age.AgeError:
            pass
        raise RecipientError(cls._fault(v))

    @classmethod
    def _fault(cls, text: str) -> str:
        """Returns the message about a text that is not a recipient of this kind."""
        return fault(text)

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
