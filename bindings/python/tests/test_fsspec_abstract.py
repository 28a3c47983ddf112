"""fsspec's own tests for filesystems, over its memory, its local filesystem and S3."""

import fsspec
import fsspec.tests.abstract as abstract
import pytest

import sealane.fsspec  # noqa: F401
from keys import OPTIONS


class MemoryFixtures(abstract.AbstractFixtures):
    @pytest.fixture
    def fs(self):
        memory = fsspec.filesystem("memory")
        memory.store.clear()
        memory.pseudo_dirs[:] = [""]
        yield fsspec.filesystem("age", target_protocol="memory", **OPTIONS)
        memory.store.clear()
        memory.pseudo_dirs[:] = [""]

    @pytest.fixture
    def fs_join(self):
        return lambda *parts: "/".join(parts)

    @pytest.fixture
    def fs_path(self):
        return ""


class LocalFixtures(abstract.AbstractFixtures):
    @pytest.fixture
    def fs(self):
        return fsspec.filesystem("age", target_protocol="file", target_options={"auto_mkdir": True}, **OPTIONS)

    @pytest.fixture
    def fs_path(self, tmpdir):
        return str(tmpdir)


class S3Fixtures(abstract.AbstractFixtures):
    @pytest.fixture
    def fs(self, s3):
        return fsspec.filesystem("age", target_protocol="s3", target_options=s3.options, **OPTIONS)

    @pytest.fixture
    def fs_path(self, s3):
        return s3.bucket

    @pytest.fixture
    def supports_empty_directories(self):
        return False


class TestMemoryCopy(abstract.AbstractCopyTests, MemoryFixtures):
    pass


class TestMemoryGet(abstract.AbstractGetTests, MemoryFixtures):
    pass


class TestMemoryPut(abstract.AbstractPutTests, MemoryFixtures):
    pass


class TestMemoryPipe(abstract.AbstractPipeTests, MemoryFixtures):
    pass


class TestMemoryOpen(abstract.AbstractOpenTests, MemoryFixtures):
    pass


class TestLocalCopy(abstract.AbstractCopyTests, LocalFixtures):
    pass


class TestLocalGet(abstract.AbstractGetTests, LocalFixtures):
    pass


class TestLocalPut(abstract.AbstractPutTests, LocalFixtures):
    pass


class TestLocalPipe(abstract.AbstractPipeTests, LocalFixtures):
    pass


class TestLocalOpen(abstract.AbstractOpenTests, LocalFixtures):
    pass


# botocore itself uses what Python deprecates.
@pytest.mark.filterwarnings("default")
class TestS3Copy(abstract.AbstractCopyTests, S3Fixtures):
    pass


# botocore itself uses what Python deprecates.
@pytest.mark.filterwarnings("default")
class TestS3Get(abstract.AbstractGetTests, S3Fixtures):
    pass


# botocore itself uses what Python deprecates.
@pytest.mark.filterwarnings("default")
class TestS3Put(abstract.AbstractPutTests, S3Fixtures):
    pass


# botocore itself uses what Python deprecates.
@pytest.mark.filterwarnings("default")
class TestS3Pipe(abstract.AbstractPipeTests, S3Fixtures):
    pass


# botocore itself uses what Python deprecates.
@pytest.mark.filterwarnings("default")
class TestS3Open(abstract.AbstractOpenTests, S3Fixtures):
    def test_open_exclusive(self, fs, fs_target):
        """The store itself refuses on close, so that two writers cannot both succeed."""
        fs.pipe(fs_target, b"data")
        with pytest.raises(FileExistsError), fs.open(fs_target, "xb") as file:
            file.write(b"other")
        assert fs.cat(fs_target) == b"data"
