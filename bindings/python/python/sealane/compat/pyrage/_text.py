"""Text files as binary files, in UTF-8."""

from __future__ import annotations

import codecs
from typing import Any


class TextReader:
    """Reads a text file."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._rest = b""

    def read(self, size: int) -> bytes:
        """Reads up to ``size`` bytes, and none only at the end of the file."""
        data = self._rest or self._file.read(size).encode()
        self._rest = data[size:]
        return bytes(data[:size])


class TextWriter:
    """Writes a text file."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def write(self, data: bytes) -> int:
        """Writes all of ``data``, except for an incomplete character at the end."""
        self._file.write(self._decoder.decode(data))
        return len(data)

    def finish(self) -> None:
        """Raises ``UnicodeDecodeError`` if the last character is incomplete."""
        self._decoder.decode(b"", final=True)
