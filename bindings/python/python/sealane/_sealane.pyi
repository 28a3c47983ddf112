import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NoReturn, SupportsIndex, final, overload

from typing_extensions import Buffer

__all__ = [
    "ChaCha20Poly1305",
    "ChunkFile",
    "Identity",
    "Part",
    "PayloadKey",
    "Preamble",
    "Reader",
    "Recipient",
    "Sealer",
    "XChaCha20Poly1305",
    "combine",
    "dearmor_prefix",
    "decrypt",
    "decrypt_file",
    "decrypt_stream",
    "encrypt",
    "encrypt_file",
    "encrypt_stream",
    "parse_identities",
    "parse_recipients",
    "parts_of",
    "refresh",
    "reissue",
    "rekey_header",
    "split",
]

@final
class ChaCha20Poly1305:
    """ChaCha20-Poly1305 (RFC 8439) with a key.

    It has the methods of the class of that name in ``cryptography``. A nonce has 12 bytes and must
    never be used twice with a key: count the messages, or use ``XChaCha20Poly1305`` with random
    nonces.

    A key, a nonce or a buffer of a wrong length is a ``ValueError``, and so is data that does not
    match its ``lengths``. A buffer for a result that overlaps an input is a ``BufferError``. A
    message that is too long, or a negative length, is an ``OverflowError``.
    """

    NONCE_BYTES: Final = 12
    TAG_BYTES: Final = 16

    def __new__(cls, key: Buffer) -> ChaCha20Poly1305:
        """Takes a key of 32 bytes."""
    @staticmethod
    def generate_key() -> bytes:
        """Returns a random key."""
    def encrypt(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None) -> bytes:
        """Returns the ciphertext, followed by the tag of 16 bytes."""
    def decrypt(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None) -> bytes:
        """Returns the plaintext of a ciphertext with its tag. Raises ``InvalidTag``."""
    def encrypt_into(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buf: Buffer) -> int:
        """Writes the ciphertext and the tag to the start of ``buf``, and returns their length."""
    def decrypt_into(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buf: Buffer) -> int:
        """Writes the plaintext to the start of ``buf``, and returns its length.

        If the message is not authentic, that part of ``buf`` is filled with zeros, and
        ``InvalidTag`` is raised.
        """
    def encrypt_many(
        self,
        nonces: Buffer,
        data: Buffer,
        associated_data: Buffer | None = None,
        *,
        lengths: SupportsIndex | Iterable[SupportsIndex],
    ) -> bytes:
        """Encrypts many messages, which is much faster than one by one if they are short.

        ``data`` has the messages one after another, and ``nonces`` their nonces. ``lengths`` is the
        length of all messages, or has the length of each. ``associated_data`` is that of each
        message. In the result, each ciphertext is followed by its tag.
        """
    def decrypt_many(
        self,
        nonces: Buffer,
        data: Buffer,
        associated_data: Buffer | None = None,
        *,
        lengths: SupportsIndex | Iterable[SupportsIndex],
    ) -> bytes:
        """Decrypts what ``encrypt_many`` returns.

        ``lengths`` are those of the plaintexts. Raises ``InvalidTag`` if any message is not
        authentic, and returns no other then.
        """
    def __reduce__(self) -> NoReturn: ...

@final
class XChaCha20Poly1305:
    """XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03) with a key.

    A nonce has 24 bytes and may be random. The methods are those of ``ChaCha20Poly1305``.
    """

    NONCE_BYTES: Final = 24
    TAG_BYTES: Final = 16

    def __new__(cls, key: Buffer) -> XChaCha20Poly1305:
        """Takes a key of 32 bytes."""
    @staticmethod
    def generate_key() -> bytes:
        """Returns a random key."""
    def encrypt(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None) -> bytes:
        """Returns the ciphertext, followed by the tag of 16 bytes."""
    def decrypt(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None) -> bytes:
        """Returns the plaintext of a ciphertext with its tag. Raises ``InvalidTag``."""
    def encrypt_into(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buf: Buffer) -> int:
        """Writes the ciphertext and the tag to the start of ``buf``, and returns their length."""
    def decrypt_into(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buf: Buffer) -> int:
        """Writes the plaintext to the start of ``buf``, and returns its length."""
    def encrypt_many(
        self,
        nonces: Buffer,
        data: Buffer,
        associated_data: Buffer | None = None,
        *,
        lengths: SupportsIndex | Iterable[SupportsIndex],
    ) -> bytes:
        """Encrypts many messages: see ``ChaCha20Poly1305.encrypt_many``."""
    def decrypt_many(
        self,
        nonces: Buffer,
        data: Buffer,
        associated_data: Buffer | None = None,
        *,
        lengths: SupportsIndex | Iterable[SupportsIndex],
    ) -> bytes:
        """Decrypts what ``encrypt_many`` returns."""
    def __reduce__(self) -> NoReturn: ...

@final
class Recipient:
    """Someone to encrypt to: ``age1…``, ``age1pq1…``, ``ssh-ed25519 …``, or a plugin's.

    ``str()`` returns the public text. Recipients with a text can be pickled and compared. The
    ``repr`` of any other contains a random number, and so differs from that of all others.
    """

    def __new__(cls, text: str) -> Recipient:
        """Parses the text. Raises ``KeyFormatError``."""
    @staticmethod
    def passphrase(passphrase: str, *, work_factor: int = 18) -> Recipient:
        """Returns the recipient of a passphrase, which must be the only one of a file.

        Encrypting takes about a second and 2^(``work_factor`` + 10) bytes of memory.
        """
    @staticmethod
    def threshold(threshold: int, recipients: Iterable[Recipient], *, label: str | None = None) -> Recipient:
        """Returns a recipient for whom any ``threshold`` of ``recipients`` must cooperate.

        If two recipients are the same, ``ThresholdError`` is raised. ``label`` is shown to them
        before they contribute.
        """
    @property
    def kind(self) -> str:
        """``x25519``, ``post-quantum``, ``ssh``, ``tag``, ``plugin``, ``passphrase`` or ``threshold``."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[type[Recipient], tuple[str]]: ...

@final
class Identity:
    """Someone who can decrypt. It is secret: it cannot be pickled, and ``repr`` hides it."""

    def __new__(cls, text: str) -> Identity:
        """Parses ``AGE-SECRET-KEY-1…``, ``AGE-SECRET-KEY-PQ-1…`` or ``AGE-PLUGIN-…``."""
    @staticmethod
    def generate(*, post_quantum: bool = False) -> Identity:
        """Generates an X25519 identity, or a post-quantum one."""
    @staticmethod
    def passphrase(passphrase: str, *, max_work_factor: int = 22) -> Identity:
        """Returns the identity of a passphrase.

        A file with a greater work factor is refused, because it would take that much memory.
        """
    @staticmethod
    def ssh(pem: Buffer, *, passphrase: str | None = None) -> Identity:
        """Parses an ssh private key of type ed25519 or RSA."""
    @property
    def kind(self) -> str:
        """``x25519``, ``post-quantum``, ``ssh``, ``plugin`` or ``passphrase``."""
    @property
    def recipient(self) -> Recipient:
        """The recipient of this identity, if it has one."""
    def to_text(self) -> str:
        """Returns the secret text."""
    def __reduce__(self) -> NoReturn: ...

@final
class Part:
    """A share of a file key that its holder contributed. It is secret."""

    def __new__(cls, text: str) -> Part:
        """Parses ``SEALANE-PART-1…``."""
    def to_text(self) -> str:
        """Returns the secret text, to send to whoever opens the file."""
    @property
    def point(self) -> int:
        """The number of the share, from 1."""
    @property
    def share_set(self) -> str:
        """The id of the share set."""
    @property
    def threshold(self) -> int | None:
        """The number of holders that must cooperate, if the part was made here."""
    @property
    def count(self) -> int | None:
        """The number of holders, if the part was made here."""
    @property
    def label(self) -> str | None:
        """The note from the maker of the file, if the part was made here."""
    def __reduce__(self) -> NoReturn: ...

_Path = str | os.PathLike[str]
_Recipients = Recipient | Iterable[Recipient]
_Identities = Identity | Part | Iterable[Identity | Part]
_Progress = Callable[[int, int | None], object]

@final
class Preamble:
    """The start of a file: its header, and the nonce of its payload. No I/O."""

    @overload
    @staticmethod
    def parse(prefix: Buffer) -> Preamble:
        """Parses the start of a whole file. If the file ends inside its header, that is an error."""
    @overload
    @staticmethod
    def parse(prefix: Buffer, size: int) -> Preamble | int:
        """Parses the start of a file of ``size`` bytes, or returns how many bytes are needed."""
    @property
    def length(self) -> int:
        """The length in bytes, which is the position of the first chunk."""
    @property
    def work_factor(self) -> int | None:
        """The base-2 logarithm of scrypt's N, if there is a passphrase."""
    @property
    def stanzas(self) -> list[tuple[str, list[str]]]:
        """The type and the arguments of each stanza."""
    @property
    def share_sets(self) -> list[tuple[str, int, int, str | None, list[str]]]:
        """The id, threshold, number of holders, label and types of each share set."""
    def unlock(self, identities: _Identities) -> PayloadKey:
        """Returns the key of the payload. Raises ``DecryptError``."""

@final
class PayloadKey:
    """The key of a file's payload, which opens chunks from any source. No I/O. It is secret."""

    @staticmethod
    def plaintext_len(sealed_len: int) -> int | None:
        """Returns the length of the plaintext of chunks with that many bytes.

        It is ``None`` if no file has that many. This proves nothing: the file may have been cut
        between two chunks. Opening the last chunk proves it.
        """
    @staticmethod
    def sealed_range(start: int, stop: int, sealed_len: int) -> tuple[int, bool, int, int, int, int]:
        """Returns which chunks hold a range of plaintext, if all chunks have ``sealed_len`` bytes.

        These are: the number of the first chunk, whether the last one is the last of the payload,
        the first byte and the end of the chunks, counted from the first chunk of the payload, the
        number of bytes before the range in their plaintext, and the length of the range.
        """
    @property
    def file_id(self) -> bytes:
        """32 bytes that only those who can open the file know. Other recipients do not change them."""
    def open_chunks(self, first: int, is_last: bool, sealed: Buffer, pieces: Sequence[tuple[int, int]]) -> list[bytes]:
        """Opens chunks, and returns pieces of their plaintext, each with an offset and a length.

        ``first`` is the number of the first chunk. With ``is_last``, ``sealed`` ends with the
        payload. Raises ``PayloadError``.
        """
    def __reduce__(self) -> NoReturn: ...

@final
class ChunkFile:
    """A file of this machine whose chunks are opened straight from the disk, in any thread."""

    def __new__(cls, path: str | os.PathLike[str]) -> ChunkFile: ...
    def open_piece(
        self, key: PayloadKey, first: int, is_last: bool, position: int, length: int, piece: tuple[int, int]
    ) -> bytes:
        """Opens ``length`` bytes of the file from ``position`` on, as ``PayloadKey.open_chunks`` does.

        The piece begins in the first of these chunks, and ends in the last one. Raises
        ``PayloadError``, also if the file ends before.
        """
    def __reduce__(self) -> NoReturn: ...

@final
class Sealer:
    """Seals a file in pieces. No I/O: write what ``update`` and ``finish`` return, in order.

    After ``finish``, both raise ``ValueError``. In another process, for example after ``os.fork``,
    they raise ``RuntimeError``.
    """

    def __new__(cls, recipients: _Recipients, *, header_len: int | None = None, threads: int | None = None) -> Sealer:
        """Prepares a file. ``header_len`` pads the header to a length."""
    def update(self, data: Buffer) -> bytes:
        """Returns what can be sealed so far. At most 64 KiB of plaintext are held back."""
    def finish(self, data: Buffer | None = None) -> bytes:
        """Returns the rest of the file, with ``data`` at its end."""
    def __reduce__(self) -> NoReturn: ...

@final
class Reader:
    """The native part of ``sealane.age.AgeReader``."""

    def __new__(cls, file: Any, identities: _Identities) -> Reader: ...
    @property
    def can_seek(self) -> bool: ...
    @property
    def position(self) -> int: ...
    def read(self, len: int) -> bytes: ...
    def read_into(self, buffer: Buffer) -> int: ...
    def take_back(self, parts: list[bytes], start: int) -> None: ...
    def seek(self, offset: int, whence: int) -> int: ...
    def plaintext_len(self) -> int: ...
    def __reduce__(self) -> NoReturn: ...

def encrypt(data: Buffer, recipients: _Recipients, *, armor: bool = False, threads: int | None = None) -> bytes:
    """Returns a file with this plaintext, as text with ``armor``."""

def decrypt(data: Buffer, identities: _Identities, *, threads: int | None = None) -> bytes:
    """Returns the plaintext of a file, binary or armored. Raises ``DecryptError``."""

def encrypt_stream(
    reader: Any,
    writer: Any,
    recipients: _Recipients,
    *,
    armor: bool = False,
    threads: int | None = None,
    progress: _Progress | None = None,
    total: int | None = None,
) -> None:
    """Encrypts everything that ``reader.read(size)`` returns to ``writer.write(data)``."""

def decrypt_stream(
    reader: Any,
    writer: Any,
    identities: _Identities,
    *,
    threads: int | None = None,
    progress: _Progress | None = None,
    total: int | None = None,
) -> None:
    """Decrypts everything from ``reader`` to ``writer``, binary or armored.

    If the file is damaged, exactly the plaintext before the damage has been written.
    """

def encrypt_file(
    source: _Path,
    target: _Path,
    recipients: _Recipients,
    *,
    armor: bool,
    threads: int | None,
    progress: _Progress | None,
) -> None: ...
def decrypt_file(
    source: _Path, target: _Path, identities: _Identities, *, threads: int | None, progress: _Progress | None
) -> None: ...
def parse_identities(contents: Buffer, *, passphrase: str | None = None) -> list[Identity]:
    """Parses the contents of a file of identities, or an ssh private key."""

def parse_recipients(contents: Buffer) -> list[Recipient]:
    """Parses the contents of a file of recipients. ssh keys of unsupported types are errors."""

def parts_of(prefix: Buffer, identities: _Identities) -> list[Part]: ...
def dearmor_prefix(data: Buffer) -> bytes: ...
def rekey_header(
    prefix: Buffer, identities: _Identities, recipients: _Recipients, *, keep: bool, header_len: int | None
) -> tuple[bytes, int]: ...
def split(secret: Buffer, threshold: int, count: int) -> list[str]:
    """Splits a secret into ``count`` shares. Any ``threshold`` of them restore it."""

def combine(shares: Sequence[str]) -> bytes:
    """Restores the secret. With enough others, a forged share is left out, and a ``SharesWarning`` names it.

    Each share counts as the share of another holder. Take one line from each holder: whoever gives
    as many lines as the threshold can choose the secret.
    """

def refresh(shares: Sequence[str]) -> list[str]:
    """Returns a new share for each of ``shares``. New ones do not combine with old ones.

    Combine the new shares once before you destroy the old ones: ``refresh`` does not notice each forged share.
    """

def reissue(shares: Sequence[str], number: int) -> str:
    """Returns the share with a number again. Combine it once: ``reissue`` does not notice each forged share."""
