"""The tests that pandas, pyarrow and Dask have for fsspec, unchanged, over sealed memory and files.

They come with the installed packages. The plugin ``sealed_fsspec`` replaces the filesystems."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

# For each module: the tests that are chosen, their number, and the number of sealed objects. Others
# need more packages, append to files, look at stored bytes, or use no filesystem. The tests of
# fsspec in pyarrow.tests.test_dataset write plain files without fsspec, and read them with it.
MODULES = {
    "pandas.tests.io.test_fsspec": (
        "(csv or options or falls_back) and not (s3 or excel or fastparquet or markdown or non_fsspec or zst)",
        18,
        18,
    ),
    "pyarrow.tests.test_fs": ("fsspec and not (s3fs or huggingface or append or from_uri)", 65, 150),
    "pandas.tests.io.test_pickle": ("fsspec", 1, 1),
    "pandas.tests.io.test_compression": ("fsspec", 1, 1),
    "pyarrow.tests.parquet.test_parquet_file": ("fsspec_support", 2, 3),
    "dask.bag.tests.test_text": ("not (lzma or no_collection)", 27, 70),
    "dask.bytes.tests.test_local": ("not (lzma or names or files_write or py2 or abs_paths)", 40, 76),
}


@pytest.mark.parametrize("module", MODULES)
def test_engine(module, tmp_path):
    choice, count, sealed = MODULES[module]
    options = "-q -p sealed_fsspec -p no:cacheprovider --pyargs"
    command = [sys.executable, "-m", "pytest", *options.split(), module, "-k", choice]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-5000:] + run.stderr[-2000:]
    # None is skipped.
    assert re.search(rf"^{count} passed, \d+ deselected", run.stdout, re.MULTILINE), run.stdout[-5000:]
    [objects] = re.findall(r"^(\d+) sealed objects$", run.stdout, re.MULTILINE)
    assert int(objects) == sealed
