"""Files that are written in a process that forks: the child must leave them to its parent."""

import os
import subprocess
import sys

import pytest

from keys import IDENTITY

START = """
import os, sys
import fsspec
from fsspec import AbstractFileSystem
from fsspec.spec import AbstractBufferedFile
import sealane.fsspec
from sealane import age

class Uploaded(AbstractBufferedFile):
    def _upload_chunk(self, final=False):
        if final:
            with open(self.path, "ab") as file:
                file.write(self.buffer.getvalue())
        return True

    def discard(self):
        raise SystemExit("the upload was ended")

class Store(AbstractFileSystem):
    def _open(self, path, mode="rb", **kwargs):
        return Uploaded(self, path, mode, block_size=1 << 30)

identity = age.Identity(os.environ["SEALANE_TEST_KEY"])
options = {"identities": lambda: identity, "recipients": str(identity.recipient)}
fs = fsspec.filesystem("age", **options)
store = sealane.fsspec.AgeFileSystem(fs=Store(), **options)
# A child that ends removes a cache without a folder of its own.
cache = fsspec.filesystem("simplecache", target_protocol="file", cache_storage=os.path.abspath("../cache"))
cached = sealane.fsspec.AgeFileSystem(fs=cache, **options)
path = os.path.abspath("file")

def fork(how):
    if process := os.fork():
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        assert code == (1 if how == "leave" else 0), code
    elif how == "exit":
        sys.exit(0)
    else:
        is_child.append(True)

is_child = []
how = sys.argv[1]
"""

WORKS = {
    "create_age": """
with age.create_age(path, identity.recipient) as file:
    write(file)
""",
    "local": """
with fs.open(path, "wb") as file:
    write(file)
""",
    "transaction": """
with fs.transaction, fs.open(path, "wb") as file:
    write(file)
""",
    "closed in a transaction": """
with fs.transaction:
    with fs.open(path, "wb") as file:
        file.write(data)
    fork(how)
""",
    "open in a transaction": """
with fs.transaction:
    write(fs.open(path, "wb"))
""",
    "compressed": """
with fs.transaction, fs.open(path, "wb", compression="bz2") as file:
    write(file)
""",
    "store": """
with store.open(path, "wb") as file:
    write(file)
""",
    "cached": """
with cached.open(path, "wb") as file:
    write(file)
""",
    "kept": """
file = fs.open(path, "wb")
write(file)
file.close()
""",
}

WRITE = """
data = bytes(range(256)) * int(sys.argv[2])

def write(file):
    file.write(data[:-5])
    fork(how)
    if not is_child:
        file.write(data[-5:])

"""

END = """
import bz2
with open(path, "rb") as file:
    found = age.decrypt(file.read(), identity)
assert (bz2.decompress(found) if sys.argv[3] == "compressed" else found) == data
assert os.listdir(".") == ["file"]
"""


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize("how", ["exit", "leave"])
@pytest.mark.parametrize("kind", WORKS)
def test_a_child_leaves_the_file_to_its_parent(kind, how, size, tmp_path):
    """``leave`` ends the block as if the child had written the file."""
    script = START + WRITE + WORKS[kind] + END
    command = [sys.executable, "-c", script, how, str(size), kind]
    environment = os.environ | {"SEALANE_TEST_KEY": IDENTITY.to_text()}
    folder = tmp_path / "folder"
    folder.mkdir()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    if how == "leave":
        # In the child.
        assert "RuntimeError: a writer can only be used in the process that made it" in done.stderr
