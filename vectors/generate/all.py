"""Writes every vector file that this folder generates: `python3 vectors/generate/all.py` (standard library only).

With `--check`, it writes nothing, and fails if a file differs.
"""

import sys

sys.dont_write_bytecode = True

import committing
import counter
import original
import poly1305_edge
import rfc8439
import rfc9001
import xchacha

for module in (rfc8439, rfc9001, xchacha, original, counter, poly1305_edge, committing):
    module.main()
