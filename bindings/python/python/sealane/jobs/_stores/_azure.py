"""A blob in Azure, through adlfs."""

from __future__ import annotations

import io
import itertools
import secrets
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from fsspec.asyn import sync

from ._store import STEP, Conflict, Prepare, Store, Version, in_parts

#: Data that shares blocks with the header is sent again up to this length. With more, the whole
#: blob is rewritten.
_MOST_MOVED = 64 << 20
#: The number of blocks of a new blob, if its size is exact. Azure allows 50,000.
_MOST_BLOCKS = 45_000


class AzureStore(Store):
    """A block blob.

    The header of a blob that was sealed here is a block of its own, so it can be replaced alone.
    """

    is_conditional = True

    def __init__(self, fs: Any, path: str) -> None:
        super().__init__(fs, path)
        self._container, self._blob, _ = fs.split_path(path)
        self._check_name(self._container, self._blob)

    @staticmethod
    def is_connection_error(error: Exception) -> bool:
        from azure.core.exceptions import AzureError, ClientAuthenticationError

        # A download that breaks off has no status.
        status = getattr(error, "status_code", None)
        is_final = isinstance(error, ClientAuthenticationError) or (status is not None and status < 500)
        return isinstance(error, AzureError) and not is_final

    @staticmethod
    def version_of(info: dict[str, Any]) -> Version:
        return Version(info["size"], info["etag"].strip('"'))

    def _run(self, work: Callable[[Any], Awaitable[Any]]) -> Any:
        """Runs a coroutine with the client of the blob."""
        from azure.core.exceptions import AzureError, HttpResponseError, ResourceNotFoundError

        async def connected() -> Any:
            async with self.fs.service_client.get_blob_client(self._container, self._blob) as client:
                return await work(client)

        try:
            return sync(self.fs.loop, connected)
        except ResourceNotFoundError as error:
            raise FileNotFoundError(self.path) from error
        except HttpResponseError as error:
            # Other codes concern leases and policies, for example. A response to HEAD may have no
            # code.
            code = getattr(error, "error_code", None)
            # The string of an enumeration member would be its Python name.
            code = getattr(code, "value", code)
            if error.status_code == 412 and code in (None, "ConditionNotMet"):
                raise Conflict from error
            message = f"{error.status_code} {code or error.reason}: {self.path}"
            raise (PermissionError if error.status_code in (401, 403) else OSError)(message) from error
        except AzureError as error:
            raise OSError(f"{type(error).__name__}: {self.path}") from error

    @staticmethod
    def _if_match(version: Version | None) -> dict[str, Any]:
        if version is None:
            return {}
        from azure.core import MatchConditions

        return {"etag": f'"{version.token}"', "match_condition": MatchConditions.IfNotModified}

    def version(self) -> Version:
        properties = self._run(lambda client: client.get_blob_properties())
        return Version(properties.size, properties.etag.strip('"'))

    def _read(self, version: Version, start: int, stop: int) -> bytes:
        async def get(client: Any) -> bytes:
            stream = await client.download_blob(start, stop - start, **self._if_match(version))
            data: bytes = await stream.readall()
            return data

        found: bytes = self._run(get)
        return found

    def write(self, pieces: Iterable[bytes], size: int, prepare: Prepare, expected: Version | None = None) -> Version:
        blocks, total = [], 0
        ids = self._ids()
        pieces = iter(pieces)
        # The header is a block of its own.
        header = itertools.islice(pieces, 1)
        for block in itertools.chain(header, in_parts(pieces, max(STEP, -(-size // _MOST_BLOCKS)))):
            if block:
                blocks.append(self._stage(block, ids))
                total += len(block)
        prepare("")
        return self._commit(blocks, total, expected, self._kept(expected))

    def _ids(self) -> set[str]:
        """Returns the ids of all blocks, committed or not."""
        try:
            committed, uncommitted = self._run(lambda client: client.get_block_list("all"))
        except FileNotFoundError:
            return set()
        return {block.id for block in [*committed, *uncommitted]}

    def _stage(self, data: bytes, ids: set[str]) -> str:
        """Uploads a block under an unused id. It becomes visible when it is committed.

        All block ids of a blob must have the same length. adlfs uses 32 characters.
        """
        length = len(next(iter(ids), "0" * 32))
        while (block := secrets.token_hex(length)[:length]) in ids:
            pass
        ids.add(block)
        self._run(lambda client: client.stage_block(block, io.BytesIO(data), len(data)))
        self.bytes_written += len(data)
        return block

    def _kept(self, expected: Version | None) -> dict[str, Any]:
        """Returns the properties of the expected version, which a commit would reset."""

        async def get(client: Any) -> dict[str, Any]:
            properties = await client.get_blob_properties(**self._if_match(expected))
            kept = {
                "metadata": properties.metadata,
                "content_settings": properties.content_settings,
                "standard_blob_tier": properties.blob_tier if not properties.blob_tier_inferred else None,
            }
            # The contents have changed, so the old hash no longer applies.
            kept["content_settings"].content_md5 = None
            if properties.tag_count:
                kept["tags"] = await client.get_blob_tags()
            return {name: value for name, value in kept.items() if value is not None}

        return {} if expected is None else self._run(get)

    def _commit(self, blocks: list[str], size: int, expected: Version | None, kept: dict[str, Any]) -> Version:
        """Makes these blocks the contents of the blob. All other uncommitted blocks vanish."""
        from azure.storage.blob import BlobBlock

        async def commit(client: Any) -> dict[str, Any]:
            answer: dict[str, Any] = await client.commit_block_list(
                [BlobBlock(block) for block in blocks], **kept, **self._if_match(expected)
            )
            return answer

        answer = self._run(commit)
        self.fs.invalidate_cache(self.path.rpartition("/")[0])
        return Version(size, answer["etag"].strip('"'))

    def _blocks(self) -> tuple[list[tuple[str, int]], set[str]]:
        """Returns the ids and lengths of committed blocks, and the ids of uncommitted ones."""
        committed, uncommitted = self._run(lambda client: client.get_block_list("all"))
        return [(block.id, block.size) for block in committed], {block.id for block in uncommitted}

    def replace_header(self, version: Version, old_len: int, header: bytes, prepare: Prepare) -> Version:
        blocks, uncommitted = self._blocks()
        covered = count = 0
        while covered < old_len and count < len(blocks):
            covered += blocks[count][1]
            count += 1
        # A blob that was written with one request has no blocks.
        if covered < old_len or covered - old_len > _MOST_MOVED:
            return self._rewrite(version, old_len, header, prepare)
        kept = [block for block, _ in blocks[count:]]
        ids = {block for block, _ in blocks} | uncommitted
        new = [self._stage(header, ids)]
        if covered > old_len:
            # Other programs write the header and more into one block. From now on, the header has
            # its own block.
            new.append(self._stage(self.read(version, old_len, covered), ids))
        prepare("")
        properties = self._kept(version)
        # An uncommitted block with the id of a kept block would take its place. Nothing but the
        # commit follows, so that others have little time to stage one.
        if not self._blocks()[1].isdisjoint(kept):
            return self._rewrite(version, old_len, header, prepare)
        return self._commit([*new, *kept], version.size - old_len + len(header), version, properties)

    def clean(self, handle: str) -> None:
        """Does nothing: uncommitted blocks vanish when the blob is committed, or after a week."""
