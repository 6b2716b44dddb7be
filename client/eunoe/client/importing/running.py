"""Bringing a transcript in: idempotent, several threads at once, in bounded memory."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import anyio
import anyio.to_thread
import msgspec
from anyio.streams.memory import MemoryObjectReceiveStream

from eunoe.client import delivery
from eunoe.client.gate import Gate
from eunoe.client.importing.detect import inspect
from eunoe.client.importing.model import Aside, Format, Problem
from eunoe.client.importing.prepare import Naming, Planned, plan
from eunoe.client.importing.reading import READERS
from eunoe.client.importing.source import Source
from eunoe.client.tickets import Receipt
from eunoe.runtime.tasks import task_group
from eunoe.schemas import ids, limits, subjects
from eunoe.schemas.errors import Denied, EunoeError, Invalid
from eunoe.schemas.requests import AppendRequest

AT_ONCE = 8  # threads that are written at the same time
AHEAD = 8  # appends that are read ahead for each of them
CHUNK_BYTES = limits.MIB  # bytes of turns that are read in one go
CHUNK_TURNS = 64  # turns that are read in one go
PROBLEMS = 1_000  # problems of one file that are reported one by one


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an import is: bytes of the file read, its size, and the turns read."""

    read: int
    size: int
    turns: int


@dataclass(slots=True)
class Report:
    """What an import did. ``duplicates`` are appends that were in the log already, from an import before.

    ``problems`` are the first `PROBLEMS` of them; ``problem_count`` counts all. ``aside`` counts lines of
    the format that are no part of a conversation.
    """

    threads: list[str] = field(default_factory=list)
    turns: int = 0
    events: int = 0
    appended: int = 0
    duplicates: int = 0
    problems: list[Problem] = field(default_factory=list)
    problem_count: int = 0
    aside: int = 0

    def problem(self, problem: Problem) -> None:
        self.problem_count += 1
        if len(self.problems) < PROBLEMS:
            self.problems.append(problem)


class Into(Protocol):
    """What an import writes to (a `Memory`)."""

    @property
    def gate(self) -> Gate: ...

    def delivered(self, receipt: Receipt) -> None: ...


async def import_file(
    memory: Into,
    path: str | Path,
    *,
    thread: str | None = None,
    agent: str | None = None,
    session: str | None = None,
    format: Format | None = None,  # noqa: A002 - the word of the command line
    progress: Callable[[Progress], None] | None = None,
) -> Report:
    """Append everything a transcript holds; what is in the log already is not sent again.

    The thread is named as the file unless ``thread`` says otherwise; a file of several runs or sessions
    adds ``.<number>`` or ``.<session>``. Raises `Invalid` for a file that is no transcript, `WorkerMissing`
    when nobody appends, `Denied` when this caller may not. What else goes wrong is in the report.
    """
    source = await anyio.to_thread.run_sync(Source, Path(path))
    shape = await anyio.to_thread.run_sync(inspect, source, format)
    if thread is not None and shape.format == "eunoe":
        raise Invalid("an export names its threads itself; leave the thread out")
    name = ids.check(thread or Path(path).stem, "thread")
    for value, what in ((agent, "agent"), (session, "session")):
        if value is not None:
            ids.check(value, what)
    digest = await anyio.to_thread.run_sync(source.digest)
    naming = Naming(name, digest, memory.gate.caller, agent or "", session or "")
    run = _Run(memory, digest)
    items = plan(READERS[shape.format](source, lines=shape.lines), naming)
    await run.go(items, lambda turns: progress(Progress(source.offset, source.size, turns)) if progress else None)
    return run.report


@dataclass(slots=True)
class _Append:
    chain: str
    line: int
    pieces: list[bytes]
    request: AppendRequest


class _Run:
    """One import while it runs. Appends of one chain go through one lane, so they keep their order."""

    def __init__(self, memory: Into, digest: str) -> None:
        self.report = Report()
        self._memory = memory
        self._digest = digest
        self._n: dict[str, int] = {}
        self._done: dict[str, int] = {}
        self._stopped: set[str] = set()

    async def go(self, items: Iterator[Planned | Problem | Aside], told: Callable[[int], object]) -> None:
        async with task_group() as tasks:
            lanes = [anyio.create_memory_object_stream[_Append](AHEAD) for _ in range(AT_ONCE)]
            for _, receive in lanes:
                tasks.start_soon(self._write, receive)
            try:
                while some := await anyio.to_thread.run_sync(_some, items):
                    for item in some:
                        for append in await self._appends(item):
                            await lanes[zlib.crc32(append.chain.encode()) % AT_ONCE][0].send(append)
                    told(self.report.turns)
            finally:
                for send, _ in lanes:
                    send.close()

    async def _appends(self, item: Planned | Problem | Aside) -> list[_Append]:
        """The appends of one turn that are not in the log yet."""
        if isinstance(item, Problem):
            self.report.problem(item)
        elif isinstance(item, Aside):
            self.report.aside += 1
        else:
            return await self._missing(item)
        return []

    async def _missing(self, planned: Planned) -> list[_Append]:
        chain = planned.chain
        if chain not in self._done:
            self._done[chain] = await delivery.reached(self._memory.gate, chain, self._digest)
            self.report.threads.append(subjects.chain_thread(chain) or chain)
        self.report.turns += planned.opens
        found = []
        for batch in planned.batches:
            self.report.events += len(batch.events)
            n = self._n[chain] = self._n.get(chain, 0) + 1
            if n <= self._done[chain]:
                self.report.duplicates += 1
                continue
            request = AppendRequest(
                v=limits.SCHEMA_VERSION, producer=self._digest, n=n, events=tuple(batch.events), turn=planned.key
            )
            found.append(_Append(chain, planned.line, batch.pieces, request))
        return found

    async def _write(self, appends: MemoryObjectReceiveStream[_Append]) -> None:
        async with appends:
            async for append in appends:
                if append.chain not in self._stopped:
                    await self._one(append)

    async def _one(self, append: _Append) -> None:
        data = msgspec.json.encode(append.request)
        try:
            reply = await delivery.deliver(self._memory.gate, append.chain, append.pieces, data)
        except EunoeError as error:
            if isinstance(error, (Denied, *delivery.RETRIED)):
                raise
            self._stopped.add(append.chain)
            name = subjects.chain_thread(append.chain) or append.chain
            self.report.problem(Problem(append.line, f"{name} stops here: {error}"))
            return
        self.report.appended += not reply.duplicate
        self.report.duplicates += reply.duplicate
        self._memory.delivered(
            Receipt(append.chain, reply.position, reply.record, reply.hash, reply.origin, reply.turn)
        )


def _some(items: Iterator[Planned | Problem | Aside]) -> list[Planned | Problem | Aside]:
    """The next items, some at a time, so that reading does not hold up the event loop."""
    some: list[Planned | Problem | Aside] = []
    size = 0
    for item in items:
        some.append(item)
        if isinstance(item, Planned):
            size += sum(batch.size + sum(map(len, batch.pieces)) for batch in item.batches)
        if size >= CHUNK_BYTES or len(some) >= CHUNK_TURNS:
            break
    return some
