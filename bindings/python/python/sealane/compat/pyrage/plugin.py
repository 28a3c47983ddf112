"""Plugins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Self

from ... import age
from ._bech32 import fault, hrp_of, without_data
from ._errors import DecryptError, EncryptError, IdentityError, RecipientError

__all__ = ("Identity", "IdentityPluginV1", "Recipient", "RecipientPluginV1")

_NAME = re.compile(r"[A-Za-z0-9+._-]+")


class Recipient:
    """The text of a recipient, ``age1NAME1…``."""

    def __init__(self, text: str, name: str) -> None:
        self._text, self._name = text, name

    @classmethod
    def from_str(cls, v: str) -> Self:
        """Parses the text of a recipient."""
        found = re.fullmatch("age1(.+)", hrp_of(v) or "")
        if found is None or not v.startswith("age1") or not _NAME.fullmatch(found[1]):
            raise RecipientError(fault(v, wrong_hrp="invalid HRP"))
        return cls(v, found[1])

    def plugin(self) -> str:
        """Returns the name of the plugin."""
        return self._name

    def __str__(self) -> str:
        return self._text


class Identity:
    """The text of an identity, ``AGE-PLUGIN-NAME-1…``."""

    def __init__(self, text: str, name: str) -> None:
        self._text, self._name = text, name

    @classmethod
    def from_str(cls, v: str) -> Self:
        """Parses the text of an identity."""
        found = re.fullmatch("age-plugin-(.+)-", hrp_of(v) or "")
        if found is None or not v.startswith("AGE-PLUGIN-") or not _NAME.fullmatch(found[1]):
            raise IdentityError(fault(v, wrong_hrp="invalid HRP"))
        return cls(v, found[1])

    @classmethod
    def default_for_plugin(cls, plugin: str) -> Self:
        """Returns the plugin's default identity, which has no data."""
        if not _NAME.fullmatch(plugin):
            raise IdentityError("Invalid plugin name")
        name = plugin.lower()
        return cls(without_data(f"age-plugin-{name}-").upper(), name)

    def plugin(self) -> str:
        """Returns the name of the plugin."""
        return self._name

    def __str__(self) -> str:
        return self._text


def _check(plugin_name: str) -> None:
    """Raises an exception unless the plugin is installed, under the lower-case name in its keys."""
    if plugin_name != plugin_name.lower():
        # Names in keys are lower case, so no key would match, and a file would have no recipient.
        raise IdentityError(f"the name of a plugin is in lower case: {plugin_name}")
    age.Identity(str(Identity.default_for_plugin(plugin_name)))


class RecipientPluginV1:
    """Recipients of one plugin. Identities are refused, and the callbacks are not called."""

    def __init__(
        self, plugin_name: str, recipients: Sequence[Recipient], identities: Sequence[Identity], callbacks: Any
    ) -> None:
        if identities:
            raise EncryptError("encrypting to the identity of a plugin is not supported: give its recipient")
        try:
            _check(plugin_name)
            texts = [recipient._text for recipient in recipients if recipient._name == plugin_name]
            self._keys = [age.Recipient(text) for text in texts]
        except (IdentityError, age.AgeError) as error:
            raise EncryptError(str(error)) from None

    def _recipients(self) -> list[age.Recipient]:
        return self._keys


class IdentityPluginV1:
    """Identities of one plugin. The callbacks are not called."""

    def __init__(self, plugin_name: str, identities: Sequence[Identity], callbacks: Any) -> None:
        try:
            _check(plugin_name)
            self._keys = [age.Identity(identity._text) for identity in identities if identity._name == plugin_name]
        except (IdentityError, age.AgeError) as error:
            raise DecryptError(str(error)) from None

    def _identities(self) -> list[age.Identity]:
        return self._keys
