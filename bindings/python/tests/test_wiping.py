"""Secrets in the memory of a process."""

import subprocess
import sys

SCRIPT = """
import sys
from sealane import age, shares

lines = shares.split(bytes(range(64)), 2, 20)
shares.combine(lines)
texts = lines + shares.refresh(lines[:2]) + [shares.reissue(lines[:2], 30)]
holders = [age.Identity.generate() for _ in range(20)]
sealed = age.encrypt(b"data", age.Recipient.threshold(2, [holder.recipient for holder in holders]))
texts += [part.to_text() for part in age.parts_of(sealed, holders)]
texts += [holder.to_text() for holder in holders[:1]]
print("ready", flush=True)
sys.stdin.readline()
print(*texts)
"""


def memory_of(process):
    """Returns everything that a process may have written to its memory."""
    found = []
    with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
        for line in maps:
            region, rights, *_, name = line.rstrip("\n").split(" ", 5)
            if rights.startswith("rw") and "[v" not in name:
                start, end = (int(address, 16) for address in region.split("-"))
                memory.seek(start)
                while start < end and (data := memory.read(end - start)):
                    found.append(data)
                    start += len(data)
    return b"".join(found)


def test_shares_and_parts_leave_no_copies():
    """Only Python's own objects have them, which Python does not wipe."""
    command = [sys.executable, "-c", SCRIPT]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        memory = memory_of(process.pid)
        # From here on, there are more copies.
        texts = process.communicate("go on\n", timeout=60)[0].split()
    assert len(texts) == len(set(texts)) == 44
    # Memory that is freed may be overwritten at its start.
    *found, identity = [memory.count(text[-24:].encode()) for text in texts]
    assert found == [1] * 43
    # The object of Python, and the identity itself.
    assert identity == 2
