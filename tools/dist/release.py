"""Packs the released programs: archives, Debian packages, a Homebrew formula, and signed checksums.
`cargo xtask dist` builds the programs.

The same programs give the same bytes. Every file has the time of the last commit, or
SOURCE_DATE_EPOCH if it is set. Archives list their files sorted by name, and where files have an
owner, it is root."""

import argparse
import hashlib
import io
import json
import lzma
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import zipfile
from datetime import datetime, timezone
from pathlib import Path

import debian
import formula
import licences

ROOT = Path(__file__).resolve().parents[2]
# The files that an archive takes from the repository. Its README describes the command.
DOCUMENTS = {
    "README.md": "crates/cli/README.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "LICENSE-APACHE": "LICENSE-APACHE",
    "LICENSE-MIT": "LICENSE-MIT",
}
# The name of each shell's script.
COMPLETIONS = {"bash": "sealane.bash", "zsh": "_sealane", "fish": "sealane.fish"}


def output(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def release_time():
    """Returns the time of all files, in seconds since 1970."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct", cwd=ROOT))


def version():
    command = ["cargo", "metadata", "--no-deps", "--locked", "--format-version", "1"]
    packages = json.loads(output(*command, cwd=ROOT))["packages"]
    return next(package["version"] for package in packages if package["name"] == "sealane-cli")


def program_in(folder):
    return next(path for path in folder.iterdir() if path.stem == "sealane" and path.suffix in ("", ".exe"))


def manual_and_completions(program, folder):
    """Runs `program` to print its manual pages and completions. Returns their contents by name."""
    shutil.rmtree(folder, ignore_errors=True)
    # The output must not depend on the environment of the user who runs this script.
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    subprocess.run([program, "man", "-o", folder], check=True, env=environment)
    files = {f"man/man1/{page.name}": page.read_bytes() for page in folder.iterdir()}
    for shell, name in COMPLETIONS.items():
        files[f"completions/{name}"] = output(program, "completions", shell, env=environment).encode()
    return files


def files_of(target, folder, shared):
    """Returns the files of an archive: a map from the name to the content and the mode."""
    program = program_in(folder)
    files = {program.name: (program.read_bytes(), 0o755)}
    documents = {name: (ROOT / path).read_bytes() for name, path in DOCUMENTS.items()}
    bill = (folder / "sealane.cdx.json").read_bytes()
    documents |= shared | {"sealane.cdx.json": bill, "THIRD-PARTY.txt": licences.third_party(target, bill).encode()}
    return files | {name: (content, 0o644) for name, content in documents.items()}


def write_tar(path, files, time):
    """Writes a .tar.xz, in which everything is in one folder with the name of the archive."""
    plain = io.BytesIO()
    folder = path.name.removesuffix(".tar.xz")
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, (content, mode) in sorted(files.items()):
            member = tarfile.TarInfo(f"{folder}/{name}")
            member.size, member.mode, member.mtime = len(content), mode, time
            member.uname = member.gname = "root"
            tar.addfile(member, io.BytesIO(content))
    path.write_bytes(lzma.compress(plain.getvalue(), preset=9))


def write_zip(path, files, time):
    """Writes a .zip, in which everything is in one folder with the name of the archive."""
    date = datetime.fromtimestamp(time, timezone.utc).timetuple()[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, (content, mode) in sorted(files.items()):
            member = zipfile.ZipInfo(f"{path.stem}/{name}", date)
            member.compress_type, member.external_attr = zipfile.ZIP_DEFLATED, mode << 16
            member.create_system = 3  # Unix, whatever system writes it
            archive.writestr(member, content)


def sign(checksums, key, comment):
    """Signs a file in minisign's format. minisign asks for the passphrase of the key."""
    subprocess.run(["minisign", "-S", "-q", "-s", key, "-t", comment, "-m", checksums], check=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=Path, help="target/dist-programs: a folder with one for each target, which has its program and bill of materials")
    parser.add_argument("--output", type=Path, required=True, help="folder for the archives: a new one, or that of an earlier release, which is replaced")
    parser.add_argument("--key", type=Path, required=True, help="minisign's secret key")
    parser.add_argument("--maintainer", required=True, help="maintainer of the Debian package: NAME <ADDRESS>")
    parser.add_argument("--url", required=True, help="URL from which the Homebrew formula downloads the archives")
    return parser.parse_args()


# A file in the folder for the archives while this script runs.
MARK = ".sealane-release"


def is_release(folder):
    """Returns whether a folder has nothing but a release, or what an interrupted run has left."""
    sums = ("SHA256SUMS", "SHA256SUMS.minisig")
    names = {path.name for path in folder.iterdir()}
    if MARK in names:
        ours = {MARK, "work", *sums}
        return all(name in ours or name.startswith(("sealane-", "sealane_", "sealane.")) for name in names)
    if not all((folder / name).is_file() for name in sums):
        return False
    listed = {line.partition("  ")[2] for line in (folder / sums[0]).read_text(errors="replace").splitlines()}
    return names <= {*listed, *sums}


def prepare(folder, key):
    """Creates the folder for the archives, or empties the folder of an earlier release, even of one
    that was interrupted."""
    if folder.is_dir() and any(folder.iterdir()):
        if not is_release(folder):
            sys.exit(f"{folder} has files that are not of an earlier release: name another folder")
        if folder.resolve() in key.resolve().parents:
            sys.exit(f"the key {key} is in {folder}, which would be emptied: move it elsewhere")
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARK).touch()


def main():
    options = arguments()
    for tool, package in [("minisign", "minisign"), ("dpkg-deb", "dpkg"), ("git", "git")]:
        if not shutil.which(tool):
            sys.exit(f"`{tool}` is not installed. On Debian or Ubuntu: apt-get install {package}")
    if not options.key.is_file():
        sys.exit(f"{options.key} is not a file")
    release, time = version(), release_time()
    targets = sorted(folder.name for folder in options.programs.iterdir())
    here = [target for target in targets if target.startswith(f"{platform.machine()}-unknown-linux-")]
    if len(here) != 1:
        sys.exit(f"exactly one target must run on this machine; the targets are {', '.join(targets)}")
    prepare(options.output, options.key)
    work = options.output / "work"
    shared = manual_and_completions(program_in(options.programs / here[0]).resolve(), work / "man")

    for target in targets:
        files = files_of(target, options.programs / target, shared)
        path = options.output / f"sealane-{release}-{target}"
        if "windows" in target:
            write_zip(path.with_name(f"{path.name}.zip"), files, time)
            continue
        write_tar(path.with_name(f"{path.name}.tar.xz"), files, time)
        debian.write(options.output, work / target, target, release, files, time, options.maintainer)
    shutil.rmtree(work)

    files = sorted(path for path in options.output.iterdir() if path.name != MARK)
    sums = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    (options.output / "sealane.rb").write_text(formula.text(release, options.url, sums))
    sums["sealane.rb"] = hashlib.sha256((options.output / "sealane.rb").read_bytes()).hexdigest()
    checksums = options.output / "SHA256SUMS"
    checksums.write_text("".join(f"{digest}  {name}\n" for name, digest in sorted(sums.items())))
    sign(checksums, options.key, f"sealane {release}")
    (options.output / MARK).unlink()
    for path in sorted(options.output.iterdir()):
        print(f"   {path.stat().st_size:9} bytes  {path}")


if __name__ == "__main__":
    main()
