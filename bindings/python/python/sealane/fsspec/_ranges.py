"""Plans the requests for ranges of a plaintext: adjacent chunks share a request.

This module does no I/O.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..age import PayloadError, PayloadKey

#: The length of a chunk's plaintext, and the length of a sealed chunk.
CHUNK, SEALED_CHUNK = 65536, 65552
#: The number of bytes to fetch at the end of an object: the last chunk and all of the one before.
#: Query engines read the end first if the file format has its directory there.
END = 2 * SEALED_CHUNK
_READ_FROM_THE_END = (".parquet", ".orc", ".arrow", ".feather", ".zip", ".npz")


def is_read_from_the_end(path: str) -> bool:
    """Returns whether, judging by its name, a file is read from its end first."""
    return path.lower().removesuffix(".age").endswith(_READ_FROM_THE_END)


@dataclass
class Request:
    """Consecutive chunks to fetch, and the pieces of their plaintext that were asked for."""

    first: int
    is_last: bool
    #: The range of sealed bytes, counted from the first chunk of the payload.
    start: int
    stop: int
    #: The index of each range, with its offset in the plaintext of the chunks, and its length.
    pieces: list[tuple[int, int, int]] = field(default_factory=list)

    def open(self, key: PayloadKey, sealed: bytes) -> list[tuple[int, bytes]]:
        """Opens the chunks. Returns the plaintext of each range with its index."""
        plaintexts = key.open_chunks(
            self.first, self.is_last, sealed, [(offset, length) for _, offset, length in self.pieces]
        )
        return [(index, plaintext) for (index, _, _), plaintext in zip(self.pieces, plaintexts, strict=True)]


def plan(ranges: Iterable[tuple[int, int, int]], payload_size: int, max_gap: int = 0) -> Sequence[Request]:
    """Returns the requests for ranges. Each range is an index, a start and a stop.

    Ranges whose chunks touch, or are at most ``max_gap`` bytes apart, share a request. A range that
    needs no chunk is in no request.
    """
    found = []
    for index, start, stop in ranges:
        first, is_last, begin, end, skip, length = PayloadKey.sealed_range(start, stop, payload_size)
        if begin < end:
            found.append((begin, end, first, is_last, index, skip, length))
    requests: list[Request] = []
    for begin, end, first, is_last, index, skip, length in sorted(found):
        last = requests[-1] if requests else None
        if last is None or begin > last.stop + max_gap:
            last = Request(first, is_last, begin, end)
            requests.append(last)
        elif end > last.stop:
            last.stop, last.is_last = end, is_last
        last.pieces.append((index, (first - last.first) * CHUNK + skip, length))
    return requests


def open_end(key: PayloadKey, size: int, payload_size: int, sealed: bytes) -> bytes | None:
    """Returns the last bytes of a plaintext of ``size`` bytes: those of up to two chunks.

    ``sealed`` is the end of the object. If it is shorter than these chunks, or not authentic, as
    when it is of another version, the result is ``None``.
    """
    start = max(0, (size - 1) // CHUNK - 1) * CHUNK
    for request in plan([(0, start, size)], payload_size):
        length = request.stop - request.start
        if len(sealed) >= length:
            with contextlib.suppress(PayloadError):
                [(_, plaintext)] = request.open(key, sealed[len(sealed) - length :])
                return plaintext
    return None
