"""Fails for each public type, trait and function of the libraries without an example in its
documentation or in that of its methods: python3 tools/dist/doc_examples.py [CRATE…]

The documentation test runs the examples."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CRATES = ["sealane-shares", "sealane-age"]


def documentation(crate):
    """Returns rustdoc's description of a crate."""
    target = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "doc-examples"
    command = ["cargo", "rustdoc", "--quiet", "--locked", "--lib", "--all-features", "--package", crate]
    options = ["--", "-Zunstable-options", "--output-format", "json"]
    # Rustdoc's JSON is unstable, and this allows it on a stable compiler.
    environment = os.environ | {"RUSTC_BOOTSTRAP": "1", "CARGO_TARGET_DIR": str(target)}
    subprocess.run(command + options, cwd=ROOT, check=True, env=environment)
    return json.loads((target / "doc" / f"{crate.replace('-', '_')}.json").read_text())


def public_items(index, module, path, found):
    """Adds the items that users can name, by their paths."""
    for identifier in module["inner"]["module"]["items"]:
        item = index.get(str(identifier))
        if item is None:
            continue
        kind, inner = next(iter(item["inner"].items()))
        name = item["name"]
        if kind == "use":
            name = inner["name"]
            item = index.get(str(inner["id"]))
            # Items of other crates are documented there.
            if item is None:
                continue
            kind, inner = next(iter(item["inner"].items()))
        if kind == "module":
            public_items(index, item, f"{path}::{name}", found)
        elif kind in ("struct", "enum", "trait", "type_alias"):
            found[item["id"]] = (f"{path}::{name}", item)


def has_example(index, item):
    if "```" in (item["docs"] or ""):
        return True
    inner = next(iter(item["inner"].values()))
    methods = list(inner.get("items", []))
    for identifier in inner.get("impls", []):
        implementation = index.get(str(identifier))
        if implementation and implementation["inner"]["impl"]["trait"] is None:
            methods += implementation["inner"]["impl"]["items"]
    return any("```" in (index[str(method)]["docs"] or "") for method in methods if str(method) in index)


def main():
    missing = []
    for crate in sys.argv[1:] or CRATES:
        description = documentation(crate)
        index, items = description["index"], {}
        public_items(index, index[str(description["root"])], crate.replace("-", "_"), items)
        without = sorted(path for path, item in items.values() if not has_example(index, item))
        print(f"   {crate}: {len(items)} types and traits, {len(without)} without an example")
        missing += without
    if missing:
        sys.exit("no example:\n" + "\n".join(f"  - {path}" for path in missing))


if __name__ == "__main__":
    main()
