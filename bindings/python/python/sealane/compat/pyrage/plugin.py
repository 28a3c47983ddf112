"""Plugins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Self

from ... import age
from ._errors import IdentityError, RecipientError

__all__ = ("Identity", "IdentityPluginV1", "Recipient", "RecipientPluginV1")

_NAME = re.compile(r"[A-Za-z0-9+._-]+")


def _plugin_of(text: str, pattern: str) -> str | None:
    found = re.fullmatch(pattern, text, re.IGNORECASE)
    return found and found[1].lower()


class Recipient:
    """The text of a recipient, ``age1NAME1…``."""

    def __init__(self, text: str, name: str) -> None:
        self._text, self._name = text, name

    @classmethod
    def from_str(cls, v: str) -> Self:
        """Parses the text of a recipient."""
        name = _plugin_of(v, r"age1(.+)1[a-z0-9]+")
        if name is None:
            raise RecipientError("invalid Bech32 encoding")
        return cls(v, name)

    def plugin(self) -> str:
        """Returns the name of the plugin."""
        return self._name

    def __str__(self) -> str:
        return self._text


class Identity:
    """The text of an identity, ``AGE-PLUGIN-NAME-1…``."""

    def __init__(self, text: str | None, name: str) -> None:
        self._text, self._name = text, name

    @classmethod
    def from_str(cls, v: str) -> Self:
        """Parses the text of an identity."""
        name = _plugin_of(v, r"AGE-PLUGIN-(.+)-1[A-Z0-9]+")
        if name is None:
            raise IdentityError("invalid Bech32 encoding")
        return cls(v, name)

    @classmethod
    def default_for_plugin(cls, plugin: str) -> Self:
        """Returns the plugin's default identity, which has no data."""
        if not _NAME.fullmatch(plugin):
            raise IdentityError("Invalid plugin name")
        return cls(None, plugin)

    def plugin(self) -> str:
        """Returns the name of the plugin."""
        return self._name


class RecipientPluginV1:
    """Recipients of one plugin. Identities are refused, and the callbacks are not called."""

    def __init__(
        self, plugin_name: str, recipients: Sequence[Recipient], identities: Sequence[Identity], callbacks: Any
    ) -> None:
        if identities:
            raise RecipientError("encrypting to the identity of a plugin is not supported: give its recipient")
        try:
            texts = [recipient._text for recipient in recipients if recipient._name == plugin_name]
            self._keys = [age.Recipient(text) for text in texts]
        except age.AgeError as error:
            raise RecipientError(str(error)) from None

    def _recipients(self) -> list[age.Recipient]:
        return self._keys


class IdentityPluginV1:
    """Identities of one plugin. The callbacks are not called."""

    def __init__(self, plugin_name: str, identities: Sequence[Identity], callbacks: Any) -> None:
        try:
            texts = [identity._text for identity in identities if identity._name == plugin_name]
            if None in texts:
                raise IdentityError("the default identity of a plugin is not supported: give its text")
            self._keys = [age.Identity(text) for text in texts if text is not None]
        except age.AgeError as error:
            raise IdentityError(str(error)) from None

    def _identities(self) -> list[age.Identity]:
        return self._keys
