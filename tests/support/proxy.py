"""A way to a nats-server on which chosen messages are lost, in either direction."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

Lost = Callable[[bytes, bytes], bool]
"""Says of a message's protocol line and its bytes (headers and payload) whether it is lost."""

_SIZES = re.compile(rb"^(?:PUB|HPUB|MSG|HMSG) .*?(\d+)\r\n$")


def nothing(line: bytes, data: bytes) -> bool:
    return False


@dataclass
class Proxy:
    """``lose_sent`` of what clients send, ``lose_answered`` of what the server sends. ``lost`` is what was lost."""

    server: str
    url: str = ""
    lose_sent: Lost = nothing
    lose_answered: Lost = nothing
    sent: list[bytes] = field(default_factory=list)
    lost: list[bytes] = field(default_factory=list)

    def ids(self, subject: str) -> list[bytes]:
        """The ``Nats-Msg-Id`` of each message that was sent on a subject, lost ones too."""
        found = [data for data in self.sent if data.split(b" ")[1] == subject.encode()]
        return [match[1] for data in found if (match := re.search(rb"Nats-Msg-Id: (\S+)", data))]

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host, _, port = self.server.removeprefix("nats://").rpartition(":")
        server_reader, server_writer = await asyncio.open_connection(host, int(port))
        try:
            async with asyncio.TaskGroup() as tasks:
                there = tasks.create_task(self._pump(reader, server_writer, sent=True))
                back = tasks.create_task(self._pump(server_reader, writer, sent=False))
                await asyncio.wait((there, back), return_when=asyncio.FIRST_COMPLETED)
                there.cancel()
                back.cancel()
        finally:
            server_writer.close()
            writer.close()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, sent: bool) -> None:
        try:
            while line := await reader.readline():
                sizes = _SIZES.match(line)
                data = await reader.readexactly(int(sizes[1]) + 2) if sizes else b""
                if sent and sizes:
                    self.sent.append(line + data)
                if sizes and (self.lose_sent if sent else self.lose_answered)(line, data):
                    self.lost.append(line + data)
                    continue
                writer.write(line + data)
                await writer.drain()
        except (asyncio.IncompleteReadError, OSError):
            return


@asynccontextmanager
async def proxy(server: str) -> AsyncIterator[Proxy]:
    """A proxy to the server at that URL, until the context ends."""
    made = Proxy(server)
    listener = await asyncio.start_server(made._connected, "127.0.0.1", 0, limit=2**24)
    made.url = f"nats://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    try:
        yield made
    finally:
        listener.close()
