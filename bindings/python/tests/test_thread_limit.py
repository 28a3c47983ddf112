"""A process that may not start threads, as in a container with a limit."""

import os
import shutil
import subprocess
import sys
import tempfile

SCRIPT = """
import io, os, resource, sys, threading
from sealane import age

folder, user = sys.argv[1], 54321
os.chdir(folder)
if os.getuid() == 0:
    # The limit is not for root.
    os.chown(folder, user, user)
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
try:
    threading.Thread(target=int).start()
except RuntimeError:
    pass
else:
    sys.exit("the limit has no effect")

identity = age.Identity.generate()
data = os.urandom(10 << 20)
sealed = age.encrypt(data, identity.recipient, threads=4)
assert age.decrypt(sealed, identity, threads=4) == data
sealer = age.Sealer(identity.recipient, threads=4)
assert age.decrypt(sealer.update(data) + sealer.finish(), identity) == data
damaged = bytearray(sealed)
damaged[3 << 20] ^= 1
try:
    age.decrypt(damaged, identity, threads=4)
except age.PayloadError:
    pass
else:
    sys.exit("the damage was not found")

with open("plain", "wb") as file:
    file.write(data)
for armor in (False, True):
    reports = []
    report = lambda *progress: reports.append(progress)
    age.encrypt_file("plain", "sealed", identity.recipient, armor=armor, threads=4, progress=report)
    size = os.stat("sealed").st_size
    age.decrypt_file("sealed", "opened", identity, threads=4, progress=report)
    with open("opened", "rb") as file:
        assert file.read() == data
    assert reports == [(len(data), len(data)), (size, size)], reports
with open("sealed", "r+b") as file:
    file.truncate(1 << 20)
try:
    age.decrypt_file("sealed", "opened", identity, threads=4)
except age.AgeError:
    pass
else:
    sys.exit("the end was not missed")
target = io.BytesIO()
age.encrypt_stream(io.BytesIO(data), target, identity.recipient, threads=4)
assert age.decrypt(target.getvalue(), identity) == data
"""


def test_no_threads_can_be_started():
    # The folders of pytest can be opened only by the user who runs it.
    folder = tempfile.mkdtemp()
    try:
        command = [sys.executable, "-c", SCRIPT, folder]
        done = subprocess.run(command, env=os.environ, capture_output=True, text=True, timeout=120)
    finally:
        shutil.rmtree(folder)
    assert done.returncode == 0, done.stderr
