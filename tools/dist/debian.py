"""Writes Debian packages with the files of the release archives."""

import gzip
import hashlib
import os
import shutil
import subprocess
from email.utils import format_datetime
from datetime import datetime, timezone
from pathlib import Path

HERE = Path(__file__).resolve().parent
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
DOC = "usr/share/doc/sealane"
COMPLETIONS = {
    "completions/sealane.bash": "usr/share/bash-completion/completions/sealane",
    "completions/_sealane": "usr/share/zsh/vendor-completions/_sealane",
    "completions/sealane.fish": "usr/share/fish/vendor_completions.d/sealane.fish",
}

CONTROL = """Package: sealane
Version: {version}
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {kilobytes}
Section: utils
Priority: optional
Description: encrypts files in the age format, and splits keys into shares
 Sealane encrypts files in the age format (age-encryption.org/v1) on all cores,
 with the fastest instructions of each CPU. It takes the command lines of age.
 .
 It decrypts parts of a file, recovers the rest of a damaged file, replaces
 recipients without encrypting again, encrypts folders with a manifest, and
 splits a key into shares, any chosen number of which restores it.
"""

CHANGELOG = """sealane ({version}) stable; urgency=medium

  * Release {version}. CHANGELOG.md.gz lists the changes.

 -- {maintainer}  {date}
"""

COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: sealane
Comment: The program contains other authors' crates. THIRD-PARTY.txt.gz, in the
 same folder, has their licences.

Files: *
Copyright: 2026 The Sealane authors
License: Apache-2.0 or Expat

License: Apache-2.0
 On Debian systems, /usr/share/common-licenses/Apache-2.0 has the text of the
 Apache License, version 2.0.

License: Expat
{mit}
"""


def compressed(content):
    return gzip.compress(content, compresslevel=9, mtime=0)


def files_of(package, version, time, maintainer):
    """Returns what the package installs: content and mode by path."""
    read = {name: content for name, (content, _) in package.items()}
    date = format_datetime(datetime.fromtimestamp(time, timezone.utc))
    mit = "\n".join(f" {line}".rstrip() or " ." for line in read["LICENSE-MIT"].decode().strip().split("\n")[2:])
    files = {
        f"{DOC}/README.md": read["README.md"],
        f"{DOC}/copyright": COPYRIGHT.format(mit=mit).encode(),
        f"{DOC}/changelog.gz": compressed(CHANGELOG.format(version=version, maintainer=maintainer, date=date).encode()),
        f"{DOC}/CHANGELOG.md.gz": compressed(read["CHANGELOG.md"]),
        f"{DOC}/THIRD-PARTY.txt.gz": compressed(read["THIRD-PARTY.txt"]),
        f"{DOC}/sealane.cdx.json.gz": compressed(read["sealane.cdx.json"]),
        "usr/share/lintian/overrides/sealane": (HERE / "lintian-overrides").read_bytes(),
    }
    files |= {path: read[name] for name, path in COMPLETIONS.items()}
    pages = [name for name in read if name.startswith("man/")]
    files |= {f"usr/share/{name}.gz": compressed(read[name]) for name in pages}
    return {"usr/bin/sealane": (read["sealane"], 0o755)} | {path: (content, 0o644) for path, content in files.items()}


def write(output, work, target, version, package, time, maintainer):
    """Writes sealane_VERSION_ARCHITECTURE.deb to `output`. Replaces the folder `work`."""
    architecture = ARCHITECTURES[target.split("-")[0]]
    files = files_of(package, version, time, maintainer)
    kilobytes = sum(-(-len(content) // 1024) for content, _ in files.values())
    control = CONTROL.format(version=version, architecture=architecture, maintainer=maintainer, kilobytes=kilobytes)
    sums = "".join(f"{hashlib.md5(content).hexdigest()}  {path}\n" for path, (content, _) in sorted(files.items()))
    files |= {"DEBIAN/control": (control.encode(), 0o644), "DEBIAN/md5sums": (sums.encode(), 0o644)}
    shutil.rmtree(work, ignore_errors=True)
    for path, (content, mode) in files.items():
        file = work / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        file.chmod(mode)
    # Does not depend on the user's umask.
    for folder in [work, *(path for path in work.rglob("*") if path.is_dir())]:
        folder.chmod(0o755)
    deb = output / f"sealane_{version}_{architecture}.deb"
    # dpkg-deb sorts the files, and stores no time later than SOURCE_DATE_EPOCH.
    for path in [work, *work.rglob("*")]:
        os.utime(path, (time, time))
    command = ["dpkg-deb", "--root-owner-group", "-Zxz", "--threads-max=1", "--build", work, deb]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"SOURCE_DATE_EPOCH": str(time)})
