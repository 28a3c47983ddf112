"""Writes a vector file: its source and licence first, then the vectors. With `--check`, compares instead."""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

IETF_LICENCE = (
    "Test values of an IETF document (IETF Trust Legal Provisions, https://trustee.ietf.org/license-info); "
    "the numbers are facts, their arrangement here is MIT OR Apache-2.0"
)
OWN_LICENCE = "MIT OR Apache-2.0"


def unhex(text):
    """Bytes from hexadecimal digits, with spaces, colons and line ends ignored."""
    return bytes.fromhex("".join(text.replace(":", " ").split()))


def write(path, source, licence, vectors):
    ids = [vector["id"] for vector in vectors]
    assert len(ids) == len(set(ids)), f"{path}: an id occurs twice"
    target = ROOT / path
    plain = [{k: v.hex() if isinstance(v, bytes) else v for k, v in vector.items()} for vector in vectors]
    document = {"source": source, "licence": licence, "vectors": plain}
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    if "--check" in sys.argv[1:]:
        if target.read_text() != text:
            sys.exit(f"vectors/{path} differs from what its generator makes. Run: python3 vectors/generate/all.py")
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    print(f"{path}: {len(vectors)} vectors")
