"""The filesystem over S3: requests and bytes, versions of objects, caches, wrong keys and damage."""

import io

import fsspec
import pyarrow as pa
import pyarrow.parquet
import pytest

from keys import IDENTITY, OPTIONS, WRONG
from sealane import age
from sealane.fsspec._ranges import END, open_end

CHUNK, SEALED_CHUNK = 65_536, 65_552
DATA = bytes(range(256)) * 4096  # 1 MiB
# botocore itself uses what Python deprecates.
pytestmark = pytest.mark.filterwarnings("default")


def range_len(request):
    """Returns the number of bytes that a request asks for."""
    start, _, stop = request.range.removeprefix("bytes=").partition("-")
    return int(stop) - int(start) + 1


def test_by_url(s3):
    url = f"{s3.url}/folder/a.age"
    with fsspec.open(url, "wb", **s3.storage) as file:
        file.write(DATA)
    sealed = s3.plain.cat(f"{s3.bucket}/folder/a.age")
    assert sealed.startswith(b"age-encryption.org/v1\n") and age.decrypt(sealed, IDENTITY) == DATA
    with fsspec.open(url, **s3.storage) as file:
        file.seek(700_000)
        assert file.read(1000) == DATA[700_000:701_000]
    fs, path = fsspec.url_to_fs(url, **s3.storage)
    assert fs.info(path)["size"] == len(DATA) and fs.info(path)["sealed_size"] == len(sealed)
    assert fs.glob(f"{s3.bucket}/**/*.age") == [path]


def test_several_parts_are_uploaded(s3, sealed_s3):
    """A file that takes several S3 parts is written in pieces, and is abandoned in the middle."""
    path, fs = f"{s3.bucket}/parts", sealed_s3()
    data = DATA * 12
    with fs.open(path, "wb", block_size=5 << 20) as file:
        for start in range(0, len(data), 1_000_000):
            file.write(data[start : start + 1_000_000])
    assert len([one for one in s3.requests if one.method == "PUT"]) >= 2
    assert sealed_s3().cat(path) == data
    with pytest.raises(ZeroDivisionError), fs.open(path, "wb", block_size=5 << 20) as file:
        file.write(data)
        raise ZeroDivisionError
    assert sealed_s3().cat(path) == data


@pytest.mark.parametrize("size", [0, 1, CHUNK, len(DATA)])
def test_a_cold_object_costs_one_request_more(s3, sealed_s3, size):
    """The same ranges are read from sealed and plain objects."""
    s3.plain.pipe(f"{s3.bucket}/plain", DATA[:size])
    sealed_s3().pipe(f"{s3.bucket}/sealed", DATA[:size])
    starts, stops = [0, 10, 300_000, 900_000], [10, 20, 300_100, 950_000]

    def count(fs, name):
        s3.requests.clear()
        path = f"{s3.bucket}/{name}"
        with fs.open(path, cache_type="none") as file:
            for start, stop in zip(starts, stops, strict=True):
                file.seek(start)
                assert file.read(stop - start) == DATA[:size][start:stop]
        opened = len(s3.requests)
        # s3fs fails for ranges beyond the end.
        inside = [(start, stop) for start, stop in zip(starts, stops, strict=True) if stop <= size]
        ranges = fs.cat_ranges([path] * len(inside), [start for start, _ in inside], [stop for _, stop in inside])
        assert ranges == [DATA[start:stop] for start, stop in inside]
        return opened, len(s3.requests) - opened

    plain = count(s3.plain, "plain")
    sealed = count(sealed_s3(), "sealed")
    assert 0 < sealed[0] <= plain[0] + 1
    # The header is known by now.
    assert sealed[1] <= plain[1]


def test_bytes_of_ranges(s3, sealed_s3):
    """A range fetches its own bytes, at most 128 KiB more, and the tag of each chunk."""
    sealed_s3().pipe(f"{s3.bucket}/a", DATA)
    fs = sealed_s3()
    fs.cat_file(f"{s3.bucket}/a", 0, 1)
    for start, length in (
        (0, 1),
        (CHUNK - 1, 2),
        (CHUNK, CHUNK),
        (1, 3 * CHUNK),
        (500_000, 100_000),
        (len(DATA) - 1, 1),
    ):
        s3.requests.clear()
        assert fs.cat_file(f"{s3.bucket}/a", start, start + length) == DATA[start : start + length]
        [request] = s3.gets(f"{s3.bucket}/a")
        tags = 16 * (request.sent // SEALED_CHUNK)
        assert request.sent == range_len(request) and length <= request.sent - tags < length + (128 << 10)


def test_columns_of_parquet(s3, sealed_s3, flights):
    """Reading one column takes one request and few bytes more than with a plain object."""
    table = io.BytesIO()
    pa.parquet.write_table(flights, table, row_group_size=100_000)
    s3.plain.pipe(f"{s3.bucket}/plain", table.getvalue())
    sealed_s3().pipe(f"{s3.bucket}/sealed", table.getvalue())
    found = {}
    for name, fs in (("plain", s3.plain), ("sealed", sealed_s3())):
        s3.requests.clear()
        with fs.open(f"{s3.bucket}/{name}", **({"cache_type": "none"} if name == "plain" else {})) as file:
            read = pa.parquet.read_table(file, columns=["air_time"], pre_buffer=False)
        assert read.equals(flights.select(["air_time"]))
        found[name] = (len(s3.requests), s3.gets(f"{s3.bucket}/{name}"))
    assert found["sealed"][0] <= found["plain"][0] + 1
    asked = sum(range_len(one) for one in found["plain"][1])
    ranges = found["sealed"][1]
    assert sum(one.sent for one in ranges) <= asked + len(ranges) * (128 << 10)


def test_the_end_of_parquet_is_asked_for_with_its_start(s3, sealed_s3):
    """Parquet readers read the end first, so it is fetched in the same round trip as the header."""
    path = f"{s3.bucket}/a.parquet"
    sealed_s3().pipe(path, DATA)

    def footer(fs):
        s3.requests.clear()
        with fs.open(path) as file:
            opened = sorted((one.method, one.range) for one in s3.requests)
            file.seek(-CHUNK, io.SEEK_END)
            assert file.read() == DATA[-CHUNK:]
        assert len(s3.requests) == len(opened)
        return opened

    fs = sealed_s3()
    end = f"bytes=-{END}"
    assert footer(fs) == [("GET", end), ("GET", "bytes=0-4095"), ("HEAD", None)]
    assert footer(fs) == [("GET", end), ("HEAD", None)]
    # Counts the requests for information, and for a file that is verified when it is opened.
    s3.requests.clear()
    assert sealed_s3().info(path)["size"] == len(DATA)
    assert sorted(one.method for one in s3.requests) == ["GET", "HEAD"]
    other = f"{s3.bucket}/other"
    sealed_s3().pipe(other, DATA)
    s3.requests.clear()
    fs = sealed_s3(verify_end=True)
    fs.open(other)
    assert sorted(str(one.range) for one in s3.requests) == ["None", end, "bytes=0-4095"]
    fs.open(other)
    assert len(s3.requests) == 4


@pytest.mark.parametrize("size", [0, 1, CHUNK, CHUNK + 1, 2 * CHUNK, 5 * CHUNK + 100])
def test_the_end_of_an_object(size):
    data = DATA[:size]
    sealed = age.encrypt(data, IDENTITY.recipient)
    preamble = age.Preamble.parse(sealed)
    key, payload_size = preamble.unlock([IDENTITY]), len(sealed) - preamble.length
    end = open_end(key, size, payload_size, sealed[-END:])
    assert len(end) >= min(size, CHUNK + 1) and data.endswith(end)
    # The end belongs to another version, or is cut short.
    assert open_end(key, size, payload_size, bytes(END)) is None
    assert open_end(key, size, payload_size, sealed[-15:]) is None


def test_listings(s3, sealed_s3):
    """Listings without sizes, or with fixed headers, take as many requests as plain ones."""
    fs = sealed_s3(header_len=500)
    names = [f"{s3.bucket}/many/{number}" for number in range(40)]
    fs.pipe({name: b"data" for name in names})
    s3.requests.clear()
    assert len(s3.plain.find(f"{s3.bucket}/many")) == 40
    plain = len(s3.requests)
    assert plain > 0
    for options, size in (
        ({"listing_sizes": "lazy"}, None),
        ({"header_len": 500}, 4),
        ({"listing_sizes": "sealed"}, 536),
    ):
        s3.requests.clear()
        found = sealed_s3(**options).find(f"{s3.bucket}/many", detail=True)
        assert sorted(found) == sorted(names) and {info["size"] for info in found.values()} == {size}
        assert len(s3.requests) == plain
    # Exact sizes need the header of each object, once.
    fs = sealed_s3()
    s3.requests.clear()
    for _ in range(2):
        assert fs.du(f"{s3.bucket}/many") == 160
    assert len([one for one in s3.requests if one.range]) == 40


def test_headers_are_remembered_by_version(s3, sealed_s3):
    path = f"{s3.bucket}/a"
    sealed_s3().pipe(path, DATA)
    fs = sealed_s3(use_listings_cache=True)
    assert fs.open(path).read(1) == DATA[:1]
    s3.requests.clear()
    # A listing and a HEAD request report the same version.
    fs.ls(s3.bucket)
    with fs.open(path) as file:
        assert s3.gets(path) == []
        assert file.read(1) == DATA[:1]
    assert len(s3.gets(path)) == 1
    # Somebody else writes another object of the same length, which the version reveals.
    size = fs.info(path)["sealed_size"]
    other = DATA[1:] + b"!"
    sealed_s3().pipe(path, other)
    fs.target.invalidate_cache()
    s3.requests.clear()
    with fs.open(path) as file:
        assert fs.info(path)["sealed_size"] == size
        assert len(s3.gets(path)) == 1
        assert file.read() == other


@pytest.mark.parametrize("length", [len(DATA), len(DATA) - 100_000, 10])
def test_objects_that_are_replaced_behind_a_listing(s3, sealed_s3, length):
    """s3fs caches listings, so its information about an object may be outdated."""
    path, new = f"{s3.bucket}/a", DATA[::-1][:length]
    fs = sealed_s3(use_listings_cache=True)
    fs.pipe(path, DATA)
    assert fs.ls(s3.bucket, detail=True)[0]["size"] == len(DATA)
    assert fs.cat_file(path, 0, 10) == DATA[:10]
    sealed_s3().pipe(path, new)
    assert fs.cat_ranges([path, path], [0, -5], [5, None]) == [new[:5], new[-5:]]
    assert fs.info(path)["size"] == length
    # An open file fails, and the next one has the new version.
    sealed_s3().pipe(path, DATA)
    with fs.open(path) as file:
        assert file.read(10) == DATA[:10]
    fs.ls(s3.bucket)
    sealed_s3().pipe(path, new)
    with pytest.raises((age.PayloadError, OSError)), fs.open(path) as file:
        file.seek(900_000)
        file.read(10)
    with fs.open(path) as file:
        assert file.read() == new


def test_wrong_keys(s3, sealed_s3):
    path = f"{s3.bucket}/a"
    sealed_s3().pipe(path, DATA)
    fs = sealed_s3(**WRONG)
    for read in (fs.cat, fs.open, lambda path: fs.cat_file(path, 1, 2), lambda path: fs.get_file(path, io.BytesIO())):
        with pytest.raises(age.NoMatchError):
            read(path)
    assert fs.info(path)["size"] == len(DATA)
    with pytest.raises(age.NoMatchError):
        fsspec.open(f"{s3.url}/a", **{**s3.storage, **WRONG}).open()


def change(s3, path, work):
    sealed = bytearray(s3.plain.cat(path))
    work(sealed)
    s3.plain.pipe(path, bytes(sealed))


def test_damaged_objects(s3, sealed_s3):
    path = f"{s3.bucket}/a"

    def flip(sealed):
        sealed[-700_000] ^= 1

    def cut(sealed):
        del sealed[-5 * SEALED_CHUNK :]

    def cut_header(sealed):
        del sealed[100:]

    for work, error in ((flip, age.PayloadError), (cut, age.PayloadError), (cut_header, age.HeaderError)):
        sealed_s3().pipe(path, DATA)
        change(s3, path, work)
        for read in (
            sealed_s3().cat,
            lambda path: sealed_s3().open(path).read(),
            lambda path: sealed_s3().get_file(path, io.BytesIO()),
        ):
            with pytest.raises(error):
                read(path)
    # Undamaged files can be read.
    sealed_s3().pipe(path, DATA)
    change(s3, path, flip)
    assert sealed_s3().cat_file(path, 0, 1000) == DATA[:1000]


@pytest.mark.parametrize("cache", ["simplecache", "filecache"])
def test_a_cache_below_holds_ciphertext(s3, sealed_s3, tmp_path, cache):
    """In the other order, the cache writes plaintext to the disk."""
    sealed_s3().pipe(f"{s3.bucket}/a", DATA)
    for chain, is_plaintext in ((f"age::{cache}::s3://", False), (f"{cache}::age::s3://", True)):
        folder = tmp_path / chain.partition(":")[0]
        options = {cache: {"cache_storage": str(folder)}, "age": OPTIONS, "s3": s3.options}
        for _ in range(2):
            with fsspec.open(f"{chain}{s3.bucket}/a", **options) as file:
                assert file.read() == DATA
        stored = [file.read_bytes() for file in folder.rglob("*") if file.is_file()]
        assert stored
        assert any(DATA[:1000] in data for data in stored) == is_plaintext
        assert any(data.startswith(b"age-encryption.org/v1\n") for data in stored) != is_plaintext
