"""What the program for Windows must do with folders and headers, in Wine. `test_others.py` calls
`check_all`."""

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

from released import check

# The first bytes of a kept header, from crates/cli/src/io/old_header/kept.rs.
KEPT_MAGIC = b"sealane old header, version 1\n"
NONCE_BYTES = 16


class Program:
    """A program that runs in a folder."""

    def __init__(self, home, *command):
        self.home, self.command = home, [str(part) for part in command]

    def __call__(self, *arguments, status=0):
        """Runs the program, and checks its exit status. Returns its messages."""
        result = subprocess.run([*self.command, *arguments], cwd=self.home, capture_output=True, check=False)
        messages = result.stderr.decode(errors="replace")
        check(result.returncode == status, f"{arguments} ended with status {result.returncode}:\n{messages}")
        return messages

    def recipient(self, key):
        """Creates a key, and returns its recipient."""
        self("keygen", "-o", key)
        return re.search(r"age1\w+", (self.home / key).read_text())[0]


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def contents(folder):
    paths = folder.rglob("*")
    return {path.relative_to(folder).as_posix(): path.read_text() if path.is_file() else None for path in paths}


def check_folder(sealane, recipient):
    home = sealane.home
    write(home / "in", {"a": "one", "sub/deep/b": "two"})
    (home / "in/empty").mkdir()
    sealane("encrypt", "-r", recipient, "-o", "sealed", "in")
    sealane("verify", "-i", "key.txt", "sealed")
    sealane("decrypt", "-i", "key.txt", "-o", "out", "sealed")
    check(contents(home / "out/in") == contents(home / "in"), "a folder is not restored")
    sealane("encrypt", "-r", recipient, "-o", "one\\", "in/a")
    check((home / "one/a.age").is_file(), "-o DIR\\ does not name a folder")
    print("   folders are encrypted, verified and decrypted")


def check_same_name(sealane, recipient):
    home = sealane.home
    write(home / "case", {"Makefile": "first", "makefile": "second"})
    messages = sealane("encrypt", "-r", recipient, "-o", "case-sealed", "case", status=1)
    check("exists with another content" in messages, f"the second file is not refused:\n{messages}")
    names = [path.name.lower() for path in (home / "case-sealed/case").iterdir()]
    check(names == ["makefile.age"], f"files of one name: {names}")
    print("   of two names that differ in case, the second is refused")


def check_names(sealane, linux, recipient):
    """Files with names that Windows cannot have do not keep others from being decrypted."""
    home = sealane.home
    refused = ["10:30", "nul.txt", "end.", "aux/file"]
    write(home / "names", {"good": "text"} | {name: "text" for name in refused})
    linux("encrypt", "-r", recipient, "-o", "names-sealed", "names")
    messages = sealane("decrypt", "-i", "key.txt", "-o", "names-out", "names-sealed", status=1)
    for name in refused:
        shown = name.replace("/", "\\\\")
        expected = f'{shown}" is left out: the name is reserved or not allowed on this system'
        check(expected in messages, f"no {name}:\n{messages}")
    check(contents(home / "names-out/names") == {"good": "text"}, "other files than the good one")
    print("   names that Windows cannot have concern only their files")


def header_of(sealed):
    return sealed[: re.search(rb"\n--- \S+\n", sealed).end()]


def check_rekey(sealane, recipient):
    home = sealane.home
    file, kept = home / "file.age", home / ".file.age.sealane-old-header"
    other = sealane.recipient("other.txt")
    sealane("encrypt", "-r", recipient, "-o", "file.age", "in/a")
    before = file.read_bytes()
    old = header_of(before)
    (home / "link.age").hardlink_to(file)
    messages = sealane("rekey", "-i", "key.txt", "-r", other, "file.age", status=1)
    check("has several hard links" in messages, f"a hard link is not refused:\n{messages}")
    (home / "link.age").unlink()
    sealane("rekey", "-i", "key.txt", "-r", other, "file.age")
    sealane("decrypt", "-i", "other.txt", "-o", "opened", "file.age")
    new = header_of(file.read_bytes())
    # A crash left half of the new header.
    content = KEPT_MAGIC + len(old).to_bytes(4, "big") + old + new + before[len(old) :][:NONCE_BYTES]
    kept.write_bytes(content + hashlib.sha256(content).digest())
    half = len(old) // 2
    file.write_bytes(new[:half] + before[half:])
    messages = sealane("rekey", "-i", "key.txt", "-r", other, "file.age")
    check("has been put back first" in messages and not kept.exists(), f"the header is not put back:\n{messages}")
    sealane("decrypt", "-i", "other.txt", "-o", "opened-again", "file.age")
    check((home / "opened-again").read_text() == "one", "another content")
    sealane("decrypt", "-i", "other.txt", "-o", "NUL", "file.age")
    check(not any(path.name.lower() == "nul" for path in home.iterdir()), "-o NUL makes a file")
    print("   recipients change, also directly after an interrupted change")


def check_all(home, windows, linux):
    """Checks the program that the command `windows` runs, in the new folder `home`. `linux` is the
    program for Linux."""
    shutil.rmtree(home, ignore_errors=True)
    Path(home).mkdir(parents=True)
    sealane, linux = Program(home, *windows), Program(home, linux)
    recipient = sealane.recipient("key.txt")
    check_folder(sealane, recipient)
    check_same_name(sealane, recipient)
    check_names(sealane, linux, recipient)
    check_rekey(sealane, recipient)
