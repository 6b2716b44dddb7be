"""The facts worker: keeps documents and thread states up to date with the log, and answers from them."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

import anyio
import msgspec

from eunoe.facts.freshness import Freshness
from eunoe.facts.gate import Gate
from eunoe.facts.kinds import Kinds
from eunoe.facts.projector import Projector
from eunoe.facts.reading import Reading
from eunoe.facts.recovery import Recovery
from eunoe.facts.store import FactStore
from eunoe.facts.visibility import Viewer
from eunoe.runtime import payload
from eunoe.runtime.doors import Auditor, Clock, Handler, Store, Stored
from eunoe.runtime.lasting import lasting
from eunoe.runtime.pump import Pump
from eunoe.runtime.settings import Settings
from eunoe.runtime.tasks import task_group
from eunoe.schemas import ids, subjects
from eunoe.schemas.errors import Denied
from eunoe.schemas.requests import FactReply, FactRequest, FactsReply, FactsRequest, ThreadsReply, ThreadsRequest
from eunoe.schemas.subjects import Address

logger = logging.getLogger(__name__)

TOGETHER = 64  # records of a chain that are projected together
CHECK_SECONDS = 15.0  # seconds between two looks whether the buckets are still those that were filled

_Request = TypeVar("_Request")
_encode = msgspec.json.encode


class FactsWorker:
    """Serves ``facts``, ``fact`` and ``threads``; projects the whole log."""

    name = "facts"

    def __init__(self, store: Store, auditor: Auditor, settings: Settings, clock: Clock) -> None:
        self._store = store
        self._facts = FactStore(store, Kinds(settings.kinds))
        self._projector = Projector(store, self._facts)
        self._reading = Reading(store, self._facts)
        self._freshness = Freshness(store, self._projector)
        self._recovery = Recovery(store)
        self._gate = Gate()
        self._ready = anyio.Event()
        self._pump = Pump(store, self.name, self._project, key=_chain, clock=clock, together=TOGETHER)
        self._rebuilt = 0

    def handlers(self) -> Mapping[str, Handler]:
        return {
            "facts": self._serve(FactsRequest, self._list),
            "fact": self._serve(FactRequest, self._history),
            "threads": self._serve(ThreadsRequest, self._threads),
        }

    async def run(self) -> None:
        await self.check()
        self._ready.set()
        consumer = await self._store.log.consumer(self.name, subjects.log_subjects(self._store.space))
        async with task_group() as tasks:
            tasks.start_soon(self._pump.run, consumer)
            tasks.start_soon(lasting, "the watch of the buckets waits", self._watch)

    async def drain(self) -> None:
        """Nothing is kept back: what was projected is stored, the rest is delivered again."""

    def statistics(self) -> Mapping[str, int]:
        documents, states = self._facts.statistics(), self._projector.statistics()
        return {
            **self._pump.statistics(),
            **documents,
            **states,
            "conflicts": documents["conflicts"] + states["conflicts"],
            "rebuilt": self._rebuilt,
        }

    async def check(self) -> None:
        """Make the buckets again from the log where they do not belong to it; nobody is served meanwhile."""
        async with self._gate.shut():
            await lasting("the facts wait", self._check)

    async def _check(self) -> None:
        reason = await self._recovery.reason()
        if reason:
            self._projector.forget()
            self._facts.forget()
            await self._recovery.rebuild(self._projector.apply, reason)
            self._rebuilt += 1
        else:
            await self._recovery.settle()

    async def _watch(self) -> None:
        while True:
            await anyio.sleep(CHECK_SECONDS)
            if await self._recovery.reason():
                await self.check()

    async def _project(self, *batch: Stored) -> None:
        async with self._gate.passing():
            await self._projector.apply(*batch)

    def _serve(self, kind: type[_Request], answer: Callable[[Address, _Request], Awaitable[object]]) -> Handler:
        decoder = msgspec.json.Decoder(kind)

        async def handle(address: Address, data: bytes) -> bytes:
            request = payload.read(decoder, data)
            await self._ready.wait()
            return _encode(await answer(address, request))

        return handle

    async def _list(self, address: Address, request: FactsRequest) -> FactsReply:
        thread = request.thread or address.thread
        for what, given in (("thread", thread), ("session", request.session), ("agent", request.agent)):
            if given:
                ids.check(given, what)
        viewer = Viewer(address.caller, thread, request.session)
        if not viewer.trusted and request.thread not in ("", address.thread):
            about = f"the thread {address.thread!r}" if address.thread else "no thread"
            raise Denied(f"a request about {about} cannot ask for {thread!r}; address that one")
        watermark = await self._freshness.wait(request.after, request.wait, thread)
        async with self._gate.passing():
            reply = await self._reading.list(msgspec.structs.replace(request, thread=thread), viewer)
        return msgspec.structs.replace(reply, watermark=watermark)

    async def _history(self, address: Address, request: FactRequest) -> FactReply:
        watermark = await self._freshness.wait(request.after, request.wait, address.thread)
        async with self._gate.passing():
            reply = await self._reading.history(request, Viewer(address.caller, address.thread, request.session))
        return msgspec.structs.replace(reply, watermark=watermark)

    async def _threads(self, address: Address, request: ThreadsRequest) -> ThreadsReply:
        watermark = await self._freshness.wait(request.after, request.wait)
        async with self._gate.passing():
            reply = await self._reading.threads(request, Viewer(address.caller))
        return msgspec.structs.replace(reply, watermark=watermark)


def _chain(stored: Stored) -> str:
    return subjects.chain_of(stored.subject)
