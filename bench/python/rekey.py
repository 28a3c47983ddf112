"""Re-keys many objects on S3, kills the job on the way, and lets it go on.

Prints a table in Markdown: what each run did, how long it took, and the bytes that it moved,
headers of HTTP among them.
"""

import argparse
import multiprocessing
import os
import signal
import tempfile
import time
from typing import Any

import fsspec
import store
from sealane import age, jobs

MEBIBYTE = 1 << 20
#: The most objects that a job completes after its progress was last shown: two for each thread.
MORE = 32


def rekey(arguments: dict[str, Any], kill_after: int | None, results: Any) -> None:
    """Runs the job, in a process that kills itself after ``kill_after`` objects."""

    def progress(done: int, total: int, record: jobs.Record) -> None:
        if done == kill_after:
            os.kill(os.getpid(), signal.SIGKILL)

    report = jobs.rekey(progress=progress, **arguments).check()
    results.put((report.count("done"), report.count("unchanged")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=1000, help="the number of objects (default: 1000)")
    parser.add_argument("--megabytes", type=int, default=6, help="the size of each (default: 6)")
    parser.add_argument("--kill-after", type=int, default=240, help="objects before the kill (default: 240)")
    arguments = parser.parse_args()
    old, new = age.Identity.generate(), age.Identity.generate()
    context = multiprocessing.get_context("spawn")

    with store.running() as server, tempfile.TemporaryDirectory() as folder:
        with open(os.open(f"{folder}/old.txt", os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(old.to_text() + "\n")
        fs = fsspec.filesystem("s3", **server.options, use_listings_cache=False)
        fs.mkdir("lake")
        data = os.urandom(arguments.megabytes * MEBIBYTE)
        for i in range(arguments.objects):
            fs.pipe(f"lake/data/{i}", age.encrypt(data, old.recipient))
        call = {
            "sources": "s3://lake/data/",
            "identities": f"file:{folder}/old.txt",
            "recipients": str(new.recipient),
            "ledger": f"{folder}/ledger",
            "storage_options": server.options,
        }
        print("| run | ended | seconds | MB moved |\n|---|---|---|---|")
        total = 0
        for name, kill_after in (("killed", arguments.kill_after), ("goes on", None), ("again", None)):
            results = context.Queue()
            process = context.Process(target=rekey, args=(call, kill_after, results))
            before, start = server.moved(), time.perf_counter()
            process.start()
            if kill_after is None:
                done, unchanged = results.get(timeout=600)
                ended = f"{done} re-keyed, {unchanged} unchanged"
                # The threads of the killed job completed some more objects.
                least = arguments.objects if name == "again" else arguments.kill_after
                assert done + unchanged == arguments.objects and least <= unchanged <= least + MORE, ended
            process.join()
            seconds, moved = time.perf_counter() - start, server.moved() - before
            assert process.exitcode == (0 if kill_after is None else -signal.SIGKILL), process.exitcode
            if kill_after is not None:
                ended = f"killed after {kill_after}"
            total += moved
            print(f"| {name} | {ended} | {seconds:.0f} | {moved / 1e6:.0f} |", flush=True)
        each = total / arguments.objects
        share = each / (2 * 64 * MEBIBYTE)
        print(f"\n{each / 1e6:.1f} MB an object: {share:.1%} of download and upload at 64 MiB")
        for i in range(0, arguments.objects, max(1, arguments.objects // 10)):
            assert age.decrypt(fs.cat(f"lake/data/{i}"), new) == data


if __name__ == "__main__":
    main()
