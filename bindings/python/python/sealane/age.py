"""Files in the age format (https://age-encryption.org/v1).

``encrypt`` and ``decrypt`` work in memory, ``encrypt_file`` and ``decrypt_file`` on files, and
``encrypt_stream`` and ``decrypt_stream`` on anything with ``read`` and ``write``. ``open_age`` reads
the plaintext of a file from any position, and ``create_age`` writes a file.

Arguments for recipients or identities take one of them or an iterable. The identities may include
the parts (``Part``) that other holders have contributed. ``threads`` is the number of threads, by
default one for each core. ``progress`` is called with the number of bytes read so far, and the
total number or ``None``. An exception that it raises ends the call.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import io
import os
import re
import stat
from collections.abc import Callable, Iterable, Mapping
from typing import Any, BinaryIO, Protocol

from . import _sealane
from ._errors import (
    AgeError,
    ArmorError,
    DecryptError,
    EncryptError,
    ExcessiveWorkError,
    HeaderError,
    IdentityError,
    KeyFormatError,
    NoMatchError,
    PayloadError,
    ThresholdError,
    WrongPassphraseError,
)
from ._io import AgeReader, AgeWriter
from ._replacement import other_links, replacement
from ._sealane import (
    Identity,
    Part,
    PayloadKey,
    Preamble,
    Recipient,
    Sealer,
    decrypt,
    decrypt_stream,
    encrypt,
    encrypt_stream,
    parse_identities,
    parse_recipients,
)

__all__ = [
    "AgeError",
    "AgeReader",
    "AgeWriter",
    "ArmorError",
    "DecryptError",
    "EncryptError",
    "ExcessiveWorkError",
    "FileInfo",
    "HeaderError",
    "Identity",
    "IdentityError",
    "KeyFormatError",
    "NoMatchError",
    "Part",
    "PayloadError",
    "PayloadKey",
    "Preamble",
    "Recipient",
    "Sealer",
    "ShareSet",
    "ThresholdError",
    "WrongPassphraseError",
    "create_age",
    "decrypt",
    "decrypt_file",
    "decrypt_stream",
    "encrypt",
    "encrypt_file",
    "encrypt_stream",
    "inspect",
    "open_age",
    "parse_identities",
    "parse_recipients",
    "parts_of",
    "read_identities",
    "read_recipients",
    "rekey_file",
]

Path = str | os.PathLike[str]
Recipients = Recipient | Iterable[Recipient]
Identities = Identity | Part | Iterable[Identity | Part]
Progress = Callable[[int, int | None], object]

_MAX_HEADER_BYTES = 2 << 20
#: Armor has 48 bytes in each line of 64 characters, which may end with two. White space before the
#: first line is possible.
_MAX_ARMORED_BYTES = (_MAX_HEADER_BYTES + 16) // 48 * 66 + 4096
#: The bytes to read ahead from a store. The default of s3fs is 50 MiB, much for a short range.
_BLOCK_BYTES = 4 << 20
#: A URL, or a chain of them, such as ``simplecache::s3://…``.
_URL = re.compile(r"([a-z][a-z0-9+.-]*::)*[a-z][a-z0-9+.-]*://", re.IGNORECASE | re.ASCII)


class Readable(Protocol):
    """A file to read from. To be seekable, it must have ``seek``, ``tell`` and ``seekable`` too."""

    def read(self, size: int, /) -> bytes: ...


def open_age(
    file: Path | Readable, identities: Identities, *, storage_options: Mapping[str, Any] | None = None
) -> AgeReader:
    """Opens a file for reading its plaintext.

    ``file`` is a path, a URL, or a binary file, which is read from its current position on and not
    closed. The result is seekable if the file is seekable and not armored. It returns authentic
    plaintext only. Wrap it in ``io.BufferedReader`` for many small reads.

    Text with ``scheme://``, such as ``s3://bucket/name``, is a URL. fsspec opens it with
    ``storage_options``, and the reader closes it.
    """
    if isinstance(file, str) and _URL.match(file):
        source = _open_url(file, storage_options or {})
        try:
            return AgeReader(source, identities, owns_file=True)
        except BaseException:
            source.close()
            raise
    if storage_options is not None:
        raise ValueError("storage_options are for URLs")
    return AgeReader(file, identities)


def _open_url(url: str, storage_options: Mapping[str, Any]) -> Any:
    try:
        import fsspec
    except ImportError as error:
        raise ImportError(f"{url} is a URL, which needs fsspec: pip install 'sealane[fsspec]'") from error
    fs, path = fsspec.url_to_fs(url, **storage_options)
    return fs.open(path, "rb", block_size=_BLOCK_BYTES)


def create_age(file: Path | BinaryIO, recipients: Recipients, *, header_len: int | None = None) -> AgeWriter:
    """Creates a file, and returns a writer for its plaintext.

    ``file`` is a path, or a binary file, which is not closed. Close the writer to finish the file.
    If a ``with`` block ends with an exception, the file is left incomplete, and reading it to its
    end fails. This holds only for a block of the writer itself: ``io.TextIOWrapper``,
    ``io.BufferedWriter`` and other wrappers close the writer, and so finish the file, even if their
    block fails or they are never closed. Use the writer in ``with``, and flush the wrapper at the
    end of that block.

    If a write fails, the file stays incomplete, and ``close`` raises ``OSError``, unless the
    exception of the write is still being handled.

    ``header_len`` pads the header, without the nonce of 16 bytes that follows it, to that length,
    so that the size of the plaintext follows from the size of the file.
    """
    return AgeWriter(file, recipients, header_len=header_len)


def encrypt_file(
    source: Path,
    target: Path,
    recipients: Recipients,
    *,
    armor: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Encrypts a file. ``target`` is replaced when everything has been written.

    A device or a pipe, such as ``/dev/stdout``, is written to directly. While the call waits for
    the other end of a pipe, Ctrl-C does not end it.
    """
    with replacement(target) as new:
        _sealane.encrypt_file(
            source, new.name if new else target, recipients, armor=armor, threads=threads, progress=progress
        )


def decrypt_file(
    source: Path,
    target: Path,
    identities: Identities,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Decrypts a file. ``target`` is replaced when everything has been written and is authentic.

    A device or a pipe, such as ``/dev/stdout``, is written to directly. It gets only authentic
    plaintext, but part of it may have been written before damage is found. While the call waits for
    the other end of a pipe, Ctrl-C does not end it.
    """
    with replacement(target) as new:
        _sealane.decrypt_file(source, new.name if new else target, identities, threads=threads, progress=progress)


def rekey_file(
    path: Path,
    identities: Identities,
    recipients: Recipients,
    *,
    keep: bool = False,
    header_len: int | None = None,
) -> None:
    """Encrypts a file to other recipients by replacing its header.

    The payload is not encrypted again. Raises ``OSError`` if others change or replace the file
    meanwhile, and leaves their version in place. Raises ``OSError`` too if the file has several hard
    links, because the others would keep the old header.

    With ``keep``, the present recipients can still open the file. Leaving it out does not revoke
    access: anyone who could open the file before can still open a copy of it.
    """
    with contextlib.ExitStack() as stack:
        old = stack.enter_context(open(path, "rb"))
        found = os.fstat(old.fileno())

        def check(_: os.stat_result) -> None:
            if _version(os.stat(path)) != _version(found):
                raise OSError(f"others changed the file meanwhile: {path!r}")

        if reason := other_links(found):
            raise OSError(f"{reason}: {path!r}")
        replaced = stack.enter_context(replacement(path, check))
        if replaced is None or not stat.S_ISREG(found.st_mode):
            # Other files are not replaced, so they would be overwritten while they are read.
            raise io.UnsupportedOperation(f"only a regular file can be given to other recipients: {path!r}")
        prefix = old.read(_MAX_HEADER_BYTES + 16)
        header, length = _sealane.rekey_header(prefix, identities, recipients, keep=keep, header_len=header_len)
        old.seek(length)
        with open(replaced.fileno(), "wb", closefd=False) as new:
            new.write(header)
            while data := old.read(1 << 20):
                new.write(data)
                length += len(data)
        if length != found.st_size:
            raise OSError(f"others changed the length of the file meanwhile: {path!r}")


def _version(found: os.stat_result) -> tuple[int, int, int, int]:
    """Returns what changes when a file is changed or replaced."""
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def read_identities(path: Path, *, passphrase: str | None = None) -> list[Identity]:
    """Reads a file of identities, as ``age -i`` does.

    The file has one identity on each line, or is such a file encrypted with a passphrase, or is an
    ssh private key. ``passphrase`` decrypts the file or the key.
    """
    with open(path, "rb") as file:
        return parse_identities(file.read(), passphrase=passphrase)


def read_recipients(path: Path) -> list[Recipient]:
    """Reads a file of recipients, one on each line, as for ``age -R``.

    An ssh key of an unsupported type is an error: its owner could not open the files.
    """
    with open(path, "rb") as file:
        return parse_recipients(file.read())


@dataclasses.dataclass(frozen=True)
class ShareSet:
    """What the header says about a set of recipients, ``threshold`` of whom must cooperate."""

    id: str
    threshold: int
    count: int
    label: str | None
    kinds: list[str]


@dataclasses.dataclass(frozen=True)
class FileInfo:
    """What a file says about itself. Without an identity, this is not authenticated."""

    #: The type of each stanza, such as ``X25519``.
    kinds: list[str]
    #: The base-2 logarithm of scrypt's N, if the file is encrypted with a passphrase.
    work_factor: int | None
    #: The share sets, if several holders must cooperate.
    share_sets: list[ShareSet]
    #: The length of the header in bytes, without the nonce that follows it.
    header_len: int
    #: The length of the plaintext in bytes. ``None`` if the file is armored, or cut short.
    plaintext_len: int | None
    #: Whether the file is armored.
    armored: bool


def _read_up_to(file: Any, size: int) -> bytes:
    """Reads ``size`` bytes, or fewer if the file ends. A read of a raw file may return fewer."""
    data = bytearray()
    while len(data) < size:
        piece = file.read(size - len(data))
        if piece is None:
            raise BlockingIOError(errno.EAGAIN, "the file has no data yet")
        if not piece:
            break
        data += piece
    return bytes(data)


def _prefix(file: Path | bytes | BinaryIO) -> tuple[bytes, int | None, bool]:
    """Returns the start of a file, its length or ``None`` if armored, and whether it is armored."""
    with contextlib.ExitStack() as stack:
        opened: Any = file
        if isinstance(file, bytes):
            opened = io.BytesIO(file)
        elif isinstance(file, str | os.PathLike):
            opened = stack.enter_context(open(file, "rb"))
        start = opened.tell()
        data = _read_up_to(opened, _MAX_HEADER_BYTES + 16)
        if data.lstrip().startswith(b"-----BEGIN AGE"):
            data += _read_up_to(opened, _MAX_ARMORED_BYTES - len(data))
            return _sealane.dearmor_prefix(data), None, True
        length = opened.seek(0, os.SEEK_END) - start
        return data, length, False


def inspect(file: Path | bytes | BinaryIO) -> FileInfo:
    """Returns what a file says about itself. Needs no key.

    An open file is read from its current position on, and left at another one.
    """
    prefix, length, armored = _prefix(file)
    preamble = Preamble.parse(prefix)
    payload = None if length is None else PayloadKey.plaintext_len(length - preamble.length)
    return FileInfo(
        kinds=[kind for kind, _ in preamble.stanzas],
        work_factor=preamble.work_factor,
        share_sets=[ShareSet(*fields) for fields in preamble.share_sets],
        header_len=preamble.length - 16,
        plaintext_len=payload,
        armored=armored,
    )


def parts_of(file: Path | bytes | BinaryIO, identities: Identities) -> list[Part]:
    """Returns the parts that ``identities`` contribute to a file that several holders open.

    Each part has the description by the creator of the file: show it to the holder before the part
    is sent. To open the file, pass the parts along with your own identities.
    """
    return _sealane.parts_of(_prefix(file)[0], identities)
