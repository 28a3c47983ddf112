"""Whole files in memory, when there is not enough of it."""

import os
import subprocess
import sys

import pytest

NO_MEMORY = """
import resource
from sealane import age

# The allocator returns blocks of this size to the system at once.
SIZE = 40 << 20
key = age.Identity.generate()
plain = bytes(SIZE)
sealed, text = age.encrypt(plain, key.recipient), age.encrypt(plain, key.recipient, armor=True)
header = age.inspect(sealed).header_len + 16
cut = sealed[: header + SIZE // 65536 * 65552 + 5]
payload, opener = sealed[header:], age.Preamble.parse(sealed).unlock(key)

def encrypt_armored():
    return age.encrypt(plain, key.recipient, armor=True, threads=1)

def decrypt():
    return age.decrypt(sealed, key, threads=1)

def decrypt_armored():
    return age.decrypt(text, key, threads=1)

def decrypt_a_bad_length():
    try:
        age.decrypt(cut, key, threads=1)
    except age.PayloadError:
        pass

def open_pieces():
    return opener.open_chunks(0, True, payload, [(0, 1), (1, SIZE - 1)])

for call in (encrypt_armored, decrypt, decrypt_armored, decrypt_a_bad_length, open_pieces):
    outcomes = []
    for extra in (SIZE // 2, SIZE * 3 // 2, SIZE * 5 // 2, SIZE * 5):
        [used] = [int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmSize")]
        resource.setrlimit(resource.RLIMIT_AS, (used + extra, resource.RLIM_INFINITY))
        try:
            call()
            outcomes.append("done")
        except MemoryError:
            outcomes.append("MemoryError")
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert outcomes[0] == "MemoryError" and outcomes[-1] == "done", (call, outcomes)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is limited in Linux's way")
def test_too_little_memory_is_an_exception():
    """Rust's usual allocations would end the process, or panic."""
    # Another arena would have free memory that the limit does not count.
    env = os.environ | {"MALLOC_ARENA_MAX": "1"}
    subprocess.run([sys.executable, "-c", NO_MEMORY], check=True, env=env)
