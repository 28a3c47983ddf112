"""Query engines that read and write sealed objects on S3, also with wrong keys and damage."""

import os

# Set before the first import, so that libraries do not access the network.
os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "RAY_USAGE_STATS_ENABLED": "0"}

import dask
import dask.bag
import dask.dataframe
import datasets
import duckdb
import fsspec
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset
import pyarrow.parquet
import pytest
from distributed import Client, LocalCluster

from keys import WRONG
from sealane import age

# The engines use deprecated functions of other packages.
pytestmark = pytest.mark.filterwarnings("default")
MAGIC = b"age-encryption.org/v1\n"


@pytest.fixture
def lake(s3, sealed_s3, flights):
    """A sealed table, and its key in the bucket."""
    path = f"{s3.bucket}/flights.parquet"
    with sealed_s3().open(path, "wb") as file:
        pa.parquet.write_table(flights, file, row_group_size=50_000)
    assert s3.plain.cat_file(path, start=0, end=22) == MAGIC
    return path


@pytest.fixture(scope="module")
def distance(flights):
    return pc.sum(flights["distance"]).as_py()


def damage(s3, path, position=100_000):
    """Flips a bit at a position, which is not near the end by default."""
    sealed = bytearray(s3.plain.cat(path))
    sealed[position] ^= 1
    s3.plain.pipe(path, bytes(sealed))


def assert_sealed(s3, folder):
    """Checks that each object in a folder is sealed, and returns their paths."""
    paths = s3.plain.find(f"{s3.bucket}/{folder}")
    assert paths
    assert all(s3.plain.cat_file(path, start=0, end=22) == MAGIC for path in paths)
    return paths


def test_pandas(s3, lake, distance):
    url = f"{s3.url}/flights.parquet"
    frame = pd.read_parquet(url, storage_options=s3.storage, columns=["carrier", "distance"])
    assert frame["distance"].sum() == distance
    frame.groupby("carrier").sum().to_csv(f"{s3.url}/carriers.csv", storage_options=s3.storage)
    assert pd.read_csv(f"{s3.url}/carriers.csv", storage_options=s3.storage)["distance"].sum() == distance
    assert_sealed(s3, "carriers.csv")
    with pytest.raises(age.NoMatchError):
        pd.read_parquet(url, storage_options={**s3.storage, **WRONG})
    damage(s3, lake)
    with pytest.raises(age.PayloadError):
        pd.read_parquet(url, storage_options=s3.storage)


def test_pyarrow_hive(s3, sealed_s3, flights):
    fs, folder = sealed_s3(), f"{s3.bucket}/hive"
    table = flights.select(["origin", "month", "distance", "tailnum"])
    pa.dataset.write_dataset(
        table, folder, filesystem=fs, format="parquet", partitioning=["origin", "month"], partitioning_flavor="hive"
    )
    paths = assert_sealed(s3, "hive")
    assert len(paths) == 36 and f"{folder}/origin=JFK/month=7/" in "".join(paths)
    is_summer = (pc.field("month") == 7) & (pc.field("origin") == "JFK")
    s3.requests.clear()
    lazy = sealed_s3(listing_sizes="lazy")
    found = pa.dataset.dataset(folder, filesystem=lazy, partitioning="hive").to_table(filter=is_summer)
    assert pc.sum(found["distance"]) == pc.sum(table.filter(is_summer)["distance"])
    # Other partitions are not read; the first file has the schema.
    assert len({one.path for one in s3.requests if one.range}) <= 2
    with pytest.raises(age.NoMatchError):
        pa.dataset.dataset(folder, filesystem=sealed_s3(**WRONG), partitioning="hive").to_table()
    damage(s3, [path for path in paths if "origin=LGA/month=3/" in path][0], 5000)
    dataset = pa.dataset.dataset(folder, filesystem=sealed_s3(), partitioning="hive")
    assert dataset.to_table(filter=is_summer).num_rows == found.num_rows
    with pytest.raises(age.PayloadError):
        dataset.to_table()


def test_duckdb(s3, sealed_s3, lake, flights, distance):
    connection = duckdb.connect()
    connection.register_filesystem(sealed_s3())
    root = f"age://{s3.bucket}"
    query = f"SELECT sum(distance) FROM read_parquet('{root}/flights.parquet')"
    assert connection.sql(query).fetchall() == [(distance,)]
    copy = f"COPY (FROM read_parquet('{root}/flights.parquet') WHERE month = %d) TO '{root}/months/%d.%s' (FORMAT %s)"
    for month, form in ((1, "parquet"), (2, "parquet"), (3, "csv")):
        connection.sql(copy % (month, month, form, form))
    assert len(assert_sealed(s3, "months")) == 3
    count = connection.sql(f"SELECT month, count(*) FROM read_parquet('{root}/months/*.parquet') GROUP BY 1 ORDER BY 1")
    expected = flights.filter(pc.field("month") < 3).group_by("month").aggregate([("month", "count")]).sort_by("month")
    assert count.fetchall() == list(zip(*expected.to_pydict().values(), strict=True))
    csv = connection.sql(f"SELECT count(*) FROM read_csv('{root}/months/3.csv')").fetchall()
    assert csv == [(flights.filter(pc.field("month") == 3).num_rows,)]
    stranger = duckdb.connect()
    stranger.register_filesystem(sealed_s3(**WRONG))
    with pytest.raises(Exception, match="none of the identities"):
        stranger.sql(query).fetchall()
    damage(s3, lake, 1_000_000)
    other = duckdb.connect()
    other.register_filesystem(sealed_s3())
    with pytest.raises(Exception, match="chunk 15"):
        other.sql(f"SELECT sum(hash(COLUMNS(*))) FROM read_parquet('{root}/flights.parquet')").fetchall()


def test_polars(s3, sealed_s3, lake, distance):
    dataset = pa.dataset.dataset(lake, filesystem=sealed_s3())
    lazy = pl.scan_pyarrow_dataset(dataset)
    assert lazy.select(pl.col("distance").sum()).collect().item() == distance
    july = lazy.filter(pl.col("month") == 7).select("carrier", "distance").collect()
    fs = sealed_s3()
    for name, write in (("parquet", july.write_parquet), ("csv", july.write_csv), ("arrow", july.write_ipc)):
        with fs.open(f"{s3.bucket}/july.{name}", "wb") as file:
            write(file)
    assert len(assert_sealed(s3, "")) == 4
    for name, read in (("parquet", pl.read_parquet), ("csv", pl.read_csv), ("arrow", pl.read_ipc)):
        with fs.open(f"{s3.bucket}/july.{name}") as file:
            assert read(file).equals(july)
    with pytest.raises(age.NoMatchError):
        pl.read_parquet(sealed_s3(**WRONG).open(lake))
    damage(s3, lake)
    with pytest.raises(Exception, match="chunk 1"):
        pl.scan_pyarrow_dataset(pa.dataset.dataset(lake, filesystem=sealed_s3())).collect()


def test_dask_workers_resolve_the_identities(s3, lake, distance):
    """The workers are other processes, and receive only a reference."""
    url = f"{s3.url}/flights.parquet"

    def read(url, **options):
        return dask.dataframe.read_parquet(url, storage_options={**s3.storage, **options}, split_row_groups=True)

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        frame = read(url)
        assert frame.npartitions > 1
        assert int(frame["distance"].sum().compute()) == distance
        frame[["distance"]].to_parquet(f"{s3.url}/frame", storage_options=s3.storage)
        assert len(assert_sealed(s3, "frame")) > 1
        assert int(read(f"{s3.url}/frame")["distance"].sum().compute()) == distance
        with pytest.raises(age.NoMatchError):
            read(url, **WRONG)
        damage(s3, lake)
        # The footer is intact, so that a worker finds the damage.
        damaged = read(url)
        with pytest.raises(age.PayloadError):
            damaged.compute()


def test_dask_bag(s3, weather):
    """Other processes read and write lines, and receive only a reference."""
    lines = weather.read_text().splitlines(keepends=True)[1:]
    assert len(lines) == 26_115
    bag = dask.bag.from_sequence(lines, npartitions=4).map(str.rstrip)
    with dask.config.set(scheduler="processes", num_workers=2):
        bag.to_textfiles(f"{s3.url}/weather/*.csv", storage_options=s3.storage)
        paths = assert_sealed(s3, "weather")
        assert len(paths) == bag.npartitions > 1
        found = dask.bag.read_text(f"{s3.url}/weather/*.csv", storage_options=s3.storage)
        assert found.npartitions == bag.npartitions
        assert found.str.split(",").pluck(0).frequencies().compute() == [("EWR", 8703), ("JFK", 8706), ("LGA", 8706)]
    with dask.config.set(scheduler="synchronous"):
        assert [line.rstrip() for line in found.compute()] == [line.rstrip() for line in lines]
        with pytest.raises(age.NoMatchError):
            dask.bag.read_text(f"{s3.url}/weather/*.csv", storage_options={**s3.storage, **WRONG}).count().compute()
        damage(s3, paths[2])
        with pytest.raises(age.PayloadError):
            dask.bag.read_text(f"{s3.url}/weather/*.csv", storage_options=s3.storage).count().compute()


def test_hugging_face_datasets(s3, sealed_s3, flights, tmp_path, monkeypatch):
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    datasets.disable_progress_bars()
    table = flights.select(["origin", "dest", "distance"]).slice(0, 50_000)
    dataset = datasets.Dataset(table)
    url = f"{s3.url}/dataset"
    dataset.save_to_disk(url, storage_options=s3.storage, num_shards=2)
    paths = assert_sealed(s3, "dataset")
    assert len([path for path in paths if path.endswith(".arrow")]) == 2
    found = datasets.load_from_disk(url, storage_options=s3.storage)
    assert found.with_format("arrow")[:].equals(table)
    dataset.to_parquet(f"{s3.url}/dataset.parquet", storage_options=s3.storage)
    with sealed_s3().open(f"{s3.bucket}/dataset.parquet") as file:
        assert pa.parquet.read_table(file).equals(table)
    with pytest.raises(age.NoMatchError):
        datasets.load_from_disk(url, storage_options={**s3.storage, **WRONG})
    damage(s3, paths[0])
    with pytest.raises(age.PayloadError):
        datasets.load_from_disk(url, storage_options=s3.storage)


def test_ray_data(s3, sealed_s3, lake, distance):
    """The workers receive only a reference.

    All Ray tests are in this function, because Ray starts slowly."""
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=128 << 20)
    try:
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        data = ray.data.read_parquet(lake, filesystem=sealed_s3(), columns=["month", "distance"])
        assert data.sum("distance") == distance
        data.filter(lambda row: row["month"] == 7).write_parquet(f"{s3.bucket}/july", filesystem=sealed_s3())
        paths = assert_sealed(s3, "july")
        july = ray.data.read_parquet(f"{s3.bucket}/july", filesystem=sealed_s3())
        assert (july.count(), july.min("month"), july.max("month")) == (29_425, 7, 7)
        with pytest.raises(Exception, match="none of the identities"):
            ray.data.read_parquet(lake, filesystem=sealed_s3(**WRONG)).materialize()
        damage(s3, lake)
        with pytest.raises(Exception, match="chunk 1"):
            ray.data.read_parquet(lake, filesystem=sealed_s3()).materialize()
        # Undamaged files can be read.
        assert ray.data.read_parquet(paths, filesystem=sealed_s3()).count() == 29_425
    finally:
        ray.shutdown()


def test_urls_with_patterns(s3, sealed_s3, flights):
    """fsspec itself finds sealed objects by a pattern, and opens many."""
    table = flights.slice(0, 1000)
    fs = sealed_s3()
    for name in ("a-1", "a-2", "b-1"):
        with fs.open(f"{s3.bucket}/{name}.parquet", "wb") as file:
            pa.parquet.write_table(table, file)
    files = fsspec.open_files(f"{s3.url}/a-*.parquet", **s3.storage)
    assert len(files) == 2
    for one in files:
        with one as file:
            assert pa.parquet.read_table(file).equals(table)
