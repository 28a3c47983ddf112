"""Opening chunks in memory and in files: edges of pieces, threads, damage."""

import os

import fsspec
import pytest

from keys import IDENTITY, OPTIONS
from sealane import age
from sealane._sealane import ChunkFile

CHUNK, SEALED_CHUNK = 65_536, 65_552


def sealed_file(folder, length):
    data = os.urandom(length)
    sealed = age.encrypt(data, IDENTITY.recipient)
    (folder / "a").write_bytes(sealed)
    preamble = age.Preamble.parse(sealed)
    return data, sealed, preamble.length, preamble.unlock([IDENTITY])


def both(folder, sealed, start, key, first, stop):
    """Opens a range of plaintext, from memory and from a file."""
    first, is_last, begin, end, skip, length = key.sealed_range(first, stop, len(sealed) - start)
    [memory] = key.open_chunks(first, is_last, sealed[start + begin : start + end], [(skip, length)])
    file = ChunkFile(folder / "a")
    assert file.open_piece(key, first, is_last, start + begin, end - begin, (skip, length)) == memory
    return memory


@pytest.mark.parametrize("length", [1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 9 * CHUNK + 7, 70 * CHUNK + 5])
def test_edges_of_pieces(tmp_path, length):
    """The longest file is opened by several threads."""
    data, sealed, start, key = sealed_file(tmp_path, length)
    edges = {0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 5 * CHUNK - 1, length - CHUNK, length - 1, length}
    edges = sorted(edge for edge in edges if 0 <= edge <= length)
    for begin in edges:
        for end in (edge for edge in edges if edge > begin):
            assert both(tmp_path, sealed, start, key, begin, end) == data[begin:end]
    # Several pieces in any order, and empty pieces.
    pieces = [(0, 1), (length // 2, (length + 1) // 3), (0, 0), (0, length), (length - 1, 1)]
    opened = key.open_chunks(0, True, sealed[start:], pieces)
    assert opened == [data[begin : begin + size] for begin, size in pieces]
    for piece in ((length, 1), (0, length + 1), (1 << 63, 1 << 63)):
        with pytest.raises(ValueError, match="piece"):
            key.open_chunks(0, True, sealed[start:], [piece])
        with pytest.raises(ValueError, match="piece"):
            ChunkFile(tmp_path / "a").open_piece(key, 0, True, start, len(sealed) - start, piece)


def test_no_plaintext(tmp_path):
    _, sealed, start, key = sealed_file(tmp_path, 0)
    assert key.open_chunks(0, True, sealed[start:], [(0, 0)]) == [b""]
    with pytest.raises(age.PayloadError):
        key.open_chunks(0, True, bytes(16), [(0, 0)])


@pytest.mark.parametrize("count", [1, 5, 70])
def test_damaged_chunks(tmp_path, count):
    """If one chunk of a request is damaged, nothing is returned, even for a piece of one byte."""
    length = count * CHUNK
    _, sealed, start, key = sealed_file(tmp_path, length)
    for chunk in {0, count // 2, count - 1}:
        damaged = bytearray(sealed)
        damaged[start + chunk * SEALED_CHUNK + SEALED_CHUNK // 2] ^= 1
        (tmp_path / "a").write_bytes(damaged)
        for begin, end in ((0, length), (1, length), (0, length - 1), (CHUNK - 1, length - CHUNK + 1)):
            if begin >= end:
                continue
            first, is_last, low, high, skip, size = key.sealed_range(begin, end, len(sealed) - start)
            chunks = bytes(damaged[start + low : start + high])
            with pytest.raises(age.PayloadError):
                key.open_chunks(first, is_last, chunks, [(skip, size)])
            with pytest.raises(age.PayloadError):
                ChunkFile(tmp_path / "a").open_piece(key, first, is_last, start + low, high - low, (skip, size))


def test_lengths_that_no_payload_has(tmp_path):
    _, sealed, start, key = sealed_file(tmp_path, 5 * CHUNK)
    for extra in (1, 5, 15):
        with pytest.raises(age.PayloadError):
            key.open_chunks(0, True, sealed[start:] + bytes(extra), [(0, 5 * CHUNK)])
    for cut in (0, 5, SEALED_CHUNK + 3, 5 * SEALED_CHUNK - 1):
        with pytest.raises(age.PayloadError):
            key.open_chunks(0, True, sealed[start : start + cut], [(0, 1)])


def test_a_file_that_is_cut_while_it_is_read(tmp_path):
    data, sealed, start, key = sealed_file(tmp_path, 70 * CHUNK)
    file = ChunkFile(tmp_path / "a")
    os.truncate(tmp_path / "a", len(sealed) - 1)
    with pytest.raises(age.PayloadError, match="cut short"):
        file.open_piece(key, 0, True, start, len(sealed) - start, (0, len(data)))
    with pytest.raises(FileNotFoundError) as caught:
        ChunkFile(tmp_path / "none")
    assert caught.value.filename == str(tmp_path / "none")


def test_large_reads_of_the_filesystem(tmp_path):
    """Large reads bypass the cache. Small reads before and after them do not."""
    fs = fsspec.filesystem("age", **OPTIONS)
    path, data = f"{tmp_path}/a", os.urandom(12 << 20)
    fs.pipe(path, data)
    with fs.open(path) as file:
        for start, length in ((0, 10), (10, 5 << 20), ((5 << 20) + 10, 10), (3 << 20, 300_000), (11 << 20, 2 << 20)):
            file.seek(start)
            assert file.read(length) == data[start : start + length]
        file.seek(0)
        assert b"".join(iter(lambda: file.read(1 << 20), b"")) == data
