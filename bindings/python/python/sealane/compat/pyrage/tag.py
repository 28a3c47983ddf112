"""Recipients of hardware keys, ``age1tag1…``."""

from ._keys import BaseRecipient

__all__ = ("Recipient",)


class Recipient(BaseRecipient):
    """A public key, ``age1tag1…``."""

    _hrp = "age1tag"
