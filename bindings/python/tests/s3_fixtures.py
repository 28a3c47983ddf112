"""Fixtures for tests on S3: one server, a bucket for tests of jobs, and buckets for other tests."""

import itertools
from dataclasses import dataclass, field
from typing import Any

import botocore.session
import fsspec
import pytest

import sealane.fsspec
import servers
from keys import OPTIONS


@pytest.fixture(scope="session")
def s3_address(tmp_path_factory):
    """The gate and the address of an S3 server. Environment variables name the server too."""
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
    """An S3 client that does not use the package."""
    client = botocore.session.get_session().create_client("s3", endpoint_url=s3_address[1])
    yield client
    client.close()


_numbers = itertools.count()


@dataclass
class S3:
    """An empty bucket, and the list of all requests to its server."""

    gate: servers.Gate
    #: The options of s3fs.
    options: dict[str, Any]
    bucket: str = field(default_factory=lambda: f"bucket{next(_numbers)}")

    def __post_init__(self):
        #: The other filesystem, which sees the encrypted objects and caches no listings.
        self.plain = fsspec.filesystem("s3", **self.options, use_listings_cache=False)
        self.plain.mkdir(self.bucket)
        #: The URL of the bucket, and its options.
        self.url = f"age::s3://{self.bucket}"
        self.storage = {**OPTIONS, "s3": self.options}
        self.requests = self.gate.requests
        self.requests.clear()

    def gets(self, path):
        """Returns the requests for the contents of an object, whose path is ``bucket/key``."""
        return [one for one in self.requests if one.method == "GET" and one.path == f"/{path}"]


@pytest.fixture
def s3(s3_address):
    """An S3 server, and an empty bucket."""
    gate, address = s3_address
    sealane.fsspec.AgeFileSystem.clear_instance_cache()
    return S3(
        gate,
        {
            "key": servers.S3_KEYS["AWS_ACCESS_KEY_ID"],
            "secret": servers.S3_KEYS["AWS_SECRET_ACCESS_KEY"],
            "endpoint_url": address,
        },
    )


@pytest.fixture
def sealed_s3(s3):
    """Returns a function that creates a filesystem with empty caches."""

    def make(*, use_listings_cache=False, **options):
        target = s3.plain
        if use_listings_cache:
            # A new instance has no cached listings.
            target = fsspec.filesystem("s3", **s3.options, skip_instance_cache=True)
        return sealane.fsspec.AgeFileSystem(target, **OPTIONS | options, skip_instance_cache=True)

    return make
