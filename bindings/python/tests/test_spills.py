"""The spills of DuckDB, which docs/python.md describes."""

import contextlib

import duckdb
import pytest

from conftest import ROOT

FORBID = "SET temp_directory = ''"


@pytest.mark.parametrize("is_forbidden", [False, True])
def test_duckdb(tmp_path, is_forbidden):
    assert f"`{FORBID}` forbids them" in (ROOT / "docs" / "python.md").read_text()
    with duckdb.connect(tmp_path / "data.db") as connection:
        connection.execute("SET memory_limit = '40MB'; SET threads = 1")
        if is_forbidden:
            connection.execute(FORBID)
        query = "SELECT md5(i::text) AS text FROM range(2000000) AS numbers(i) ORDER BY text"
        # Not all rows fit into memory. Those not yet fetched stay in files.
        with pytest.raises(duckdb.OutOfMemoryException) if is_forbidden else contextlib.nullcontext():
            assert connection.execute(query).fetchone()
        spilled = [path for path in (tmp_path / "data.db.tmp").glob("*") if path.stat().st_size]
        assert bool(spilled) != is_forbidden
