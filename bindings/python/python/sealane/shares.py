"""Shares of a secret: any k of n restore it, and fewer reveal nothing about it.

A share is a line of text, ``SEALANE-SHARE-1…``, with a checksum and a commitment, so damaged and
forged shares are detected. The shares are those of ``sealane split``.
"""

from ._errors import SharesError
from ._sealane import combine, refresh, reissue, split

__all__ = ["SharesError", "combine", "refresh", "reissue", "split"]
