"""Compares reads of sealed Parquet with reads of plain Parquet on S3. Each request is delayed.

Prints a table in Markdown. For each read it has the time, the bytes moved, and the time relative to
the plain file's: read with s3fs's cache, without it, and by `fsspec.parquet`, which requests all
pieces of the columns at once. The reads take turns, and the shortest time of each counts. For a
cold read, the filesystem is new and has no header in its cache.
"""

import argparse
from typing import Any

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import store
from fsspec.parquet import open_parquet_file
from sealane import age
from sealane.fsspec import AgeFileSystem
from turns import least

MILLION = 1_000_000


def table_of(columns: int, rows: int) -> pa.Table:
    random = np.random.default_rng(1)
    return pa.table({f"c{i}": random.integers(0, 1 << 40, rows) for i in range(columns)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delay", type=float, default=10, help="milliseconds of delay for each request (default: 10)")
    parser.add_argument("--rounds", type=int, default=15, help="rounds (default: 15)")
    arguments = parser.parse_args()
    identity = age.Identity.generate()

    with store.running(arguments.delay / 1000) as server:
        plain = fsspec.filesystem("s3", **server.options, use_listings_cache=False)
        plain.mkdir("lake")
        keys: dict[str, Any] = {"identities": lambda: identity, "recipients": str(identity.recipient)}

        def sealed() -> AgeFileSystem:
            """Returns a filesystem that knows no headers. It uses the connections of ``plain``."""
            return AgeFileSystem(plain, **keys, skip_instance_cache=True)

        known = sealed()
        sink = pa.BufferOutputStream()
        pq.write_table(table_of(6, MILLION), sink, row_group_size=100_000)
        plain.pipe("lake/plain.parquet", sink.getvalue().to_pybytes())
        known.pipe("lake/sealed.parquet", sink.getvalue().to_pybytes())

        # This filesystem has no cache. The default cache of s3fs reads 50 MiB ahead.
        exact = fsspec.filesystem("s3", **server.options, use_listings_cache=False, default_cache_type="none")
        print("| columns | file | ms | MB moved | × plain | × plain without a cache | × plain at once |")
        print("|---|---|---|---|---|---|---|")
        for name, columns in (("all", None), ("one of six", ["c3"])):

            def read(fs: Any, path: str, columns: list[str] | None = columns) -> pa.Table:
                return pq.read_table(path, filesystem=fs, columns=columns)

            def at_once(fs: Any, path: str, columns: list[str] | None = columns) -> pa.Table:
                with open_parquet_file(path, fs=fs, columns=columns, engine="pyarrow") as file:
                    return pq.read_table(file, columns=columns)

            whole = read(plain, "lake/plain.parquet")
            assert whole.equals(read(known, "lake/sealed.parquet"))
            assert whole.equals(at_once(known, "lake/sealed.parquet"))
            work = {
                "plain": lambda: read(plain, "lake/plain.parquet"),
                "plain, no cache": lambda: read(exact, "lake/plain.parquet"),
                "plain, at once": lambda: at_once(plain, "lake/plain.parquet"),
                "sealed, known": lambda: read(known, "lake/sealed.parquet"),
                "sealed, cold": lambda: read(sealed(), "lake/sealed.parquet"),
                "sealed, known, at once": lambda: at_once(known, "lake/sealed.parquet"),
                "sealed, cold, at once": lambda: at_once(sealed(), "lake/sealed.parquet"),
            }
            times = least(work, arguments.rounds)
            for file, call in work.items():
                before = server.moved()
                call()
                moved = (server.moved() - before) / 1e6
                plain_times = [times[of] for of in ("plain", "plain, no cache", "plain, at once")]
                ratios = " | ".join(f"{times[file] / time:.2f}" for time in plain_times)
                print(f"| {name} | {file} | {times[file] * 1000:.0f} | {moved:.1f} | {ratios} |")


if __name__ == "__main__":
    main()
