"""A file of this machine."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterable, Iterator
from typing import Any

from ..._replacement import other_links, replacement
from .._report import JobError
from ._store import STEP, Conflict, Prepare, Store, Version

#: Errors with which the system reports that it cannot copy between the two files itself.
_CANNOT_COPY = (errno.ENOSYS, errno.EXDEV, errno.EOPNOTSUPP, errno.EINVAL)


class LocalStore(Store):
    """A file of this machine.

    The system copies what stays. New contents are synced to disk before they replace the file.
    """

    #: The version that this object has written.
    _written: Version

    @staticmethod
    def version_of(info: dict[str, Any]) -> Version:
        return Version(info["size"], f"{info['mtime']!r} {info['ino']}")

    def _read(self, version: Version, start: int, stop: int) -> bytes:
        with open(self.path, "rb", buffering=0) as file:
            file.seek(start)
            parts = []
            while start < stop and (data := file.read(stop - start)):
                parts.append(data)
                start += len(data)
        return b"".join(parts)

    @contextlib.contextmanager
    def _replacement(self, prepare: Prepare, expected: Version | None) -> Iterator[Any]:
        """Yields the new file. After the block, ``_written`` is its version."""

        def check(new: os.stat_result) -> None:
            if expected is not None and self.version() != expected:
                raise Conflict
            self._written = self.version_of({"size": new.st_size, "mtime": new.st_mtime, "ino": new.st_ino})

        with replacement(self.path, check) as new:
            if new is None:
                raise OSError(f"this is not a regular file: {self.path!r}")
            prepare(new.name)
            yield new

    def write(self, pieces: Iterable[bytes], size: int, prepare: Prepare, expected: Version | None = None) -> Version:
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with self._replacement(prepare, expected) as file:
            for piece in pieces:
                self._put(file, piece)
        return self._written

    def _put(self, file: Any, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[file.write(view) :]
        self.bytes_written += len(data)

    def replace_header(self, version: Version, old_len: int, header: bytes, prepare: Prepare) -> Version:
        if reason := other_links(os.stat(self.path)):
            raise JobError(reason)
        with open(self.path, "rb", buffering=0) as old, self._replacement(prepare, version) as new:
            self._put(new, header)
            position = old_len
            while position < version.size:
                copied = self._copy(old, new, version, position)
                if not copied:
                    raise Conflict
                position += copied
        return self._written

    def _copy(self, old: Any, new: Any, version: Version, position: int) -> int:
        """Copies some bytes from a position on, and returns their number.

        Some filesystems share the blocks.
        """
        try:
            # Linux has this function, macOS has not.
            if hasattr(os, "copy_file_range"):
                copied = os.copy_file_range(old.fileno(), new.fileno(), version.size - position, position)
                if copied:
                    return copied
        except OSError as error:
            if error.errno not in _CANNOT_COPY:
                raise
        data = self.read(version, position, min(version.size, position + STEP))
        self._put(new, data)
        return len(data)

    def _real(self) -> str:
        return os.path.realpath(self.path)
