"""The filesystem: ranges, requests, sizes, secrets, damage."""

import asyncio
import io
import pickle
import subprocess
import sys

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

import sealane.fsspec
from keys import IDENTITY, OPTIONS, OTHER, WRONG
from sealane import age
from sealane.fsspec._ranges import plan

CHUNK = 65536


class Counting(MemoryFileSystem):
    """A filesystem in memory that counts requests, and names versions as S3 does."""

    protocol = "counting"
    store = {}
    pseudo_dirs = [""]
    requests = []

    def info(self, path, **kwargs):
        self.requests.append(("info", path))
        return super().info(path, **kwargs)

    def cat_file(self, path, start=None, end=None, **kwargs):
        data = super().cat_file(path, start, end, **kwargs)
        self.requests.append(("get", len(data)))
        return data


fsspec.register_implementation("counting", Counting)


@pytest.fixture(autouse=True)
def empty():
    for cls in (MemoryFileSystem, Counting):
        cls.store.clear()
        cls.pseudo_dirs[:] = [""]
    Counting.requests.clear()
    sealane.fsspec.AgeFileSystem.clear_instance_cache()


def counting(**options):
    return fsspec.filesystem("age", target_protocol="counting", skip_instance_cache=True, **OPTIONS | options)


def gets():
    return [size for kind, size in Counting.requests if kind == "get"]


DATA = bytes(range(256)) * 4096  # 1 MiB


def test_by_url():
    with fsspec.open("age::memory://folder/a.age", "wb", **OPTIONS) as file:
        file.write(DATA)
    sealed = fsspec.filesystem("memory").cat("/folder/a.age")
    assert sealed.startswith(b"age-encryption.org/v1\n") and age.decrypt(sealed, IDENTITY) == DATA
    with fsspec.open("age::memory://folder/a.age", **OPTIONS) as file:
        assert file.read() == DATA
    fs, path = fsspec.url_to_fs("age::memory://folder/a.age", **OPTIONS)
    assert (path, fs.info(path)["size"], fs.info(path)["sealed_size"]) == ("/folder/a.age", len(DATA), len(sealed))
    assert fs.unstrip_protocol(path) == "age:///folder/a.age"
    assert fs.cat("age:///folder/a.age") == fs.cat("age::memory://folder/a.age") == DATA
    assert fs is fsspec.url_to_fs("age::memory://folder/other", **OPTIONS)[0]
    assert fs.find("/") == fs.glob("/**/*.age") == [path]
    assert fs.du("/") == len(DATA)
    assert fs.created(path) == fsspec.filesystem("memory").created(path)
    assert fs.ukey(path) and fs.modified(path)
    with pytest.raises(NotImplementedError):
        fs.sign(path)
    with pytest.raises(ValueError, match="'ab'"):
        fs.open(path, "ab")


@pytest.mark.parametrize(
    ("start", "end"),
    [(0, 10), (5, None), (-10, None), (None, -10), (65_530, 65_540), (1 << 20, None), (7, 7), (9, 5), (0, 1 << 30)],
)
def test_ranges_are_those_of_python(start, end):
    fs = counting()
    fs.pipe("/a", DATA)
    assert fs.cat_file("/a", start, end) == DATA[slice(start, end)]
    assert fs.cat_ranges(["/a"] * 2, [start, 3], [end, 4]) == [DATA[slice(start, end)], DATA[3:4]]


def test_ranges_are_merged_by_chunk():
    fs = counting()
    fs.pipe("/a", DATA)
    fs.pipe("/b", DATA)
    fs = counting()
    starts = [10, 70_000, 20, 500_000, 500_010, 1_000_000]
    found = fs.cat_ranges(["/a", "/a", "/a", "/a", "/a", "/b"], starts, [s + 100 for s in starts])
    assert found == [DATA[s : s + 100] for s in starts]
    # One request for the header of each file, and three for chunks: two chunks, one, and one.
    assert sorted(gets()) == [4096, 4096, 65_552, 65_552, 2 * 65_552]
    Counting.requests.clear()
    assert fs.cat_ranges(["/a", "/a"], [0, 200_000], [1, 200_001], max_gap=1 << 20) == [DATA[:1], DATA[200_000:200_001]]
    assert Counting.requests == [("get", 4 * 65_552)]


def test_plan():
    requests = plan([(0, 0, 10), (1, 65_536, 65_537), (2, 5, 5), (3, 300_000, 300_001)], 5 * 65_552 + 100)
    assert [(r.first, r.start, r.stop, r.is_last) for r in requests] == [
        (0, 0, 131_104, False),
        (4, 262_208, 327_760, False),
    ]
    assert requests[0].pieces == [(0, 0, 10), (1, 65_536, 1)]


def test_random_access_reads_nothing_ahead():
    fs = counting()
    fs.pipe("/a", DATA)
    fs = counting()
    with fs.open("/a") as file:
        assert gets() == [4096]
        for position in (900_000, 100_000, 500_000):
            file.seek(position)
            assert file.read(1000) == DATA[position : position + 1000]
        assert gets()[1:] == [65_552] * 3
        # This read is in the same chunk.
        assert file.read(10) == DATA[501_000:501_010]
        assert len(gets()) == 4
    # The header is read once for each version, however often the file is opened.
    Counting.requests.clear()
    with fs.open("/a") as file:
        assert gets() == []


def test_reading_in_order_reads_ahead():
    fs = counting(block_size=1 << 18)
    fs.pipe("/a", DATA)
    Counting.requests.clear()
    with fs.open("/a") as file:
        assert b"".join(iter(lambda: file.read(1000), b"")) == DATA
    assert 4 < len(gets()) < 10
    Counting.requests.clear()
    with fs.open("/a") as file:
        assert file.read() == DATA
    assert len(gets()) == 1
    with fs.open("/a", cache_type="bytes") as file:
        assert file.read(10) == DATA[:10]


def test_listing_sizes():
    fs = counting()
    for name in "abc":
        fs.pipe(f"/folder/{name}", DATA[:100])
    fsspec.filesystem("counting").pipe("/folder/text", b"no age file")
    sizes = {name: fs.info(f"/folder/{name}")["sealed_size"] for name in "abc"}
    Counting.requests.clear()
    found = {info["name"][-1]: info["size"] for info in counting().ls("/folder")}
    assert found == {"a": 100, "b": 100, "c": 100, "t": None}
    assert len(gets()) == 4
    Counting.requests.clear()
    lazy = counting(listing_sizes="lazy")
    assert [info["size"] for info in lazy.ls("/folder")] == [None] * 4
    assert lazy.info("/folder/b")["size"] == 100
    assert [info["size"] for info in lazy.find("/folder", detail=True).values()] == [None, 100, None, None]
    assert len(gets()) == 1
    sealed = counting(listing_sizes="sealed")
    assert {info["name"][-1]: info["size"] for info in sealed.ls("/folder")} == sizes | {"t": 11}
    assert all(info["sealed_size"] == info["size"] for info in sealed.ls("/folder"))
    fixed = counting(header_len=500, listing_sizes="lazy")
    fixed.pipe("/fixed/a", DATA)
    fixed.pipe("/fixed/b", b"")
    Counting.requests.clear()
    # Only an object that seems empty is read.
    assert [info["size"] for info in fixed.ls("/fixed")] == [len(DATA), None]
    assert fixed.info("/fixed/a")["size"] == len(DATA)
    assert gets() == []
    assert fixed.info("/fixed/b")["size"] == 0 and len(gets()) == 2
    assert [info["size"] for info in fixed.ls("/fixed")] == [len(DATA), 0]
    assert len(gets()) == 2
    assert fixed.cat("/fixed/a") == DATA
    with pytest.raises(ValueError, match="listing_sizes"):
        counting(listing_sizes="none")


def test_a_file_that_is_replaced():
    fs = counting()
    fs.pipe("/a", DATA)
    assert fs.cat_file("/a", 0, 10) == DATA[:10]
    # Another writer, with another key and another length.
    counting(header_len=700).pipe("/a", DATA[5:])
    assert fs.cat_file("/a", 0, 10) == DATA[5:15]
    assert fs.cat_file("/a", -3, None) == DATA[-3:]
    counting().pipe("/a", DATA[7:])
    with fs.open("/a") as file:
        assert file.read(10) == DATA[7:17]
        # An open file never mixes two versions.
        counting().pipe("/a", DATA[8:])
        file.seek(500_000)
        with pytest.raises(age.PayloadError):
            file.read(10)
    counting().pipe("/a", DATA[9:])
    assert fs.cat_ranges(["/a", "/a"], [0, -1], [1, None]) == [DATA[9:10], DATA[-1:]]
    fs.rm("/a")
    with pytest.raises(FileNotFoundError):
        fs.cat_file("/a", 0, 1)
    [error] = fs.cat_ranges(["/a"], [0], [1])
    assert isinstance(error, FileNotFoundError)


def damaged(fs, change):
    fs.pipe("/a", DATA)
    target = fsspec.filesystem("counting")
    sealed = bytearray(target.cat("/a"))
    change(sealed)
    target.pipe("/a", bytes(sealed))


def test_wrong_keys():
    counting().pipe("/a", DATA)
    fs = counting(**WRONG)
    for read in (fs.cat, fs.open, lambda path: fs.cat_file(path, 1, 2)):
        with pytest.raises(age.NoMatchError):
            read("/a")
    [error] = fs.cat_ranges(["/a"], [0], [1])
    assert isinstance(error, age.NoMatchError)
    # Sizes need no key, and writing needs no identity.
    assert fs.info("/a")["size"] == len(DATA)
    with pytest.raises(age.EncryptError, match="no recipients"):
        counting(recipients=None).open("/b", "wb")
    assert not fs.exists("/b")
    with pytest.raises(age.IdentityError, match="SEALANE_UNSET is not set"):
        counting(identities="env:SEALANE_UNSET").cat("/a")


def test_damaged_files():
    def flip(sealed):
        sealed[-700_000] ^= 1

    fs = counting()
    damaged(fs, flip)
    assert fs.cat_file("/a", 0, 1000) == DATA[:1000]
    for read in (fs.cat, lambda path: fs.open(path).read(), lambda path: fs.get_file(path, io.BytesIO())):
        with pytest.raises(age.PayloadError):
            read("/a")

    def cut(sealed):
        del sealed[-5 * 65_552 :]

    for verify_end in (False, True):
        fs = counting(verify_end=verify_end)
        damaged(fs, cut)
        if verify_end:
            with pytest.raises(age.PayloadError):
                fs.open("/a")
        else:
            file = fs.open("/a")
            assert file.read(10) == DATA[:10]
            with pytest.raises(age.PayloadError):
                file.read()
    fs = counting()
    damaged(fs, lambda sealed: sealed.extend(b"more"))
    with pytest.raises(age.PayloadError):
        fs.cat("/a")
    with pytest.raises(age.PayloadError):
        fs.open("/a").read()
    damaged(fs, lambda sealed: sealed.__delitem__(slice(100, None)))
    with pytest.raises(age.HeaderError):
        fs.cat("/a")
    for broken in (b"", b"text", b"age-encryption.org/v1\n"):
        fsspec.filesystem("counting").pipe("/broken", broken)
        assert fs.info("/broken")["size"] is None
        for read in (fs.cat, fs.open, lambda path: fs.cat_file(path, 0, 1)):
            with pytest.raises(age.HeaderError):
                read("/broken")


def test_verify_end_once():
    fs = counting(verify_end=True)
    fs.pipe("/a", DATA)
    Counting.requests.clear()
    fs.open("/a")
    fs.open("/a")
    assert sorted(gets()) == [4096, 65_552]
    fs.pipe("/empty", b"")
    assert fs.open("/empty").read() == b""


def test_no_secret_leaves_the_process():
    secret = IDENTITY.to_text()
    fs = counting()
    fs.pipe("/a", DATA)
    file = fs.open("/a")
    file.seek(100)
    assert file.read(1) == DATA[100:101]
    for data in (
        pickle.dumps(fs),
        pickle.dumps(file),
        fs.to_json().encode(),
        repr(fs).encode(),
        str(vars(fs)).encode(),
    ):
        assert secret.encode() not in data
        assert secret[20:40].encode() not in data
    again = pickle.loads(pickle.dumps(file))
    assert again.tell() == 101 and again.read(5) == DATA[101:106]
    sealane.fsspec.AgeFileSystem.clear_instance_cache()
    assert fsspec.AbstractFileSystem.from_json(fs.to_json()).cat("/a") == DATA
    for identities in (secret, [secret], IDENTITY, [IDENTITY], b"file:x", 5):
        with pytest.raises((ValueError, TypeError)) as error:
            counting(identities=identities)
        assert secret not in str(error.value)


def keys_of_a_function():
    return [OTHER, IDENTITY]


def test_references(tmp_path):
    (tmp_path / "keys").write_text(f"# keys\n{IDENTITY.to_text()}\n")
    (tmp_path / "recipients").write_text(f"{IDENTITY.recipient}\n")
    (tmp_path / "other").write_text(f"{OTHER.to_text()}\n")
    file = f"file:{tmp_path}/keys"
    for identities in (
        file,
        [f"file:{tmp_path}/other", file],
        keys_of_a_function,
        lambda: IDENTITY,
        lambda: IDENTITY.to_text(),
    ):
        for recipients in (
            f"file:{tmp_path}/recipients",
            [str(OTHER.recipient), str(IDENTITY.recipient)],
            lambda: IDENTITY.recipient,
        ):
            fs = counting(identities=identities, recipients=recipients)
            fs.pipe("/a", b"data")
            assert fs.cat("/a") == b"data"
    assert pickle.loads(pickle.dumps(counting(identities=keys_of_a_function))).cat("/a") == b"data"


def test_a_cache_below_holds_ciphertext(tmp_path):
    """In the other order, the cache writes plaintext to the disk."""
    fsspec.filesystem("age", target_protocol="memory", **OPTIONS).pipe("/a", DATA)
    for chain, is_plaintext in (("age::simplecache::memory://a", False), ("simplecache::age::memory://a", True)):
        folder = tmp_path / chain.partition(":")[0]
        options = {"simplecache": {"cache_storage": str(folder)}, "age": OPTIONS}
        with fsspec.open(chain, **options) as file:
            assert file.read() == DATA
        stored = [path.read_bytes() for path in folder.iterdir() if path.is_file()]
        assert stored
        assert any(DATA[:1000] in data for data in stored) == is_plaintext


def test_files_go_to_and_from_the_disk(tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    (tmp_path / "plain").write_bytes(DATA)
    fs = counting()
    fs.put(str(tmp_path / "plain"), "/a")
    assert fs.cat("/a") == DATA
    fs.get("/a", str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == DATA
    fs.pipe("/empty", b"")
    fs.get("/empty", str(tmp_path / "empty"))
    assert (tmp_path / "empty").read_bytes() == b""
    assert list(folder.iterdir()) == []


def test_asynchronous():
    async def run():
        fs = fsspec.filesystem("age", target_protocol="memory", asynchronous=True, **OPTIONS)
        await fs._pipe_file("/a", DATA)
        assert await fs._cat_file("/a", 5, 10) == DATA[5:10]
        assert await fs._cat_ranges(["/a"] * 2, [0, 9], [1, 10]) == [DATA[:1], DATA[9:10]]
        return (await fs._info("/a"))["size"]

    assert asyncio.run(run()) == len(DATA)


def test_compression(tmp_path):
    sealane.fsspec.register_compression(identities=OPTIONS["identities"], recipients=OPTIONS["recipients"], force=True)
    path = str(tmp_path / "a.txt.age")
    with fsspec.open(path, "wt", compression="infer") as file:
        file.write("attack at dawn")
    assert age.decrypt((tmp_path / "a.txt.age").read_bytes(), IDENTITY) == b"attack at dawn"
    with fsspec.open(path, "rt", compression="age") as file:
        assert file.read() == "attack at dawn"
    with pytest.raises(ValueError, match="references"):
        sealane.fsspec.register_compression(identities=IDENTITY.to_text(), force=True)


def test_the_protocol_is_known_without_an_import():
    code = "import fsspec; print(fsspec.get_filesystem_class('age').__module__)"
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert printed == "sealane.fsspec._filesystem\n"
