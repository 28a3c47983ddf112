"""What the tests of a release share: python3 tools/dist/test.py and tools/dist/test_others.py"""

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
WORK = TARGET / "dist-test"
MAINTAINER = "The Sealane authors <sealane@example.org>"
URL = "https://example.org/sealane"


def run(*command, **options):
    return subprocess.run(command, check=True, **options)


def output(*command, **options):
    return run(*command, stdout=subprocess.PIPE, text=True, **options).stdout


def step(title):
    print(f"== {title}", flush=True)


def check(holds, message):
    if not holds:
        sys.exit(f"error: {message}")


def require(tools):
    """Ends the test if a tool is missing. `tools` maps tools to Debian's packages."""
    for tool, package in tools.items():
        check(shutil.which(tool), f"`{tool}` is not installed. On Debian: apt-get install {package}")
    check(os.geteuid() == 0, "the test needs the rights of root")


def alone():
    """Waits until no other test of a release runs, because they share folders. Returns a file to
    keep open."""
    WORK.mkdir(parents=True, exist_ok=True)
    lock = (WORK / "lock").open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def dist(folder, *build):
    """Creates a key, builds the programs, and packs them into a folder."""
    run("minisign", "-G", "-W", "-f", "-p", WORK / "key.pub", "-s", WORK / "key", stdout=subprocess.DEVNULL)
    # As `.ci/run` builds the chores, so that it need not build them again.
    chores = ["--target-dir", TARGET / "chores", "--config", 'profile.dev.package."*".opt-level=0']
    run("cargo", "run", "--quiet", "--package", "xtask", *chores, "--", "dist", *build, cwd=ROOT)
    pack(folder)


def pack(folder, **settings):
    options = ["--key", WORK / "key", "--maintainer", MAINTAINER, "--url", URL, "--output", folder]
    run(sys.executable, ROOT / "tools/dist/release.py", *options, TARGET / "dist-programs", **settings)


def unpack(archive):
    """Unpacks an archive, and returns the folder in it."""
    into = WORK / "unpacked" / archive.name
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    if archive.suffix == ".zip":
        zipfile.ZipFile(archive).extractall(into)
    else:
        with tarfile.open(archive) as tar:
            members = tar.getmembers()
        check({(member.uid, member.gid, member.uname) for member in members} == {(0, 0, "root")}, "owners other than root")
        check(len({member.mtime for member in members}) == 1, "files have more than one time")
        run("tar", "-xf", archive, "-C", into)
    (folder,) = into.iterdir()
    return folder


def check_files(folder, program="sealane"):
    """Checks the names of the files of an unpacked archive, and its licences."""
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    wanted = {program, "README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.txt", "sealane.cdx.json"}
    wanted |= {f"completions/{name}" for name in ["sealane.bash", "_sealane", "sealane.fish"]} | {"man/man1/sealane.1"}
    check(wanted <= names, f"the archive lacks {wanted - names}")
    others = {name for name in names - wanted if not re.fullmatch(r"man/man1/sealane-[a-z-]+\.1", name)}
    check(not others and len(names) > len(wanted) + 10, f"files in the archive: {sorted(names)}")
    licences = (folder / "THIRD-PARTY.txt").read_text()
    for part in json.loads((folder / "sealane.cdx.json").read_text())["components"]:
        if part["scope"] == "required" and not part["name"].startswith("sealane"):
            check(f"{part['name']} {part['version']} (" in licences, f"no licence of {part['name']}")
    check("Copyright 2019 SatoshiLabs" in licences, "no licence of the word list of SLIP-39")


def check_static(program):
    check("INTERP" not in output("readelf", "-lW", program), f"{program} is not static")


def check_lintian(package):
    found = output("lintian", "--allow-root", "--fail-on", "error,warning", package)
    check(not found, f"lintian says:\n{found}")


def quick_start():
    """Returns the commands of the README."""
    section = (ROOT / "README.md").read_text().split("## Quick start\n")[1]
    return section.split("```sh\n")[1].split("```")[0]


# The program must refuse a wrong key, and leave no output.
WRONG_KEY = """
sealane keygen -o other.txt
if sealane decrypt -i other.txt -o nothing README.md.age 2>refused.txt; then exit 1; fi
grep 'no identity matches' refused.txt
[ ! -e nothing ]
"""


def check_quick_start(home):
    """Checks what the commands of the README wrote to a folder."""
    check((home / "copy.md").read_bytes() == (ROOT / "README.md").read_bytes(), "the copy is another file")
    check((home / "restored-key.txt").read_bytes() == (home / "key.txt").read_bytes(), "the key was not restored")


def run_quick_start(name, command):
    """Runs the commands of the README in a new folder, with a command in place of `sealane`."""
    home = WORK / name
    shutil.rmtree(home, ignore_errors=True)
    (home / "bin").mkdir(parents=True)
    shim = home / "bin/sealane"
    shim.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    shim.chmod(0o755)
    shutil.copy(ROOT / "README.md", home)
    environment = os.environ | {"PATH": f"{home / 'bin'}:{os.environ['PATH']}", "HOME": str(home)}
    log = home / "output.txt"
    with log.open("w") as file:
        result = subprocess.run(["bash", "-e", "-c", quick_start() + WRONG_KEY], cwd=home, env=environment, stdout=file, stderr=file)
    check(result.returncode == 0, f"the quick start of the README fails with {command}:\n{log.read_text()}")
    check_quick_start(home)
    print("   the quick start of the README works, and a wrong key opens nothing")


def check_formula(release, processor, emulator=()):
    """Installs the archive of a release as Homebrew's formula says, and runs the formula's test."""
    formula = release / "sealane.rb"
    addresses = re.findall(r'url "(.*)/[^/]*"', formula.read_text())
    check(addresses and set(addresses) == {URL}, f"the formula has the addresses {addresses}")
    home = WORK / f"homebrew-{processor}"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    script = ROOT / "tools/dist/formula_test.rb"
    run("ruby", script, formula, release, home, processor, *emulator)
