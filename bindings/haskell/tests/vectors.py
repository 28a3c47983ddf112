"""Prepares vectors: vectors.py WYCHEPROOF CCTV FOLDER

FOLDER/NAME.vectors has the vectors of Wycheproof as lines. Each line has eight fields: name, key,
nonce, associated data, message, ciphertext, tag, result. FOLDER/cctv has the vectors for age, none
of them compressed, and FOLDER/payloads.sha256 the digests of the contents of valid files.
FOLDER/beginnings.sha256 has the digests of the authentic beginnings of damaged files.
"""

import json
import sys
import zlib
from pathlib import Path

FIELDS = ["key", "iv", "aad", "msg", "ct", "tag", "result"]

wycheproof, cctv, folder = map(Path, sys.argv[1:])
for name in ["chacha20_poly1305", "xchacha20_poly1305"]:
    groups = json.loads((wycheproof / f"{name}_test.json").read_text())["testGroups"]
    lines = ["\t".join([name] + [test[field] for field in FIELDS]) for group in groups for test in group["tests"]]
    (folder / f"{name}.vectors").write_text("".join(line + "\n" for line in lines))

(folder / "cctv").mkdir()
digests = {"success": [], "payload failure": []}
for path in sorted(cctv.iterdir()):
    header, _, file = path.read_bytes().partition(b"\n\n")
    values = dict(line.split(": ", 1) for line in header.decode().splitlines() if ": " in line)
    if values.get("compressed") == "zlib":
        file = zlib.decompress(file)
    (folder / "cctv" / path.name).write_bytes(header + b"\n\n" + file)
    if values["expect"] in digests:
        digests[values["expect"]].append(f"{values['payload']}  {path.name}\n")
(folder / "payloads.sha256").write_text("".join(digests["success"]))
(folder / "beginnings.sha256").write_text("".join(digests["payload failure"]))
