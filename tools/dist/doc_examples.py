"""Fails for each public type and trait of the libraries that no example shows: python3
tools/dist/doc_examples.py

An item is shown by an example in its own documentation or in that of its methods. It is also shown
by an example that names it, in the documentation of a module around it, or of that module's items
and submodules. For items of the crate's root, this means the root and its items, but no submodules.
For other items, the root does not count. The documentation test runs the examples."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The words behind the fence of a block that the documentation test compiles.
COMPILED = {"", "rust", "no_run", "should_panic", "compile_fail"}


def documentation(crate):
    """Returns rustdoc's description of a crate, which `xtask/rustdoc json` has written."""
    target = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
    return json.loads((target / "doc" / f"{crate.replace('-', '_')}.json").read_text())


def examples(text):
    """Returns the code blocks of a documentation comment that the compiler checks."""
    blocks = re.findall(r"^```([^\n]*)\n(.*?)^```", text or "", re.DOTALL | re.MULTILINE)
    return [code for words, code in blocks if {word.strip() for word in words.split(",")} <= COMPILED]


def examples_of(index, item):
    """Returns the examples of an item and of its methods."""
    inner = next(iter(item["inner"].values()))
    methods = list(inner.get("items", []))
    for identifier in inner.get("impls", []):
        implementation = index.get(str(identifier))
        if implementation and implementation["inner"]["impl"]["trait"] is None:
            methods += implementation["inner"]["impl"]["items"]
    documents = [item["docs"], *(index[str(method)]["docs"] for method in methods if str(method) in index)]
    return [example for text in documents for example in examples(text)]


class Crate:
    """The types and traits that users can name, and the examples of each module."""

    def __init__(self, description):
        self.index = description["index"]
        # By identifier: all paths of an item, and the item.
        self.items = {}
        # By path of a module: what its examples and those of its items contain.
        self.shown = {}
        root = self.index[str(description["root"])]
        self.module(root, root["name"])

    def module(self, module, path):
        shown = self.shown[path] = list(examples(module["docs"]))
        for identifier in module["inner"]["module"]["items"]:
            item = self.index.get(str(identifier))
            name = item and item["name"]
            # Items of other crates are documented there.
            if item and "use" in item["inner"]:
                name = item["inner"]["use"]["name"]
                item = self.index.get(str(item["inner"]["use"]["id"]))
            if item is None:
                continue
            kind = next(iter(item["inner"]))
            if kind == "module":
                self.module(item, f"{path}::{name}")
                if "::" in path:
                    shown += self.shown[f"{path}::{name}"]
            elif kind in ("struct", "enum", "trait", "type_alias", "function"):
                shown += examples_of(self.index, item)
                if kind != "function":
                    self.items.setdefault(item["id"], ([], item))[0].append((path, name))

    def has_example(self, paths, item):
        if examples_of(self.index, item):
            return True
        around = [(above, name) for path, name in paths for above in self.around(path)]
        return any(re.search(rf"\b{name}\b", code) for path, name in around for code in self.shown[path])

    @staticmethod
    def around(path):
        """Returns the paths of a module and of those around it, except the root."""
        parts = path.split("::")
        return ["::".join(parts[:count]) for count in range(min(2, len(parts)), len(parts) + 1)]


def main():
    missing = []
    described = subprocess.run([ROOT / "xtask/rustdoc", "json"], check=True, stdout=subprocess.PIPE, text=True).stdout
    for name in described.split():
        crate = Crate(documentation(name))
        if not crate.items:
            sys.exit(f"{name} has no public type or trait")
        without = ["::".join(paths[0]) for paths, item in crate.items.values() if not crate.has_example(paths, item)]
        print(f"   {name}: {len(crate.items)} types and traits, {len(without)} without an example")
        missing += sorted(without)
    if missing:
        sys.exit("no example:\n" + "\n".join(f"  - {path}" for path in missing))


if __name__ == "__main__":
    main()
