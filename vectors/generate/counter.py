"""Key streams across the places where a block counter carries or ends: unpublished values, from reference.py."""

import reference as ref
from output import OWN_LICENCE, write

KEY = bytes((7 * i + 3) & 0xFF for i in range(32))
BLOCKS = 4


def main():
    starts = {
        # The carry out of the low word must not reach the nonce: the last blocks of the 32-bit
        # counter.
        "ietf": [0, 1, 0x7FFFFFFE, 2**32 - BLOCKS],
        "xchacha": [0, 1, 2**32 - BLOCKS],
        # The carry into the high word must happen, and the end of the 64-bit counter must not
        # reach the nonce.
        "original": [0, 1, 2**32 - 2, 2**32, 2**63 - 2, 2**64 - BLOCKS, 0x01234567_FFFFFFFE],
    }
    nonces = {"ietf": 12, "xchacha": 24, "original": 8}
    vectors = []
    for layout, counters in starts.items():
        # All-ones nonce words: a leaked carry changes them visibly.
        nonce = b"\xff" * (nonces[layout] - 1) + b"\x7f"
        for rounds in (8, 12, 20):
            for counter in counters:
                plaintext = bytes((i * i + i) & 0xFF for i in range(64 * BLOCKS))
                vectors.append({
                    "id": f"{layout}, {rounds} rounds, counter {counter:#x}", "layout": layout, "rounds": rounds,
                    "key": KEY, "nonce": nonce, "counter": counter, "plaintext": plaintext,
                    "ciphertext": ref.encrypt(layout, rounds, KEY, nonce, counter, plaintext)})
    write("generated/chacha_counter.json", "vectors/generate/counter.py", OWN_LICENCE, vectors)


if __name__ == "__main__":
    main()
