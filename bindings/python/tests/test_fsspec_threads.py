"""A file of the filesystem that several threads read."""

import os
import random
import sys
from concurrent.futures import ThreadPoolExecutor

import fsspec

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
