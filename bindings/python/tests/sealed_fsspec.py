"""A plugin of pytest for the tests of other packages: fsspec's memory and local files are sealed.

After each test, what is in memory and in the test's folder must be sealed. The summary has the
number of sealed objects."""

import functools
from pathlib import Path

import dask.utils
import fsspec
import fsspec.implementations.memory
import pytest
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem

import sealane.fsspec
from keys import OPTIONS

MAGIC = b"age-encryption.org/v1\n"


class SealedMemory(sealane.fsspec.AgeFileSystem):
    protocol = "memory"
    store, pseudo_dirs = MemoryFileSystem.store, MemoryFileSystem.pseudo_dirs

    def __init__(self, **options):
        super().__init__(MemoryFileSystem(), **OPTIONS, **options)

    @classmethod
    def _strip_protocol(cls, path):
        # Derived classes have other protocols.
        return MemoryFileSystem._strip_protocol(path.removeprefix(f"{cls.protocol}://"))


class SealedFiles(sealane.fsspec.AgeFileSystem):
    protocol = ("file", "local")

    def __init__(self, auto_mkdir=False, **options):
        super().__init__(LocalFileSystem(auto_mkdir=auto_mkdir), **OPTIONS, **options)

    @classmethod
    def _strip_protocol(cls, path):
        return LocalFileSystem._strip_protocol(path)


fsspec.register_implementation("memory", SealedMemory, clobber=True)
fsspec.register_implementation("file", SealedFiles, clobber=True)
# Pandas' tests derive a class from it.
fsspec.implementations.memory.MemoryFileSystem = SealedMemory
found = 0


def create(path, mode):
    global found
    found += 1
    return fsspec.filesystem("file").open(path, mode)


# Writes the files that Dask's tests read.
dask.utils.filetexts = functools.partial(dask.utils.filetexts, open=create)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    global found
    result = yield
    starts = [file.getvalue()[: len(MAGIC)] for file in MemoryFileSystem.store.values()]
    for name in ("tempdir", "tmpdir"):
        if name in item.funcargs:
            files = [path for path in Path(item.funcargs[name]).rglob("*") if path.is_file()]
            starts += [path.read_bytes()[: len(MAGIC)] for path in files]
    assert all(start == MAGIC for start in starts)
    found += len(starts)
    return result


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"{found} sealed objects")
