"""An object in S3, or in a store with the same interface, through s3fs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import urlencode

import aiohttp
from botocore.exceptions import ConnectionError, HTTPClientError
from fsspec.asyn import sync

from .._report import JobError
from ._store import Conflict, Prepare, Store, Version, in_parts

_MIB = 1 << 20
#: The minimum length of any part but the last.
_LEAST_PART = 5 * _MIB
#: The length of the parts of new objects, unless there would be too many. Some stores require parts
#: of equal length.
_PART = 8 * _MIB
_MOST_PARTS = 9_000
#: The largest range that one request can copy.
_COPY = 5 << 30
#: Error codes of stores that cannot copy parts, or not parts of these lengths.
_CANNOT = ("NotImplemented", "MethodNotAllowed", "InvalidArgument", "InvalidRequest", "InvalidPart", "501", "405")
_CONFLICTS = ("PreconditionFailed", "ConditionalRequestConflict", "OperationAborted", "412", "409", "NoSuchUpload")

#: Properties that must be passed to an upload again, named as in the response to HeadObject.
_KEPT = (
    "CacheControl",
    "ContentDisposition",
    "ContentEncoding",
    "ContentLanguage",
    "ContentType",
    "Expires",
    "Metadata",
    "ServerSideEncryption",
    "SSEKMSKeyId",
    "BucketKeyEnabled",
    "StorageClass",
    "WebsiteRedirectLocation",
)


def _code(error: BaseException) -> str:
    """Returns the error code of the store's response, which s3fs keeps in the cause."""
    for one in (error, error.__cause__):
        response = getattr(one, "response", None)
        if isinstance(response, dict):
            return str(response.get("Error", {}).get("Code", ""))
    return ""


class S3Store(Store):
    """An object in S3.

    To replace its header, 5 MiB after it are sent along, and the rest is copied inside the store.
    """

    is_conditional = True

    def __init__(self, fs: Any, path: str) -> None:
        super().__init__(fs, path)
        self._bucket, self._key, _ = fs.split_path(path)
        self._check_name(self._bucket, self._key)
        #: The latest response to HeadObject.
        self._head: dict[str, Any] = {}

    @staticmethod
    def is_connection_error(error: Exception) -> bool:
        return isinstance(error, HTTPClientError | ConnectionError | aiohttp.ClientError)

    @staticmethod
    def version_of(info: dict[str, Any]) -> Version:
        return Version(info["size"], info["ETag"])

    def _call(self, method: str, **arguments: Any) -> Any:
        try:
            return self.fs.call_s3(method, Bucket=self._bucket, Key=self._key, **arguments)
        except Exception as error:
            if _code(error) in _CONFLICTS:
                raise Conflict from error
            raise

    def version(self) -> Version:
        self._head = self._call("head_object")
        return Version(self._head["ContentLength"], self._head["ETag"])

    def _read(self, version: Version, start: int, stop: int) -> bytes:
        async def get() -> bytes:
            answer = await self.fs._call_s3(
                "get_object",
                Bucket=self._bucket,
                Key=self._key,
                Range=f"bytes={start}-{stop - 1}",
                IfMatch=version.token,
            )
            async with answer["Body"] as body:
                data: bytes = await body.read()
                return data

        try:
            found: bytes = sync(self.fs.loop, get)
        except Exception as error:
            if _code(error) in _CONFLICTS:
                raise Conflict from error
            raise
        return found

    def _kept(self) -> dict[str, Any]:
        """Returns the properties that the store does not carry over to a new version."""
        kept = {name: self._head[name] for name in _KEPT if name in self._head}
        # The tags are requested even if HeadObject gives no count: it does so only for those who
        # may read them.
        try:
            tags = self._call("get_object_tagging")["TagSet"]
        except Exception as error:
            if _code(error) not in ("NoSuchTagSet", "NotImplemented", "MethodNotAllowed", "501", "405"):
                raise
            tags = []
        if tags:
            kept["Tagging"] = urlencode({tag["Key"]: tag["Value"] for tag in tags})
        return kept

    def _if_match(self, method: str, expected: Version | None) -> dict[str, Any]:
        if expected is None:
            return {}
        meta = self.fs.s3.meta
        operation = meta.service_model.operation_model(meta.method_to_api_mapping[method])
        if "IfMatch" not in operation.input_shape.members:
            # s3fs would silently drop the condition.
            raise JobError("this botocore has no conditional writes: install version 1.36 or later")
        return {"IfMatch": expected.token}

    def _changed(self, answer: dict[str, Any], size: int) -> Version:
        self.fs.invalidate_cache(self.path)
        return Version(size, answer["ETag"])

    def _put(self, data: bytes, prepare: Prepare, kept: dict[str, Any], expected: Version | None) -> Version:
        """Replaces the object with a single request."""
        prepare("")
        answer = self._call("put_object", Body=data, **kept, **self._if_match("put_object", expected))
        self.bytes_written += len(data)
        return self._changed(answer, len(data))

    @contextlib.contextmanager
    def _upload(self, prepare: Prepare, kept: dict[str, Any]) -> Iterator[str]:
        """Begins an upload, which is aborted if the block fails."""
        upload = self._call("create_multipart_upload", **kept)["UploadId"]
        try:
            prepare(upload)
            yield upload
        except BaseException:
            # A failure here must not hide the exception that led here.
            with contextlib.suppress(Exception):
                self.clean(upload)
            raise

    def _part(self, upload: str, number: int, data: bytes) -> dict[str, Any]:
        answer = self._call("upload_part", UploadId=upload, PartNumber=number, Body=data)
        self.bytes_written += len(data)
        return {"PartNumber": number, "ETag": answer["ETag"]}

    def _complete(self, upload: str, parts: list[dict[str, Any]], size: int, expected: Version | None) -> Version:
        condition = self._if_match("complete_multipart_upload", expected)
        answer = self._call("complete_multipart_upload", UploadId=upload, MultipartUpload={"Parts": parts}, **condition)
        return self._changed(answer, size)

    def write(self, pieces: Iterable[bytes], size: int, prepare: Prepare, expected: Version | None = None) -> Version:
        # A new object has no properties to keep.
        kept = {} if expected is None else self._kept()
        length = max(_PART, -(-size // _MOST_PARTS))
        parts = in_parts(pieces, length)
        first = next(parts, b"")
        if len(first) < length:
            return self._put(first, prepare, kept, expected)
        with self._upload(prepare, kept) as upload:
            total, done = len(first), [self._part(upload, 1, first)]
            for number, part in enumerate(parts, 2):
                done.append(self._part(upload, number, part))
                total += len(part)
            return self._complete(upload, done, total, expected)

    def replace_header(self, version: Version, old_len: int, header: bytes, prepare: Prepare) -> Version:
        moved = old_len + _LEAST_PART
        if version.size <= moved:
            return self._rewrite(version, old_len, header, prepare)
        size = version.size - old_len + len(header)
        with self._upload(prepare, self._kept()) as upload:

            def copy() -> Version:
                # Copying comes before sending, because the store may be unable to copy parts.
                copied = self._copied(upload, version, moved)
                first = self._part(upload, 1, header + self.read(version, old_len, moved))
                # Some stores refuse parts of different lengths only here.
                return self._complete(upload, [first, *copied], size, version)

            if (replaced := self._or_none(copy)) is not None:
                return replaced
        self.clean(upload)
        return self._rewrite(version, old_len, header, prepare)

    def _copied(self, upload: str, version: Version, start: int) -> list[dict[str, Any]]:
        """Copies everything from a position on, as part 2 and the following ones."""
        parts = []
        for number, begin in enumerate(range(start, version.size, _COPY), 2):
            answer = self._call(
                "upload_part_copy",
                UploadId=upload,
                PartNumber=number,
                CopySource={"Bucket": self._bucket, "Key": self._key},
                CopySourceIfMatch=version.token,
                CopySourceRange=f"bytes={begin}-{min(version.size, begin + _COPY) - 1}",
            )
            parts.append({"PartNumber": number, "ETag": answer["CopyPartResult"]["ETag"]})
        return parts

    @staticmethod
    def _or_none(work: Callable[[], Version]) -> Version | None:
        """Returns what ``work`` returns, or ``None`` if the store does not support it."""
        try:
            return work()
        except Exception as error:
            if _code(error) in _CANNOT:
                return None
            raise

    def clean(self, handle: str) -> None:
        """Aborts an upload, unless it has already been completed or aborted."""
        if handle:
            with contextlib.suppress(Conflict, FileNotFoundError):
                self._call("abort_multipart_upload", UploadId=handle)
