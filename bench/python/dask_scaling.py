"""Measures how jobs and sums over sealed files scale from one worker of Dask to two.

Prints a Markdown table: the time with one worker divided by the time with two. Both take turns, and
the shortest time of several rounds counts. Each worker has one thread and is pinned to a core.
Hashing in memory, without files, shows what the machine can do. Plain files show what Dask can do.
"""

import argparse
import hashlib
import os
import pathlib
import tempfile
from collections.abc import Callable
from typing import Any

import dask.dataframe as dd
import distributed
import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import sealane.fsspec  # noqa: F401, registers age::
from sealane import age, jobs
from turns import least

MEBIBYTE = 1 << 20


def hashed(seed: int) -> str:
    """Hashes 64 MiB. ``hashlib`` releases the interpreter's lock (GIL) meanwhile."""
    return hashlib.sha256(bytes([seed % 256]) * (64 * MEBIBYTE)).hexdigest()


def pinned(cores: list[int]) -> distributed.Client:
    """Returns a client of a new cluster with a worker pinned to each of the cores."""
    cluster = distributed.LocalCluster(
        n_workers=len(cores), threads_per_worker=1, dashboard_address=None, memory_limit=0, silence_logs="ERROR"
    )
    client = distributed.Client(cluster)
    for core, worker in zip(cores, sorted(client.scheduler_info(n_workers=-1)["workers"]), strict=True):
        client.run(os.sched_setaffinity, 0, {core}, workers=[worker])
    return client


def ratio(work: dict[int, Callable[[], object]], rounds: int) -> float:
    """Returns the time with one worker divided by the time with two."""
    # Warms up.
    least(work, 1)
    times = least(work, rounds)
    return times[1] / times[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=24, help="the number of files (default: 24)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds (default: 3)")
    arguments = parser.parse_args()
    # The workers import `hashed` from this module, because they do not have this `__main__`.
    import dask_scaling

    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        raise SystemExit("two cores are needed")
    identity = age.Identity.generate()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        with open(os.open(f"{folder}/key.txt", os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(identity.to_text() + "\n")
        options = {"identities": f"file:{folder}/key.txt"}
        sealed = fsspec.filesystem("age", recipients=str(identity.recipient), **options)
        for name in ("bytes", "plain", "sealed"):
            os.mkdir(f"{folder}/{name}")
        random = np.random.default_rng(1)
        table = pa.table({f"c{i}": random.integers(0, 1 << 40, MEBIBYTE) for i in range(4)})
        pq.write_table(table, f"{folder}/one", row_group_size=MEBIBYTE // 4)
        contents, parquet = os.urandom(64 * MEBIBYTE), pathlib.Path(f"{folder}/one").read_bytes()
        for i in range(arguments.files):
            sealed.pipe(f"{folder}/bytes/{i}", contents)
            sealed.pipe(f"{folder}/sealed/{i}.parquet", parquet)
            os.link(f"{folder}/one", f"{folder}/plain/{i}.parquet")

        clients = {1: pinned(cores[:1]), 2: pinned(cores)}

        def hashes(client: distributed.Client) -> Any:
            return client.gather(client.map(dask_scaling.hashed, range(arguments.files), pure=False))

        def verify(client: distributed.Client) -> Any:
            with tempfile.TemporaryDirectory(dir="/dev/shm") as ledger:
                sources = f"file://{folder}/bytes"
                return jobs.verify(sources, ledger=ledger, runner="dask", client=client, **options).check()

        def total(client: distributed.Client, name: str) -> Any:
            url, storage = f"file://{folder}/plain/*.parquet", None
            if name == "sealed":
                url, storage = f"age::file://{folder}/sealed/*.parquet", {"age": options}
            with client.as_current():
                return dd.read_parquet(url, storage_options=storage).sum().compute()

        assert total(clients[1], "plain").equals(total(clients[2], "sealed"))
        print(f"| {arguments.files} tasks on Dask | one worker by two |\n|---|---|")
        rows: dict[str, Callable[[distributed.Client], Any]] = {
            "hash 64 MiB in memory": hashes,
            "`jobs.verify` of a file of 64 MiB": verify,
            "sum of a plain Parquet file of 32 MiB": lambda client: total(client, "plain"),
            "sum of a sealed Parquet file of 32 MiB": lambda client: total(client, "sealed"),
        }
        for name, call in rows.items():
            work = {count: lambda call=call, client=client: call(client) for count, client in clients.items()}
            print(f"| {name} | {ratio(work, arguments.rounds):.2f} |", flush=True)
        for client in clients.values():
            client.close()
            client.cluster.close()


if __name__ == "__main__":
    main()
