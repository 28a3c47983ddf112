"""``open_age`` with URLs: in memory, on this machine and on S3, with wrong keys and damage."""

import io
import sys
from pathlib import Path

import fsspec
import pytest

from keys import IDENTITY, OTHER
from sealane import age, aio

DATA = bytes(range(256)) * 4096 * 12  # 12 MiB
SEALED = age.encrypt(DATA, IDENTITY.recipient)
# botocore itself uses what Python deprecates.
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(params=["memory", "file", "s3"])
def place(request, tmp_path):
    """A function that stores an object, and returns its URL and the options of the filesystem."""
    if request.param == "s3":
        s3 = request.getfixturevalue("s3")
        prefix, options = f"s3://{s3.bucket}", s3.options
    elif request.param == "file":
        prefix, options = f"file://{tmp_path}", {"auto_mkdir": True}
    else:
        prefix, options = f"memory://{tmp_path}", {}

    def put(data, name="a.age"):
        url = f"{prefix}/{name}"
        fs, path = fsspec.url_to_fs(url, **options)
        fs.pipe_file(path, data)
        return url, options

    return put


def test_any_position(place):
    url, options = place(SEALED)
    with age.open_age(url, IDENTITY, storage_options=options) as file:
        assert file.seekable() and file.plaintext_len() == len(DATA)
        for position in (0, 65_530, len(DATA) - 5, 1_000_000):
            assert file.seek(position) == position
            assert file.read(1000) == DATA[position : position + 1000]
        file.seek(0)
        assert file.read() == DATA
    with pytest.raises(ValueError, match="closed file"):
        file.read(1)
    armored, _ = place(age.encrypt(DATA[:100_000], IDENTITY.recipient, armor=True), "b.age")
    with age.open_age(armored, IDENTITY, storage_options=options) as file:
        assert not file.seekable() and file.read() == DATA[:100_000]


async def test_async(place):
    url, options = place(SEALED)
    async with await aio.open_age(url, IDENTITY, storage_options=options) as file:
        await file.seek(11)
        assert await file.read(12) == DATA[11:23]


def test_wrong_key(place):
    url, options = place(SEALED)
    with pytest.raises(age.NoMatchError):
        age.open_age(url, OTHER, storage_options=options)


@pytest.mark.parametrize("position", [5_000_000, len(SEALED) - 1])
def test_damage(place, position):
    damaged = bytearray(SEALED)
    damaged[position] ^= 1
    url, options = place(bytes(damaged))
    with age.open_age(url, IDENTITY, storage_options=options) as file, pytest.raises(age.PayloadError):
        while file.read(1 << 20):
            pass
    cut, options = place(SEALED[: -(1 << 20)], "cut.age")
    with age.open_age(cut, IDENTITY, storage_options=options) as file, pytest.raises(age.PayloadError):
        file.seek(0, io.SEEK_END)


def test_a_missing_object(place):
    url, options = place(SEALED)
    with pytest.raises(FileNotFoundError):
        age.open_age(url + ".other", IDENTITY, storage_options=options)


def test_a_short_range_is_not_the_whole_object(s3):
    s3.plain.pipe_file(f"{s3.bucket}/a.age", SEALED)
    s3.requests.clear()
    with age.open_age(f"s3://{s3.bucket}/a.age", IDENTITY, storage_options=s3.options) as file:
        file.read(10)
    assert 0 < sum(one.sent for one in s3.gets(f"{s3.bucket}/a.age")) < len(SEALED) // 2


def test_the_file_of_a_url_is_closed(tmp_path, monkeypatch):
    opened = []

    def open_file(self, *args, **options):
        opened.append(open(tmp_path / "a.age", "rb"))
        return opened[-1]

    (tmp_path / "a.age").write_bytes(SEALED)
    monkeypatch.setattr(fsspec.get_filesystem_class("memory"), "open", open_file)
    with age.open_age("memory://a.age", IDENTITY) as file:
        assert file.read(3) == DATA[:3] and not opened[0].closed
    assert opened[0].closed
    with pytest.raises(age.NoMatchError):
        age.open_age("memory://a.age", OTHER)
    assert opened[1].closed


def test_a_chain_of_urls(tmp_path):
    (tmp_path / "a.age").write_bytes(SEALED)
    options = {"simplecache": {"cache_storage": str(tmp_path / "cache")}}
    with age.open_age(f"simplecache::file://{tmp_path}/a.age", IDENTITY, storage_options=options) as file:
        assert file.read(10) == DATA[:10]
    [cached] = [path for path in (tmp_path / "cache").iterdir() if path.name != "cache"]
    assert cached.read_bytes() == SEALED


def test_a_path_is_no_url(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("memory:").mkdir()
    Path("memory:/a.age").write_bytes(SEALED)
    for path in (Path("memory://a.age"), "./memory://a.age", tmp_path / "memory:" / "a.age"):
        with age.open_age(path, IDENTITY) as file:
            assert file.read(10) == DATA[:10]
        with pytest.raises(ValueError, match="for URLs"):
            age.open_age(path, IDENTITY, storage_options={})


def test_without_fsspec(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ImportError, match=r"s3://a/b is a URL, which needs fsspec: pip install 'sealane\[fsspec\]'"):
        age.open_age("s3://a/b", IDENTITY)
