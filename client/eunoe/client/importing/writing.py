"""The appends of an import on their way: chains at once, those of one chain in order."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Protocol

import anyio
import msgspec
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectReceiveStream

from eunoe.client import delivery
from eunoe.client.gate import Gate
from eunoe.client.importing.model import Problem
from eunoe.client.importing.report import Report
from eunoe.client.tickets import Receipt
from eunoe.schemas import subjects
from eunoe.schemas.errors import Denied, EunoeError
from eunoe.schemas.events import TurnAborted, TurnCommitted
from eunoe.schemas.requests import AppendRequest

AT_ONCE = 8  # threads that are written at the same time
AHEAD = 8  # appends that are read ahead for each of them


class Into(Protocol):
    """What an import writes to (a `Memory`)."""

    @property
    def gate(self) -> Gate: ...

    def delivered(self, receipt: Receipt) -> None: ...


@dataclass(frozen=True, slots=True)
class Append:
    """One append with the pieces that go before it, and where its turn begins in the file."""

    chain: str
    line: int
    pieces: list[bytes]
    request: AppendRequest


class Writing:
    """Appends of one chain go through one lane, so they keep their order."""

    def __init__(self, memory: Into, report: Report) -> None:
        self._memory = memory
        self._report = report
        self._stopped: set[str] = set()
        self._lanes = [anyio.create_memory_object_stream[Append](AHEAD) for _ in range(AT_ONCE)]

    def start(self, tasks: TaskGroup) -> None:
        for _, receive in self._lanes:
            tasks.start_soon(self._write, receive)

    def close(self) -> None:
        """Nothing more comes; what was put is still written."""
        for send, _ in self._lanes:
            send.close()

    async def put(self, append: Append) -> None:
        await self._lanes[zlib.crc32(append.chain.encode()) % AT_ONCE][0].send(append)

    async def _write(self, appends: MemoryObjectReceiveStream[Append]) -> None:
        async with appends:
            async for append in appends:
                if append.chain not in self._stopped:
                    await self._one(append)

    async def _one(self, append: Append) -> None:
        data = msgspec.json.encode(append.request)
        try:
            reply = await delivery.deliver(self._memory.gate, append.chain, append.pieces, data)
        except EunoeError as error:
            if isinstance(error, (Denied, *delivery.RETRIED)):
                raise
            self._stopped.add(append.chain)
            name = subjects.chain_thread(append.chain) or append.chain
            self._report.problem(Problem(append.line, f"{name} stops here: {error}"))
            return
        self._report.appended += not reply.duplicate
        self._report.duplicates += reply.duplicate
        self._report.new_events += len(append.request.events)
        self._report.new_turns += any(isinstance(event, TurnCommitted | TurnAborted) for event in append.request.events)
        self._memory.delivered(
            Receipt(append.chain, reply.position, reply.record, reply.hash, reply.origin, reply.turn)
        )
