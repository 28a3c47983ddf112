"""Prints tls13.txt: records of TLS 1.3 with ChaCha20-Poly1305, computed from a traffic secret.

RFC 8448 has no such records. This program follows RFC 8446, sections 5.2, 5.3, 7.1, 7.2 and 7.3,
with HMAC of the standard library and the AEAD of `vectors/generate/reference.py`, which computes on
Python's integers:

    python3 tls13.py >tls13.txt
"""

import hashlib
import hmac
import pathlib
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "vectors" / "generate"))

from reference import aead_encrypt

APPLICATION_DATA, HANDSHAKE, ALERT = 23, 22, 21


def expand_label(secret: bytes, label: bytes, length: int) -> bytes:
    label = b"tls13 " + label
    info = struct.pack(">HB", length, len(label)) + label + b"\0"
    return hmac.digest(secret, info + b"\1", "sha256")[:length]


def record(key: bytes, iv: bytes, sequence: int, kind: int, content: bytes, padding: int) -> bytes:
    inner = content + bytes([kind]) + bytes(padding)
    header = struct.pack(">BHH", APPLICATION_DATA, 0x0303, len(inner) + 16)
    nonce = (int.from_bytes(iv, "big") ^ sequence).to_bytes(12, "big")
    return header + b"".join(aead_encrypt("ietf", key, nonce, header, inner))


def main() -> None:
    print("# Made by tls13.py. secret, key and iv of a generation, or a record:")
    print("# sequence number, content type, bytes of padding, content, record")
    secret = hashlib.sha256(b"a traffic secret").digest()
    text = b"".join(hashlib.sha256(bytes([i])).digest() for i in range(48))
    for _ in range(3):
        key, iv = expand_label(secret, b"key", 32), expand_label(secret, b"iv", 12)
        print("secret", secret.hex(), key.hex(), iv.hex())
        for sequence, kind, content, padding in [
            (0, HANDSHAKE, text[:36], 0),
            (1, APPLICATION_DATA, text[:1], 0),
            (2, APPLICATION_DATA, b"", 0),
            (3, APPLICATION_DATA, text[:50], 13),
            (0x0102030405060708, APPLICATION_DATA, text[:600], 0),
            (2**64 - 2, APPLICATION_DATA, text, 0),
            (2**32, ALERT, b"\1\0", 0),
        ]:
            sealed = record(key, iv, sequence, kind, content, padding)
            print("record", sequence, kind, padding, content.hex() or "-", sealed.hex())
        secret = expand_label(secret, b"traffic upd", 32)


main()
