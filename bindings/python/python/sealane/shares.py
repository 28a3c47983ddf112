"""Shares of a secret: any k of n restore it, and fewer reveal nothing about it.

A share is a line of text, ``SEALANE-SHARE-1…``, with a checksum and a commitment, so damaged and
forged shares are detected. The shares are those of ``sealane split``.

Each share counts as the share of another holder. Take one line from each holder: whoever gives as
many lines as the threshold can choose the secret.

``refresh`` and ``reissue`` do not restore the secret, so they notice a forged share only if at least
``threshold`` shares that are not forged take part. Combine the new shares once to be sure that they
restore the secret. Do not destroy the old ones before.
"""

from ._errors import SharesError, SharesWarning
from ._sealane import combine, refresh, reissue, split

__all__ = ["SharesError", "SharesWarning", "combine", "refresh", "reissue", "split"]
