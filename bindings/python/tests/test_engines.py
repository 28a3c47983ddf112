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


def test_one_column_costs_its_own_bytes(url, fs):
    """At most 128 KiB for each range are read beyond what the engine asks for."""
    data = fs.cat(path_of(url))
    metadata = pa.parquet.ParquetFile(io.BytesIO(data)).metadata
    needed = sum(metadata.row_group(i).column(0).total_compressed_size for i in range(metadata.num_row_groups))
    memory = fsspec.filesystem("age", target_protocol="memory", **OPTIONS)
    memory.pipe("/one_column", data)
    requested = []
    original = sealane.fsspec.AgeFileSystem._fetch

    async def counted(self, path, entry, requests):
        requested.extend(request.stop - request.start for request in requests)
        return await original(self, path, entry, requests)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sealane.fsspec.AgeFileSystem, "_fetch", counted)
        with memory.open("/one_column") as opened:
            found = pa.parquet.read_table(opened, columns=["id"], pre_buffer=False)
    memory.rm("/one_column")
    assert found.equals(TABLE.select(["id"]))
    assert 0 < sum(requested) <= needed + len(requested) * (128 << 10)
