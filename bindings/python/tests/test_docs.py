"""Runs the code of docs/python.md and of the README, in order, in an empty folder."""

import re
import subprocess
import sys

import pytest

from conftest import ROOT

PAGES = [(ROOT / "docs" / "python.md", 16), (ROOT / "bindings" / "python" / "README.md", 1)]


@pytest.mark.parametrize(("page", "count"), PAGES, ids=lambda value: getattr(value, "name", None))
def test_page(page, count, tmp_path):
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) == count
    program = tmp_path / "page.py"
    program.write_text("\n".join(blocks))
    subprocess.run([sys.executable, "-W", "error::DeprecationWarning", program], check=True, cwd=tmp_path)
