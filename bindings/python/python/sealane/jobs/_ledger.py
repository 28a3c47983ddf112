"""The ledger of a job: a folder with a record for each object, which workers write.

::

    job.json                        what the job does
    finished.json                   a verification has processed all its objects
    records/<object>.json           the outcome of an object
    intents/<object>/<header>.json  a header that an attempt is about to write

``<object>`` and ``<header>`` are the SHA-256 hashes of the address and of the header. When an
object is sealed or opened, the handle for cleaning up takes the place of the header. An attempt
that is killed leaves its intent behind. The next attempt cleans up with the handles in the intents.
Before it replaces a header, it compares the object's header with the intents to learn whether the
object was replaced already. Intents of different attempts have different names, so none is lost in
a race. An incomplete record or intent counts as absent: an attempt writes its intent before it
replaces the object, so an incomplete intent means that nothing was replaced. The ledger holds no
secret.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
from collections.abc import Callable
from glob import has_magic
from typing import Any

from fsspec.implementations.local import LocalFileSystem

from .._replacement import replaced_file, temporary_name
from ._listing import Listing
from ._place import Place
from ._report import JobError, Record
from ._stores import move, protocols_of

#: The protocols of stores in which a new object appears only when it is complete: S3, Azure and
#: Google Cloud.
_WRITE_AT_ONCE = {"s3", "abfs", "gs"}


def digest(data: bytes | str) -> str:
    """Returns the SHA-256 hash in hexadecimal digits."""
    # Names of files may have bytes that are not UTF-8.
    return hashlib.sha256(data.encode(errors="surrogateescape") if isinstance(data, str) else data).hexdigest()


@dataclasses.dataclass(frozen=True)
class Intent:
    """A replacement that an attempt has begun."""

    #: The hash of the new header, or of the handle when an object is sealed or opened.
    header: str
    #: The handle with which the store cleans up, such as the id of an upload.
    handle: str


class Ledger:
    """The ledger in a folder."""

    def __init__(self, place: Place) -> None:
        self._fs = place.fs()
        self._root = place.path.rstrip("/")
        self._is_local = isinstance(self._fs, LocalFileSystem)
        self._writes_at_once = bool(_WRITE_AT_ONCE & protocols_of(self._fs))

    def _write(self, path: str, contents: dict[str, Any]) -> None:
        data = json.dumps(contents).encode()
        path = f"{self._root}/{path}"
        if self._is_local:
            self._fs.makedirs(path.rpartition("/")[0], exist_ok=True)
            with replaced_file(path) as file:
                file.write(data)
        elif self._writes_at_once:
            self._fs.pipe_file(path, data)
        else:
            self._replace(path, data)

    def _create(self, path: str, contents: dict[str, Any]) -> None:
        """Writes a file, unless another job has written it meanwhile.

        Where the filesystem cannot create a complete file exclusively, a short time remains in
        which another job's file is replaced.
        """
        whole = f"{self._root}/{path}"
        if self._is_local:
            temporary = temporary_name(path)
            self._write(temporary, contents)
            try:
                with contextlib.suppress(FileExistsError):
                    os.link(f"{self._root}/{temporary}", whole)
                return
            except OSError:
                # This filesystem has no hard links.
                pass
            finally:
                os.unlink(f"{self._root}/{temporary}")
        elif self._writes_at_once:
            try:
                self._fs.pipe_file(whole, json.dumps(contents).encode(), mode="create")
                return
            except FileExistsError:
                return
            except (OSError, NotImplementedError):
                # This store has no such condition.
                pass
        if not self._fs.exists(whole):
            self._write(path, contents)

    def _replace(self, path: str, data: bytes) -> None:
        """Writes a file of a filesystem in which a killed writer leaves a part of the file."""
        folder, _, name = path.rpartition("/")
        temporary = f"{folder}/{temporary_name(name)}"
        self._fs.makedirs(folder, exist_ok=True)
        self._fs.pipe_file(temporary, data)
        # Some filesystems refuse to rename onto an existing file, and some then report no error.
        try:
            move(self._fs, temporary, path)
            is_refused = False
        except OSError:
            is_refused = True
        self._fs.invalidate_cache(folder)
        if is_refused or self._fs.exists(temporary):
            with contextlib.suppress(FileNotFoundError):
                self._fs.rm_file(path)
            move(self._fs, temporary, path)
            self._fs.invalidate_cache(folder)

    def _read_all(self, folder: str) -> dict[str, Any]:
        """Returns the contents of all files below a folder, by path.

        Files that a killed writer left incomplete are left out.
        """
        self._fs.invalidate_cache(f"{self._root}/{folder}")
        listing = Listing(self._fs)
        with contextlib.suppress(FileNotFoundError):
            listing.add(f"{self._root}/{folder}")
        for error in listing.errors.values():
            raise error
        paths = sorted(path for path in listing.infos if path.endswith(".json"))
        found = {}
        # `cat` would take paths with wildcards for patterns.
        everything = [None] * len(paths)
        contents = self._fs.cat_ranges(paths, everything, everything, on_error="return") if paths else []
        for path, data in zip(paths, contents, strict=True):
            if isinstance(data, FileNotFoundError):
                # Another run has removed the file since it was listed.
                continue
            if isinstance(data, BaseException):
                raise data
            with contextlib.suppress(ValueError):
                found[path] = json.loads(data)
        return found

    def begin(self, job: dict[str, Any]) -> None:
        """Writes what the job does. Raises ``JobError`` if the ledger belongs to another job.

        A run that was killed while it wrote ``job.json`` has processed no object. So an incomplete
        ``job.json`` is replaced, unless there are records or intents, of an unknown job.
        """
        path = f"{self._root}/job.json"
        self._fs.invalidate_cache(self._root)
        try:
            try:
                data = self._fs.cat_file(path)
            except FileNotFoundError:
                self._create("job.json", job)
                self._fs.invalidate_cache(self._root)
                # Another job may have created it meanwhile.
                data = self._fs.cat_file(path)
            known = json.loads(data)
        except ValueError:
            if self._read_all("records") or self._read_all("intents"):
                raise JobError(f"{path} is damaged, so it is unknown what the records beside it mean") from None
            self._write("job.json", job)
            return
        if known != job:
            names = sorted(name for name in known.keys() | job.keys() if known.get(name) != job.get(name))
            raise JobError(f"the ledger {self._root} belongs to another job: it differs in {', '.join(names)}")

    def records(self) -> dict[str, Record]:
        """Returns all records by the address of their object."""
        try:
            found = [Record.from_json(fields) for fields in self._read_all("records").values()]
        except (TypeError, ValueError) as error:
            raise JobError(f"a record of the ledger {self._root} is malformed: {error}") from None
        return {record.url: record for record in found}

    def put(self, record: Record) -> None:
        """Writes a record. A failure does not replace another attempt's success.

        The success of the other attempt may have made this one fail. Its record names the version
        of the object, so it does not hide a failure with another version.
        """
        path = f"records/{digest(record.url)}.json"
        if record.state == "failed":
            with contextlib.suppress(FileNotFoundError, ValueError):
                if json.loads(self._fs.cat_file(f"{self._root}/{path}"))["state"] == "done":
                    return
        self._write(path, record.to_json())

    def intend(self, url: str, header: bytes, handle: str) -> None:
        """Writes an intent.

        Called before the object gets this header, or is replaced as a whole.
        """
        self._write(f"intents/{digest(url)}/{digest(header)}.json", {"url": url, "handle": handle})

    def intents(self, url: str) -> list[Intent]:
        """Returns the intents of all attempts for an object."""
        found = self._read_all(f"intents/{digest(url)}").items()
        return [
            Intent(path.rpartition("/")[2].removesuffix(".json"), fields["handle"])
            for path, fields in found
            if fields["url"] == url
        ]

    def forget_intents(self, urls: list[str]) -> None:
        """Removes the intents for objects that are done."""
        hashes = {digest(url) for url in urls}
        self._remove("intents", lambda path: path.split("/")[-2] in hashes)

    def finish(self) -> None:
        """Notes that a run has processed all its objects."""
        self._write("finished.json", {})

    def forget_finished(self) -> None:
        """Removes all records if the run that wrote them has processed all its objects."""
        self._fs.invalidate_cache(self._root)
        if self._fs.exists(f"{self._root}/finished.json"):
            self._remove("records")
            # At the end: a run that is killed before this leaves no records that a later one uses.
            self._fs.rm_file(f"{self._root}/finished.json")

    def _remove(self, folder: str, is_removed: Callable[[str], bool] = lambda path: True) -> None:
        """Removes the files below a folder, or some of them."""
        folder = f"{self._root}/{folder}"
        self._fs.invalidate_cache(folder)
        with contextlib.suppress(FileNotFoundError):
            paths = [path for path in self._fs.find(folder) if is_removed(path)]
            # `rm` removes many objects with one request, but takes paths with wildcards for
            # patterns.
            if has_magic(self._root):
                for path in paths:
                    self._fs.rm_file(path)
            elif paths:
                self._fs.rm(paths)
