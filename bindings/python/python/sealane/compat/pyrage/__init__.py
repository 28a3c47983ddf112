"""The interface of pyrage 1.4: ``from sealane.compat import pyrage``.

Names, signatures, exceptions and the texts of common errors are those of pyrage. The differences
are:

- files are encrypted on all cores, and a target is replaced only when everything has been written;
- the GIL is released meanwhile;
- plugins run without callbacks, so one that asks for a PIN fails, and nothing is encrypted to the
  identity of a plugin (``EncryptError``);
- an empty passphrase is refused for encryption (``EncryptError``);
- exceptions that a file object raises are passed on as they are, also where pyrage raises
  ``EncryptError`` or ``DecryptError``, or ignores them;
- damaged armor is a ``DecryptError``, also where pyrage raises ``OSError``;
- bytes that are not UTF-8 cannot be written to a text file (``UnicodeDecodeError``). pyrage panics.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ... import age
from . import _errors, passphrase, plugin, ssh, tag, tagpq, x25519
from ._errors import DecryptError, EncryptError, IdentityError, RecipientError
from ._text import TextReader, TextWriter

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


def _run(work: Callable[[], T], damage: type[Exception] = DecryptError) -> T:
    """Runs ``work``, and raises pyrage's exceptions. A damaged payload raises ``damage``."""
    try:
        return work()
    except age.PayloadError as error:
        raise damage(str(error)) from None
    except age.EncryptError as error:
        raise EncryptError(_errors.encrypt_text(str(error))) from None
    except age.DecryptError as error:
        raise DecryptError(_errors.decrypt_text(error)) from None


def _run_io(work: Callable[[Any, Any], None], reader: Any, writer: Any) -> None:
    """Runs ``work`` with binary files in place of text files."""
    if not hasattr(reader, "read") or not hasattr(writer, "write"):
        raise TypeError("expected files with read() and write()")
    source = TextReader(reader) if isinstance(reader, io.TextIOBase) else reader
    target = TextWriter(writer) if isinstance(writer, io.TextIOBase) else writer
    _run(lambda: work(source, target), OSError)
    if isinstance(target, TextWriter):
        target.finish()


def encrypt(plaintext: bytes, recipients: Sequence[Any], armored: bool = False) -> bytes:
    """Encrypts in memory."""
    keys = _recipients(recipients)
    return _run(lambda: age.encrypt(plaintext, keys, armor=armored))


def encrypt_file(infile: str, outfile: str, recipients: Sequence[Any], armored: bool = False) -> None:
    """Encrypts a file."""
    keys = _recipients(recipients)
    _run(lambda: age.encrypt_file(infile, outfile, keys, armor=armored))


def encrypt_io(reader: Any, writer: Any, recipients: Sequence[Any], armored: bool = False) -> None:
    """Encrypts from one Python file object to another. Text is encoded as UTF-8."""
    keys = _recipients(recipients)
    _run_io(lambda source, target: age.encrypt_stream(source, target, keys, armor=armored), reader, writer)


def decrypt(ciphertext: bytes, identities: Sequence[Any]) -> bytes:
    """Decrypts in memory."""
    keys = _identities(identities)
    return _run(lambda: age.decrypt(ciphertext, keys))


def decrypt_file(infile: str, outfile: str, identities: Sequence[Any]) -> None:
    """Decrypts a file."""
    keys = _identities(identities)
    _run(lambda: age.decrypt_file(infile, outfile, keys), OSError)


def decrypt_io(reader: Any, writer: Any, identities: Sequence[Any]) -> None:
    """Decrypts from one Python file object to another. Text is decoded as UTF-8."""
    keys = _identities(identities)
    _run_io(lambda source, target: age.decrypt_stream(source, target, keys), reader, writer)
