"""Objects in stores: reading a version, writing whole objects, and replacing headers.

Stores that can copy data themselves do so, to save transfers: see ``Store``.
"""

from __future__ import annotations

from typing import Any

from fsspec.implementations.local import LocalFileSystem

from ._local import LocalStore
from ._store import Conflict, Prepare, Store, Version, move

__all__ = ["Conflict", "Prepare", "Store", "Version", "is_connection_error", "move", "protocols_of", "store_of"]


def store_of(fs: Any, path: str) -> Store:
    """Returns the object at a path, as the class for its filesystem."""
    return _class_of(fs)(fs, path)


def version_of(fs: Any, info: dict[str, Any]) -> Version:
    """Returns the version of an object from a listing."""
    return _class_of(fs).version_of(info)


def is_connection_error(fs: Any, error: Exception) -> bool:
    """Whether an exception of a filesystem, which is no ``OSError``, reports a failed connection."""
    return _class_of(fs).is_connection_error(error)


def protocols_of(fs: Any) -> set[str]:
    """Returns the names of a filesystem's protocol."""
    return {fs.protocol} if isinstance(fs.protocol, str) else set(fs.protocol)


def _class_of(fs: Any) -> type[Store]:
    if isinstance(fs, LocalFileSystem):
        return LocalStore
    # The stores' packages are imported only if they are used.
    protocols = protocols_of(fs)
    if "s3" in protocols:
        from ._s3 import S3Store

        return S3Store
    if "abfs" in protocols:
        from ._azure import AzureStore

        return AzureStore
    return Store
