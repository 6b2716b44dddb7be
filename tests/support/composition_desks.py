"""One space with the real audit worker, the real projector and composition workers, over a store in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import msgspec

from eunoe.audit.worker import AuditWorker, LocalAuditor
from eunoe.composition.worker import CompositionWorker
from eunoe.facts.kinds import Kinds
from eunoe.facts.projector import Projector
from eunoe.facts.store import FactStore
from eunoe.runtime.settings import Settings
from eunoe.schemas import limits, subjects
from eunoe.schemas.context import Context
from eunoe.schemas.events import (
    Distilled,
    Event,
    FactRecorded,
    Prompt,
    Response,
    Summarised,
    TurnCommitted,
    TurnOpened,
)
from eunoe.schemas.facts import Assertion, Identity, Provenance, Source
from eunoe.schemas.requests import AppendReply, AppendRequest, ComposeReply, ComposeRequest, TurnsReply, TurnsRequest
from eunoe.schemas.subjects import Address, Caller
from eunoe.testing.clock import ManualClock
from eunoe.testing.store import memory_store

BUILDER = Caller("agent", "builder")
ALICE = Caller("person", "alice")
EXTRACTION = Caller("worker", "extraction")
DISTILLATION = Caller("worker", "distillation")


async def remade(id: str, reason: str) -> None:  # noqa: A002 - the word of the request
    """Nothing is erased here, so nothing has to be made again."""


class System:
    """One space: a store, an audit worker, the projector, and as many composition workers as a test makes. Nothing is
    distilled in it, unless its settings say so."""

    def __init__(self, thread: str = "t", **settings: Any) -> None:
        self.clock = ManualClock()
        self.store = memory_store("test", self.clock)
        self.settings = Settings(**{"distiller": "off", **settings})
        self.audit = AuditWorker(self.store, self.settings, self.clock, remade)
        self.projector = Projector(self.store, FactStore(self.store, Kinds()))
        self.thread = thread
        self.numbers: dict[tuple[Caller, str], int] = {}
        self.opened = 0
        self.worker = self.replica()

    @property
    def chain(self) -> str:
        return subjects.thread_chain(self.thread)

    def replica(self) -> CompositionWorker:
        auditor = LocalAuditor(self.audit, Caller("worker", "composition"))
        return CompositionWorker(self.store, auditor, self.settings, self.clock)

    async def append(self, *events: Event, key: str = "", caller: Caller = BUILDER, chain: str = "") -> AppendReply:
        self.clock.advance(seconds=1)
        where = chain or self.chain
        n = self.numbers[caller, where] = self.numbers.get((caller, where), 0) + 1
        request = AppendRequest(v=limits.SCHEMA_VERSION, producer="test", n=n, events=events, turn=key)
        return await LocalAuditor(self.audit, caller).append(where, request)

    async def open(self, *events: Event, session: str = "") -> str:
        self.opened += 1
        key = f"k{self.opened}"
        await self.append(TurnOpened(session=session), *events, key=key)
        return key

    async def turn(self, *events: Event) -> None:
        await self.append(TurnCommitted(), key=await self.open(*events))

    async def talked(self, turns: int) -> str:
        """So many turns, each of some 170 tokens, and one that is open; its key."""
        for number in range(turns):
            await self.turn(Prompt(content=f"question {number}"), Response(content="word " * 125))
        return await self.open(Prompt(content="What now?"))

    async def fact(
        self,
        value: str,
        *,
        scope: Any = "thread",
        owner: str = "t",
        name: str = "x",
        turn: int = 0,
        subject: str = "note",
    ) -> AppendReply:
        """A person's fact in a book, a tool's in the thread."""
        mine = scope == "thread"
        source = Source(kind="tool", principal="read_file") if mine else Source(kind="person", principal="alice")
        provenance = Provenance(thread=self.thread, turn=turn) if turn else Provenance()
        assertion = Assertion(
            identity=Identity(scope, owner, subject, name),
            value=value,
            source=source,
            at=self.clock.now(),
            provenance=provenance,
        )
        chain = self.chain if mine else subjects.book_chain(scope, owner)
        return await self.append(FactRecorded(fact=assertion), caller=EXTRACTION if mine else ALICE, chain=chain)

    async def distilled(self, first: int, last: int, **event: Any) -> AppendReply:
        """What was said in the turns ``first`` to ``last``, which were committed in this order, is drawn from."""
        given = {"first": first, "last": last, "turns": ((first, last),), "by": "rules", **event}
        return await self.append(Distilled(**given), caller=DISTILLATION)

    async def summarised(self, text: str, last: int, before: int = 0, **event: Any) -> AppendReply:
        """The summary goes on as ``text``, and covers the turns 1 to ``last``, which were committed in this order."""
        given = {"turns": ((1, last),), "entries": ((1, 2 * last),), "by": "rules", **event}
        return await self.append(Summarised(text=text, last=last, before=before, **given), caller=DISTILLATION)

    async def project(self) -> None:
        async for stored in self.store.log.scan():
            await self.projector.apply(stored)

    async def compose(
        self, worker: CompositionWorker | None = None, caller: Caller = BUILDER, **request: Any
    ) -> Context:
        data = msgspec.json.encode(ComposeRequest(**request))
        address = Address("compose", caller, self.chain)
        return msgspec.json.decode(
            await (worker or self.worker).handlers()["compose"](address, data), type=ComposeReply
        ).context

    async def turns(self, **request: Any) -> TurnsReply:
        address = Address("turns", BUILDER, self.chain)
        data = await self.worker.handlers()["turns"](address, msgspec.json.encode(TurnsRequest(**request)))
        return msgspec.json.decode(data, type=TurnsReply)

    async def last_seq(self) -> int:
        return (await self.store.log.info()).last


@asynccontextmanager
async def running(worker: CompositionWorker) -> AsyncIterator[None]:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(worker.run)
        await anyio.wait_all_tasks_blocked()
        yield
        tasks.cancel_scope.cancel()


def texts(context: Context) -> list[str]:
    return [message.get("content", "") for message in context.messages]


def block(context: Context, name: str) -> str:
    return next((layer.text for layer in context.layers if layer.name == name), "")
