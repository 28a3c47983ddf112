"""Shares of a secret."""

import hashlib

import pytest
from cryptography.hazmat.primitives.poly1305 import Poly1305

from sealane import SealaneError, shares

PREFIX = "SEALANE-SHARE-1"
DIGITS = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"


def test_shares():
    lines = shares.split(b"attack at dawn", 2, 3)
    assert all(line.startswith("SEALANE-SHARE-1") for line in lines)
    assert shares.combine(lines[1:]) == b"attack at dawn"
    assert shares.reissue(lines[:2], 3) == lines[2]
    fresh = shares.refresh(lines[:2])
    assert len(fresh) == 2 and shares.combine(fresh) == b"attack at dawn"
    for wrong in ([lines[0]], [lines[0], fresh[1]], [lines[0], lines[1][:-1]], []):
        with pytest.raises(shares.SharesError) as error:
            shares.combine(wrong)
        assert isinstance(error.value, SealaneError)
    with pytest.raises(shares.SharesError):
        shares.split(b"x", 4, 3)


def bech32m(human, values):
    """Returns the checksum of BIP-350."""
    polynomial = [0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3]
    check = 1
    for value in [*(ord(c) >> 5 for c in human), 0, *(ord(c) & 31 for c in human), *values, *[0] * 6]:
        top, check = check >> 25, (check & 0x1FFFFFF) << 5 ^ value
        for bit, term in enumerate(polynomial):
            check ^= term if top >> bit & 1 else 0
    return [(check ^ 0x2BC830A3) >> 5 * (5 - at) & 31 for at in range(6)]


def forged(line):
    """Returns a share with another value and right checksums, as its holder can make it."""
    values = [DIGITS.index(digit) for digit in line.removeprefix(PREFIX)[:-6]]
    bits = "".join(f"{value:05b}" for value in values)
    share = bytearray(int(bits[at : at + 8], 2) for at in range(0, len(bits) // 8 * 8, 8))
    share[-49] ^= 1  # the last byte before the commitment and the checksum
    body = b"\x9dsealane" + share[:-16]
    share[-16:] = Poly1305.generate_tag(hashlib.sha256(b"sealane.share.v1.checksum").digest(), body)
    bits = "".join(f"{byte:08b}" for byte in share).ljust(len(values) * 5, "0")
    values = [int(bits[at : at + 5], 2) for at in range(0, len(bits), 5)]
    return PREFIX + "".join(DIGITS[value] for value in values + bech32m("sealane-share-", values))


def test_forged_shares_are_named():
    lines = shares.split(b"attack at dawn", 2, 4)
    with pytest.warns(shares.SharesWarning, match=r"^left out: share 2: [^;]*$"):
        assert shares.combine([lines[0], forged(lines[1]), lines[2]]) == b"attack at dawn"
    with pytest.warns(shares.SharesWarning, match=r"^left out: share 1: .*; share 4: ") as warned:
        assert shares.combine([forged(lines[0]), lines[1], lines[2], forged(lines[3])]) == b"attack at dawn"
    assert warned[0].filename == __file__
    # Without one more than needed, nothing shows which is wrong. A refresh does not notice it at
    # all.
    with pytest.raises(shares.SharesError, match="tampered"):
        shares.combine([lines[0], forged(lines[1])])
    assert len(shares.refresh([lines[0], forged(lines[1])])) == 2
