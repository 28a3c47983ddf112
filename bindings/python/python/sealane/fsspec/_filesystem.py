"""The filesystem."""

from __future__ import annotations

import asyncio
import functools
import os
import tempfile
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import fsspec
from fsspec.asyn import AsyncFileSystem, sync
from fsspec.callbacks import DEFAULT_CALLBACK
from fsspec.compression import compr
from fsspec.core import get_compression
from fsspec.implementations.asyn_wrapper import AsyncFileSystemWrapper
from fsspec.implementations.chained import ChainedFileSystem
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem
from fsspec.spec import AbstractBufferedFile, AbstractFileSystem
from fsspec.utils import stringify_path

from .. import age
from .._io import seal_to_file
from ._file import AgeFile, AgeWriteFile, ChunkCache, CompressedFile, give_up
from ._headers import HeaderCache
from ._keys import Keys
from ._listing import Listings
from ._objects import Objects
from ._ranges import END, is_read_from_the_end
from ._reading import Reading
from ._references import check_identities, check_recipients, resolve_recipients

_LISTING_SIZES = ("exact", "lazy", "sealed")


def _is_async(fs: Any) -> bool:
    """Returns whether a filesystem's coroutines work: a ``DirFileSystem`` calls those of another one."""
    return bool(fs.async_impl) and (not isinstance(fs, DirFileSystem) or _is_async(fs.fs))


class AgeFileSystem(Keys, Objects, Reading, Listings, AsyncFileSystem, ChainedFileSystem):  # type: ignore[misc]
    """Files in the age format on another filesystem: ``age::s3://bucket/path``.

    Names, folders and times are those of the other filesystem. ``size`` is the length of the
    plaintext, and ``sealed_size`` that of the object. ``cp``, ``mv`` and ``rm`` work on the
    encrypted objects.
    """

    protocol = "age"
    _strip_tokenize_options = ("fo",)

    def __init__(
        self,
        fs: Any = None,
        *,
        target_protocol: str | None = None,
        target_options: dict[str, Any] | None = None,
        fo: str | None = None,
        identities: Any = None,
        recipients: Any = None,
        header_len: int | None = None,
        listing_sizes: str = "exact",
        verify_end: bool = False,
        block_size: int = 4 << 20,
        max_headers: int = 10_000,
        asynchronous: bool = False,
        loop: Any = None,
        **kwargs: Any,
    ) -> None:
        """Creates a filesystem over another one.

        The other one is ``fs``, or is given by ``target_protocol`` and ``target_options``.

        - ``identities``: references to the identities that read files: ``file:PATH``, ``env:NAME``,
          a function, or a list of these. Each process resolves them when it opens a file. ``info``,
          and ``exact`` listings and ``glob``, open each file that seems empty, which takes about a
          second for each if it was encrypted with a passphrase.
        - ``recipients``: the recipients of new files: ``age1…``, an ssh key, an ``age.Recipient``,
          a reference as above, or a list of these.
        - ``header_len``: pads the headers of new files to this length. All files are then assumed
          to have headers of this length, so that listings know the exact sizes without reading
          files, except those that seem empty.
        - ``listing_sizes``: ``exact`` reads the header of each file in a listing, unless it is
          known. ``lazy`` reads no headers, and an unknown ``size`` is ``None``. ``sealed`` leaves
          ``size`` as the length of the object.
        - ``verify_end``: authenticates the end of each file when it is opened, with one more
          request. Without it, a file that was cut between two chunks is detected only when its end
          is read.
        - ``block_size``: how far sequential reads may read ahead.
        - ``max_headers``: the number of files whose headers and keys are remembered.
        """
        super().__init__(asynchronous=asynchronous, loop=loop, **kwargs)
        if listing_sizes not in _LISTING_SIZES:
            raise ValueError(f"listing_sizes must be one of {', '.join(_LISTING_SIZES)}, not {listing_sizes!r}")
        if fs is None:
            options = dict(target_options or {})
            if asynchronous:
                # Otherwise the other filesystem would run in another loop.
                options |= {"asynchronous": True, "loop": loop}
                if not fsspec.get_filesystem_class(target_protocol or "file").async_impl:
                    options = dict(target_options or {})
            fs = fsspec.filesystem(target_protocol or "file", **options)
        #: The other filesystem.
        self.target = fs
        self._async_target = fs if _is_async(fs) else AsyncFileSystemWrapper(fs=fs, asynchronous=asynchronous)
        self.root_marker = fs.root_marker
        self._strip_protocol = self._strip
        self._parent = fs._parent
        self.header_len, self.listing_sizes, self.verify_end = header_len, listing_sizes, verify_end
        self.block_size = block_size
        self._references = check_identities(identities)
        self._recipient_references = check_recipients(recipients)
        self._headers = HeaderCache(max_headers)
        self._resolved: list[Any] | None = None
        self._identity_thread, self._recipient_thread = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
        self._written = threading.local()  # `last`: the file that a thread opened last for writing

    def _strip(self, path: Any) -> Any:
        if isinstance(path, list):
            return [self._strip(one) for one in path]
        path = stringify_path(path)
        for prefix in ("age::", "age://"):
            path = path.removeprefix(prefix)
        return self.target._strip_protocol(path)

    @property
    def fsid(self) -> str:
        """An id that is derived from the id of the other filesystem."""
        return f"age_{self.target.fsid}"

    def _sealer(self, recipients: list[age.Recipient]) -> age.Sealer:
        return age.Sealer(recipients, header_len=self.header_len)

    def _forget(self, path: str | None = None) -> None:
        self._headers.drop(path)

    def _forget_version(self, path: str) -> None:
        """Forgets a file that may have been replaced, also in the other filesystem's listings."""
        self._forget(path)
        self.target.invalidate_cache(path)

    async def _pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **kwargs: Any) -> None:
        path = self._strip(path)
        recipients = await self._recipients()
        sealed = await asyncio.to_thread(lambda: self._sealer(recipients).finish(value))
        await self._async_target._pipe_file(path, sealed, mode=mode, **kwargs)
        self._forget(path)

    async def _put_file(
        self, lpath: str, rpath: str, mode: str = "overwrite", callback: Any = DEFAULT_CALLBACK, **kwargs: Any
    ) -> None:
        rpath = self._strip(rpath)
        if os.path.isdir(lpath):
            await self._makedirs(rpath, exist_ok=True)
            return
        recipients = await self._recipients()
        # The temporary file holds only ciphertext. A cancelled call closes and removes it at once.
        with tempfile.NamedTemporaryFile(prefix="sealane-") as temporary:
            await asyncio.to_thread(lambda: seal_to_file(self._sealer(recipients), lpath, temporary))
            await self._async_target._put_file(temporary.name, rpath, mode=mode, callback=callback, **kwargs)
        self._forget(rpath)

    def open(
        self,
        path: str,
        mode: str = "rb",
        block_size: int | None = None,
        cache_options: dict[str, Any] | None = None,
        compression: str | None = None,
        **kwargs: Any,
    ) -> Any:
        compress = None
        # For text, fsspec calls this method again to open the file below it.
        if "b" in mode and "r" not in mode and compression is not None:
            # First, so that an unknown compression leaves the target untouched.
            name, compression = get_compression(self._strip(path), compression), None
            compress = None if name is None else compr[name]
        file = super().open(path, mode, block_size, cache_options, compression, **kwargs)
        if compress is not None:
            file = CompressedFile(file, functools.partial(compress, mode=mode[0]))
        # `file` may be a compressed or text file around `last`. If so, the end of a transaction
        # closes `file`, to write what it still buffers.
        if "r" not in mode and (last := self._written.last()) not in (None, file):
            last.wrapper = weakref.ref(file) if kwargs.get("autocommit", not self._intrans) else lambda: file
        return file

    def _open(
        self,
        path: str,
        mode: str = "rb",
        block_size: int | None = None,
        autocommit: bool = True,
        cache_type: str = ChunkCache.name,
        cache_options: dict[str, Any] | None = None,
        size: int | None = None,
        **kwargs: Any,
    ) -> Any:
        if mode == "rb":
            if cache_type == "mmap":
                raise ValueError("cache_type='mmap' would write plaintext to a file on the disk")
            entry, end = sync(self.loop, self._opened, path, END if is_read_from_the_end(path) else 0)
            entry.checked_size()
            return AgeFile(
                self,
                path,
                entry,
                end,
                block_size=block_size or self.block_size,
                cache_type=cache_type,
                cache_options=cache_options,
                **kwargs,
            )
        if mode not in ("wb", "xb"):
            raise ValueError(f"a sealed file cannot be opened with the mode {mode!r}: write it as a whole")
        # First, so that an error leaves the target untouched.
        sealer = self._sealer(resolve_recipients(self._recipient_references))
        target = self._open_target(path, mode, block_size=block_size, autocommit=autocommit, **kwargs)
        self._forget(path)
        self._written.last = weakref.ref(file := AgeWriteFile(self, path, mode, target, sealer))
        return file

    def _open_target(self, path: str, mode: str, autocommit: bool, **kwargs: Any) -> Any:
        """Opens a file of the other filesystem for writing."""
        kind = type(self.target)
        no_transactions = NotImplementedError(f"{kind.__name__} has no transactions under this filesystem")
        is_local = isinstance(self.target, LocalFileSystem)
        if not autocommit and (isinstance(self.target, MemoryFileSystem) or (is_local and mode == "xb")):
            # It creates or replaces the file when it opens it.
            raise no_transactions
        if kind._open is not AbstractFileSystem._open:
            file = self.target._open(path, mode=mode, autocommit=autocommit, **kwargs)
        elif autocommit:
            # `DirFileSystem` overrides only `open`, which calls another filesystem.
            file = self.target.open(path, mode, **kwargs)
        else:
            # The file would belong to a transaction of the other filesystem.
            raise no_transactions
        if type(file) is AbstractBufferedFile:
            # A file of the base class discards what is written to it.
            raise NotImplementedError(f"{kind.__name__} cannot open files for writing")
        # Some filesystems, such as those of caches, ignore `autocommit`. The files of SFTP and SMB
        # do not have the attribute, but wait for `commit`.
        if not autocommit and getattr(file, "autocommit", not hasattr(file, "commit")):
            give_up(file)
            raise no_transactions
        return file
