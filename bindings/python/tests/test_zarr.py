"""Zarr and xarray on sealed stores, with zarr's own tests for stores, over memory and over S3."""

import fsspec
import numpy as np
import pandas as pd
import pytest
import xarray as xr
import zarr
from zarr.abc.store import SupportsDeleteSync, SupportsGetSync, SupportsSetSync
from zarr.core.buffer import cpu
from zarr.storage import FsspecStore
from zarr.testing.store import StoreTests

import sealane.fsspec
from keys import OPTIONS, WRONG
from sealane import age

# botocore, zarr and xarray use deprecated functions of other packages.
pytestmark = pytest.mark.filterwarnings("default")


class SealedStoreTests(StoreTests[FsspecStore, cpu.Buffer]):
    """Zarr's tests. Their direct reads and writes of the store go through a separate filesystem."""

    store_cls = FsspecStore
    buffer_cls = cpu.Buffer

    # Stores over fsspec have no synchronous methods, so zarr skips these.
    test_get_sync = test_get_sync_missing = test_set_sync = test_delete_sync = test_delete_sync_missing = None

    def test_no_synchronous_methods(self, store):
        assert not isinstance(store, SupportsGetSync | SupportsSetSync | SupportsDeleteSync)

    async def set(self, store, key, value):
        self.other.pipe(f"{store.path}/{key}", value.to_bytes())

    async def get(self, store, key):
        return self.buffer_cls.from_bytes(self.other.cat(f"{store.path}/{key}"))

    def test_store_repr(self, store):
        assert str(store) == f"<FsspecStore(AgeFileSystem, {store.path})>"

    def test_store_supports_writes(self, store):
        assert store.supports_writes

    def test_store_supports_listing(self, store):
        assert store.supports_listing

    async def test_what_lies_there_is_sealed(self, store):
        await store.set("a/b", self.buffer_cls.from_bytes(b"some plaintext"))
        raw = self.other.target.cat(f"{store.path}/a/b")
        assert raw.startswith(b"age-encryption.org/v1\n") and b"plaintext" not in raw


class TestMemory(SealedStoreTests):
    @pytest.fixture
    def store_kwargs(self):
        memory = fsspec.filesystem("memory")
        memory.store.clear()
        memory.pseudo_dirs[:] = [""]
        sealane.fsspec.AgeFileSystem.clear_instance_cache()
        self.other = fsspec.filesystem("age", target_protocol="memory", **OPTIONS)
        fs = fsspec.filesystem("age", target_protocol="memory", asynchronous=True, **OPTIONS)
        yield {"fs": fs, "path": "/store"}
        memory.store.clear()
        memory.pseudo_dirs[:] = [""]


class TestS3(SealedStoreTests):
    @pytest.fixture
    def store_kwargs(self, s3, request):
        # A synchronous method runs in another event loop, and needs a client of its own.
        options = s3.options | {
            "use_listings_cache": False,
            "skip_instance_cache": request.node.originalname.endswith("_sync"),
        }
        self.other = sealane.fsspec.AgeFileSystem(s3.plain, **OPTIONS)
        fs = fsspec.filesystem("age", target_protocol="s3", target_options=options, asynchronous=True, **OPTIONS)
        return {"fs": fs, "path": f"{s3.bucket}/store"}


@pytest.fixture(scope="module")
def measured(weather):
    """Temperature and humidity for each hour and airport."""
    frame = pd.read_csv(weather, na_values=["NA"], usecols=["origin", "time_hour", "temp", "humid"])
    frame["time_hour"] = pd.to_datetime(frame["time_hour"].str.rstrip("Z"))
    frame = frame.drop_duplicates(["origin", "time_hour"]).set_index(["time_hour", "origin"])
    dataset = xr.Dataset.from_dataframe(frame)
    return dataset.assign_coords(origin=dataset["origin"].astype(str))


def damage(s3, key):
    """Flips a bit at the end of an object."""
    sealed = bytearray(s3.plain.cat(key))
    sealed[-1] ^= 1
    s3.plain.pipe(key, bytes(sealed))


def test_xarray_over_s3(s3, measured):
    url = f"{s3.url}/weather.zarr"
    measured.chunk({"time_hour": 2000}).to_zarr(url, storage_options=s3.storage, mode="w")
    keys = s3.plain.find(f"{s3.bucket}/weather.zarr")
    assert len(keys) > 10
    assert all(s3.plain.cat_file(key, start=0, end=22) == b"age-encryption.org/v1\n" for key in keys)
    with xr.open_zarr(url, storage_options=s3.storage) as found:
        xr.testing.assert_equal(found.load(), measured)
    # A slice reads only its own chunks.
    s3.requests.clear()
    with xr.open_zarr(url, storage_options=s3.storage) as found:
        part = found["temp"].sel(origin="JFK").isel(time_hour=slice(100, 200)).load()
    xr.testing.assert_equal(part, measured["temp"].sel(origin="JFK").isel(time_hour=slice(100, 200)))
    chunks = {one.path for one in s3.requests if one.method == "GET" and "/temp/c/" in one.path}
    assert len(chunks) == 1
    with pytest.raises(age.NoMatchError):
        xr.open_zarr(url, storage_options={**s3.storage, **WRONG})
    [chunk] = chunks
    damage(s3, chunk)
    with xr.open_zarr(url, storage_options=s3.storage) as found, pytest.raises(age.PayloadError):
        found["temp"].load()


def test_zarr_by_url(s3, flights):
    url = f"{s3.url}/group"
    data = np.stack([flights[name].to_numpy() for name in ("distance", "flight")])
    group = zarr.open_group(url, mode="w", storage_options=s3.storage)
    array = group.create_array("a", shape=data.shape, chunks=(1, 10_000), shards=(2, 100_000), dtype=data.dtype)
    array[:] = data
    array[0, 7] = -1
    found = zarr.open_group(url, mode="r", storage_options=s3.storage)["a"]
    assert found[0, 7] == -1
    assert (found[1:, 99_990:100_020] == data[1:, 99_990:100_020]).all()
    assert found[:].sum() == data.sum() - data[0, 7] - 1
    with pytest.raises(age.NoMatchError):
        zarr.open_group(url, mode="r", storage_options={**s3.storage, **WRONG})
    damage(s3, f"{s3.bucket}/group/a/c/0/1")
    assert (found[:, 200_000:] == data[:, 200_000:]).all()
    with pytest.raises(age.PayloadError):
        found[:, 100_000:200_000]
