"""A file of which only the header and a tag are left does not seem empty, and no file seems shorter.

Most readers and engines skip a file whose size is 0, and read nothing of it."""

import os

import dask.bag
import duckdb
import fsspec
import pytest

import sealane.fsspec
from keys import IDENTITY, OPTIONS, WRONG
from sealane import age

DATA = b"account,balance\nalice,1000000\n" * 5000
CHUNK = 65536
TAG = 16


pytestmark = pytest.mark.usefixtures("empty_memory")


@pytest.fixture(params=["file", "memory"])
def place(request, tmp_path):
    """A filesystem below the sealed one, and a folder in it."""
    fs = fsspec.filesystem(request.param)
    folder = f"{tmp_path}/cut" if request.param == "file" else "/cut"
    fs.makedirs(folder)
    return fs, folder


def over(place, **options):
    options = OPTIONS | {"skip_instance_cache": True} | options
    return sealane.fsspec.AgeFileSystem(fs=place[0], **options)


def cut(length):
    """Returns a sealed file with the first bytes of its chunks."""
    sealed = age.encrypt(DATA, IDENTITY.recipient)
    return sealed[: age.inspect(sealed).header_len + 16 + length]


def text_of(fs, path):
    connection = duckdb.connect()
    connection.register_filesystem(fs)
    return connection.sql(f"SELECT content FROM read_text('age://{path}')").fetchall()


# The end of files with the second name is fetched when they are opened.
@pytest.mark.parametrize("name", ["x.csv", "x.zip"])
@pytest.mark.parametrize("tag", ["first bytes", "random"])
@pytest.mark.parametrize("is_listed", [False, True])
def test_a_file_that_is_cut_to_a_tag(place, name, tag, is_listed):
    path = f"{place[1]}/{name}"
    place[0].pipe(path, cut(TAG) if tag == "first bytes" else cut(0) + os.urandom(TAG))
    for work in (
        lambda fs: fs.open(path).read(),
        lambda fs: fs.open(path, "rt").read(),
        lambda fs: fs.read_text(path),
        lambda fs: fs.cat(path),
        lambda fs: fs.cat_file(path, 0, 5),
        lambda fs: fs.cat_ranges([path], [0], [5], on_error="raise"),
        lambda fs: fs.get(path, f"{path}.got"),
    ):
        fs = over(place)
        if is_listed:
            fs.ls(place[1])
        with pytest.raises(age.PayloadError, match="cut short"):
            work(fs)
    with pytest.raises(duckdb.Error, match="cut short"):
        text_of(over(place), path)


@pytest.mark.parametrize("options", [{}, {"header_len": age.inspect(cut(0)).header_len}])
@pytest.mark.parametrize("sizes", ["exact", "lazy"])
def test_listings_of_a_file_that_is_cut_to_a_tag(place, options, sizes):
    path = f"{place[1]}/x.csv"
    fs = over(place, listing_sizes=sizes, **options)
    for contents, size in [(cut(TAG), None), (age.encrypt(b"", IDENTITY.recipient), 0)]:
        place[0].pipe(path, contents)
        fs.invalidate_cache()
        # A size that is not known yet is read.
        assert fs.info(path)["size"] == size
        assert [(info["size"], info["sealed_size"]) for info in fs.ls(place[1])] == [(size, len(contents))]
        assert fs.find(place[1], detail=True)[path]["size"] == size
    # Nothing proves the length to those who cannot open the file.
    for identities in (WRONG["identities"], None):
        assert over(place, identities=identities, **options).info(path)["size"] is None


@pytest.mark.parametrize("identities", [lambda: None, lambda: [1], lambda: 1 / 0], ids=["None", "a number", "raises"])
def test_a_function_that_returns_no_identities(place, identities):
    """One file that seems empty does not make a listing fail, and opening the file tells the reason."""
    empty, full = f"{place[1]}/a", f"{place[1]}/b"
    sizes = {empty: None, full: 1}
    place[0].pipe({empty: age.encrypt(b"", IDENTITY.recipient), full: age.encrypt(b"1", IDENTITY.recipient)})
    fs = over(place, identities=identities)
    assert {info["name"]: info["size"] for info in fs.ls(place[1])} == sizes
    assert {path: info["size"] for path, info in fs.find(place[1], detail=True).items()} == sizes
    assert {path: info["size"] for path, info in fs.glob(f"{place[1]}/*", detail=True).items()} == sizes
    for path, size in sizes.items():
        assert fs.info(path)["size"] == size
        with pytest.raises((TypeError, ZeroDivisionError)):
            fs.open(path)


def test_an_empty_file_is_empty(place):
    fs, path = over(place), f"{place[1]}/x.csv"
    fs.pipe(path, b"")
    assert (fs.open(path).read(), fs.open(path, "rt").read(), fs.cat(path)) == (b"", "", b"")
    assert text_of(fs, path) == [("",)]
    fs.get(path, f"{path}.got")
    assert os.path.getsize(f"{path}.got") == 0


def test_dask_does_not_skip_a_file_that_is_cut(place):
    """Dask skips files whose size is 0."""
    fs = over(place)
    fs.pipe({f"{place[1]}/a.csv": b"bob,1\n", f"{place[1]}/b.csv": b""})

    def lines():
        address = f"age::{place[0].unstrip_protocol(place[1])}/*.csv"
        options = OPTIONS | {"skip_instance_cache": True}
        bag = dask.bag.read_text(address, blocksize=1 << 20, storage_options=options)
        return bag.compute(scheduler="synchronous")

    assert lines() == ["bob,1\n"]
    place[0].pipe(f"{place[1]}/b.csv", cut(TAG))
    with pytest.raises(ValueError, match="size"):
        lines()


def test_a_false_size_before_a_file_is_opened(place, monkeypatch):
    """The size is authentic only where the end is read, and engines read up to the size they know."""
    path = f"{place[1]}/x.csv"
    place[0].pipe(path, age.encrypt(DATA, IDENTITY.recipient))
    true = place[0].info(path)
    with monkeypatch.context() as patch:
        patch.setattr(type(place[0]), "info", lambda *args, **kwargs: true | {"size": true["size"] - CHUNK})
        size = over(place).info(path)["size"]
        with pytest.raises(age.PayloadError):
            over(place).open(path).read()
    with over(place).open(path) as file:
        assert file.read(size) == DATA[:size] != DATA


def test_an_object_without_bytes_has_no_size(place):
    path = f"{place[1]}/x.csv"
    place[0].pipe(path, b"")
    for sizes in ("exact", "lazy", "sealed"):
        fs = over(place, listing_sizes=sizes)
        assert [info["size"] for info in fs.ls(place[1])] == [None]
        with pytest.raises(age.HeaderError, match="empty"):
            fs.open(path)


@pytest.mark.parametrize("cache_type", ["chunks", "none", "readahead"])
def test_reads_after_the_end_of_a_file_that_is_cut(place, cache_type):
    """A read that returns nothing says that the file has ended."""
    path = f"{place[1]}/x.csv"
    place[0].pipe(path, cut(CHUNK + TAG))
    with over(place).open(path, cache_type=cache_type) as file:
        file.seek(100_000)
        assert file.read(0) == b""
        for _ in range(2):
            with pytest.raises(age.PayloadError, match="cut short"):
                file.read(10)
    place[0].pipe(path, age.encrypt(DATA, IDENTITY.recipient))
    with over(place).open(path, cache_type=cache_type) as file:
        file.seek(len(DATA) + 5)
        assert (file.read(10), file.read()) == (b"", b"")
