"""CTX of Chan and Rogaway, "On Committing Authenticated-Encryption" (ESORICS 2022), over both AEADs; and BLAKE2b, its hash."""

import hashlib

import reference as ref
from output import OWN_LICENCE, unhex, write

# RFC 7693, appendix A.
ABC_512 = unhex(
    "BA 80 A5 3F 98 1C 4D 0D 6A 27 97 B6 9F 12 F6 E9 4C 21 2F 14 68 5A C4 B7 4B 12 BB 6F DB FF A2 D1"
    "7D 87 C5 39 2A AB 79 2D C2 52 D5 DE 45 33 CC 95 18 D3 8A A8 DB F1 92 5A B9 23 86 ED D4 00 99 23"
)


def data(seed, length):
    """Bytes that look random."""
    return hashlib.shake_128(seed.encode()).digest(length)


def blake2b():
    vectors = [{"id": "RFC 7693, appendix A", "message": b"abc", "digest": ABC_512}]
    assert hashlib.blake2b(b"abc").digest() == ABC_512
    # On both sides of the ends of its blocks of 128 bytes.
    for length in (0, 1, 127, 128, 129, 255, 256, 257):
        message = data("blake2b", length)
        digest = hashlib.blake2b(message, digest_size=32).digest()
        vectors.append({"id": f"{length} bytes", "message": message, "digest": digest})
    source = "RFC 7693, appendix A, and Python's hashlib: vectors/generate/committing.py"
    write("generated/blake2b.json", source, OWN_LICENCE, vectors)


def aead():
    vectors = []
    for layout, nonce_length in (("ietf", 12), ("xchacha", 24)):
        # The input of the hash fills one block of 128 bytes if the associated data have 68 bytes,
        # or 56.
        one_block = 128 - 32 - nonce_length - 16
        lengths = [(0, 0), (0, 1), (1, 0), (12, 64), (13, 63), (13, 65), (16, 448), (7, 449), (0, 512), (20, 513), (3, 1024)]
        lengths += [(aad, 100) for aad in (one_block - 1, one_block, one_block + 1, one_block + 128, one_block + 129)]
        lengths += [(5, 4607), (5, 4609), (0, 5000), (300, 0), (257, 17)]
        for aad_length, length in lengths:
            name = f"{layout}: {aad_length} bytes of associated data, {length} bytes"
            key, nonce = data(f"key {name}", 32), data(f"nonce {name}", nonce_length)
            aad, plaintext = data(f"aad {name}", aad_length), data(f"plaintext {name}", length)
            ciphertext, tag = ref.aead_encrypt(layout, key, nonce, aad, plaintext)
            commitment = hashlib.blake2b(key + nonce + aad + tag, digest_size=32).digest()
            vectors.append({"id": name, "key": key, "nonce": nonce, "aad": aad, "plaintext": plaintext,
                            "ciphertext": ciphertext, "tag": commitment})
    source = (
        "Chan and Rogaway, On Committing Authenticated-Encryption, ESORICS 2022 (IACR ePrint 2022/1260), figure 2, with "
        "BLAKE2b-256 of K | N | A | T: vectors/generate/committing.py"
    )
    write("generated/committing_aead.json", source, OWN_LICENCE, vectors)


def main():
    blake2b()
    aead()


if __name__ == "__main__":
    main()
