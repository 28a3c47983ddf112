"""An identity that is itself a sealed object."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import re
import secrets
from collections.abc import Iterator
from typing import Any

import fsspec

from .. import age
from .._errors import SealaneError
from ..fsspec._references import check_identities, check_recipients, resolve_identities, resolve_recipients
from ._place import Place
from ._report import JobError
from ._stores import Conflict, Store, store_of

#: A limit, because anyone who can write to the store could otherwise use up a reader's memory.
_MOST_BYTES = 1 << 20
#: The schemes of URLs that have the name of a container at the place of a user.
_AZURE = ("abfs", "abfss", "az")
#: Differs in each process, as fsspec's caches do.
_DIGEST_KEY = secrets.token_bytes(32)


@dataclasses.dataclass(frozen=True)
class SealedIdentity:
    """A reference to identities in a sealed object, such as the identity of a data lake.

    All objects of the lake are encrypted to one recipient, and its identity lies beside them,
    sealed to those who may read. ``seal_for`` admits readers. ``identities`` are references to a
    reader's own identity. A ``SealedIdentity`` can be passed wherever references to identities are
    accepted. It holds no secret, and can be pickled and printed.
    """

    url: str
    identities: Any
    #: If given, the object must hold exactly one identity, and this public text must be its
    #: recipient.
    recipient: str | None = None
    storage_options: dict[str, Any] | None = dataclasses.field(default=None, repr=False)

    def __repr__(self) -> str:
        # fsspec caches filesystems by the texts of their arguments, so the text must differ if the
        # options do. The key keeps others from comparing the digest with those of guessed options.
        options = repr((self.url, self.storage_options)).encode()
        digest = hashlib.blake2b(options, digest_size=16, key=_DIGEST_KEY).hexdigest()
        return (
            f"SealedIdentity(url={self.address!r}, identities={self.identities!r}, recipient={self.recipient!r},"
            f" storage_options=<digest {digest}>)"
        )

    def __post_init__(self) -> None:
        object.__setattr__(self, "identities", check_identities(self.identities))

    @property
    def address(self) -> str:
        """The URL without a user, a password and a query, which may be secret.

        What is printed, the ledger and the texts of errors have this address.
        """

        def without_user(found: re.Match[str]) -> str:
            return found[0] if found["scheme"] in _AZURE else f"{found['scheme']}://"

        url = re.sub(r"(?P<scheme>[\w+.-]*)://[^/]*@", without_user, self.url)
        return url.partition("?")[0] if "://" in url else url

    def __call__(self) -> list[age.Identity]:
        """Reads the object, and returns the identities in it."""
        with self._hidden(), fsspec.open(self.url, "rb", **(self.storage_options or {})) as file:
            sealed = file.read(_MOST_BYTES + 1)
        return self._opened(sealed)

    def seal_for(self, readers: Any) -> None:
        """Seals the identity anew for ``readers``: after this, only they can open the object.

        ``readers`` are recipients or references to them, of all who may read, so that those who
        could read before are among them. ``recipient`` must be set. Unlike a re-key, this gives the
        readers nothing but its identity: ``IdentityError`` is raised if the object holds anything
        else, as when somebody has put another object at the address. Raises ``JobError`` if others
        change the object meanwhile.
        """
        if self.recipient is None:
            raise ValueError("the recipient of the identity must be set, to check that it is the right one")
        recipients = resolve_recipients(check_recipients(readers))
        with self._hidden():
            self._seal(recipients)

    def _seal(self, recipients: list[age.Recipient]) -> None:
        place = Place.of(self.url, self.storage_options)
        store = store_of(place.fs(), place.path)
        sealed = None
        try:
            version = store.version()
            if not version.is_exact:
                raise JobError("the filesystem reports neither a time nor an ETag, so a change by others would be lost")
            [identity] = self._opened(store.read(version, 0, min(version.size, _MOST_BYTES + 1)))
            # Only the identity: comments beside it, or the file key of the object, may be anything.
            sealed = age.encrypt(identity.to_text().encode() + b"\n", recipients)
            header = age.inspect(sealed).header_len
            store.write([sealed[:header], sealed[header:]], len(sealed), lambda handle: None, version)
        except Conflict:
            # A client repeats a request whose answer was lost, and its own success is then the
            # change.
            if sealed is None or not _holds(store, sealed):
                raise JobError(f"others have changed the object meanwhile: {self.address}") from None

    @contextlib.contextmanager
    def _hidden(self) -> Iterator[None]:
        """Replaces the texts of errors, which may have the URL, if parts of the URL may be secret."""
        try:
            yield
        except Exception as error:
            if self.address == self.url or isinstance(error, SealaneError):
                raise
            kinds = (FileNotFoundError, PermissionError, ImportError, MemoryError)
            kind = next((kind for kind in kinds if isinstance(error, kind)), OSError)
            raise kind(f"{type(error).__name__}: {self.address}") from None

    def _opened(self, sealed: bytes) -> list[age.Identity]:
        """Returns the identities in the object, if it is what the fields say."""
        if len(sealed) > _MOST_BYTES:
            raise age.IdentityError(f"a sealed identity has at most {_MOST_BYTES} bytes: {self.address}")
        found = age.parse_identities(age.decrypt(sealed, resolve_identities(self.identities)))
        if self.recipient is not None and [str(one.recipient) for one in found] != [self.recipient]:
            raise age.IdentityError(f"this is not the identity of {self.recipient}: {self.address}")
        return found


def _holds(store: Store, contents: bytes) -> bool:
    """Whether these are the contents of an object."""
    with contextlib.suppress(Conflict, FileNotFoundError):
        version = store.version()
        return version.size == len(contents) and store.read(version, 0, version.size) == contents
    return False
