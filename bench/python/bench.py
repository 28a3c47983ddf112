"""Measures the Python package beside cryptography, pyrage and plain files, in one process.

Prints a table in Markdown. Each ratio is the other's time by ours, and the best of several rounds in
which both take turns: above 1, ours is faster.
"""

import argparse
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Callable

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyrage
import sealane
import sealane.fsspec
from cryptography.hazmat.primitives.ciphers import aead as peer
from sealane import age
from turns import least


def best(work: dict[str, Callable[[], object]], rounds: int, seconds: float) -> dict[str, float]:
    """Returns the least time of each piece of work in seconds. The pieces take turns."""
    repeat = {}
    for name, call in work.items():
        start = time.perf_counter()
        call()
        repeat[name] = max(1, int(seconds / (time.perf_counter() - start + 1e-9)))

    def repeated(name: str) -> Callable[[], object]:
        def calls() -> None:
            for _ in range(repeat[name]):
                work[name]()

        return calls

    times = least({name: repeated(name) for name in work}, rounds)
    return {name: times[name] / repeat[name] for name in work}


def row(name: str, to: str, ratio: float) -> None:
    print(f"| {name} | {to} | {ratio:.2f} |", flush=True)


def one_by_one(ours: sealane.ChaCha20Poly1305, theirs: peer.ChaCha20Poly1305, length: int, seconds: float) -> None:
    nonce, data = os.urandom(12), os.urandom(length)
    sealed = ours.encrypt(nonce, data, None)
    assert sealed == theirs.encrypt(nonce, data, None)
    encrypt = {"o": lambda: ours.encrypt(nonce, data, None), "t": lambda: theirs.encrypt(nonce, data, None)}
    decrypt = {"o": lambda: ours.decrypt(nonce, sealed, None), "t": lambda: theirs.decrypt(nonce, sealed, None)}
    for name, work in (("encrypt", encrypt), ("decrypt", decrypt)):
        times = best(work, 7, seconds)
        row(f"`{name}`, {length} bytes", "`cryptography`", times["t"] / times["o"])


def together(ours: sealane.ChaCha20Poly1305, theirs: peer.ChaCha20Poly1305, length: int, seconds: float) -> None:
    count = 2000
    nonces, data = os.urandom(12 * count), os.urandom(length * count)
    pairs = [(nonces[12 * i : 12 * i + 12], data[length * i : length * (i + 1)]) for i in range(count)]

    def loop() -> None:
        for nonce, message in pairs:
            theirs.encrypt(nonce, message, None)

    times = best({"o": lambda: ours.encrypt_many(nonces, data, lengths=length), "t": loop}, 7, seconds)
    row(f"`encrypt_many`, {length} bytes", "a loop over `cryptography`", times["t"] / times["o"])


def messages(seconds: float) -> None:
    key = os.urandom(32)
    ours, theirs = sealane.ChaCha20Poly1305(key), peer.ChaCha20Poly1305(key)
    for length in (64, 1 << 10, 16 << 10, 1 << 20):
        one_by_one(ours, theirs, length, seconds)
    for length in (64, 1 << 10):
        together(ours, theirs, length, seconds)


def copies(work: dict[object, Callable[[], object]], target: str, is_new: bool) -> dict[object, float]:
    """Returns the least time of each piece of work, which creates or replaces ``target``."""

    def before() -> None:
        if is_new and os.path.exists(target):
            os.unlink(target)

    return least(work, 3, before)


def files(megabytes: int) -> None:
    identity = age.Identity.generate()
    key = pyrage.x25519.Identity.from_str(identity.to_text())
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        plain, sealed, opened = (f"{folder}/{name}" for name in ("plain", "sealed", "opened"))
        with open(plain, "wb") as file:
            file.writelines(os.urandom(1 << 20) for _ in range(megabytes))
        seal: dict[object, Callable[[], object]] = {
            "pyrage": lambda: pyrage.encrypt_file(plain, sealed, [key.to_public()]),
            1: lambda: age.encrypt_file(plain, sealed, identity.recipient, threads=1),
            2: lambda: age.encrypt_file(plain, sealed, identity.recipient, threads=2),
        }
        open_: dict[object, Callable[[], object]] = {
            "pyrage": lambda: pyrage.decrypt_file(sealed, opened, [key]),
            1: lambda: age.decrypt_file(sealed, opened, identity, threads=1),
            2: lambda: age.decrypt_file(sealed, opened, identity, threads=2),
        }
        # Replacing an old file frees its memory first, which takes time on one core.
        for is_new in (True, False):
            kind = "a new file" if is_new else "in place of an old file"
            for name, work, target in (("encrypt_file", seal, sealed), ("decrypt_file", open_, opened)):
                times = copies(work, target, is_new)
                for threads, cores in ((1, "one thread"), (2, "two threads")):
                    row(f"`{name}`, {megabytes} MiB, {kind}, {cores}", "pyrage", times["pyrage"] / times[threads])


def other_thread(megabytes: int) -> None:
    """Measures another thread's progress during encryption, as a share of its progress alone."""
    cipher, data, room = sealane.ChaCha20Poly1305(os.urandom(32)), bytes(64 << 20), bytearray((64 << 20) + 16)
    identity = age.Identity.generate()
    counted, stop = [0], threading.Event()

    def count() -> None:
        while not stop.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()

    def rate(work: Callable[[], object]) -> float:
        before, start = counted[0], time.perf_counter()
        while time.perf_counter() - start < 1:
            work()
        return (counted[0] - before) / (time.perf_counter() - start)

    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        plain, sealed, opened = (f"{folder}/{name}" for name in ("plain", "sealed", "opened"))
        with open(plain, "wb") as file:
            file.writelines(os.urandom(1 << 20) for _ in range(megabytes))
        work: dict[str, Callable[[], object]] = {
            "`encrypt_into`": lambda: cipher.encrypt_into(bytes(12), data, None, room),
            f"`encrypt_file`, {megabytes} MiB": lambda: age.encrypt_file(plain, sealed, identity.recipient, threads=1),
            f"`decrypt_file`, {megabytes} MiB": lambda: age.decrypt_file(sealed, opened, identity, threads=1),
        }
        for name, call in work.items():
            shares = []
            for _ in range(3):
                alone = rate(lambda: time.sleep(0.2))
                shares.append(rate(call) / alone)
            row(f"progress of another thread during {name}", "its progress alone", statistics.median(shares))
    stop.set()
    thread.join()


def parquet() -> None:
    identity = age.Identity.generate()
    rows = 1_000_000
    random = np.random.default_rng(1)
    table = pa.table({f"c{i}": random.integers(0, 1 << 40, rows) for i in range(6)})
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        sealed = fsspec.filesystem("age", identities=lambda: identity, recipients=str(identity.recipient))
        plain = fsspec.filesystem("file")
        path = f"{folder}/table.parquet"
        pq.write_table(table, path, row_group_size=100_000)
        with open(path, "rb") as file:
            sealed.pipe(f"{path}.age", file.read())

        def read(fs: fsspec.AbstractFileSystem, path: str, columns: list[str] | None) -> pa.Table:
            with fs.open(path) as file:
                return pq.read_table(file, columns=columns)

        for name, columns in (("all columns", None), ("one column", ["c3"])):
            assert read(plain, path, columns).equals(read(sealed, f"{path}.age", columns))
            times = best(
                {
                    "sealed": lambda columns=columns: read(sealed, f"{path}.age", columns),
                    "plain": lambda columns=columns: read(plain, path, columns),
                },
                7,
                0.1,
            )
            row(f"Parquet of 46 MiB, {name}", "plain files", times["plain"] / times["sealed"])

        plain.makedirs(f"{folder}/many")
        # A listing with `header_len` takes the headers of all files to have that length.
        padded = {"header_len": 512}
        writer = fsspec.filesystem("age", recipients=str(identity.recipient), **padded)
        for i in range(1000):
            writer.pipe(f"{folder}/many/{i}", b"data")
        for name, options in (
            ("`lazy`", {"listing_sizes": "lazy"}),
            ("`header_len`", padded),
            ("`exact`, headers known", {"listing_sizes": "exact"}),
        ):
            fs = fsspec.filesystem("age", **options)
            fs.ls(f"{folder}/many")
            times = best(
                {"o": lambda fs=fs: fs.ls(f"{folder}/many"), "t": lambda: plain.ls(f"{folder}/many", detail=True)},
                5,
                0.1,
            )
            row(f"listing of 1,000 files, {name}", "plain files", times["t"] / times["o"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=1024, help="the size of the file (default: 1024)")
    parser.add_argument("--only-files", action="store_true", help="measure nothing but files")
    parser.add_argument("--seconds", type=float, default=0.05, help="the time of a round (default: 0.05)")
    arguments = parser.parse_args()
    print("| what | to | ratio |\n|---|---|---|")
    if not arguments.only_files:
        messages(arguments.seconds)
        other_thread(arguments.megabytes)
        parquet()
    files(arguments.megabytes)


if __name__ == "__main__":
    main()
