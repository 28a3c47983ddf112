"""The Homebrew formula of a release."""

from pathlib import Path

TEMPLATE = Path(__file__).with_name("sealane.rb.in")
ARCHIVES = {"INTEL": "x86_64-unknown-linux-", "ARM": "aarch64-unknown-linux-"}


def text(version, url, sums):
    """Returns the formula. `sums` maps the name of each archive to its SHA-256 sum. Architectures
    without an archive are left out."""
    found = TEMPLATE.read_text().replace("VERSION", version)
    for word, start in ARCHIVES.items():
        names = [name for name in sums if name.startswith(f"sealane-{version}-{start}") and name.endswith(".tar.xz")]
        begin, end = f"    # {word}\n", f"    # END {word}\n"
        before, rest = found.split(begin)
        block, after = rest.split(end)
        if names:
            block = block.replace("URL", f"{url.rstrip('/')}/{names[0]}").replace("SHA256", sums[names[0]])
        found = before + (block if names else "") + after
    return found
