"""A blob in Azure, through adlfs."""

from __future__ import annotations

import io
import secrets
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from fsspec.asyn import sync

from ._store import Conflict, Prepare, Store, Version

#: Blocks that hold a header and more are read again up to this length. Greater ones are rewritten.
_MOST_MOVED = 64 << 20


class AzureStore(Store):
    """A block blob. The header of a sealed one is a block of its own, and is replaced alone."""

    is_conditional = True

    def __init__(self, fs: Any, path: str) -> None:
        super().__init__(fs, path)
        self._container, self._blob, _ = fs.split_path(path)

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
            # Other codes are of leases and policies, for example. An answer to HEAD may have none.
            code = getattr(error, "error_code", None)
            # A member of an enumeration prints its name in Python.
            code = getattr(code, "value", code)
            if error.status_code == 412 and code in (None, "ConditionNotMet"):
                raise Conflict from error
            raise OSError(f"{error.status_code} {code or error.reason}: {self.path}") from error
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
        for piece in pieces:
            if piece:
                blocks.append(self._stage(piece, ids))
                total += len(piece)
        prepare("")
        return self._commit(blocks, total, expected)

    def _ids(self) -> set[str]:
        """Returns the ids of all blocks of the blob, and of those that are in none yet."""
        try:
            committed, uncommitted = self._run(lambda client: client.get_block_list("all"))
        except FileNotFoundError:
            return set()
        return {block.id for block in [*committed, *uncommitted]}

    def _stage(self, data: bytes, ids: set[str]) -> str:
        """Sends a block, which is not visible yet, under an id that is not in use.

        The ids of all blocks of a blob have one length. Those of adlfs have 32 characters.
        """
        length = len(next(iter(ids), "0" * 32))
        while (block := secrets.token_hex(length)[:length]) in ids:
            pass
        ids.add(block)
        self._run(lambda client: client.stage_block(block, io.BytesIO(data), len(data)))
        self.bytes_written += len(data)
        return block

    def _commit(self, blocks: list[str], size: int, expected: Version | None) -> Version:
        """Makes the blob of these blocks. Those that are in no blob vanish."""
        from azure.storage.blob import BlobBlock

        async def commit(client: Any) -> dict[str, Any]:
            kept: dict[str, Any] = {}
            if expected is not None:
                # They would be lost otherwise.
                properties = await client.get_blob_properties(**self._if_match(expected))
                kept = {
                    "metadata": properties.metadata,
                    "content_settings": properties.content_settings,
                    "standard_blob_tier": properties.blob_tier if not properties.blob_tier_inferred else None,
                }
                # The hash of the contents is another one.
                kept["content_settings"].content_md5 = None
                if properties.tag_count:
                    kept["tags"] = await client.get_blob_tags()
            answer: dict[str, Any] = await client.commit_block_list(
                [BlobBlock(block) for block in blocks],
                **{name: value for name, value in kept.items() if value is not None},
                **self._if_match(expected),
            )
            return answer

        answer = self._run(commit)
        self.fs.invalidate_cache(self.path.rpartition("/")[0])
        return Version(size, answer["etag"].strip('"'))

    def _blocks(self) -> tuple[list[tuple[str, int]], set[str]]:
        """Returns the ids and the lengths of the blocks of the blob, and the ids of those in none."""
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
            # Other programs begin with a block of the header and more. The next time, it is alone.
            new.append(self._stage(self.read(version, old_len, covered), ids))
        # A block that somebody has sent under the id of one that stays would take its place.
        if not self._blocks()[1].isdisjoint(kept):
            return self._rewrite(version, old_len, header, prepare)
        prepare("")
        return self._commit([*new, *kept], version.size - old_len + len(header), version)

    def clean(self, handle: str) -> None:
        """Does nothing: blocks that are in no blob vanish when a blob is made, or after a week."""
