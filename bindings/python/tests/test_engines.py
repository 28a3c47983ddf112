"""Query engines that read and write sealed Parquet through the filesystem."""

import io

import duckdb
import fsspec
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest
from fsspec.parquet import open_parquet_file

import sealane.fsspec
from keys import IDENTITY, OPTIONS, WRONG
from sealane import age

ROWS = 50_000
TABLE = pa.table(
    {
        "id": pa.array(np.arange(ROWS)),
        "group": pa.array(np.arange(ROWS) % 3),
        "name": pa.array([f"name {i}" for i in range(ROWS)]),
    }
)
SUM = ROWS * (ROWS - 1) // 2


@pytest.fixture
def url(tmp_path):
    """The address of a sealed Parquet file, written by pyarrow."""
    fs = fsspec.filesystem("age", **OPTIONS)
    path = f"{tmp_path}/table.parquet"
    with fs.open(path, "wb") as file:
        pa.parquet.write_table(TABLE, file, row_group_size=10_000)
    with open(path, "rb") as file:
        sealed = file.read()
    assert sealed.startswith(b"age-encryption.org/v1\n") and b"name 7" not in sealed
    return f"age::file://{path}"


@pytest.fixture
def fs(url):
    return fsspec.filesystem("age", **OPTIONS)


def path_of(url):
    return url.removeprefix("age::file://")


def damage(url):
    with open(path_of(url), "r+b") as file:
        file.seek(100_000)
        byte = file.read(1)
        file.seek(100_000)
        file.write(bytes([byte[0] ^ 1]))


def test_pandas(url):
    frame = pd.read_parquet(url, storage_options=OPTIONS, columns=["id"])
    assert int(frame["id"].sum()) == SUM
    frame.to_parquet(url + ".2", storage_options=OPTIONS)
    assert pd.read_parquet(url + ".2", storage_options=OPTIONS).equals(frame)
    frame.head(10).to_csv(url + ".csv", storage_options=OPTIONS, index=False)
    assert int(pd.read_csv(url + ".csv", storage_options=OPTIONS)["id"].sum()) == 45
    with pytest.raises(age.NoMatchError):
        pd.read_parquet(url, storage_options=WRONG)
    damage(url)
    with pytest.raises(age.PayloadError):
        pd.read_parquet(url, storage_options=OPTIONS)


def test_pyarrow(url, fs, tmp_path):
    path = path_of(url)
    assert pa.parquet.read_table(path, filesystem=fs).equals(TABLE)
    hive = f"{tmp_path}/hive"
    pa.dataset.write_dataset(
        TABLE, hive, filesystem=fs, format="parquet", partitioning=["group"], partitioning_flavor="hive"
    )
    found = pa.dataset.dataset(hive, filesystem=fs, partitioning="hive").to_table(filter=pa.dataset.field("group") == 1)
    assert sorted(found["id"].to_pylist()) == list(range(1, ROWS, 3))
    wrong = fsspec.filesystem("age", **WRONG)
    with pytest.raises(age.NoMatchError):
        pa.parquet.read_table(path, filesystem=wrong)
    damage(url)
    with pytest.raises(age.PayloadError):
        pa.parquet.read_table(path, filesystem=fs)


def test_duckdb(url, fs, tmp_path):
    connection = duckdb.connect()
    connection.register_filesystem(fs)
    path = f"age://{path_of(url)}"
    assert connection.sql(f"SELECT sum(id) FROM read_parquet('{path}') WHERE \"group\" < 3").fetchall() == [(SUM,)]
    target = f"age://{tmp_path}/copy.parquet"
    connection.sql(f"COPY (SELECT * FROM read_parquet('{path}') WHERE id < 10) TO '{target}' (FORMAT parquet)")
    assert age.decrypt((tmp_path / "copy.parquet").read_bytes(), IDENTITY)[:4] == b"PAR1"
    assert connection.sql(f"SELECT count(*) FROM read_parquet('age://{tmp_path}/*.parquet')").fetchall() == [
        (ROWS + 10,)
    ]
    damage(url)
    with pytest.raises(Exception, match="chunk 1"):
        connection.sql(f"SELECT sum(hash(name)) FROM read_parquet('{path}')").fetchall()


def test_polars(url, fs):
    with fs.open(path_of(url)) as file:
        assert pl.read_parquet(file, columns=["id"])["id"].sum() == SUM
    dataset = pa.dataset.dataset(path_of(url), filesystem=fs)
    lazy = pl.scan_pyarrow_dataset(dataset).filter(pl.col("id") < 10).select(pl.col("id").sum())
    assert lazy.collect().item() == 45
    output = io.BytesIO()
    pl.DataFrame({"id": [1, 2]}).write_parquet(output)
    fs.pipe(path_of(url) + ".2", output.getvalue())
    assert pl.read_parquet(fs.open(path_of(url) + ".2"))["id"].to_list() == [1, 2]


@pytest.fixture
def in_memory(url, fs):
    """A filesystem with the sealed table at ``/table``, and the lengths of the requests in each call."""
    memory = fsspec.filesystem("age", target_protocol="memory", **OPTIONS)
    memory.pipe("/table", fs.cat(path_of(url)))
    calls = []
    original = sealane.fsspec.AgeFileSystem._fetch

    async def counted(self, path, entry, requests):
        calls.append([request.stop - request.start for request in requests])
        return await original(self, path, entry, requests)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sealane.fsspec.AgeFileSystem, "_fetch", counted)
        yield memory, calls
    memory.rm("/table")


def column_bytes(file):
    """Returns the bytes of the first column in each row group."""
    metadata = pa.parquet.ParquetFile(file).metadata
    return [metadata.row_group(i).column(0).total_compressed_size for i in range(metadata.num_row_groups)]


def test_one_column_costs_its_own_bytes(url, fs, in_memory):
    """At most 128 KiB for each range are read beyond what the engine asks for."""
    needed = sum(column_bytes(io.BytesIO(fs.cat(path_of(url)))))
    memory, calls = in_memory
    with memory.open("/table") as opened:
        found = pa.parquet.read_table(opened, columns=["id"], pre_buffer=False)
    assert found.equals(TABLE.select(["id"]))
    requested = [bytes for call in calls for bytes in call]
    assert 0 < sum(requested) <= needed + len(requested) * (128 << 10)


def test_all_pieces_of_a_column_are_requested_at_once(url, fs, in_memory):
    """``fsspec.parquet`` reads the end of the file, and then all row groups in one call."""
    pieces = column_bytes(io.BytesIO(fs.cat(path_of(url))))
    memory, calls = in_memory
    # pyarrow reads the last 64 KiB.
    options = {"engine": "pyarrow", "footer_sample_size": 64 << 10, "max_gap": 0}
    with open_parquet_file("/table", fs=memory, columns=["id"], **options) as file:
        found = pa.parquet.read_table(file, columns=["id"])
    assert found.equals(TABLE.select(["id"]))
    _, columns = calls
    assert len(pieces) == 5
    assert sum(columns) <= sum(pieces) + len(pieces) * (128 << 10)
    wrong = fsspec.filesystem("age", target_protocol="memory", **WRONG)
    # fsspec takes the error for data.
    with pytest.raises(TypeError, match="NoMatchError"):
        open_parquet_file("/table", fs=wrong, columns=["id"], engine="pyarrow")
