"""The interface of pyrage 1.4: ``from sealane.compat import pyrage``.

Names, signatures, exceptions and the texts of common errors are those of pyrage. The differences
are:

- files are encrypted on all cores, and a target is replaced only when everything has been written;
- the GIL is released meanwhile;
- plugins run without callbacks, so one that asks for a PIN fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ... import age
from . import _errors, passphrase, plugin, ssh, tag, tagpq, x25519
from ._errors import DecryptError, EncryptError, IdentityError, RecipientError

__all__ = (
    "DecryptError",
    "EncryptError",
    "IdentityError",
    "RecipientError",
    "decrypt",
    "decrypt_file",
    "decrypt_io",
    "encrypt",
    "encrypt_file",
    "encrypt_io",
    "passphrase",
    "plugin",
    "ssh",
    "tag",
    "tagpq",
    "x25519",
)

T = TypeVar("T")


def _recipients(recipients: Sequence[Any]) -> list[age.Recipient]:
    found: list[age.Recipient] = []
    for recipient in recipients:
        if not hasattr(recipient, "_recipients"):
            raise TypeError("invalid type (expected a recipient type)")
        found += recipient._recipients()
    return found


def _identities(identities: Sequence[Any]) -> list[age.Identity]:
    found: list[age.Identity] = []
    for identity in identities:
        if not hasattr(identity, "_identities"):
            raise TypeError("invalid type (expected an identity type)")
        found += identity._identities()
    return found


def _run(work: Callable[[], T]) -> T:
    try:
        return work()
    except age.EncryptError as error:
        raise EncryptError(_errors.encrypt_text(str(error))) from None
    except age.DecryptError as error:
        raise DecryptError(_errors.decrypt_text(error)) from None


def _check_io(reader: Any, writer: Any) -> None:
    if not hasattr(reader, "read") or not hasattr(writer, "write"):
        raise TypeError("expected files with read() and write()")


def encrypt(plaintext: bytes, recipients: Sequence[Any], armored: bool = False) -> bytes:
    """Encrypts in memory."""
    keys = _recipients(recipients)
    return _run(lambda: age.encrypt(plaintext, keys, armor=armored))


def encrypt_file(infile: str, outfile: str, recipients: Sequence[Any], armored: bool = False) -> None:
    """Encrypts a file."""
    keys = _recipients(recipients)
    _run(lambda: age.encrypt_file(infile, outfile, keys, armor=armored))


def encrypt_io(in_io: Any, out_io: Any, recipients: Sequence[Any], armored: bool = False) -> None:
    """Encrypts from one Python file object to another."""
    _check_io(in_io, out_io)
    keys = _recipients(recipients)
    _run(lambda: age.encrypt_stream(in_io, out_io, keys, armor=armored))


def decrypt(ciphertext: bytes, identities: Sequence[Any]) -> bytes:
    """Decrypts in memory."""
    keys = _identities(identities)
    return _run(lambda: age.decrypt(ciphertext, keys))


def decrypt_file(infile: str, outfile: str, identities: Sequence[Any]) -> None:
    """Decrypts a file."""
    keys = _identities(identities)
    _run(lambda: age.decrypt_file(infile, outfile, keys))


def decrypt_io(in_io: Any, out_io: Any, identities: Sequence[Any]) -> None:
    """Decrypts from one Python file object to another."""
    _check_io(in_io, out_io)
    keys = _identities(identities)
    _run(lambda: age.decrypt_stream(in_io, out_io, keys))
