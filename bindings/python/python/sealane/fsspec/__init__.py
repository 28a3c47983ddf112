"""A filesystem of age files over any filesystem of fsspec: ``age::s3://bucket/table.parquet``.

::

    options = {"identities": "file:key.txt", "recipients": "age1…"}
    pandas.read_parquet("age::s3://bucket/table.parquet", storage_options=options)

``AgeFileSystem`` documents the options. Identities are given as references, which each process
resolves when it needs them, so a pickled or printed filesystem holds no secret.

The order matters in a chain with a cache: ``age::simplecache::s3://…`` keeps ciphertext on the
disk, and ``simplecache::age::s3://…`` keeps **plaintext** there.
"""

import fsspec

from ._compression import register_compression
from ._file import AgeFile
from ._filesystem import AgeFileSystem

__all__ = ["AgeFile", "AgeFileSystem", "register_compression"]

fsspec.register_implementation("age", AgeFileSystem, clobber=True)
