"""Tests a release for other kinds of machines than this one, which must be x86-64:
python3 tools/dist/test_others.py

Creates a release for all machines. With qemu, runs the program for AArch64, and with Wine, the
program for Windows, which also processes folders. The user must be root."""

import os
import platform
import shutil
import subprocess

import release
import released
import windows
from released import WORK, check, output, run, step

# Where Debian has Wine's programs for 64 bits.
WINE = "/usr/lib/wine"
TOOLS = {
    "dpkg-deb": "dpkg",
    "lintian": "lintian",
    "minisign": "minisign",
    "qemu-aarch64": "qemu-user",
    "ruby": "ruby",
    "x86_64-w64-mingw32-gcc": "gcc-mingw-w64-x86-64",
    f"{WINE}/wine64": "wine64",
}


def named(folder):
    """Checks the names of the files of a release. Returns the archives of AArch64 and Windows, and
    the packages of x86-64 and AArch64."""
    version = release.version()
    archives = [f"sealane-{version}-{target}" for target in
                ["aarch64-unknown-linux-musl.tar.xz", "x86_64-pc-windows-gnu.zip", "x86_64-unknown-linux-musl.tar.xz"]]
    packages = [f"sealane_{version}_{architecture}.deb" for architecture in ["amd64", "arm64"]]
    wanted = {*archives, *packages, "sealane.rb", "SHA256SUMS", "SHA256SUMS.minisig"}
    names = {path.name for path in folder.iterdir()}
    check(names == wanted, f"files of the release: {sorted(names)}")
    return [folder / name for name in archives[:2] + packages]


def contents(package):
    """Returns the modes, owners and paths of the files of a Debian package."""
    listed = [line.split(maxsplit=5) for line in output("dpkg-deb", "--contents", package).splitlines()]
    return [(mode, owner, path) for mode, owner, _, _, _, path in listed]


def stop_wine():
    # This fails if Wine has already stopped.
    subprocess.run([f"{WINE}/wineserver", "--kill", "--wait"], check=False)


def prepare_wine():
    """Gives Wine a new folder with a Windows system."""
    prefix = WORK / "wine"
    # No message of Wine itself, and no change to the file types or menus of this machine.
    os.environ |= {"WINEPREFIX": str(prefix), "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "winemenubuilder.exe=d"}
    stop_wine()
    shutil.rmtree(prefix, ignore_errors=True)
    prefix.mkdir()
    run(f"{WINE}/wine64", "wineboot", "--init", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    library = prefix / "drive_c/windows/system32/bcryptprimitives.dll"
    if not library.exists():
        source = released.ROOT / "tools/dist/bcryptprimitives.c"
        run("x86_64-w64-mingw32-gcc", "-shared", "-o", library, source, "-ladvapi32")


def main():
    check(platform.machine() == "x86_64", "the test needs an x86-64 machine")
    released.require(TOOLS)
    lock = released.alone()
    step("a release for all machines")
    every = WORK / "all"
    released.dist(every)
    arm, windows_archive, amd64_package, arm64_package = named(every)

    step("AArch64: the archive")
    folder = released.unpack(arm)
    released.check_files(folder)
    released.check_static(folder / "sealane")
    released.run_quick_start("aarch64", f"qemu-aarch64 '{folder / 'sealane'}'")
    step("AArch64: the Homebrew formula")
    released.check_formula(every, "arm", ["qemu-aarch64"])
    step("AArch64: the Debian package")
    released.check_lintian(arm64_package)
    check(output("dpkg-deb", "--field", arm64_package, "Architecture").strip() == "arm64", "a wrong architecture")
    check(contents(arm64_package) == contents(amd64_package), "the packages for two architectures have different files")
    step("x86-64: the Homebrew formula")
    released.check_formula(every, "intel")

    step("Windows: the archive")
    folder = released.unpack(windows_archive)
    released.check_files(folder, "sealane.exe")
    try:
        prepare_wine()
        released.run_quick_start("windows", f"{WINE}/wine64 '{folder / 'sealane.exe'}'")
        step("Windows: folders and headers")
        linux = released.unpack(every / f"sealane-{release.version()}-x86_64-unknown-linux-musl.tar.xz") / "sealane"
        windows.check_all(WORK / "windows-folders", [f"{WINE}/wine64", folder / "sealane.exe"], linux)
    finally:
        stop_wine()
    lock.close()


if __name__ == "__main__":
    main()
