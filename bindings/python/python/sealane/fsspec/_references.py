"""References to identities and recipients, which are resolved where they are used."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .. import age

Reference = str | Callable[[], Any]


def check_identities(references: Any) -> Any:
    """Checks that each reference is ``file:PATH``, ``env:NAME`` or a callable. Resolves nothing.

    Returns the references, and an iterator as a tuple, which can be read again.
    """
    references = _kept(references)
    for reference in _each(references):
        if callable(reference):
            continue
        if isinstance(reference, str) and reference.startswith(("file:", "env:")):
            continue
        # The value may be a secret, so the message does not show it.
        raise ValueError(
            "identities are references: file:PATH, env:NAME, or a function that returns them."
            " A secret itself would end in pickles and messages."
        )
    return references


def check_recipients(references: Any) -> Any:
    """Checks that literal texts among the references are public recipients.

    Another text may be a secret, given by mistake. Returns the references as ``check_identities``
    does.
    """
    references = _kept(references)
    for reference in _each(references):
        if isinstance(reference, str) and not reference.startswith(("file:", "env:")):
            age.Recipient(reference)
    return references


def _kept(references: Any) -> Any:
    return tuple(references) if isinstance(references, Iterator) else references


def _each(references: Any) -> list[Any]:
    if references is None:
        return []
    if isinstance(references, str | age.Recipient) or callable(references):
        return [references]
    return list(references)


def _contents(reference: str) -> bytes:
    """Returns the contents of a file or of an environment variable."""
    scheme, _, name = reference.partition(":")
    if scheme == "file":
        with open(os.path.expanduser(name), "rb") as file:
            return file.read()
    text = os.environ.get(name)
    if text is None:
        raise age.IdentityError(f"the environment variable {name} is not set")
    return text.encode()


def _called(reference: Callable[[], Any], parse: Callable[[bytes], list[Any]]) -> list[Any]:
    value = reference()
    if isinstance(value, str | bytes):
        return parse(value.encode() if isinstance(value, str) else value)
    return list(value) if isinstance(value, Iterable) else [value]


def resolve_identities(references: Any) -> list[age.Identity | age.Part]:
    """Returns the identities and parts that the references stand for."""
    found: list[age.Identity | age.Part] = []
    for reference in _each(references):
        if callable(reference):
            found += _called(reference, age.parse_identities)
        else:
            found += age.parse_identities(_contents(reference))
    return found


def resolve_recipients(references: Any) -> list[age.Recipient]:
    """Returns the recipients that the references stand for. A public text stands for itself."""
    found: list[age.Recipient] = []
    for reference in _each(references):
        if isinstance(reference, age.Recipient):
            found.append(reference)
        elif callable(reference):
            found += _called(reference, age.parse_recipients)
        elif reference.startswith(("file:", "env:")):
            found += age.parse_recipients(_contents(reference))
        else:
            found.append(age.Recipient(reference))
    return found
