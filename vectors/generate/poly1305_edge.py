"""Poly1305 at the edges: accumulators near p and near limb boundaries, in sequence and in every lane of a vector kernel.

Each message is solved for: given r and the blocks so far, the next block is chosen so that the accumulator becomes the
wanted value modulo p. Random messages come near these values once in about 2^100.
"""

import random

import reference as ref
from output import OWN_LICENCE, write
from reference import CLAMP, P

RANDOM = random.Random(8439)
TWO_128 = 1 << 128
ONES = b"\xff" * 16


def targets():
    """Accumulator values at which a reduction or a carry goes wrong."""
    near_p = {f"p{d:+d}": (P + d) % P for d in (-6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4)}
    powers = {f"2^{k}{d:+d}": (1 << k) + d for k in (26, 44, 52, 64, 78, 88, 96, 104, 128, 129) for d in (-1, 0)}
    patterns = {
        "limbs of 26 bits all ones but the lowest": P - 1 - ((1 << 26) - 6),
        "26-bit limbs 0 and 2 and 4 all ones": sum(((1 << 26) - 1) << (26 * i) for i in (0, 2, 4)) % P,
        "26-bit limbs 1 and 3 all ones": sum(((1 << 26) - 1) << (26 * i) for i in (1, 3)),
        "low 128 bits all ones, top bits 10": 2 * TWO_128 + TWO_128 - 1,
    }
    return near_p | powers | patterns


def number(block):
    return int.from_bytes(block + b"\x01", "little")


def bytes_of(n):
    """The 16 bytes whose padded number is n, or None when n is not the number of a full block."""
    return (n - TWO_128).to_bytes(16, "little") if TWO_128 <= n < 2 * TWO_128 else None


def random_r():
    return RANDOM.getrandbits(128) & CLAMP


def key(r, s):
    return r.to_bytes(16, "little") + s.to_bytes(16, "little")


def vector(name, one_time_key, message):
    return {"id": name, "key": one_time_key, "message": message, "tag": ref.poly1305_mac(one_time_key, message)}


def reach(target, r, multiplier_power):
    """Two blocks b0, b1 with (b0 * r^k + b1) congruent to target: the value of a lane after b0 and b1."""
    rk = pow(r, multiplier_power, P)
    while True:
        first = RANDOM.getrandbits(128).to_bytes(16, "little")
        second = bytes_of((target - number(first) * rk) % P)
        if second is not None:
            return first, second


def sequential():
    """The accumulator equals the target after the last block; then again in the middle, with more blocks after it."""
    for name, target in targets().items():
        r = random_r() | 4
        inverse = pow(r, -1, P)
        # (b0 * r + b1) * r = target
        first, second = reach(target * inverse % P, r, 1)
        for s_name, s in (("s = 0", 0), ("s all ones", TWO_128 - 1)):
            v = vector(f"h = {name} at the end, {s_name}", key(r, s), first + second)
            *_, (_, accumulator) = ref.poly1305_accumulators(v["key"], v["message"])
            assert accumulator == target, name
            yield v
        yield vector(f"h = {name} after two blocks of nine and a half", key(r, RANDOM.getrandbits(128)),
                     first + second + RANDOM.randbytes(15 * 8))


def lanes():
    """Every one of k lanes holds the target after its second block; tails of 0, 1 and 16 bytes follow."""
    for name, target in targets().items():
        for k in (2, 4, 8, 16):
            r = random_r()
            pairs = [reach(target, r, k) for _ in range(k)]
            message = b"".join(a for a, _ in pairs) + b"".join(b for _, b in pairs)
            tail = RANDOM.randbytes(RANDOM.choice((0, 1, 16, 17)))
            yield vector(f"h = {name} in each of {k} lanes, tail {len(tail)}", key(r, RANDOM.getrandbits(128)), message + tail)


def unreduced():
    """r = 1: the accumulator is the plain sum of the blocks, between p - 6 and 2^130 + 6 before the reduction."""
    for d in range(-6, 13):
        wanted = P + d - 3 * TWO_128
        blocks = ONES, (wanted - (TWO_128 - 1)).to_bytes(16, "little") if wanted >= TWO_128 - 1 else None, bytes(16)
        if blocks[1] is None:
            blocks = wanted.to_bytes(16, "little"), bytes(16), bytes(16)
        message = b"".join(blocks)
        assert sum(number(message[i : i + 16]) for i in (0, 16, 32)) == P + d
        for s_name, s in (("s = 0", 0), ("s all ones", TWO_128 - 1)):
            yield vector(f"sum of blocks = p{d:+d}, r = 1, {s_name}", key(1, s), message)


def largest_tables():
    """r whose powers have large limbs, so that the sums of a kernel come as near to overflow as the search finds."""

    def sum_of_limbs(r):
        numbers = [pow(r, 8, P) * pow(2, 32 * i, P) % P for i in range(4)]
        return sum(n >> (26 * j) & ((1 << 26) - 1) for n in numbers for j in range(5))

    candidates = sorted((random_r() for _ in range(20000)), key=sum_of_limbs)
    for i, r in enumerate([CLAMP, *candidates[-3:], *candidates[:1]]):
        for length in (16 * 64, 16 * 128 + 15, 16 * 256 + 1):
            yield vector(f"all-ones blocks, r number {i} of the search, {length} bytes", key(r, TWO_128 - 1), b"\xff" * length)


def shapes():
    """All-ones and all-zeros messages of every short length, largest r; r = 0; each single bit that r may have."""
    for length in [*range(0, 49), 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513]:
        yield vector(f"all ones, largest r, {length} bytes", b"\xff" * 32, b"\xff" * length)
    for length in (0, 1, 15, 16, 17, 64, 256):
        yield vector(f"all zeros, largest r, {length} bytes", ONES + bytes(16), bytes(length))
        yield vector(f"r = 0, {length} bytes", bytes(16) + ONES, b"\xff" * length)
        # Every bit of these 16 bytes is cleared by the clamp.
        only_clamped = (~CLAMP & (TWO_128 - 1)).to_bytes(16, "little")
        yield vector(f"r of clamped bits only, {length} bytes", only_clamped + ONES, b"\xff" * length)
    for bit in range(128):
        if CLAMP >> bit & 1:
            yield vector(f"r = 2^{bit}", key(1 << bit, 0), b"\xff" * 67)


def main():
    vectors = [*sequential(), *lanes(), *unreduced(), *largest_tables(), *shapes()]
    write("generated/poly1305_edge.json", "vectors/generate/poly1305_edge.py", OWN_LICENCE, vectors)


if __name__ == "__main__":
    main()
