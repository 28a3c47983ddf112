"""Files in asyncio."""

import asyncio
import io
import os
import pickle
import threading

import pytest

from keys import IDENTITY, OTHER
from sealane import age, aio

DATA = os.urandom(1 << 20)


async def test_in_memory():
    sealed = await aio.encrypt(DATA, IDENTITY.recipient, armor=True)
    assert await aio.decrypt(sealed, IDENTITY) == age.decrypt(sealed, IDENTITY) == DATA
    with pytest.raises(age.NoMatchError):
        await aio.decrypt(sealed, OTHER)


async def test_files(tmp_path):
    plain, sealed, opened = (tmp_path / name for name in ("plain", "sealed", "opened"))
    plain.write_bytes(DATA)
    seen = []
    await aio.encrypt_file(plain, sealed, IDENTITY.recipient, progress=lambda *step: seen.append(step))
    assert seen[-1] == (len(DATA), len(DATA))
    await aio.rekey_file(sealed, IDENTITY, OTHER.recipient)
    await aio.decrypt_file(sealed, opened, OTHER)
    assert opened.read_bytes() == DATA
    with pytest.raises(ZeroDivisionError):
        await aio.encrypt_file(plain, sealed, IDENTITY.recipient, progress=lambda *_: 1 / 0)
    assert age.decrypt(sealed.read_bytes(), OTHER) == DATA


async def test_a_task_that_is_cancelled_leaves_the_target(tmp_path):
    plain, sealed = tmp_path / "plain", tmp_path / "sealed"
    plain.write_bytes(DATA * 16)
    sealed.write_bytes(b"old")
    has_begun, may_go_on = threading.Event(), threading.Event()
    ends = []

    def progress(done, total):
        has_begun.set()
        may_go_on.wait(30)
        ends.append(done)

    task = asyncio.create_task(aio.encrypt_file(plain, sealed, IDENTITY.recipient, threads=1, progress=progress))
    assert await asyncio.to_thread(has_begun.wait, 30)
    task.cancel()
    # The task waits for its thread.
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not task.done()
    task.cancel()
    may_go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(ends) == 1
    assert sealed.read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["plain", "sealed"]


async def test_readers_and_writers(tmp_path):
    path = tmp_path / "a.age"
    async with await aio.create_age(path, IDENTITY.recipient, header_len=1000) as file:
        for start in range(0, len(DATA), 100_000):
            assert await file.write(DATA[start : start + 100_000]) == len(DATA[start : start + 100_000])
        assert file.tell() == len(DATA)
    assert file.closed
    async with await aio.open_age(path, IDENTITY) as file:
        assert await file.seek(-10, os.SEEK_END) == len(DATA) - 10
        assert await file.read() == DATA[-10:]
        await file.seek(500_000)
        # Tasks that share a file get consecutive pieces.
        pieces = await asyncio.gather(*[file.read(1000) for _ in range(20)])
        assert b"".join(pieces) == DATA[500_000:520_000]
        buffer = bytearray(5)
        assert await file.readinto(buffer) == 5 and buffer == DATA[520_000:520_005]
        assert await file.plaintext_len() == len(DATA)
        with pytest.raises(TypeError, match="pickled"):
            pickle.dumps(file)
    with pytest.raises(ValueError, match="closed"):
        await file.read(1)
    with pytest.raises(age.NoMatchError):
        await aio.open_age(path, OTHER)
    sealed = bytearray(path.read_bytes())
    sealed[200_000] ^= 1
    path.write_bytes(sealed)
    async with await aio.open_age(path, IDENTITY) as file:
        assert await file.read(10) == DATA[:10]
        await file.seek(3 * 65_536)
        with pytest.raises(age.PayloadError):
            await file.read(10)


class Waiting(io.BytesIO):
    """A file whose reads wait."""

    def __init__(self, data):
        super().__init__(data)
        self.has_begun, self.may_go_on = threading.Event(), threading.Event()
        self.may_go_on.set()

    def read(self, size=-1):
        self.has_begun.set()
        assert self.may_go_on.wait(30)
        return super().read(size)


@pytest.mark.parametrize("armor", [False, True])
async def test_a_read_that_is_cancelled_loses_nothing(armor):
    source = Waiting(age.encrypt(DATA, IDENTITY.recipient, armor=armor))
    file = await aio.open_age(source, IDENTITY)

    async def cancelled(read):
        source.has_begun.clear()
        source.may_go_on.clear()
        task = asyncio.create_task(read)
        assert await asyncio.to_thread(source.has_begun.wait, 30)
        task.cancel()
        await asyncio.sleep(0)
        source.may_go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    await cancelled(file.read(200_000))
    assert file.tell() == 0
    assert await file.read(100_000) == DATA[:100_000]
    await cancelled(file.readinto(bytearray(300_000)))
    assert file.tell() == 100_000
    assert await file.read() == DATA[100_000:]
    await file.close()


async def test_a_block_that_fails_leaves_an_incomplete_file(tmp_path):
    path = tmp_path / "a.age"
    with pytest.raises(ZeroDivisionError):
        async with await aio.create_age(path, IDENTITY.recipient) as file:
            await file.write(DATA)
            raise ZeroDivisionError
    with pytest.raises(age.PayloadError):
        age.decrypt(path.read_bytes(), IDENTITY)


async def test_the_loop_goes_on_meanwhile():
    """A passphrase takes a second of work in a thread."""
    ticks = 0
    task = asyncio.create_task(aio.encrypt(b"data", age.Recipient.passphrase("secret", work_factor=16)))
    while not task.done():
        ticks += 1
        await asyncio.sleep(0)
    assert ticks > 10 and (await task).startswith(b"age-encryption.org/v1\n")
