"""The filesystem refuses what would write plaintext or ruin a file, and uses the right keys."""

import functools
import math
import os

import fsspec
import pytest
from fsspec.implementations.asyn_wrapper import AsyncFileSystemWrapper
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem

import sealane.fsspec
from keys import IDENTITY, OPTIONS, OTHER
from sealane import age, jobs
from sealane.fsspec import _keys

DATA = bytes(range(256)) * 1024


pytestmark = pytest.mark.usefixtures("empty_memory")


def in_memory(**options):
    return fsspec.filesystem("age", target_protocol="memory", **OPTIONS | options)


@pytest.mark.parametrize("mode", ["ab", "at"])
def test_a_sealed_file_is_not_appended_to(mode, tmp_path):
    keys = {"identities": OPTIONS["identities"], "recipients": OPTIONS["recipients"]}
    sealane.fsspec.register_compression(**keys, force=True)
    path = tmp_path / "log.txt.age"
    with fsspec.open(str(path), "wt", compression="infer") as file:
        file.write("attack at dawn")
    before = path.read_bytes()
    with pytest.raises(ValueError, match="'a'"), fsspec.open(str(path), mode, compression="infer"):
        pass
    assert path.read_bytes() == before
    path.unlink()
    with fsspec.open(str(path), "xb", compression="infer") as file:
        file.write(b"retreat")
    assert age.decrypt(path.read_bytes(), IDENTITY) == b"retreat"


def test_no_cache_on_the_disk(tmp_path):
    fs = in_memory()
    fs.pipe("/a", DATA)
    location = str(tmp_path / "cache")
    with pytest.raises(ValueError, match="plaintext"):
        fs.open("/a", cache_type="mmap", cache_options={"location": location})
    assert not os.path.exists(location)


def test_identities_that_are_renewed(tmp_path):
    path = tmp_path / "key"
    path.write_text(OTHER.to_text())
    fs = in_memory(identities=f"file:{path}")
    fs.pipe("/a", DATA)
    with pytest.raises(age.NoMatchError):
        fs.cat("/a")
    path.write_text(IDENTITY.to_text())
    assert fs.cat("/a") == DATA
    # The old identity is not used any more.
    in_memory(recipients=str(OTHER.recipient)).pipe("/b", b"other")
    with pytest.raises(age.NoMatchError):
        fs.cat("/b")


def test_identities_that_are_missing(tmp_path):
    """A mapping reports a missing file as a missing key, and zarr replaces that by fill values."""
    path = tmp_path / "key"
    fs = in_memory(identities=f"file:{path}")
    fs.pipe("/a", DATA)
    mapping = fs.get_mapper("/")
    for read in (lambda: fs.cat("/a"), lambda: mapping["a"]):
        with pytest.raises(age.IdentityError, match="No such file"):
            read()
    path.write_text(OTHER.to_text())
    with pytest.raises(age.NoMatchError):
        fs.cat("/a")
    path.unlink()
    for read in (lambda: fs.cat("/a"), lambda: mapping["a"]):
        with pytest.raises(age.NoMatchError):
            read()


def test_files_of_others_cost_few_resolutions(monkeypatch):
    found = []

    def identities():
        found.append(OTHER)
        return found[-1:]

    monkeypatch.setattr(_keys, "_INTERVAL", math.inf)
    fs = in_memory(identities=identities)
    for name in "abcd":
        fs.pipe(f"/{name}", DATA)
        with pytest.raises(age.NoMatchError):
            fs.cat(f"/{name}")
    assert len(found) == 2
    monkeypatch.setattr(_keys, "_INTERVAL", 0.0)
    with pytest.raises(age.NoMatchError):
        fs.cat("/a")
    assert len(found) == 3


def test_filesystems_with_other_options_for_the_identity(tmp_path):
    """fsspec returns the same filesystem for arguments with the same text."""

    def filesystem(options):
        sealed = jobs.SealedIdentity(f"file://{tmp_path}/key.age", OPTIONS["identities"], storage_options=options)
        assert "secret" not in repr(sealed)
        return in_memory(identities=sealed)

    first = filesystem({"token": "secret 1"})
    assert first is filesystem({"token": "secret 1"})
    assert first is not filesystem({"token": "secret 2"}) is not filesystem(None)


def recipients_without_text(kind):
    if kind == "passphrase":
        return [age.Recipient.passphrase(text, work_factor=1) for text in ("of A", "of B")]
    holders = [[age.Identity.generate().recipient for _ in range(2)] for _ in range(2)]
    return [age.Recipient.threshold(2, recipients) for recipients in holders]


@pytest.mark.parametrize("kind", ["passphrase", "threshold"])
def test_filesystems_for_other_recipients(kind):
    """Recipients without text must have different texts in ``repr``, which fsspec compares."""
    first, second = recipients_without_text(kind)
    assert repr(first) != repr(second) and repr(first) == repr(first)
    assert f"<sealane.age.Recipient {kind} " in repr(first) and "of A" not in repr(first)
    one, other = in_memory(recipients=first), in_memory(recipients=[second])
    assert one is not in_memory(recipients=second) is not other
    assert one is in_memory(recipients=first)
    in_memory(recipients=second).pipe("/b", b"for B")
    sealed = fsspec.filesystem("memory").cat("/b")
    if kind == "passphrase":
        assert age.decrypt(sealed, age.Identity.passphrase("of B")) == b"for B"
        with pytest.raises(age.WrongPassphraseError):
            age.decrypt(sealed, age.Identity.passphrase("of A"))


def test_filesystems_for_functions_with_other_identities():
    """The text of a function may contain that of its arguments."""
    fs = in_memory(recipients=age.Recipient.passphrase("of A", work_factor=1))
    fs.pipe("/a", DATA)

    def with_passphrase(text):
        return in_memory(identities=functools.partial(list, [age.Identity.passphrase(text)]))

    assert with_passphrase("of A").cat("/a") == DATA
    with pytest.raises(age.WrongPassphraseError):
        with_passphrase("of B").cat("/a")


def test_a_local_file_that_is_replaced_by_one_like_it(tmp_path):
    """With times of one second, nothing but the contents tells the versions apart."""

    class Coarse(LocalFileSystem):
        cachable = False

        def info(self, path, **kwargs):
            return super().info(path, **kwargs) | {"mtime": 1, "created": 1}

    fs = sealane.fsspec.AgeFileSystem(fs=Coarse(), skip_instance_cache=True, **OPTIONS)
    path = tmp_path / "a"
    for text in (b"1" * 100, b"2" * 100):
        path.write_bytes(age.encrypt(text, IDENTITY.recipient))
        if text[:1] == b"2":
            with fs.open(str(path)) as file, pytest.raises(age.PayloadError):
                file.read()
        with fs.open(str(path)) as file:
            assert file.read() == text


def test_a_store_that_does_not_report_lengths():
    class Unmeasured(MemoryFileSystem):
        cachable = False

        def info(self, path, **kwargs):
            return super().info(path, **kwargs) | {"size": None}

    fs = sealane.fsspec.AgeFileSystem(fs=Unmeasured(), skip_instance_cache=True, **OPTIONS)
    fs.pipe("/a", DATA)
    assert fs.cat("/a") == DATA
    fs.invalidate_cache()
    for work in (lambda: fs.open("/a"), lambda: fs.cat_file("/a", 0, 1)):
        with pytest.raises(OSError, match="does not report the length of this object: /a"):
            work()


def test_generators_of_references(tmp_path):
    def one(reference):
        return (found for found in [reference])

    def options():
        return {name: one(reference) for name, reference in OPTIONS.items()}

    fs = fsspec.filesystem("age", target_protocol="memory", **options())
    fs.pipe("/a", DATA)
    assert fs.cat("/a") == DATA
    fs.pipe("/key", IDENTITY.to_text().encode())
    sealed = jobs.SealedIdentity("memory://key", one(OPTIONS["identities"]))
    assert [str(found.recipient) for found in sealed()] == [OPTIONS["recipients"]]
    sealane.fsspec.register_compression(**options(), name="generated")
    path = f"{tmp_path}/a.generated"
    for _ in range(2):
        with fsspec.open(path, "wb", compression="infer") as file:
            file.write(DATA)
        with fsspec.open(path, "rb", compression="infer") as file:
            assert file.read() == DATA
    call = {"ledger": f"{tmp_path}/ledger", "progress": False, **options()}
    jobs.rekey("memory://a", **call).check()
    with pytest.raises(ValueError, match="references"):
        fsspec.filesystem("age", identities=one(IDENTITY.to_text()))


def test_a_known_header_of_a_file_that_others_replace(tmp_path):
    """Reads by path notice new recipients, and the end of a file that was incomplete."""
    path = str(tmp_path / "a")
    fs = fsspec.filesystem("age", target_protocol="file", skip_instance_cache=True, **OPTIONS)
    whole = age.encrypt(DATA, IDENTITY.recipient)
    header_and_nonce = len(age.encrypt(b"", IDENTITY.recipient)) - 16
    for first, error in [
        (age.encrypt(DATA, OTHER.recipient), age.NoMatchError),
        (whole[:header_and_nonce], age.PayloadError),
    ]:
        for read in [lambda: fs.cat_file(path, 3, 8), lambda: fs.cat_ranges([path], [3], [8], on_error="raise")[0]]:
            (tmp_path / "a").write_bytes(first)
            fs.invalidate_cache()
            fs.ls(str(tmp_path), detail=True)
            with pytest.raises(error):
                read()
            fs.ls(str(tmp_path), detail=True)
            (tmp_path / "a").write_bytes(whole)
            assert read() == DATA[3:8]


@pytest.mark.parametrize("folder", [None, "/d"])
@pytest.mark.parametrize(
    "options", [{}, {"listing_sizes": "lazy"}, {"header_len": 400}], ids=["exact", "lazy", "padded"]
)
def test_a_length_of_an_old_listing(folder, options):
    """A file that others replace is read, also if nothing but its old length is known."""
    known = {}

    class Listed(MemoryFileSystem):
        cachable = False

        def info(self, path, **kwargs):
            return known.setdefault(path, super().info(path, **kwargs))

        def invalidate_cache(self, path=None):
            known.pop(path, None)

    target = DirFileSystem(folder, fs=Listed()) if folder else Listed()
    fs = sealane.fsspec.AgeFileSystem(fs=target, skip_instance_cache=True, **OPTIONS, **options)
    for read in (lambda: fs.cat_file("a", -5), lambda: fs.cat_ranges(["a"], [-5], [None], on_error="raise")[0]):
        for data in (DATA, DATA[:-9], DATA[:9]):
            sealed = age.Sealer([IDENTITY.recipient], header_len=options.get("header_len")).finish(data)
            MemoryFileSystem().pipe(f"{folder or ''}/a", sealed)
            # Forgets the header, and keeps the listing.
            fs._forget()
            assert read() == data[-5:]


def test_files_of_a_folder_as_a_filesystem():
    """``DirFileSystem`` has no ``_open`` of its own."""
    fs = sealane.fsspec.AgeFileSystem(fs=DirFileSystem("/d", fs=MemoryFileSystem()), **OPTIONS)
    for mode, data in (("wb", DATA), ("xb", DATA), ("w", "text"), ("wb", b"")):
        with fs.open(f"a/{mode}", mode) as file:
            file.write(data)
        expected = data.encode() if mode == "w" else data
        assert age.decrypt(MemoryFileSystem().cat(f"/d/a/{mode}"), IDENTITY) == fs.cat(f"a/{mode}") == expected
    with pytest.raises(FileExistsError):
        fs.open("a/xb", "xb")
    with pytest.raises(ZeroDivisionError), fs.open("b", "wb") as file:
        file.write(DATA)
        raise ZeroDivisionError
    with pytest.raises(age.DecryptError):
        fs.cat("b")
    with pytest.raises(NotImplementedError, match="DirFileSystem has no transactions"), fs.transaction:
        fs.open("c", "wb")
    assert not fs.exists("c") and not MemoryFileSystem().transaction.files


@pytest.mark.parametrize("folder", [None, "/d"])
def test_a_filesystem_that_cannot_open_files(folder):
    """A file of fsspec's base class would discard what is written to it."""
    target = AsyncFileSystemWrapper(fs=MemoryFileSystem())
    fs = sealane.fsspec.AgeFileSystem(fs=DirFileSystem(folder, fs=target) if folder else target, **OPTIONS)
    with pytest.raises(NotImplementedError, match="cannot open files for writing"):
        fs.open("/a", "wb")
    fs.pipe("/a", DATA)
    assert fs.cat("/a") == DATA
