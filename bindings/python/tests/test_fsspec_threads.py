"""Threads that share a file of the filesystem, and those that resolve references."""

import asyncio
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor

import fsspec
import pytest
from fsspec.asyn import get_loop
from fsspec.callbacks import Callback

import sealane.fsspec  # noqa: F401
from keys import OPTIONS


def test_threads_share_a_file(tmp_path):
    """Each thread seeks and reads, as DuckDB does."""
    fs = fsspec.filesystem("age", **OPTIONS)
    path = f"{tmp_path}/shared"
    data = os.urandom(1 << 20)
    fs.pipe(path, data)
    interval = sys.getswitchinterval()
    with fs.open(path, cache_type="chunks") as file, ThreadPoolExecutor(8) as pool:

        def differences(seed):
            generator = random.Random(seed)
            wrong = 0
            for _ in range(200):
                start = generator.randrange(len(data))
                length = generator.choice([1, 1000, 70_000])
                file.seek(start)
                wrong += file.read(length) != data[start : start + length]
            return wrong

        sys.setswitchinterval(1e-5)
        try:
            assert list(pool.map(differences, range(8))) == [0] * 8
        finally:
            sys.setswitchinterval(interval)


def test_threads_share_a_position(tmp_path):
    """Threads that read without seeking continue from the end of the last read.

    Each pool is one thread, so it is certain which thread has sought."""
    fs = fsspec.filesystem("age", **OPTIONS)
    path = f"{tmp_path}/shared"
    data = os.urandom(300_000)
    fs.pipe(path, data)
    with (
        fs.open(path, cache_type="chunks") as file,
        ThreadPoolExecutor(1) as seeker,
        ThreadPoolExecutor(1) as reader,
    ):
        assert file.seek(-100, os.SEEK_END) == len(data) - 100 == file.tell()
        assert seeker.submit(file.seek, 10).result() == 10
        assert reader.submit(file.read, 10).result() == data[10:20]
        assert [file.read(10), seeker.submit(file.read, 10).result()] == [data[20:30], data[30:40]]
        assert file.seek(50) == 50
        assert [reader.submit(file.read, 10).result(), file.read(10)] == [data[50:60], data[60:70]]
        # A thread that has sought and not read yet keeps its place if others seek before they read.
        file.seek(500)
        assert seeker.submit(lambda: (file.seek(900), file.read(10))[1]).result() == data[900:910]
        assert file.read(10) == data[500:510]
        assert (file.seek(len(data) + 5), file.read(3), file.read()) == (len(data) + 5, b"", b"")


def test_the_position_of_a_thread(tmp_path):
    """Another thread that seeks and reads in between changes nothing for this one."""
    fs = fsspec.filesystem("age", **OPTIONS)
    path = f"{tmp_path}/shared"
    data = os.urandom(300_000)
    fs.pipe(path, data)
    with fs.open(path, cache_type="chunks") as file, ThreadPoolExecutor(1) as pool:
        file.seek(100)
        pool.submit(file.seek, 5000).result()
        assert file.seek(10, os.SEEK_CUR) == 110
        file.seek(100)
        pool.submit(lambda: (file.seek(5000), file.read(1), file.seek(200_000))).result()
        assert (file.tell(), file.tell()) == (100, 100)
        assert pool.submit(file.tell).result() == 200_000
        assert file.read(10) == data[100:110]
        assert file.tell() == 110


# Reads or writes many files at once, while functions that are references need the executor of
# fsspec's loop.
REFERENCES = """
import asyncio, os, sys
import fsspec
from fsspec.asyn import get_loop, sync
import sealane.fsspec
from keys import IDENTITY, OTHER

def resolve(key):
    return sync(get_loop(), asyncio.to_thread, lambda: [key])

case, folder = sys.argv[1:]
found = iter([OTHER] if case == "other identities" else [])
fs = fsspec.filesystem(
    "age",
    target_protocol="memory",
    identities=lambda: resolve(next(found, IDENTITY)),
    recipients=lambda: resolve(IDENTITY.recipient) if case in ("pipe", "put") else IDENTITY.recipient,
)
if case == "put":
    for index in range(64):
        with open(f"{folder}/{index}", "wb") as file:
            file.write(b"data")
    fs.put(folder, "/lake", recursive=True)
else:
    fs.pipe({f"/lake/{index}": b"data" for index in range(64)})
if case == "other identities":
    try:
        fs.cat("/lake/0")
    except sealane.age.NoMatchError:
        pass
assert list(fs.cat("/lake/*").values()) == [b"data"] * 64
"""


@pytest.mark.parametrize("case", ["identities", "other identities", "pipe", "put"])
def test_references_that_use_the_loop(case, tmp_path):
    command = [sys.executable, "-c", REFERENCES, case, str(tmp_path)]
    subprocess.run(command, check=True, timeout=60, env={**os.environ, "PYTHONPATH": os.path.dirname(__file__)})


def test_a_download_does_not_block_the_loop(tmp_path, monkeypatch):
    fs = fsspec.filesystem("age", target_protocol="memory", **OPTIONS)
    data = os.urandom(300_000)
    fs.pipe("/downloaded", data)

    def is_in_loop():
        return asyncio._get_running_loop() is get_loop()

    class Output:
        written = b""

        def write(self, step):
            assert not is_in_loop()
            self.written += step

    output, sync, synced = Output(), os.fsync, []
    fs.get_file("/downloaded", output)
    assert output.written == data
    monkeypatch.setattr(os, "fsync", lambda descriptor: (synced.append(is_in_loop()), sync(descriptor)))
    fs.get("/downloaded", str(tmp_path / "a"))
    assert (tmp_path / "a").read_bytes() == data and synced and not any(synced)
    assert os.listdir(tmp_path) == ["a"]


def test_a_cancelled_download_leaves_no_temporary_file(tmp_path):
    """The file is complete, and no thread is free to move it into place."""
    fs = fsspec.filesystem("age", target_protocol="memory", **OPTIONS)
    fs.pipe("/downloaded", b"data")
    go_on = threading.Event()

    class Cancelling(Callback):
        def absolute_update(self, value):
            for _ in range(64):
                get_loop().run_in_executor(None, go_on.wait)
            asyncio.current_task().cancel()

    path = str(tmp_path / "a")
    download = asyncio.run_coroutine_threadsafe(fs._get_file("/downloaded", path, callback=Cancelling()), get_loop())
    try:
        with pytest.raises(CancelledError):
            download.result(60)
        assert os.listdir(tmp_path) == []
    finally:
        go_on.set()


def test_a_cancelled_upload_leaves_no_temporary_file(tmp_path, monkeypatch):
    fs = fsspec.filesystem("age", target_protocol="memory", **OPTIONS)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    upload = asyncio.run_coroutine_threadsafe(fs._put_file(pipe, "/cancelled"), get_loop())
    # Returns when the upload has opened the pipe.
    with open(pipe, "wb") as source:
        source.write(b"data")
        source.flush()
        upload.cancel()
    deadline = time.monotonic() + 10
    while (left := os.listdir(tmp_path / "temporary")) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not left and not fs.exists("/cancelled")
