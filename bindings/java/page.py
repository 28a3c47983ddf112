"""Follows a page of documentation: page.py PAGE REPOSITORY DIRECTORY

In the directory, it writes each block of Java code to the file for its class, and each other block
with a file name (```properties name) to that file. It runs each block of shell commands, and
compares their output with the block of text that follows, if there is one."""

import os
import re
import subprocess
import sys
from pathlib import Path


def main():
    page, repository, directory = sys.argv[1:]
    environment = os.environ | {"SEALANE": str(Path(repository).resolve())}
    blocks = re.findall(r"^```([^\n]*)\n(.*?)^```$", Path(page).read_text(), re.DOTALL | re.MULTILINE)
    ran = 0
    printed = None
    for kind, code in blocks:
        if kind == "java":
            name = re.search(r"^(?:public )?class (\w+)", code, re.MULTILINE)[1]
            Path(directory, f"{name}.java").write_text(code)
        elif kind == "sh":
            result = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", code], cwd=directory, env=environment, stdout=subprocess.PIPE, text=True, timeout=900
            )
            if result.returncode:
                sys.exit(f"{page}: status {result.returncode} of:\n{code}{result.stdout}")
            printed = result.stdout
            ran += 1
        elif kind == "text":
            if printed != code:
                sys.exit(f"{page} promises:\n{code}but the commands print:\n{printed}")
        elif " " in kind:
            Path(directory, kind.split()[1]).write_text(code)
        else:
            sys.exit(f"{page}: a block of the kind {kind!r} is not known")
    if ran == 0:
        sys.exit(f"{page} has no commands")
    print(f"{page}: {ran} blocks of commands ran")


main()
