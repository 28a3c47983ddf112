"""Tests a release for this kind of machine: python3 tools/dist/test.py

Checks that archives and packages are the same when they are created again, that the signature is
valid, that lintian finds nothing, that the container image and the Homebrew formula work, and that
the Debian package can be installed, used and removed in a clean root directory. debootstrap creates
this directory in target/dist-test, where it is kept. The user must be root."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import released
from release import MARK, prepare
from released import ROOT, WORK, check, output, run, step

SUITE = "bookworm"
TOOLS = {
    "buildah": "buildah",
    "debootstrap": "debootstrap",
    "dpkg-deb": "dpkg",
    "lintian": "lintian",
    "man": "man-db",
    "minisign": "minisign",
    "ruby": "ruby",
}
# Files that dpkg keeps for itself.
OF_DPKG = {"var/lib/dpkg/status-old", "var/lib/dpkg/available-old", "var/log/dpkg.log", "var/log/alternatives.log"}


def made_twice():
    """Creates the release twice, with different user settings, and compares. Returns its folder."""
    first, second, elsewhere = WORK / "first", WORK / "second", WORK / "elsewhere"
    shutil.rmtree(elsewhere, ignore_errors=True)
    elsewhere.mkdir(parents=True)
    released.dist(first, "--native")
    environment = os.environ | {"TZ": "Pacific/Kiritimati", "LC_ALL": "POSIX", "HOME": str(elsewhere), "COLUMNS": "40"}
    tools = {"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup"}
    keep = {name: os.environ.get(name, str(Path.home() / folder)) for name, folder in tools.items()}
    released.pack(second, cwd=elsewhere, env=environment | keep, umask=0o077, stdout=subprocess.DEVNULL)
    names = {path.name for path in first.iterdir()}
    check(names == {path.name for path in second.iterdir()}, "not the same files when they are made again")
    for name in sorted(names):
        check((first / name).read_bytes() == (second / name).read_bytes(), f"{name} differs when it is made again")
    print(f"   the same {len(names)} files")
    replaced(second)
    return first


def replaced(folder):
    """Checks that a release is replaced, also one that was interrupted, but not if other files are in
    its folder."""
    other = folder / "notes.txt"
    for was_interrupted in (True, False):
        other.touch()
        if was_interrupted:
            (folder / MARK).touch()
        else:
            (folder / MARK).unlink()
        try:
            prepare(folder, WORK / "key")
        except SystemExit:
            check(other.exists() and (folder / "SHA256SUMS").exists(), "a refused folder was emptied")
        else:
            check(False, "a file that is not of the release was removed")
        other.unlink()
    for state in ("earlier", "interrupted"):
        prepare(folder, WORK / "key")
        check([path.name for path in folder.iterdir()] == [MARK], f"the {state} release is not replaced")
        (folder / "work").mkdir()


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
    in_root(root, released.quick_start() + released.WRONG_KEY)
    released.check_quick_start(root / "root")
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


def image(folder):
    """Makes the container image from an unpacked archive, and runs the command of the image in a
    root directory that has only the image's files."""
    store = WORK / "images"
    shutil.rmtree(store, ignore_errors=True)
    # This kind of storage needs no support by the kernel.
    options = ["--storage-driver", "vfs", "--root", store / "files", "--runroot", store / "state"]

    def buildah(*arguments):
        return output("buildah", *options, *arguments).strip()

    # No step of the image runs a program, so no container is needed.
    build = ["build", "--quiet", "--isolation", "chroot", "-f", ROOT / "tools/dist/Containerfile", "-t", "sealane"]
    buildah(*build, folder)
    container = buildah("from", "sealane")
    root = Path(buildah("mount", container))
    names = [path.relative_to(root).as_posix() for path in root.rglob("*")]
    check(names == ["sealane"], f"files in the image: {names}")
    settings = json.loads(buildah("inspect", "--type", "image", "sealane"))["OCIv1"]["config"]
    command = [shutil.which("chroot"), root, *settings["Entrypoint"]]
    (root / "plain").write_text("attack at dawn")
    run(*command, "keygen", "-o", "/key", stderr=subprocess.DEVNULL, env={})
    run(*command, "encrypt", "-i", "/key", "-o", "/plain.age", "/plain", env={})
    check(output(*command, "decrypt", "-i", "/key", "/plain.age", env={}) == "attack at dawn", "the plaintext is wrong")
    buildah("umount", container)
    shutil.rmtree(store)


def main():
    released.require(TOOLS)
    lock = released.alone()
    step("a release, made twice")
    release = made_twice()
    step("checksums and signature")
    signed(release)
    step("the archive")
    (archive,) = release.glob("*.tar.xz")
    folder = released.unpack(archive)
    released.check_files(folder)
    released.check_static(folder / "sealane")
    step("the container image")
    image(folder)
    step("the Homebrew formula")
    released.check_formula(release, "arm" if "aarch64" in archive.name else "intel")
    (package,) = release.glob("*.deb")
    step("lintian")
    released.check_lintian(package)
    step(f"the package in a clean {SUITE}")
    installed(package)
    lock.close()


if __name__ == "__main__":
    main()
