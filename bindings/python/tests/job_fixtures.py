"""Fixtures for the tests of jobs on S3."""

import botocore.session
import fsspec
import pytest

import servers


@pytest.fixture(scope="session")
def s3_address(tmp_path_factory):
    """The gate and the address of a server for S3, which the environment names too."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in servers.S3_KEYS.items():
            patch.setenv(name, value)
        with servers.s3(tmp_path_factory.mktemp("s3")) as (gate, address):
            patch.setenv("AWS_ENDPOINT_URL", address)
            yield gate, address


@pytest.fixture
def gate(s3_address):
    """The gate of the server, which has the empty bucket ``lake``."""
    gate, _ = s3_address
    fs = fsspec.filesystem("s3")
    fs.invalidate_cache()
    fs.mkdir("lake")
    gate.requests.clear()
    yield gate
    gate.before = gate.after = lambda request: None
    fs.invalidate_cache()
    fs.rm("lake", recursive=True)


@pytest.fixture
def bucket(gate, s3_address):
    """A client for the bucket that has nothing in common with the package."""
    client = botocore.session.get_session().create_client("s3", endpoint_url=s3_address[1])
    yield client
    client.close()
