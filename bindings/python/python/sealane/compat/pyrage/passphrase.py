"""Passphrases."""

from __future__ import annotations

from ... import age
from ._errors import DecryptError, EncryptError, decrypt_text

__all__ = ("decrypt", "encrypt")


def encrypt(plaintext: bytes, passphrase: str, armored: bool = False) -> bytes:
    """Encrypts with a passphrase."""
    try:
        return age.encrypt(plaintext, age.Recipient.passphrase(passphrase), armor=armored)
    except (age.EncryptError, ValueError) as error:
        raise EncryptError(str(error)) from None


def decrypt(ciphertext: bytes, passphrase: str, armored: bool = False) -> bytes:
    """Decrypts with a passphrase. Armor is recognised, so ``armored`` is ignored."""
    try:
        return age.decrypt(ciphertext, age.Identity.passphrase(passphrase))
    except age.DecryptError as error:
        raise DecryptError(decrypt_text(error)) from None
