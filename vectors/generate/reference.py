"""ChaCha, HChaCha, Poly1305 and the AEADs on Python's integers, written from RFC 8439 and draft-irtf-cfrg-xchacha-03.

The generators check every published value against this module, and take from it the unpublished values.
Standard library only.
"""

MASK32 = 0xFFFFFFFF
P = (1 << 130) - 5
CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF


def rotl(x, n):
    return ((x << n) | (x >> (32 - n))) & MASK32


def quarter_round(s, a, b, c, d):
    s[a] = (s[a] + s[b]) & MASK32
    s[d] = rotl(s[d] ^ s[a], 16)
    s[c] = (s[c] + s[d]) & MASK32
    s[b] = rotl(s[b] ^ s[c], 12)
    s[a] = (s[a] + s[b]) & MASK32
    s[d] = rotl(s[d] ^ s[a], 8)
    s[c] = (s[c] + s[d]) & MASK32
    s[b] = rotl(s[b] ^ s[c], 7)


def inner_block(s):
    quarter_round(s, 0, 4, 8, 12)
    quarter_round(s, 1, 5, 9, 13)
    quarter_round(s, 2, 6, 10, 14)
    quarter_round(s, 3, 7, 11, 15)
    quarter_round(s, 0, 5, 10, 15)
    quarter_round(s, 1, 6, 11, 12)
    quarter_round(s, 2, 7, 8, 13)
    quarter_round(s, 3, 4, 9, 14)


def words(data):
    return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]


def serialize(state):
    return b"".join(w.to_bytes(4, "little") for w in state)


def permute(state, rounds):
    state = list(state)
    for _ in range(rounds // 2):
        inner_block(state)
    return state


def block(layout, rounds, key, nonce, counter):
    """One key stream block. `layout` is "ietf" (32-bit counter), "original" (64-bit) or "xchacha"."""
    if layout == "xchacha":
        subkey = hchacha(rounds, key, nonce[:16])
        return block("ietf", rounds, subkey, bytes(4) + nonce[16:], counter)
    counter_bytes, nonce_bytes = {"ietf": (4, 12), "original": (8, 8)}[layout]
    assert len(key) == 32 and len(nonce) == nonce_bytes
    initial = words(b"expand 32-byte k" + key + counter.to_bytes(counter_bytes, "little") + nonce)
    final = permute(initial, rounds)
    return serialize((a + b) & MASK32 for a, b in zip(initial, final))


def encrypt(layout, rounds, key, nonce, counter, plaintext):
    out = bytearray()
    for j in range(0, len(plaintext), 64):
        piece = plaintext[j : j + 64]
        out += bytes(a ^ b for a, b in zip(piece, block(layout, rounds, key, nonce, counter + j // 64)))
    return bytes(out)


def hchacha(rounds, key, nonce16):
    s = permute(words(b"expand 32-byte k" + key + nonce16), rounds)
    return serialize(s[0:4] + s[12:16])


def poly1305_accumulators(key, message):
    """The accumulator after each block, before the reduction (an integer) and after it."""
    r = int.from_bytes(key[:16], "little") & CLAMP
    a = 0
    for i in range(0, len(message), 16):
        product = r * (a + int.from_bytes(message[i : i + 16] + b"\x01", "little"))
        a = product % P
        yield product, a


def poly1305_mac(key, message):
    a = 0
    for _, a in poly1305_accumulators(key, message):
        pass
    return ((a + int.from_bytes(key[16:], "little")) % (1 << 128)).to_bytes(16, "little")


def pad16(x):
    return bytes(-len(x) % 16)


def poly1305_key_gen(layout, key, nonce):
    return block(layout, 20, key, nonce, 0)[:32]


def aead_encrypt(layout, key, nonce, aad, plaintext):
    ciphertext = encrypt(layout, 20, key, nonce, 1, plaintext)
    mac_data = aad + pad16(aad) + ciphertext + pad16(ciphertext)
    mac_data += len(aad).to_bytes(8, "little") + len(ciphertext).to_bytes(8, "little")
    return ciphertext, poly1305_mac(poly1305_key_gen(layout, key, nonce), mac_data)
