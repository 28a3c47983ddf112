"""Packages every published crate, checks the files of each package, and has cargo build each one
from nothing else than its files, without uploading: python3 tools/dist/packages.py [--release]

It fails if their versions, or those of the bindings, differ.

With --release, each manifest must also name the public repository."""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# The endings of file names in a package. Tests, vectors and keys must not be in a package.
SUFFIXES = {".rs", ".md", ".toml", ".orig", ".lock", ".css"}
# The word list of SLIP-39, and its licence.
WORDS = {"src/foreign/slip39/wordlist.txt", "src/foreign/slip39/LICENSE"}
NAMES = {"LICENSE-APACHE", "LICENSE-MIT", ".cargo_vcs_info.json"} | WORDS
FOLDERS = {"src", "examples"}
REQUIRED = {"Cargo.toml", "Cargo.lock", "README.md", "LICENSE-APACHE", "LICENSE-MIT"}
# Limits in bytes, for a file and for a package.
FILE_LIMIT = 32 * 1024
LIMIT = 300 * 1024
# Files without a limit: cargo writes them.
LARGE = {"Cargo.lock"}

# What a manifest must have. The repository has no public address before the first release.
FIELDS = ["description", "license", "readme", "categories", "keywords", "rust_version"]
if sys.argv[1:] == ["--release"]:
    FIELDS.append("repository")
elif sys.argv[1:]:
    sys.exit(__doc__)

# Crates in separate workspaces. Their packages have no lock file, because cargo would look for
# every crate of that file on crates.io, which does not have Sealane's yet.
SEPARATE = ["bindings/rustls", "crates/objects", "crates/snow"]

# Other files that state the version of a release, with the line that does.
VERSIONS = {
    **dict.fromkeys(
        (f"bindings/{name}/Cargo.toml" for name in ("c", "java/native", "openssl", "python")), r'^version = "(.+)"$'
    ),
    "bindings/python/python/sealane/__init__.py": r'^__version__ = "(.+)"$',
    "bindings/haskell/sealane.cabal": r"^version: +(.+)$",
    "bindings/java/pom.xml": r"^    <version>(.+)</version>$",
}

# The least number of examples in each library for other people's programs.
LIBRARIES = ["rustls-sealane", "sealane", "sealane-age", "sealane-object-store", "sealane-shares", "sealane-simd", "sealane-snow"]
EXAMPLES = dict.fromkeys(LIBRARIES, 5)


def cargo(*arguments):
    # The builds only show that no file is missing.
    environment = os.environ | {"CARGO_PROFILE_DEV_DEBUG": "0", "CARGO_PROFILE_DEV_OPT_LEVEL": "0"}
    subprocess.run(["cargo", *arguments, "--locked"], cwd=ROOT, check=True, env=environment)


def published(folder):
    """Returns the published crates of the workspace in a folder, and the folder of their
    packages."""
    command = ["cargo", "metadata", "--no-deps", "--locked", "--format-version", "1"]
    metadata = json.loads(subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE).stdout)
    # An empty list is `publish = false`.
    packages = [package for package in metadata["packages"] if package["publish"] != []]
    return packages, Path(metadata["target_directory"]) / "package"


def remove_earlier(packages, target):
    """Removes what cargo unpacked and built for an earlier check. Cargo takes packages of the same
    version for the same package, and would build against the earlier files."""
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    for package in packages:
        # The folder of a registry without a host has a name that begins with a hyphen. Cargo
        # creates such a registry for each check.
        for unpacked in home.glob(f"registry/src/-*/{package['name']}-{package['version']}"):
            shutil.rmtree(unpacked)
        crate = package["name"].replace("-", "_")
        for sources in (target / "debug/deps").glob(f"{crate}-*.d"):
            if "/registry/src/-" in sources.read_text():
                build = sources.stem.removeprefix(crate)
                shutil.rmtree(target / f"debug/.fingerprint/{package['name']}{build}", ignore_errors=True)


def errors_of_versions(packages):
    """Yields the files whose version is not that of most files."""
    versions = {package["name"]: package["version"] for package in packages}
    for path, line in VERSIONS.items():
        versions[path] = re.search(line, (ROOT / path).read_text(), re.MULTILINE)[1]
    usual = statistics.mode(versions.values())
    yield from (f"{name} has version {version}, others {usual}" for name, version in versions.items() if version != usual)


def errors_of_manifest(package):
    for field in FIELDS:
        if not package[field]:
            yield f"the manifest has no {field}"
    has_library = any("lib" in target["kind"] for target in package["targets"])
    if has_library and not (package["metadata"] or {}).get("docs", {}).get("rs", {}).get("all-features"):
        yield "docs.rs would not show items that need a feature"
    examples = [target["name"] for target in package["targets"] if "example" in target["kind"]]
    if len(examples) < EXAMPLES.get(package["name"], 0):
        yield f"only {len(examples)} examples"


def errors_of_files(files, required=REQUIRED):
    """Yields the errors of a package with these files: `files` maps names to bytes."""
    for name, size in files.items():
        path = Path(name)
        if name not in NAMES and path.suffix not in SUFFIXES:
            yield f"{name} is of a kind that a package does not need"
        if len(path.parts) > 1 and path.parts[0] not in FOLDERS:
            yield f"{name} is in a folder that a package does not need"
        if size > FILE_LIMIT and name not in LARGE:
            yield f"{name} has {size} bytes, more than {FILE_LIMIT}"
    if WORDS & files.keys():
        required = required | WORDS
    for name in sorted(required - files.keys()):
        yield f"{name} is missing"


def check_the_checks():
    good = dict.fromkeys(REQUIRED | {"src/lib.rs"}, 1)
    assert not list(errors_of_files(good))
    for bad in ["src/key.age", "tests/data/ssh_rsa", "src/vectors.json", "tests/a.rs", "proptest-regressions/a.txt"]:
        assert list(errors_of_files(good | {bad: 1})), bad
    assert list(errors_of_files(good | {"src/lib.rs": FILE_LIMIT + 1}))
    assert list(errors_of_files({"src/lib.rs": 1}))
    assert list(errors_of_files(good | {"src/foreign/slip39/wordlist.txt": 1}))
    assert not list(errors_of_files(good | dict.fromkeys(WORDS, 1)))


def files(package):
    """Returns the sizes of the files of a package, by their names below its one folder."""
    with tarfile.open(package) as tar:
        return {member.name.split("/", 1)[1]: member.size for member in tar.getmembers() if member.isfile()}


def errors_of_packages(packages, folder, required=REQUIRED):
    """Yields what is wrong with packages that cargo has written to a folder."""
    for package in packages:
        path = folder / f"{package['name']}-{package['version']}.crate"
        content, size = files(path), path.stat().st_size
        found = [*errors_of_manifest(package), *errors_of_files(content, required)]
        if size > LIMIT:
            found.append(f"has {size} bytes, more than {LIMIT}")
        yield from (f"{package['name']}: {error}" for error in found)
        print(f"   {path.name}: {len(content)} files, {size} bytes")


def unpack(packages, folder):
    """Unpacks packages that cargo has written to a folder. Returns the options with which cargo
    takes these crates from there instead of the registry."""
    unpacked = folder / "unpacked"
    shutil.rmtree(unpacked, ignore_errors=True)
    options = []
    for package in packages:
        name = f"{package['name']}-{package['version']}"
        with tarfile.open(folder / f"{name}.crate") as tar:
            tar.extractall(unpacked, filter="data")
        options += ["--config", f'patch.crates-io.{package["name"]}.path="{unpacked / name}"']
    return options


def main():
    check_the_checks()
    workspace, folder = published(ROOT)
    separate = {path: published(ROOT / path) for path in SEPARATE}
    all_packages = [*workspace, *(package for packages, _ in separate.values() for package in packages)]
    names = {package["name"] for package in all_packages}
    missing = sorted(set(LIBRARIES) - names)
    if missing:
        sys.exit(f"not published, according to the manifests: {', '.join(missing)}")
    if wrong := list(errors_of_versions(all_packages)):
        sys.exit("\n".join(wrong))
    selected = [word for package in workspace for word in ("--package", package["name"])]
    cargo("package", "--quiet", "--no-verify", "--allow-dirty", *selected)
    errors, target = list(errors_of_packages(workspace, folder)), folder.parent
    patches = unpack(workspace, folder)
    for path, (packages, folder) in separate.items():
        manifest = f"--manifest-path={path}/Cargo.toml"
        cargo("package", "--quiet", "--allow-dirty", "--exclude-lockfile", manifest, *patches)
        errors += errors_of_packages(packages, folder, REQUIRED - {"Cargo.lock"})
    if errors:
        sys.exit("\n".join(errors))
    remove_earlier(workspace, target)
    cargo("publish", "--dry-run", "--quiet", "--allow-dirty", *selected)
    print(f"   {len(names)} crates were built from their packages, and can be published")


if __name__ == "__main__":
    main()
