"""An S3 server on this machine, behind a relay that delays each request and counts bytes."""

import asyncio
import contextlib
import multiprocessing
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

# From the tests of the package.
import servers


@dataclass
class Store:
    #: The options of s3fs.
    options: dict[str, Any]
    #: The number of bytes that clients sent and received, including HTTP headers.
    _sent: Any
    _received: Any

    def moved(self) -> int:
        """Returns the number of bytes sent to and received from the server so far."""
        return int(self._sent.value + self._received.value)


def _relay(port: int, server: int, delay: float, sent: Any, received: Any) -> None:
    """Forwards bytes. Delays each read from a client by ``delay`` seconds."""

    async def pump(source: asyncio.StreamReader, target: asyncio.StreamWriter, count: Any, wait: float) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await source.read(1 << 20):
                # Only this process writes the counter.
                count.value += len(data)
                if wait:
                    await asyncio.sleep(wait)
                target.write(data)
                await target.drain()
        target.close()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_connection("127.0.0.1", server)
        await asyncio.gather(pump(reader, to_server, sent, delay), pump(from_server, writer, received, 0))

    async def serve() -> None:
        listening = await asyncio.start_server(connected, "127.0.0.1", port, limit=1 << 22)
        await listening.serve_forever()

    asyncio.run(serve())


@contextlib.contextmanager
def running(delay: float = 0.0) -> Iterator[Store]:
    """Runs the S3 server versitygw from the path in SEALANE_VERSITYGW. Its files are in memory.

    The relay delays each read from a client by ``delay`` seconds. A read returns up to 1 MiB, so a
    long upload is delayed several times.
    """
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        context = multiprocessing.get_context("spawn")
        sent, received = context.Value("q", 0), context.Value("q", 0)
        with servers.versitygw(folder) as server:
            port = servers.free_port()
            relay = context.Process(target=_relay, args=(port, server, delay, sent, received), daemon=True)
            relay.start()
            try:
                assert servers.listens(port, relay.is_alive), "the relay has ended"
                keys = {"key": servers.S3_KEYS["AWS_ACCESS_KEY_ID"], "secret": servers.S3_KEYS["AWS_SECRET_ACCESS_KEY"]}
                yield Store({**keys, "endpoint_url": f"http://127.0.0.1:{port}"}, sent, received)
            finally:
                relay.terminate()
