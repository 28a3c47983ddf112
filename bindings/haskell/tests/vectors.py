"""Writes Wycheproof's vectors as lines: vectors.py DATA FOLDER

Each line has eight fields: name, key, nonce, associated data, message, ciphertext, tag, result.
"""

import json
import sys
from pathlib import Path

FIELDS = ["key", "iv", "aad", "msg", "ct", "tag", "result"]

data, folder = Path(sys.argv[1]), Path(sys.argv[2])
for name in ["chacha20_poly1305", "xchacha20_poly1305"]:
    groups = json.loads((data / f"{name}_test.json").read_text())["testGroups"]
    lines = ["\t".join([name] + [test[field] for field in FIELDS]) for group in groups for test in group["tests"]]
    (folder / f"{name}.vectors").write_text("".join(line + "\n" for line in lines))
