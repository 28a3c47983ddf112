"""The age format: CCTV's vectors, all kinds of keys, files, streams, errors."""

import io
import os
import pickle
import zlib
from hashlib import sha256

import pytest

from conftest import ROOT
from keys import IDENTITY, OTHER
from sealane import age

CHUNK = 65536
SSH = ROOT / "crates" / "age" / "tests" / "data"
VECTORS = sorted((ROOT / "vectors" / "age" / "testdata").iterdir())


def vector(path):
    head, _, file = path.read_bytes().partition(b"\n\n")
    lines = [line.split(": ", 1) for line in head.decode().splitlines()]
    values = {line[0]: line[1] if len(line) > 1 else "" for line in lines}
    identities = [age.Identity(line[1]) for line in lines if line[0] == "identity"]
    identities += [age.Identity.passphrase(line[1]) for line in lines if line[0] == "passphrase"]
    return values, identities, zlib.decompress(file) if values.get("compressed") == "zlib" else file


EXPECTED = {
    "no match": (age.NoMatchError, age.WrongPassphraseError),
    "HMAC failure": age.HeaderError,
    "header failure": (age.HeaderError, age.ExcessiveWorkError),
    "armor failure": (age.ArmorError, age.HeaderError),
    "payload failure": age.PayloadError,
}


def test_there_are_all_vectors():
    assert len(VECTORS) == 147
    assert {vector(path)[0]["expect"] for path in VECTORS} == {"success", *EXPECTED}


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.name)
def test_cctv(path, tmp_path):
    values, identities, file = vector(path)
    (tmp_path / "file").write_bytes(file)
    for source in (tmp_path / "file", io.BytesIO(file)):
        released = bytearray()
        try:
            with age.open_age(source, identities) as reader:
                while data := reader.read(5000):
                    released += data
            result = "success"
        except age.AgeError as error:
            result = error
        if values["expect"] == "success":
            assert result == "success"
            assert age.decrypt(file, identities) == released
        else:
            assert isinstance(result, EXPECTED[values["expect"]]), (values["expect"], result)
            with pytest.raises(type(result)):
                age.decrypt(file, identities)
        if "payload" in values:
            assert sha256(released).hexdigest() == values["payload"]
        else:
            assert not released


@pytest.mark.parametrize("length", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 40 * CHUNK + 5])
def test_open_age_seeks(length, tmp_path):
    data = os.urandom(length)
    path = tmp_path / "file.age"
    with age.create_age(path, IDENTITY.recipient) as writer:
        for start in range(0, length, 100_001):
            assert writer.write(memoryview(data)[start : start + 100_001]) == min(100_001, length - start)
    assert age.decrypt(path.read_bytes(), IDENTITY) == data
    for source in (path, str(path), io.BytesIO(path.read_bytes()), open(path, "rb")):
        with age.open_age(source, [OTHER, IDENTITY]) as reader, io.BufferedReader(reader) as buffered:
            assert isinstance(reader, io.RawIOBase)
            assert reader.seekable() and reader.readable() and not reader.writable()
            assert reader.plaintext_len() == length
            for position in (0, 1, CHUNK - 1, CHUNK, length // 2, length):
                position = min(position, length)
                assert buffered.seek(position) == position
                assert buffered.read(77) == data[position : position + 77]
                assert buffered.tell() == min(length, position + 77)
            assert reader.seek(0) == 0
            assert reader.readall() == data
            assert reader.seek(-min(3, length), os.SEEK_END) == max(0, length - 3)
            assert reader.read(10) == data[-3:]
            assert reader.read(10) == b""
            room = bytearray(100)
            reader.seek(0)
            assert reader.readinto(room) == min(100, length)
            assert room.startswith(data[:100])
        if hasattr(source, "closed"):
            assert not source.closed
            source.close()
        with pytest.raises(ValueError, match="closed"):
            reader.read(1)


def test_a_recipient_of_another_type_is_not_left_out(tmp_path):
    ecdsa = (
        "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBHr86oGPX6f/So1PQh4W/agHSTThvIrrt"
        "x2OQP/xSKzgHyrMUqoQ7kzKPTAKizlIREEdjc0mySXBk975VRhI5dQ="
    )
    path = tmp_path / "recipients"
    path.write_text(f"{IDENTITY.recipient}\n{ecdsa}\n")
    with pytest.raises(age.KeyFormatError, match="line 2: .*ecdsa-sha2-nistp256"):
        age.read_recipients(path)


def test_a_file_in_the_middle_of_another():
    sealed = age.encrypt(b"attack at dawn", IDENTITY.recipient)
    file = io.BytesIO(b"before" + sealed)
    file.seek(6)
    reader = age.open_age(file, IDENTITY)
    reader.seek(7)
    assert reader.read() == b"at dawn"


def test_damage_is_found_where_it_is(tmp_path):
    data = os.urandom(5 * CHUNK)
    sealed = bytearray(age.encrypt(data, IDENTITY.recipient))
    start = len(sealed) - 5 * (CHUNK + 16)
    sealed[start + 2 * (CHUNK + 16) + 9] ^= 1
    reader = age.open_age(io.BytesIO(sealed), IDENTITY)
    assert reader.read(len(data)) == data[: 2 * CHUNK]
    with pytest.raises(age.PayloadError, match="chunk 2"):
        reader.read(1)
    reader.seek(3 * CHUNK)
    assert reader.read() == data[3 * CHUNK :]
    with pytest.raises(age.PayloadError, match="chunk 2"):
        age.decrypt(sealed, IDENTITY, threads=2)
    # Cut between two chunks.
    cut = age.open_age(io.BytesIO(sealed[: start + 2 * (CHUNK + 16)]), IDENTITY)
    with pytest.raises(age.PayloadError):
        cut.seek(0, os.SEEK_END)
    path, target = tmp_path / "file", tmp_path / "target"
    path.write_bytes(sealed)
    target.write_bytes(b"old")
    with pytest.raises(age.PayloadError, match="chunk 2"):
        age.decrypt_file(path, target, IDENTITY)
    assert target.read_bytes() == b"old"
    assert sorted(tmp_path.iterdir()) == [path, target]
    output = io.BytesIO()
    with pytest.raises(age.PayloadError):
        age.decrypt_stream(io.BytesIO(sealed), output, IDENTITY)
    assert output.getvalue() == data[: 2 * CHUNK]


@pytest.mark.parametrize("threads", [1, 2, 3, None])
@pytest.mark.parametrize("length", [0, 70_000, 100 * CHUNK])
def test_in_memory_with_threads(threads, length):
    data = os.urandom(length)
    for armor in (False, True):
        sealed = age.encrypt(data, IDENTITY.recipient, armor=armor, threads=threads)
        assert sealed.startswith(b"-----BEGIN AGE" if armor else b"age-encryption.org/v1\n")
        assert age.decrypt(sealed, IDENTITY, threads=threads) == data
    sealer = age.Sealer(IDENTITY.recipient, threads=threads)
    pieces = [sealer.update(data[i : i + 999_983]) for i in range(0, length, 999_983)]
    assert age.decrypt(b"".join(pieces) + sealer.finish(), IDENTITY) == data
    for work in (lambda: sealer.update(b"more"), sealer.finish):
        with pytest.raises(ValueError, match="finished"):
            work()


def test_files_and_progress(tmp_path):
    data = os.urandom(50 * CHUNK + 3)
    plain, sealed, opened = tmp_path / "plain", tmp_path / "sealed", tmp_path / "opened"
    plain.write_bytes(data)
    reports = []
    for armor in (False, True):
        reports.clear()
        age.encrypt_file(plain, sealed, IDENTITY.recipient, armor=armor, progress=lambda *now: reports.append(now))
        assert reports[-1] == (len(data), len(data))
        reports.clear()
        age.decrypt_file(str(sealed), opened, IDENTITY, threads=1, progress=lambda *now: reports.append(now))
        assert reports[-1] == (sealed.stat().st_size, sealed.stat().st_size)
        assert opened.read_bytes() == data
    with pytest.raises(ZeroDivisionError):
        age.encrypt_file(plain, sealed, IDENTITY.recipient, progress=lambda *_: 1 / 0)
    assert sorted(tmp_path.iterdir()) == [opened, plain, sealed]
    with pytest.raises(FileNotFoundError) as error:
        age.encrypt_file(tmp_path / "none", sealed, IDENTITY.recipient)
    assert error.value.filename == str(tmp_path / "none")
    with pytest.raises(FileNotFoundError):
        age.open_age(tmp_path / "none", IDENTITY)
    reports = []
    output = io.BytesIO()
    age.encrypt_stream(
        io.BytesIO(data), output, IDENTITY.recipient, threads=2, progress=lambda *now: reports.append(now), total=9
    )
    assert reports[-1] == (len(data), 9)
    assert age.decrypt(output.getvalue(), IDENTITY) == data
    with pytest.raises(ZeroDivisionError):
        age.decrypt_stream(output, io.BytesIO(), IDENTITY, progress=lambda *_: 1 / 0)


class Failing(io.RawIOBase):
    def readable(self):
        return True

    def readinto(self, buffer):
        raise OSError(5, "broken")


def test_exceptions_of_files_come_back():
    with pytest.raises(OSError, match="broken"):
        age.open_age(Failing(), IDENTITY)
    with pytest.raises(OSError, match="broken"):
        age.encrypt_stream(Failing(), io.BytesIO(), IDENTITY.recipient)
    with pytest.raises(AttributeError):
        age.encrypt_stream(io.BytesIO(b"x"), object(), IDENTITY.recipient)


def test_an_unfinished_file_is_no_file(tmp_path):
    path = tmp_path / "file.age"
    with pytest.raises(ZeroDivisionError), age.create_age(path, IDENTITY.recipient) as writer:
        writer.write(bytes(3 * CHUNK))
        raise ZeroDivisionError
    with pytest.raises(age.PayloadError):
        age.open_age(path, IDENTITY).readall()


def test_kinds_of_keys():
    post_quantum = age.Identity.generate(post_quantum=True)
    ssh = [age.Identity.ssh((SSH / name).read_bytes()) for name in ("ssh_ed25519", "ssh_rsa")]
    tag = "age1tag1qt8lw0ual6avlwmwatk888yqnmdamm7xfd0wak53ut6elz5c4swx2yqdj4e"
    for identity in (IDENTITY, post_quantum, *ssh):
        sealed = age.encrypt(b"data", [identity.recipient])
        assert age.decrypt(sealed, [OTHER, identity]) == b"data"
        with pytest.raises(age.NoMatchError):
            age.decrypt(sealed, OTHER)
        text = str(identity.recipient)
        assert age.Recipient(text) == identity.recipient == pickle.loads(pickle.dumps(identity.recipient))
        assert hash(age.Recipient(text)) == hash(identity.recipient)
        assert text[:40] in repr(identity)
        with pytest.raises(TypeError, match="secret"):
            pickle.dumps(identity)
    assert [i.kind for i in (IDENTITY, post_quantum, *ssh)] == ["x25519", "post-quantum", "ssh", "ssh"]
    assert age.Identity(post_quantum.to_text()).recipient == post_quantum.recipient
    assert IDENTITY.to_text() not in repr(IDENTITY)
    assert age.Recipient(tag).kind == "tag"
    with pytest.raises(age.EncryptError, match="labels"):
        age.encrypt(b"", [IDENTITY.recipient, post_quantum.recipient])
    with pytest.raises(age.EncryptError, match="no recipients"):
        age.encrypt(b"", [])
    with pytest.raises(TypeError, match="Recipient, not str"):
        age.encrypt(b"", [str(IDENTITY.recipient)])
    with pytest.raises(TypeError, match="Identity or Part, not str"):
        age.decrypt(b"", ["AGE"])


def test_texts_that_are_no_keys():
    secret = IDENTITY.to_text()
    for text in ("", "age1", str(IDENTITY.recipient)[:-1], secret):
        with pytest.raises(age.KeyFormatError) as error:
            age.Recipient(text)
        assert secret not in str(error.value)
    for text in ("", secret[:-1], str(IDENTITY.recipient)):
        with pytest.raises(ValueError, match=r"."):
            age.Identity(text)
    with pytest.raises(age.KeyFormatError):
        age.Identity.ssh(b"-----BEGIN OPENSSH PRIVATE KEY-----\n")
    with pytest.raises(age.IdentityError):
        age.parse_identities(age.encrypt(b"x", age.Recipient.passphrase("p", work_factor=2)))


def test_files_of_keys(tmp_path):
    lines = f"# created: today\n{IDENTITY.to_text()}\n\n{OTHER.to_text()}\n"
    path = tmp_path / "keys"
    path.write_text(lines)
    assert [key.to_text() for key in age.read_identities(path)] == [IDENTITY.to_text(), OTHER.to_text()]
    path.write_bytes(age.encrypt(lines.encode(), age.Recipient.passphrase("word", work_factor=2), armor=True))
    assert len(age.read_identities(path, passphrase="word")) == 2
    with pytest.raises(age.IdentityError, match="passphrase is needed"):
        age.read_identities(path)
    with pytest.raises(age.IdentityError, match="wrong"):
        age.read_identities(path, passphrase="other")
    path.write_text(f"{IDENTITY.recipient}\n# none\n{OTHER.recipient}\n")
    assert age.read_recipients(path) == [IDENTITY.recipient, OTHER.recipient]
    with pytest.raises(age.KeyFormatError, match="line 1"):
        age.read_identities(path)


def test_passphrases():
    sealed = age.encrypt(b"data", age.Recipient.passphrase("word", work_factor=6))
    assert age.decrypt(sealed, age.Identity.passphrase("word")) == b"data"
    with pytest.raises(age.WrongPassphraseError):
        age.decrypt(sealed, age.Identity.passphrase("other"))
    with pytest.raises(age.ExcessiveWorkError, match="6"):
        age.decrypt(sealed, age.Identity.passphrase("word", max_work_factor=5))
    with pytest.raises(age.EncryptError, match="combined"):
        age.encrypt(b"", [age.Recipient.passphrase("word", work_factor=2), IDENTITY.recipient])
    with pytest.raises(ValueError, match="from 1 to 22"):
        age.Recipient.passphrase("word", work_factor=23)
    with pytest.raises(ValueError, match="empty"):
        age.Recipient.passphrase("", work_factor=2)
    with pytest.raises(TypeError):
        pickle.dumps(age.Recipient.passphrase("word"))
    assert age.inspect(sealed).work_factor == 6


def test_several_holders():
    holders = [age.Identity.generate() for _ in range(3)]
    together = age.Recipient.threshold(2, [holder.recipient for holder in holders], label="budget 2027")
    sealed = age.encrypt(b"data", together)
    assert age.decrypt(sealed, holders[1:]) == b"data"
    with pytest.raises(age.ThresholdError, match="needs 2 of 3"):
        age.decrypt(sealed, holders[:1])
    for file in (sealed, age.encrypt(b"data", together, armor=True)):
        [part] = age.parts_of(file, holders[2])
        assert (part.point, part.threshold, part.count, part.label) == (3, 2, 3, "budget 2027")
        sent = age.Part(part.to_text())
        assert age.decrypt(file, [holders[0], sent]) == b"data"
    assert part.to_text() not in repr(part)
    [share_set] = age.inspect(sealed).share_sets
    assert (share_set.threshold, share_set.count, share_set.label) == (2, 3, "budget 2027")
    assert share_set.kinds == ["X25519"] * 3
    with pytest.raises(age.ThresholdError, match="4 of 3"):
        age.Recipient.threshold(4, [holder.recipient for holder in holders])
    # One holder would have two shares.
    again = age.Recipient(str(holders[0].recipient))
    with pytest.raises(age.ThresholdError, match="recipients 1 and 3 of the threshold are the same"):
        age.Recipient.threshold(2, [holders[0].recipient, holders[1].recipient, again])
    word = age.Recipient.passphrase("word", work_factor=1)
    with pytest.raises(age.ThresholdError, match="recipients 2 and 3"):
        age.Recipient.threshold(2, [again, word, word])
    with pytest.raises(age.ThresholdError):
        age.decrypt(age.encrypt(b"", together), [holders[0], sent])


def test_rekey_and_inspect(tmp_path):
    path = tmp_path / "file.age"
    data = os.urandom(3 * CHUNK)
    path.write_bytes(age.encrypt(data, IDENTITY.recipient))
    before = age.inspect(path)
    assert (before.kinds, before.plaintext_len, before.armored) == (["X25519"], len(data), False)
    payload = path.read_bytes()[before.header_len :]
    age.rekey_file(path, IDENTITY, OTHER.recipient, header_len=1000)
    assert age.inspect(path).header_len == 1000
    assert path.read_bytes()[1000:] == payload
    assert age.decrypt(path.read_bytes(), OTHER) == data
    with pytest.raises(age.NoMatchError):
        age.open_age(path, IDENTITY)
    age.rekey_file(path, OTHER, IDENTITY.recipient, keep=True)
    assert age.decrypt(path.read_bytes(), OTHER) == age.decrypt(path.read_bytes(), IDENTITY) == data
    with pytest.raises(age.EncryptError, match="padded"):
        age.rekey_file(path, OTHER, OTHER.recipient, header_len=10)
    with pytest.raises(age.NoMatchError):
        age.rekey_file(path, age.Identity.generate(), OTHER.recipient)
    assert list(tmp_path.iterdir()) == [path]
    armored = age.inspect(age.encrypt(b"x", IDENTITY.recipient, armor=True))
    assert (armored.armored, armored.plaintext_len, armored.kinds) == (True, None, ["X25519"])
    for broken in (b"", b"text", b"age-encryption.org/v1\n"):
        with pytest.raises(age.HeaderError):
            age.inspect(broken)


def test_engine_without_io():
    data = os.urandom(200_000)
    sealed = age.encrypt(data, IDENTITY.recipient)
    wanted = age.Preamble.parse(sealed[:10], len(sealed))
    assert isinstance(wanted, int) and 40 <= wanted < 100
    assert age.Preamble.parse(sealed[:100], 150) == 150
    for cut, message in [(b"", "empty"), (sealed[:10], "cut short"), (sealed[:150], "cut short")]:
        with pytest.raises(age.HeaderError, match=message):
            age.Preamble.parse(cut)
    preamble = age.Preamble.parse(sealed[:1000])
    key = preamble.unlock(IDENTITY)
    payload = sealed[preamble.length :]
    assert age.PayloadKey.plaintext_len(len(payload)) == len(data)
    assert age.PayloadKey.plaintext_len(3) is None
    first, is_last, start, stop, skip, length = age.PayloadKey.sealed_range(65_000, 66_000, len(payload))
    assert (first, is_last, skip, length) == (0, False, 65_000, 1000)
    assert key.open_chunks(first, is_last, payload[start:stop], [(skip, length), (0, 1)]) == [
        data[65_000:66_000],
        data[:1],
    ]
    with pytest.raises(ValueError, match="piece"):
        key.open_chunks(first, is_last, payload[start:stop], [(skip, 1 << 40)])
    with pytest.raises(age.PayloadError):
        key.open_chunks(1, is_last, payload[start:stop], [(0, 1)])
    with pytest.raises(TypeError):
        pickle.dumps(key)
    other = age.encrypt(b"", IDENTITY.recipient)
    assert age.Preamble.parse(other).unlock(IDENTITY).file_id != key.file_id
    assert len(key.file_id) == 32
