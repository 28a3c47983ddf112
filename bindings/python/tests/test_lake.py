"""The page docs/lake.md: its code, and each attack in its tables."""

import base64
import json
import re
import subprocess
import sys

import fsspec
import pandas as pd
import pytest

from conftest import ROOT
from keys import IDENTITY, OTHER
from sealane import age, jobs
from sealane.jobs._ledger import digest
from sealane.jobs._place import Place

DATA = bytes(range(256)) * 1024  # 256 KiB
OLD = {"identities": "env:SEALANE_TEST_KEY"}
NEW = {"identities": "env:SEALANE_OTHER_KEY"}
REKEY = OLD | {"recipients": str(OTHER.recipient)}


def test_page(gate, tmp_path):
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs" / "lake.md").read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 9
    program = tmp_path / "page.py"
    program.write_text("\n".join(blocks))
    fs = fsspec.filesystem("s3")
    # The page's program creates the lake.
    fs.rm("lake", recursive=True)
    subprocess.run([sys.executable, program], check=True, cwd=tmp_path, timeout=120)
    fs.invalidate_cache()
    fs.rm("jobs", recursive=True)


@pytest.fixture
def lake(tmp_path):
    """The address of a folder with two objects, and a function that reads and writes them."""
    for name in "ab":
        (tmp_path / name).write_bytes(age.encrypt(DATA + name.encode(), IDENTITY.recipient))
    return tmp_path


def read(lake, name):
    options = {"skip_instance_cache": True, **OLD}
    return fsspec.filesystem("age", target_protocol="file", **options).cat(str(lake / name))


def verify(lake, ledger="verify", **identities):
    return jobs.verify(f"{lake}/?", **(identities or OLD), ledger=f"{lake}/ledgers/{ledger}")


def rekey(lake, **more):
    return jobs.rekey(f"{lake}/?", **REKEY, ledger=f"{lake}/ledgers/rekey", **more)


def test_the_store_changes_or_cuts_an_object(lake):
    sealed = (lake / "a").read_bytes()
    for bad in (sealed[:-1] + bytes([sealed[-1] ^ 1]), sealed[: -1 - 16]):
        (lake / "a").write_bytes(bad)
        with pytest.raises(age.PayloadError):
            read(lake, "a")
        assert len(verify(lake).failures) == 1
    # Parquet readers begin at the end of the file.
    table = age.encrypt(pd.DataFrame({"x": range(100_000)}).to_parquet(), IDENTITY.recipient)
    (lake / "t").write_bytes(table[: age.inspect(table).header_len + 16 + 65552])
    with pytest.raises(Exception, match="cut|chunk|end"):
        pd.read_parquet(f"age::file://{lake}/t", storage_options=OLD)


def test_the_store_renames_or_rolls_back_or_removes_an_object(lake):
    old = (lake / "a").read_bytes()
    (lake / "a").write_bytes(age.encrypt(b"new", IDENTITY.recipient))
    (lake / "a").write_bytes(old)
    assert read(lake, "a") == DATA + b"a"
    (lake / "a").write_bytes((lake / "b").read_bytes())
    assert read(lake, "a") == DATA + b"b" and not verify(lake).failures
    (lake / "a").unlink()
    assert not verify(lake).failures


def test_the_store_replaces_the_identity_of_the_lake(lake):
    real, evil = age.Identity.generate(), age.Identity.generate()
    url = f"file://{lake}/key.age"
    pinned = jobs.SealedIdentity(url, OLD["identities"], recipient=str(real.recipient))
    for identity, is_good in ((real, True), (evil, False)):
        (lake / "key.age").write_bytes(age.encrypt(identity.to_text().encode(), IDENTITY.recipient))
        [found] = jobs.SealedIdentity(url, OLD["identities"])()
        assert str(found.recipient) == str(identity.recipient)
        if is_good:
            assert len(pinned()) == 1
        else:
            with pytest.raises(age.IdentityError, match="not the identity"):
                pinned()
    # Without a limit, anyone who writes to the store could use up memory.
    (lake / "key.age").write_bytes(bytes((1 << 20) + 1))
    with pytest.raises(age.IdentityError, match="at most"):
        pinned()
    with pytest.raises(ValueError, match="references"):
        jobs.SealedIdentity(url, IDENTITY.to_text())


def test_the_store_exchanges_the_identity_when_a_reader_is_admitted(lake):
    """The store puts another object that the admin can open in the place of the lake's identity."""
    url, bob = f"file://{lake}/2027.age", age.Identity.generate()
    old, new = age.Identity.generate(), age.Identity.generate()
    as_admin = jobs.SealedIdentity(url, OLD["identities"], recipient=str(old.recipient))
    readers = [str(IDENTITY.recipient), str(bob.recipient)]
    secret = b"# for the admin only\n" + old.to_text().encode()
    bad = {
        "the identity of the next year": new.to_text().encode(),
        "two identities": f"{old.to_text()}\n{new.to_text()}\n".encode(),
        "another file": b"plans",
        "nothing": b"",
    }
    for contents in bad.values():
        sealed = age.encrypt(contents, IDENTITY.recipient)
        (lake / "2027.age").write_bytes(sealed)
        with pytest.raises(age.AgeError):
            as_admin.seal_for(readers)
        assert (lake / "2027.age").read_bytes() == sealed
        with pytest.raises(age.NoMatchError):
            age.decrypt(sealed, bob)
    # Damaged, and forged with a key that the admin does not have.
    good = age.encrypt(secret, IDENTITY.recipient)
    for sealed in (good[:-1] + bytes([good[-1] ^ 1]), good[:-10], age.encrypt(secret, OTHER.recipient), b""):
        (lake / "2027.age").write_bytes(sealed)
        with pytest.raises(age.DecryptError):
            as_admin.seal_for(readers)
        assert (lake / "2027.age").read_bytes() == sealed
    (lake / "2027.age").write_bytes(age.encrypt(new.to_text().encode(), IDENTITY.recipient))
    with pytest.raises(age.IdentityError, match="not the identity of age1"):
        as_admin.seal_for(readers)
    # A re-key gives Bob whatever is there.
    jobs.rekey(url, **OLD, recipients=readers, ledger=f"{lake}/ledgers/rekey").check()
    assert age.decrypt((lake / "2027.age").read_bytes(), bob) == new.to_text().encode()

    # Bob gets only the identity, and no key of the object that the admin could open before.
    (lake / "2027.age").write_bytes(good)
    as_admin.seal_for(readers)
    sealed = (lake / "2027.age").read_bytes()
    for reader in (IDENTITY, bob):
        assert age.decrypt(sealed, reader) == old.to_text().encode() + b"\n"
    old_payload = good[age.inspect(good).header_len :]
    with pytest.raises(age.PayloadError):
        age.decrypt(sealed[: age.inspect(sealed).header_len] + old_payload, bob)
    assert [found.to_text() for found in as_admin()] == [old.to_text()]
    with pytest.raises(ValueError, match="recipient"):
        jobs.SealedIdentity(url, OLD["identities"]).seal_for(readers)


def test_a_reader_is_admitted_while_others_change_the_object(lake, monkeypatch):
    from sealane.jobs._stores import LocalStore

    identity = age.Identity.generate()
    mine, theirs = (age.encrypt(identity.to_text().encode(), IDENTITY.recipient) for _ in range(2))
    (lake / "key.age").write_bytes(mine)
    write = LocalStore.write

    def late(*arguments):
        (lake / "key.age").write_bytes(theirs)
        return write(*arguments)

    monkeypatch.setattr(LocalStore, "write", late)
    reference = jobs.SealedIdentity(f"file://{lake}/key.age", OLD["identities"], recipient=str(identity.recipient))
    with pytest.raises(jobs.JobError, match="others have changed"):
        reference.seal_for(str(OTHER.recipient))
    assert (lake / "key.age").read_bytes() == theirs


def test_a_reader_is_admitted_and_the_answer_is_lost(bucket, gate):
    """The client repeats its request, and the condition then fails because of the first one."""
    identity, lost = age.Identity.generate(), []
    bucket.put_object(Bucket="lake", Key="key", Body=age.encrypt(identity.to_text().encode(), IDENTITY.recipient))

    def lose(request):
        if request.method == "PUT":
            lost.append(request.status[:3])
            return "500 Internal Server Error" if len(lost) == 1 else None

    gate.after = lose
    reference = jobs.SealedIdentity("s3://lake/key", OLD["identities"], recipient=str(identity.recipient))
    reference.seal_for(str(OTHER.recipient))
    assert lost == ["200", "412"]
    sealed = bucket.get_object(Bucket="lake", Key="key")["Body"].read()
    assert age.decrypt(sealed, OTHER) == identity.to_text().encode() + b"\n"


SECRET = "sshh"
ADDRESSES = {
    f"sftp://user:{SECRET}@host/keys/1.age": "sftp://host/keys/1.age",
    f"https://{SECRET}@host:8080/1.age?X-Amz-Signature={SECRET}": "https://host:8080/1.age",
    f"simplecache::https://host/a@b/1.age?X-Amz-Signature={SECRET}": "simplecache::https://host/a@b/1.age",
    "abfss://keys@account.dfs.core.windows.net/1.age": "abfss://keys@account.dfs.core.windows.net/1.age",
    "az://keys@account.dfs.core.windows.net/1.age": "az://keys@account.dfs.core.windows.net/1.age",
    f"simplecache::az://keys@account/1.age?sig={SECRET}": "simplecache::az://keys@account/1.age",
    f"saz://{SECRET}@host/1.age": "saz://host/1.age",
    f"x-abfs://{SECRET}@host/1.age": "x-abfs://host/1.age",
    "/keys/a@b/1.age?": "/keys/a@b/1.age?",
}


@pytest.mark.parametrize("url", ADDRESSES)
def test_an_address_with_a_password(url, tmp_path):
    """The password is in no text: neither in the ledger nor in records and errors."""
    reference = jobs.SealedIdentity(url, OLD["identities"], recipient=str(IDENTITY.recipient))
    assert f"url={ADDRESSES[url]!r}" in repr(reference) and SECRET not in repr(reference)
    other = jobs.SealedIdentity(url.replace(SECRET, "more"), OLD["identities"], recipient=str(IDENTITY.recipient))
    assert (repr(other) == repr(reference)) == (SECRET not in url)
    (tmp_path / "a").write_bytes(age.encrypt(b"a", IDENTITY.recipient))

    def failing(url, *arguments, **options):
        raise OSError(f"cannot open {url}")

    call = {"identities": reference, "ledger": f"file://{tmp_path}/ledger", "attempts": 1}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fsspec, "open", failing)
        [record] = jobs.verify(f"file://{tmp_path}/a", **call).records
    assert ADDRESSES[url] in record.error and SECRET not in record.error
    for path in (tmp_path / "ledger").rglob("*.json"):
        assert SECRET not in path.read_text()
    assert ADDRESSES[url] in (tmp_path / "ledger/job.json").read_text()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Place, "of", failing)
        with pytest.raises(OSError) as caught:
            reference.seal_for(IDENTITY.recipient)
    assert ADDRESSES[url] in str(caught.value) and SECRET not in str(caught.value)


@pytest.mark.parametrize("kind", [FileNotFoundError, PermissionError, ImportError, MemoryError, OSError])
def test_errors_without_the_address_have_the_same_kind(kind, monkeypatch):
    def failing(*arguments, **options):
        raise kind(SECRET)

    monkeypatch.setattr(fsspec, "open", failing)
    with pytest.raises(kind) as caught:
        jobs.SealedIdentity(f"https://host/lake.age?{SECRET}", OLD["identities"])()
    assert SECRET not in str(caught.value)


def test_the_store_changes_the_payload_during_a_rekey(lake, monkeypatch):
    from sealane.jobs._stores import LocalStore

    replace = LocalStore.replace_header

    def evil(store, version, old_len, header, prepare):
        changed = replace(store, version, old_len, header, prepare)
        data = bytearray((lake / "a").read_bytes())
        data[-1] ^= 1
        (lake / "a").write_bytes(data)
        return changed

    monkeypatch.setattr(LocalStore, "replace_header", evil)
    jobs.rekey(f"{lake}/a", **REKEY, ledger=f"{lake}/ledgers/one").check()
    [record] = jobs.verify(f"{lake}/a", **NEW, ledger=f"{lake}/ledgers/two").records
    assert record.error.startswith("PayloadError")


def test_a_writer_forges_an_object(lake):
    """Recipients are public, so a forged object is valid."""
    (lake / "a").write_bytes(age.encrypt(b"forged", age.Recipient(str(IDENTITY.recipient))))
    assert read(lake, "a") == b"forged"


def test_a_writer_adds_an_object_of_another_lake(lake):
    other_lake = age.Identity.generate()
    (lake / "c").write_bytes(age.encrypt(b"secret", other_lake.recipient))
    report = rekey(lake)
    assert [(one.url[-1], one.error.partition(":")[0]) for one in report.failures] == [("c", "NoMatchError")]
    with pytest.raises(age.NoMatchError):
        age.decrypt((lake / "c").read_bytes(), OTHER)


def test_the_ledger_lies(lake):
    """The ledger claims that an object is done.

    A verification with its own ledger finds the lie.
    """
    honest = (lake / "a").read_bytes()
    rekey(lake).check()
    [lie] = [path for path in (lake / "ledgers" / "rekey" / "records").iterdir() if b"/a" in path.read_bytes()]
    (lake / "a").write_bytes(honest)
    stat = (lake / "a").stat()
    text = re.sub(
        r'"version": "[^"]*"', f'"version": "{stat.st_size} {stat.st_mtime!r} {stat.st_ino}"', lie.read_text()
    )
    lie.write_text(text)
    assert rekey(lake).count("unchanged") == 2
    assert [one.url[-1] for one in verify(lake, **NEW).failures] == ["a"]


def test_the_ledger_claims_an_attempt(lake):
    """An intent with the present header claims that an attempt has replaced the object."""
    sealed, url = (lake / "a").read_bytes(), f"file://{lake}/a"
    header = sealed[: age.inspect(sealed).header_len]
    intents = lake / "ledgers" / "rekey" / "intents" / digest(url)
    intents.mkdir(parents=True)
    (intents / f"{digest(header)}.json").write_text(json.dumps({"url": url, "handle": ""}))
    assert rekey(lake).check().count("done") == 2
    assert (lake / "a").read_bytes() == sealed
    assert [one.url[-1] for one in verify(lake, **NEW).failures] == ["a"]


def test_a_reader_who_was_let_out_has_the_old_identity(lake):
    old = (lake / "a").read_bytes()
    rekey(lake).check()
    with pytest.raises(age.NoMatchError):
        read(lake, "a")
    assert age.decrypt(old, IDENTITY) == DATA + b"a"


def test_what_a_scheduler_sees(lake):
    """A reference to a sealed identity holds no secret, and resolves in each process."""
    import pickle

    identity = age.Identity.generate()
    (lake / "key.age").write_bytes(age.encrypt(identity.to_text().encode(), IDENTITY.recipient))
    reference = jobs.SealedIdentity(f"file://{lake}/key.age", OLD["identities"], storage_options={"auto_mkdir": False})
    seen = pickle.dumps(reference) + repr(reference).encode() + str(reference).encode()
    assert identity.to_text()[20:].encode() not in seen
    assert IDENTITY.to_text()[20:].encode() not in seen and "auto_mkdir" not in repr(reference)
    [found] = pickle.loads(pickle.dumps(reference))()
    assert found.to_text() == identity.to_text()


def test_the_header_says_nothing_of_an_x25519_recipient(lake):
    header = (lake / "a").read_bytes()[:200]
    letters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
    # The last six letters are the checksum, and four bits are padding.
    number = 0
    for letter in str(IDENTITY.recipient).removeprefix("age1")[:-6]:
        number = number << 5 | letters.index(letter)
    key = (number >> 4).to_bytes(32, "big")
    assert key not in header and base64.b64encode(key).rstrip(b"=") not in header
    assert age.inspect(lake / "a").kinds == ["X25519"]
