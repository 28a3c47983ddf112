"""The exceptions of pyrage, with its messages where callers may depend on them."""

from __future__ import annotations

import re

from ... import age


class RecipientError(Exception):
    """A recipient is malformed, or cannot be used."""


class IdentityError(Exception):
    """An identity is malformed, or cannot be used."""


class EncryptError(Exception):
    """A file cannot be encrypted."""


class DecryptError(Exception):
    """A file cannot be decrypted."""


def encrypt_text(text: str) -> str:
    """Returns pyrage's text for an ``age.EncryptError`` with this text."""
    if text.startswith("no recipients"):
        return "Missing recipients."
    labels = re.fullmatch(r"recipients with different labels cannot be combined: (.*) and (.*)", text)
    if labels:
        one, other = sorted(
            (label.replace('"', "") for label in labels.groups()), key=lambda label: label == "no label"
        )
        rest = "no labels" if other == "no label" else f"labels '{other}'"
        return f"Cannot encrypt to a recipient with labels '{one}' alongside a recipient with {rest}"
    return text


def decrypt_text(error: age.DecryptError) -> str:
    """Returns pyrage's text for an error of ``sealane.age``."""
    if isinstance(error, age.NoMatchError):
        return "No matching keys found"
    return "Decryption failed" if isinstance(error, age.WrongPassphraseError) else str(error)
