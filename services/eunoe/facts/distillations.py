"""Answering what was distilled, summarised and reviewed of a thread, and what its running summary says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from eunoe.facts import distilled, summaries
from eunoe.facts.drawings import Drawings
from eunoe.facts.duty import Duty, Shared
from eunoe.facts.summary_store import SummaryStore
from eunoe.facts.visibility import Viewer
from eunoe.runtime import payload
from eunoe.runtime.chains import ChainReader, Head
from eunoe.runtime.doors import Handler
from eunoe.schemas import limits, subjects
from eunoe.schemas.context import Watermark
from eunoe.schemas.errors import Invalid
from eunoe.schemas.events import Summarised
from eunoe.schemas.records import Record
from eunoe.schemas.requests import (
    DistillationsReply,
    DistillationsRequest,
    SummaryDocument,
    SummaryReply,
    SummaryRequest,
    SummaryVersion,
    ThreadState,
)
from eunoe.schemas.subjects import Address

WAIT_SECONDS = 2.0  # seconds that a page may wait until the thread's documents reflect what is in the log

_request = msgspec.json.Decoder(DistillationsRequest)
_encode = msgspec.json.encode


class Distillations(Duty):
    """Serves ``summary`` and ``distillations`` of the thread that a request is about: who asks from there sees what
    was said there, and of facts those that it may see."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._chains = ChainReader(shared.store.log, shared.store.space)
        self._drawings = Drawings(self._chains)
        self._summaries = SummaryStore(shared.store)

    def handlers(self) -> Mapping[str, Handler]:
        return {"summary": self._shared.serve(SummaryRequest, self._summary), "distillations": self._page}

    async def _summary(self, address: Address, request: SummaryRequest) -> SummaryReply:
        thread = _thread(address)
        document = await self._summaries.get(thread)
        current = document.current
        wanted = document.versions if request.every else document.versions[-1:]
        state = await self._state(thread)
        return SummaryReply(
            versions=await self._texts(wanted),
            waiting=max(state.committed - (current.last if current else 0), 0),
            kept=document.kept,
        )

    async def _texts(self, wanted: Sequence[SummaryVersion]) -> tuple[SummaryVersion, ...]:
        """Versions as their events tell them; one that was erased meanwhile is none any more."""
        found = await self._chains.records([one.position for one in wanted])
        return tuple(
            msgspec.structs.replace(summaries.version(one.version, one.index, event, record), text=event.text)
            for one, record in zip(wanted, found, strict=True)
            if isinstance(event := record.events[one.index], Summarised)
        )

    async def _page(self, address: Address, data: bytes) -> bytes:
        request = payload.read(_request, data)
        thread = _thread(address)
        if not 1 <= request.limit <= limits.DISTILLATIONS_SHOWN or request.before < 0:
            raise Invalid(f"a page has 1 to {limits.DISTILLATIONS_SHOWN} distillations, before a record from 1 on")
        await self._shared.ready.wait()
        head = await self._chains.head(subjects.thread_chain(thread))
        if head is None:
            return _encode(DistillationsReply())
        await self._shared.freshness.wait(Watermark(log=head.position), WAIT_SECONDS, thread)
        async with self._shared.gate.passing():
            return _encode(await self._listed(thread, head, request, Viewer(address.caller, thread)))

    async def _listed(
        self, thread: str, head: Head, request: DistillationsRequest, viewer: Viewer
    ) -> DistillationsReply:
        state, document = await self._state(thread), await self._summaries.get(thread)
        limit = request.limit
        found = await self._read(head, state, document, request.before, limit + 1)
        outcomes = distilled.outcomes(found, document)
        kinds = self._shared.kinds
        listed = (distilled.distillation(one, outcomes.get(one.position, ""), kinds, viewer) for one in found)
        page = [one for one in listed if one]
        return DistillationsReply(distillations=tuple(page[:limit]), effort=state.effort, more=len(page) > limit)

    async def _read(
        self, head: Head, state: ThreadState, document: SummaryDocument, before: int, count: int
    ) -> list[Record]:
        """So many records that tell of any, as far as documents reflect them, the newest first; and those behind them
        that tell which of their summaries were taken."""
        found: list[Record] = []
        telling = 0
        async for record in self._drawings.back(head, state.producers, before):
            if telling >= count and record.position <= distilled.reach(found[:count], document):
                break
            if record.position <= state.position and distilled.tells(record):
                found.append(record)
                telling += 1
        return found

    async def _state(self, thread: str) -> ThreadState:
        reached, _ = await self._shared.projector.reached(subjects.thread_chain(thread), fresh=True)
        assert isinstance(reached, ThreadState), "the chain of a thread has a state"
        return reached


def _thread(address: Address) -> str:
    if not address.thread:
        raise Invalid("name the thread whose summary and distillations are wanted")
    return address.thread
