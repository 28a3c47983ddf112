"""Tests what `cargo xtask dist` creates for this kind of machine: python3 tools/dist/test.py

Checks that archives and packages are the same when they are created again, that the signature is
valid, that lintian finds nothing, and that the Debian package can be installed, used and removed in
a clean root directory. debootstrap creates this directory in target/dist-test, where it is kept.
The user must be root."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
WORK = TARGET / "dist-test"
SUITE = "bookworm"
MAINTAINER = "The Sealane authors <sealane@example.org>"
URL = "https://example.org/sealane"
TOOLS = {"debootstrap": "debootstrap", "dpkg-deb": "dpkg", "lintian": "lintian", "man": "man-db", "minisign": "minisign"}
# Files that dpkg keeps for itself.
OF_DPKG = {"var/lib/dpkg/status-old", "var/lib/dpkg/available-old", "var/log/dpkg.log", "var/log/alternatives.log"}


def run(*command, **options):
    return subprocess.run(command, check=True, **options)


def output(*command, **options):
    return run(*command, stdout=subprocess.PIPE, text=True, **options).stdout


def step(title):
    print(f"== {title}", flush=True)


def check(holds, message):
    if not holds:
        sys.exit(f"error: {message}")


def made_twice():
    """Creates the release twice, with different user settings, and compares. Returns its folder."""
    first, second, elsewhere = WORK / "first", WORK / "second", WORK / "elsewhere"
    shutil.rmtree(elsewhere, ignore_errors=True)
    elsewhere.mkdir()
    run("minisign", "-G", "-W", "-f", "-p", WORK / "key.pub", "-s", WORK / "key", stdout=subprocess.DEVNULL)
    options = ["--key", WORK / "key", "--maintainer", MAINTAINER, "--url", URL, "--output"]
    chore = ["cargo", "run", "--quiet", "--package", "xtask", "--", "dist", "--native"]
    run(*chore, *options, first, cwd=ROOT)
    environment = os.environ | {"TZ": "Pacific/Kiritimati", "LC_ALL": "POSIX", "HOME": str(elsewhere), "COLUMNS": "40"}
    tools = {"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup"}
    keep = {name: os.environ.get(name, str(Path.home() / folder)) for name, folder in tools.items()}
    script = [sys.executable, ROOT / "tools/dist/release.py", *options, second, TARGET / "dist-programs"]
    run(*script, cwd=elsewhere, env=environment | keep, umask=0o077, stdout=subprocess.DEVNULL)
    names = {path.name for path in first.iterdir()}
    check(names == {path.name for path in second.iterdir()}, "not the same files when they are made again")
    for name in sorted(names):
        check((first / name).read_bytes() == (second / name).read_bytes(), f"{name} differs when it is made again")
    print(f"   the same {len(names)} files")
    return first


def signed(release):
    def verify(file):
        return subprocess.run(["minisign", "-V", "-p", WORK / "key.pub", "-m", file], capture_output=True).returncode == 0

    check(verify(release / "SHA256SUMS"), "minisign does not accept the signature")
    forged = WORK / "forged"
    forged.write_bytes((release / "SHA256SUMS").read_bytes().replace(b"a", b"b", 1))
    shutil.copy(release / "SHA256SUMS.minisig", WORK / "forged.minisig")
    check(not verify(forged), "minisign accepts forged checksums")
    run("sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS", cwd=release)
    listed = {line.split("  ")[1] for line in (release / "SHA256SUMS").read_text().splitlines()}
    rest = {path.name for path in release.iterdir()} - listed
    check(rest == {"SHA256SUMS", "SHA256SUMS.minisig"}, f"without a checksum: {rest}")


def unpacked(release):
    """Checks the files of the archive, and returns the folder in which they are unpacked."""
    (archive,) = release.glob("*.tar.xz")
    shutil.rmtree(WORK / "archive", ignore_errors=True)
    with tarfile.open(archive) as tar:
        members = tar.getmembers()
    (WORK / "archive").mkdir()
    run("tar", "-xf", archive, "-C", WORK / "archive")
    check({(member.uid, member.gid, member.uname) for member in members} == {(0, 0, "root")}, "owners other than root")
    check(len({member.mtime for member in members}) == 1, "files have more than one time")
    (folder,) = (WORK / "archive").iterdir()
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    wanted = {"sealane", "README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.txt", "sealane.cdx.json"}
    wanted |= {f"completions/{name}" for name in ["sealane.bash", "_sealane", "sealane.fish"]} | {"man/man1/sealane.1"}
    check(wanted <= names, f"the archive lacks {wanted - names}")
    others = {name for name in names - wanted if not re.fullmatch(r"man/man1/sealane-[a-z-]+\.1", name)}
    check(not others and len(names) > len(wanted) + 10, f"files in the archive: {sorted(names)}")
    check("INTERP" not in output("readelf", "-lW", folder / "sealane"), "the program is not static")
    licences = (folder / "THIRD-PARTY.txt").read_text()
    for part in json.loads((folder / "sealane.cdx.json").read_text())["components"]:
        if part["scope"] == "required" and not part["name"].startswith("sealane"):
            check(f"{part['name']} {part['version']} (" in licences, f"no licence of {part['name']}")
    formula = (release / "sealane.rb").read_text()
    for line in [f'url "{URL}/{archive.name}"', f'sha256 "{hashlib.sha256(archive.read_bytes()).hexdigest()}"']:
        check(line in formula, f"the formula lacks {line}")
    return folder


def quick_start():
    """Returns the commands of the README."""
    section = (ROOT / "README.md").read_text().split("## Quick start\n")[1]
    return section.split("```sh\n")[1].split("```")[0]


def in_root(root, script):
    """Runs commands in the home folder of a root directory. They see no files outside it."""
    environment = {"HOME": "/root", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}
    return output(shutil.which("chroot"), root, "bash", "-e", "-c", f"cd /root\n{script}", env=environment)


def paths(root):
    home = root / "root"
    found = {path for path in root.rglob("*") if home not in path.parents}
    return {path.relative_to(root).as_posix() for path in found} - OF_DPKG


def clean_root():
    """Returns a fresh copy of a root directory with Debian's smallest system."""
    kept, root = WORK / SUITE, WORK / "root"
    if not (WORK / f"{SUITE}.made").exists():
        log = WORK / "debootstrap.txt"
        # The network may fail.
        for _ in range(3):
            shutil.rmtree(kept, ignore_errors=True)
            with log.open("w") as file:
                made = subprocess.run(["debootstrap", "--variant=minbase", SUITE, kept], stdout=file, stderr=file)
            if made.returncode == 0:
                break
        check(made.returncode == 0, f"debootstrap failed: {log.read_text()[-2000:]}")
        (WORK / f"{SUITE}.made").touch()
    shutil.rmtree(root, ignore_errors=True)
    run("cp", "-a", kept, root)
    return root


def installed(package):
    root = clean_root()
    before = paths(root)
    shutil.copy(package, root / "root/sealane.deb")
    shutil.copy(ROOT / "README.md", root / "root/README.md")
    in_root(root, "dpkg --install sealane.deb")
    added = paths(root) - before
    in_root(root, quick_start())
    home = root / "root"
    check((home / "copy.md").read_bytes() == (ROOT / "README.md").read_bytes(), "the copy is another file")
    check((home / "restored-key.txt").read_bytes() == (home / "key.txt").read_bytes(), "the key was not restored")
    check(in_root(root, "sealane --version").startswith("sealane "), "no version")
    for page in ["sealane", "sealane-encrypt", "sealane-share-refresh"]:
        check(f"usr/share/man/man1/{page}.1.gz" in added, f"no manual page {page}")
        manual = {"MANWIDTH": "80", "LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]}
        text = output("man", root / f"usr/share/man/man1/{page}.1.gz", env=manual)
        check("NAME" in text and "EXIT STATUS" in text, f"the manual page {page} is not readable")
    script = "source /usr/share/bash-completion/completions/sealane; complete -p sealane"
    check("sealane" in in_root(root, script), "bash does not complete")
    for path in ["usr/share/zsh/vendor-completions/_sealane", "usr/share/fish/vendor_completions.d/sealane.fish"]:
        check("keygen" in (root / path).read_text(), f"no completions in {path}")
    print(f"   {len(added)} paths were added, and the quick start of the README works")
    in_root(root, "dpkg --purge sealane")
    left = paths(root) - before
    check(not left, f"left after the removal: {sorted(left)}")
    check(paths(root) == before, "the removal also removed other files")
    shutil.rmtree(root)


def alone(folder):
    """Runs the program in a root directory without other files, as in an empty container."""
    root = WORK / "scratch"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    shutil.copy(folder / "sealane", root / "sealane")
    command = [shutil.which("chroot"), root, "/sealane"]
    (root / "plain").write_text("attack at dawn")
    run(*command, "keygen", "-o", "/key", stderr=subprocess.DEVNULL, env={})
    run(*command, "encrypt", "-i", "/key", "-o", "/plain.age", "/plain", env={})
    check(output(*command, "decrypt", "-i", "/key", "/plain.age", env={}) == "attack at dawn", "the plaintext is wrong")
    shutil.rmtree(root)


def main():
    for tool, package in TOOLS.items():
        check(shutil.which(tool), f"`{tool}` is not installed. On Debian: apt-get install {package}")
    check(os.geteuid() == 0, "a clean root needs the rights of root")
    WORK.mkdir(parents=True, exist_ok=True)
    step("a release, made twice")
    release = made_twice()
    step("checksums and signature")
    signed(release)
    step("the archive")
    folder = unpacked(release)
    step("the program alone in a root")
    alone(folder)
    (package,) = release.glob("*.deb")
    step("lintian")
    found = output("lintian", "--allow-root", "--fail-on", "error,warning", package)
    check(not found, f"lintian says:\n{found}")
    step(f"the package in a clean {SUITE}")
    installed(package)


if __name__ == "__main__":
    main()
