"""Collects the licences of everything in a released program that is not ours."""

import html
import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LICENCE_FILE = re.compile(r"(un)?li[cs]en[cs]e|copying|copyright|notice", re.IGNORECASE)

# The licence of musl, the C library in static programs for Linux.
MUSL = """musl as a whole is licensed under the following standard MIT license:

Copyright © 2005-2020 Rich Felker, et al.

Permission is hereby granted, free of charge, to any person obtaining
a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including
without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to
permit persons to whom the Software is furnished to do so, subject to
the following conditions:

The above copyright notice and this permission notice shall be
included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND,
EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT.
IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY
CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT,
TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""

# The word list of SLIP-39 is in the program. This file has its source and licence.
WORDS = ROOT / "crates/shares/src/foreign/slip39/LICENSE"

# Debian's copyright file of mingw-w64, whose C runtime and threads are linked into programs for
# Windows. It comes with the linker.
MINGW = Path("/usr/share/doc/mingw-w64-x86-64-dev/copyright")


def mingw():
    """Returns the notices of the C runtime for Windows."""
    if not MINGW.is_file():
        raise SystemExit(f"{MINGW} is missing: it comes with Debian's gcc-mingw-w64-x86-64")
    return MINGW.read_text().strip()


def metadata(target):
    """Returns cargo's metadata of each crate, by name and version."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    packages = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)["packages"]
    return {(package["name"], package["version"]): package for package in packages}


def texts_of(package):
    """Returns the licence texts that come with a crate, or else the standard text of the licence
    that its manifest names."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if LICENCE_FILE.match(path.name) and path.is_file())
    if files:
        return [path.read_text(errors="replace").strip() for path in files]
    name, choices = package["name"], re.split(r" OR |/", package["license"])
    if "Apache-2.0" in choices:
        return [(ROOT / "LICENSE-APACHE").read_text().strip()]
    if "MIT" in choices and package["authors"]:
        ours = (ROOT / "LICENSE-MIT").read_text().strip()
        return ["Copyright (c) " + ", ".join(package["authors"]) + "\n" + ours.split("\n", 1)[1]]
    raise SystemExit(f"{name} has no licence file, and {package['license']} is no text that is known here")


def standard_library():
    """Returns the notices of Rust's standard library, which come with the compiler."""
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], check=True, stdout=subprocess.PIPE, text=True).stdout
    page = Path(sysroot.strip()) / "share/doc/rust/COPYRIGHT-library.html"
    if not page.is_file():
        raise SystemExit(f"{page} is missing: it comes with the compiler by rustup")
    body = page.read_text().split("<body", 1)[1].split(">", 1)[1]
    plain = html.unescape(re.sub(r"<[^>]*>", "", body))
    return re.sub(r"\n\s*\n\s*", "\n\n", plain).strip()


def third_party(target, bill):
    """Returns the text: a list of the crates of a bill of materials, and each licence text once."""
    crates = [(part["name"], part["version"]) for part in json.loads(bill)["components"] if part["scope"] == "required"]
    packages, numbers, rows = metadata(target), {}, []
    for crate in crates:
        package = packages[crate]
        # A crate of this repository has no source.
        if package["source"]:
            used = [numbers.setdefault(text, len(numbers) + 1) for text in texts_of(package)]
            rows.append(f"{' '.join(crate)} ({package['license']}): {', '.join(map(str, used))}")
    parts = ["The program contains these crates. The numbers are those of the licence texts below.\n\n" + "\n".join(rows)]
    parts += [f"Licence text {number}\n\n{text}" for text, number in numbers.items()]
    parts.append(f"The word list of SLIP-39\n\n{WORDS.read_text().strip()}")
    if "musl" in target:
        parts.append(f"The C library\n\n{MUSL.strip()}")
    if "windows-gnu" in target:
        parts.append(f"The C runtime\n\n{mingw()}")
    parts.append(f"Rust's standard library\n\n{standard_library()}")
    return ("\n\n" + "=" * 80 + "\n").join(parts) + "\n"
