"""Bech32, the encoding of keys as text (BIP 173)."""

from __future__ import annotations

_LETTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_GENERATOR = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)


def _checksum(hrp: str, values: list[int]) -> int:
    """Returns the checksum of a human-readable part (HRP) and values.

    It is 1 if the values end with their own checksum.
    """
    spread = [ord(letter) >> 5 for letter in hrp] + [0] + [ord(letter) & 31 for letter in hrp]
    checksum = 1
    for value in spread + values:
        top = checksum >> 25
        checksum = (checksum & 0x1FFFFFF) << 5 ^ value
        for bit, factor in enumerate(_GENERATOR):
            checksum ^= factor if top >> bit & 1 else 0
    return checksum


def hrp_of(text: str) -> str | None:
    """Returns the human-readable part of a text in lower case, or ``None`` if it is not Bech32."""
    lower = text.lower()
    hrp, separator, data = lower.rpartition("1")
    if not (hrp and separator and text.isascii() and text in (lower, text.upper())):
        return None
    values = [_LETTERS.find(letter) for letter in data]
    return hrp if len(data) >= 6 and min(values) >= 0 and _checksum(hrp, values) == 1 else None


def without_data(hrp: str) -> str:
    """Returns the text, in lower case, of a human-readable part in lower case and no data."""
    checksum = _checksum(hrp, [0] * 6) ^ 1
    return f"{hrp}1" + "".join(_LETTERS[checksum >> shift & 31] for shift in (25, 20, 15, 10, 5, 0))


def fault(text: str, *, wrong_hrp: str = "incorrect HRP") -> str:
    """Returns pyrage's message about a text that is not a key of the expected kind."""
    return "invalid Bech32 encoding" if hrp_of(text) is None else wrong_hrp
