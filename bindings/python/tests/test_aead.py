"""The AEADs: third-party vectors, buffers of all kinds, errors."""

import json
import pickle
import subprocess
import sys
import threading
import time
from importlib import resources
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from cryptography.hazmat.primitives.ciphers import aead as peer

import sealane
from sealane import ChaCha20Poly1305, InvalidTag, XChaCha20Poly1305

CLASSES = [ChaCha20Poly1305, XChaCha20Poly1305]


def vectors(path):
    return resources.files("cryptography_vectors").joinpath(path).read_bytes()


def cases_of(path):
    """Reads test cases in OpenSSL's or BoringSSL's format."""
    names = {"nonce": "iv", "ad": "aad", "in": "plaintext", "ct": "ciphertext"}
    cases, case = [], {}
    for line in [*vectors(path).decode().splitlines(), ""]:
        if "=" in line and not line.startswith("#"):
            name, value = (part.strip() for part in line.split("=", 1))
            case[names.get(name.lower(), name.lower())] = value
        elif not line.strip() and "key" in case:
            cases.append(case)
            case = {}
    return cases


def value(text):
    return text[1:-1].encode() if text.startswith('"') else bytes.fromhex(text)


@pytest.mark.parametrize(("file", "count"), [("openssl", 5), ("boringssl", 66)])
def test_vectors_of_cryptography(file, count):
    cases = cases_of(f"ciphers/ChaCha20Poly1305/{file}.txt")
    assert len(cases) == count
    opened = 0
    for case in cases:
        names = ("key", "iv", "aad", "tag", "plaintext", "ciphertext")
        key, nonce, aad, tag, plaintext, ciphertext = (value(case[name]) for name in names)
        cipher = ChaCha20Poly1305(key)
        if case.get("result") == "CIPHERFINAL_ERROR":
            with pytest.raises(InvalidTag):
                cipher.decrypt(nonce, ciphertext + tag, aad)
            continue
        assert cipher.encrypt(nonce, plaintext, aad) == ciphertext + tag
        assert cipher.decrypt(nonce, ciphertext + tag, aad) == plaintext
        opened += 1
    assert opened >= count - 3


@pytest.mark.parametrize(("file", "cls"), [("chacha20_poly1305", CLASSES[0]), ("xchacha20_poly1305", CLASSES[1])])
def test_wycheproof(file, cls, wycheproof):
    groups = json.loads((wycheproof / f"{file}_test.json").read_text())["testGroups"]
    results = {"valid": 0, "invalid": 0}
    for group in groups:
        for test in group["tests"]:
            key, nonce, aad, msg, ct, tag = (bytes.fromhex(test[n]) for n in ("key", "iv", "aad", "msg", "ct", "tag"))
            results[test["result"]] += 1
            if len(nonce) != cls.NONCE_BYTES:
                assert test["result"] == "invalid"
                with pytest.raises(ValueError, match="nonce"):
                    cls(key).decrypt(nonce, ct + tag, aad)
            elif test["result"] == "invalid":
                with pytest.raises(InvalidTag):
                    cls(key).decrypt(nonce, ct + tag, aad)
            else:
                assert cls(key).encrypt(nonce, msg, aad) == ct + tag
                assert cls(key).decrypt(nonce, ct + tag, aad) == msg
    assert results["valid"] > 200
    assert results["invalid"] > 30


def test_like_cryptography_at_many_lengths():
    key = ChaCha20Poly1305.generate_key()
    ours, theirs = ChaCha20Poly1305(key), peer.ChaCha20Poly1305(key)
    for length in [*range(300), 1023, 4095, 4096, 4097, 65536, 1 << 20]:
        nonce, data, aad = length.to_bytes(12), np.arange(length, dtype=np.uint8).tobytes(), b"aad"[: length % 4]
        sealed = theirs.encrypt(nonce, data, aad)
        assert ours.encrypt(nonce, data, aad) == sealed
        assert ours.decrypt(nonce, sealed, aad) == data


@pytest.mark.parametrize("cls", CLASSES)
def test_buffers_of_all_kinds(cls):
    cipher = cls(bytearray(range(32)))
    nonce, aad = bytes(cls.NONCE_BYTES), b"head"
    for length in (0, 8, 800, 80_000):
        data = bytes(range(8)) * (length // 8)
        sealed = cipher.encrypt(nonce, data, aad)
        array = np.frombuffer(data, dtype=np.int64).reshape(-1, 1)
        arrow = pa.array(array.ravel()).buffers()[1]
        for same in (bytearray(data), memoryview(data), array, memoryview(bytearray(data)), arrow, pa.py_buffer(data)):
            assert cipher.encrypt(memoryview(nonce), same, bytearray(aad)) == sealed
        room = np.zeros(length + 16, dtype=np.uint8)
        assert cipher.encrypt_into(nonce, data, aad, room) == length + 16
        assert room.tobytes() == sealed
        opened = bytearray(length + 3)
        assert cipher.decrypt_into(nonce, room, aad, opened) == length
        assert opened == data + bytes(3)
    assert cipher.decrypt(nonce, cipher.encrypt(nonce, b"", None), b"") == b""


@pytest.mark.parametrize("cls", CLASSES)
def test_not_authentic(cls):
    cipher = cls(bytes(32))
    nonce, other = bytes(cls.NONCE_BYTES), b"\1" + bytes(cls.NONCE_BYTES - 1)
    for length in (0, 1, 5000):
        sealed = cipher.encrypt(nonce, bytes(length), b"aad")
        broken = bytearray(sealed)
        broken[-1] ^= 1
        for arguments in [
            (nonce, broken, b"aad"),
            (other, sealed, b"aad"),
            (nonce, sealed, None),
            (nonce, sealed[:15], b""),
        ]:
            with pytest.raises(InvalidTag) as error:
                cipher.decrypt(*arguments)
            assert isinstance(error.value, sealane.SealaneError)
            room = bytearray(b"x" * length)
            with pytest.raises(InvalidTag):
                cipher.decrypt_into(*arguments, room)
            # The output holds no plaintext.
            assert len(arguments[1]) < 16 or room == bytes(length)


@pytest.mark.parametrize("cls", CLASSES)
def test_wrong_arguments(cls):
    with pytest.raises(ValueError, match="32 bytes"):
        cls(bytes(31))
    with pytest.raises(TypeError):
        cls("0" * 32)
    cipher, nonce = cls(bytes(32)), bytes(cls.NONCE_BYTES)
    with pytest.raises(ValueError, match="nonce"):
        cipher.encrypt(nonce[1:], b"", None)
    with pytest.raises(TypeError):
        cipher.encrypt(nonce, "text", None)
    with pytest.raises(ValueError, match="20 bytes, and the result 26"):
        cipher.encrypt_into(nonce, bytes(10), None, bytearray(20))
    with pytest.raises(BufferError):
        cipher.encrypt_into(nonce, bytes(10), None, bytes(26))
    room = bytearray(100)
    with pytest.raises(BufferError, match="overlaps"):
        cipher.encrypt_into(nonce, memoryview(room)[:10], None, room)
    with pytest.raises(BufferError, match="overlaps"):
        cipher.decrypt_into(nonce, bytes(32), memoryview(room)[:1], room)
    # Rows that are not contiguous.
    with pytest.raises(BufferError):
        cipher.encrypt(nonce, memoryview(bytes(10))[::2], None)
    with pytest.raises(TypeError, match="key"):
        pickle.dumps(cipher)
    assert "\\x00" not in repr(cipher)
    # The buffers are released after the errors.
    room.clear()


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("lengths", [64, np.int64(64), np.array(64), [0, 1, 64, 5000, 3], "array", 0, []])
def test_many(cls, lengths):
    lengths = np.array([7, 300, 2]) if isinstance(lengths, str) else lengths
    each = [int(lengths)] * 600 if np.ndim(lengths) == 0 else list(lengths)
    cipher = cls(cls.generate_key())
    nonces = [i.to_bytes(cls.NONCE_BYTES) for i in range(len(each))]
    messages = [bytes([i % 251]) * length for i, length in enumerate(each)]
    sealed = cipher.encrypt_many(b"".join(nonces), b"".join(messages), b"aad", lengths=lengths)
    assert sealed == b"".join(cipher.encrypt(n, m, b"aad") for n, m in zip(nonces, messages, strict=True))
    assert cipher.decrypt_many(b"".join(nonces), sealed, b"aad", lengths=lengths) == b"".join(messages)
    if each:
        broken = bytearray(sealed)
        broken[len(sealed) // 2] ^= 1
        with pytest.raises(InvalidTag):
            cipher.decrypt_many(b"".join(nonces), broken, b"aad", lengths=lengths)
        with pytest.raises(ValueError, match="by their lengths"):
            cipher.decrypt_many(b"".join(nonces), sealed[1:], b"aad", lengths=lengths)
        with pytest.raises(ValueError, match="whole number"):
            cipher.encrypt_many(nonces[0][1:], b"", lengths=lengths)


def test_lengths_that_do_not_fit():
    cipher = ChaCha20Poly1305(bytes(32))
    for lengths in ([1], np.array([1])):
        with pytest.raises(ValueError, match="2 nonces and 1 lengths"):
            cipher.encrypt_many(bytes(24), b"1", lengths=lengths)
    for lengths in ([-1, 2], -1, np.int64(-1)):
        with pytest.raises(OverflowError):
            cipher.encrypt_many(bytes(24), b"1", lengths=lengths)
    with pytest.raises(TypeError):
        cipher.encrypt_many(bytes(24), b"1", lengths=1.0)
    with pytest.raises((OverflowError, ValueError)):
        cipher.encrypt_many(bytes(24), b"1", lengths=2**63)


@pytest.fixture
def no_switches():
    """The interpreter takes the GIL from no thread: threads run in turn only if they release it."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(600)
    yield
    sys.setswitchinterval(interval)


@pytest.fixture
def counted_during(no_switches):
    """Returns a function that makes a call, and returns how often another thread ran meanwhile."""
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0)

    def counted_during(call):
        before = counted[0]
        call()
        return counted[0] - before

    thread = threading.Thread(target=count)
    thread.start()
    yield counted_during
    stop.set()
    thread.join()


def holds_gil():
    return getattr(sys, "_is_gil_enabled", lambda: True)()


def test_other_threads_run_meanwhile(counted_during):
    cipher, data = ChaCha20Poly1305(bytes(32)), bytes(256 << 20)
    room = bytearray(len(data) + 16)
    holding = counted_during(lambda: sum(range(1_000_000)))
    during = counted_during(lambda: cipher.encrypt_into(bytes(12), data, None, room))
    assert holding <= 1 or not holds_gil()
    assert during > 100


def test_calls_release_the_gil_from_4_kib_on(counted_during):
    cipher, data = ChaCha20Poly1305(bytes(32)), bytes(4096)
    room = bytearray(len(data) + 16)

    def encrypt(length, times):
        part = data[:length]
        for _ in range(times):
            cipher.encrypt_into(bytes(12), part, None, room)

    # The tag of 16 bytes counts too.
    holding = counted_during(lambda: encrypt(4079, 10_000))
    assert holding <= 1 or not holds_gil()
    # The other thread may wake up too late for one call, but not for all.
    deadline, during = time.monotonic() + 60, 0
    while during < 10 and time.monotonic() < deadline:
        during += counted_during(lambda: encrypt(4080, 1000))
    assert during >= 10


NO_COPIES = """
import resource
import numpy as np
import pyarrow as pa
import sealane

SIZE, SPARE = 16 << 20, 8 << 20
cipher = sealane.ChaCha20Poly1305(bytes(32))
nonce, plain = bytes(12), bytes(SIZE)
sealed = cipher.encrypt(nonce, plain, None)
numbers = pa.array(np.zeros(SIZE // 8, np.int64))
inputs = [plain, bytearray(plain), memoryview(plain), np.frombuffer(plain, np.int64), numbers.buffers()[1]]
outputs = [bytearray(SIZE + 16), np.ones(SIZE + 16, np.uint8), memoryview(bytearray(b"1") * (SIZE + 16))]

def within(extra, call):
    [used] = [int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmSize")]
    resource.setrlimit(resource.RLIMIT_AS, (used + extra, resource.RLIM_INFINITY))
    result = call()
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return result

try:
    within(SPARE, lambda: bytearray(plain))
    raise SystemExit("the limit has no effect")
except MemoryError:
    pass
for output in outputs:
    for input in inputs:
        assert within(SPARE, lambda: cipher.encrypt_into(nonce, input, None, output)) == SIZE + 16
    assert output == sealed if not isinstance(output, np.ndarray) else output.tobytes() == sealed
    assert within(SPARE, lambda: cipher.decrypt_into(nonce, sealed, None, output)) == SIZE
for input in inputs:
    assert within(SIZE + SPARE, lambda: cipher.encrypt(nonce, input, None)) == sealed
    assert within(SIZE + SPARE, lambda: cipher.encrypt_many(nonce, input, lengths=SIZE)) == sealed
for input in (sealed, bytearray(sealed), pa.py_buffer(sealed)):
    assert within(SIZE + SPARE, lambda: cipher.decrypt(nonce, input, None)) == plain
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is limited in Linux's way")
def test_buffers_are_not_copied():
    """A copy of a buffer does not fit into the memory that a call may allocate."""
    subprocess.run([sys.executable, "-c", NO_COPIES], check=True)


def test_version():
    text = (Path(__file__).parent.parent / "Cargo.toml").read_text()
    assert f'version = "{sealane.__version__}"' in text
