"""An object in any fsspec filesystem."""

from __future__ import annotations

import contextlib
import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from fsspec.spec import AbstractFileSystem

from ..._replacement import temporary_name, temporary_prefix
from ...fsspec._headers import token_of
from .._report import JobError

#: How many bytes one request reads when a whole object is read: 128 sealed chunks.
STEP = 128 * 65552


class Conflict(Exception):
    """Another writer changed the object in the meantime."""


@dataclasses.dataclass(frozen=True)
class Version:
    """A version of an object."""

    size: int
    #: Changes when the object does. Empty if the store reports nothing but the size.
    token: str

    @property
    def is_exact(self) -> bool:
        """Whether the token distinguishes this version from a later one of the same size."""
        return self.token != ""

    def __str__(self) -> str:
        return f"{self.size} {self.token}"


#: Called before the object is replaced, with the handle for ``Store.clean``.
Prepare = Callable[[str], None]


def move(fs: Any, source: str, target: str) -> None:
    """Renames an object. fsspec's own ``mv`` would take names with wildcards for patterns."""
    if type(fs).mv is AbstractFileSystem.mv:
        fs.cp_file(source, target)
        fs.rm_file(source)
    else:
        fs.mv(source, target)


def in_parts(pieces: Iterable[bytes], length: int) -> Iterator[bytes]:
    """Joins and cuts pieces, so that all parts but the last have this length."""
    pending = bytearray()
    for piece in pieces:
        pending += piece
        while len(pending) >= length:
            yield bytes(pending[:length])
            del pending[:length]
    if pending:
        yield bytes(pending)


class Store:
    """An object in a filesystem that can write and rename, but promises nothing more.

    New contents go to a temporary object in the same folder, which is renamed at the end.
    """

    #: Whether the store itself refuses to replace a version other than the expected one.
    is_conditional = False

    def __init__(self, fs: Any, path: str) -> None:
        self.fs, self.path = fs, path
        #: The number of bytes of objects that were read and written.
        self.bytes_read = self.bytes_written = 0

    def _check_name(self, container: str, key: str) -> None:
        """Checks that the filesystem takes the whole path as the name of the object.

        A name with ``?versionId=`` would lead to another object, or to an older version of it.
        """
        if f"{container}/{key}".strip("/") != self.path.strip("/"):
            raise JobError(f"jobs take no object with this name, and no versions of objects: {self.path}")

    @staticmethod
    def is_connection_error(error: Exception) -> bool:
        """Whether an exception that is no ``OSError`` reports a failed connection."""
        return False

    @staticmethod
    def version_of(info: dict[str, Any]) -> Version:
        """Returns the version of an object from its filesystem's information about it."""
        size, *rest = token_of(info)
        return Version(size, " ".join(str(one) for one in rest if one is not None))

    def version(self) -> Version:
        """Returns the present version."""
        self.fs.invalidate_cache(self.path.rpartition("/")[0])
        info = self.fs.info(self.path)
        if info["type"] != "file":
            raise IsADirectoryError(self.path)
        return self.version_of(info)

    def read(self, version: Version, start: int, stop: int) -> bytes:
        """Returns a range of this version.

        Raises ``Conflict`` if the store reports another version or returns another number of bytes.
        """
        if start >= stop:
            return b""
        data = bytes(self._read(version, start, stop))
        self.bytes_read += len(data)
        if len(data) != stop - start:
            raise Conflict
        return data

    def _read(self, version: Version, start: int, stop: int) -> bytes:
        data: bytes = self.fs.cat_file(self.path, start=start, end=stop)
        return data

    def read_from(self, version: Version, start: int, step: int = STEP) -> Iterator[bytes]:
        """Returns everything from a position on, in pieces of ``step`` bytes."""
        for position in range(start, version.size, step):
            yield self.read(version, position, min(version.size, position + step))

    def write(self, pieces: Iterable[bytes], size: int, prepare: Prepare, expected: Version | None = None) -> Version:
        """Replaces the object, as a whole or not at all. Returns the new version.

        If the contents are sealed, the first piece is the header. ``size`` is the approximate
        number of bytes. ``prepare`` is called before the object is replaced. Raises ``Conflict`` if
        the object no longer has the expected version.
        """
        folder, _, name = self.path.rpartition("/")
        temporary = f"{folder}/{temporary_name(name)}"
        self.fs.makedirs(folder, exist_ok=True)
        prepare(temporary)
        try:
            with self.fs.open(temporary, "wb") as file:
                for piece in pieces:
                    file.write(piece)
                    self.bytes_written += len(piece)
            if expected is not None and self.version() != expected:
                raise Conflict
            move(self.fs, temporary, self.path)
            self.fs.invalidate_cache(folder)
            if self.fs.exists(temporary):
                # WebHDFS renames nothing onto an existing object, and fsspec reports no error.
                raise JobError("this filesystem does not rename an object onto an existing one")
        except BaseException:
            self.clean(temporary)
            raise
        return self.version()

    def replace_header(self, version: Version, old_len: int, header: bytes, prepare: Prepare) -> Version:
        """Replaces the first ``old_len`` bytes with ``header``. Returns the new version."""
        return self._rewrite(version, old_len, header, prepare)

    def _rewrite(self, version: Version, old_len: int, header: bytes, prepare: Prepare) -> Version:
        """Does the same as ``replace_header``, by reading and writing the whole object."""

        def pieces() -> Iterator[bytes]:
            yield header
            yield from self.read_from(version, old_len)

        return self.write(pieces(), version.size - old_len + len(header), prepare, version)

    def clean(self, handle: str) -> None:
        """Removes what an interrupted write left, if anything. The object itself stays."""
        folder, _, name = self._real().rpartition("/")
        # The handle comes from the ledger. Only the name of a temporary object is accepted, so that
        # a person who can write to the ledger cannot have other objects removed.
        if re.fullmatch(re.escape(f"{folder}/{temporary_prefix(name)}") + "[0-9a-f]{16}[.]tmp", handle):
            with contextlib.suppress(FileNotFoundError):
                self.fs.rm_file(handle)

    def _real(self) -> str:
        """Returns the path that the names of temporary objects are derived from."""
        return self.path
