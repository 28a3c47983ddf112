"""Recipients of hardware keys, ``age1tagpq1…``."""

from ._keys import BaseRecipient

__all__ = ("Recipient",)


class Recipient(BaseRecipient):
    """A public key, ``age1tagpq1…``."""

    _hrp = "age1tagpq"
