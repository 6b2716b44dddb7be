"""Answering what is asked of facts and threads: who asks, from where, and how fresh it must be."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from eunoe.facts.duty import Duty, Shared
from eunoe.facts.evidence import Evidences
from eunoe.facts.labels import Labels
from eunoe.facts.lookup import Lookup
from eunoe.facts.reading import Reading
from eunoe.facts.threads import Threads
from eunoe.facts.traces import Traces
from eunoe.facts.trails import Trails
from eunoe.facts.viewing import Viewing
from eunoe.facts.visibility import Viewer
from eunoe.facts.why import Why
from eunoe.runtime.doors import Handler
from eunoe.schemas import ids
from eunoe.schemas.errors import Denied
from eunoe.schemas.requests import (
    FactReply,
    FactRequest,
    FactsReply,
    FactsRequest,
    KindsReply,
    ThreadsReply,
    ThreadsRequest,
    TracesReply,
    TracesRequest,
    WhyReply,
    WhyRequest,
)
from eunoe.schemas.subjects import Address


class Answering(Duty):
    """Serves ``facts``, ``fact``, ``why``, ``traces``, ``threads`` and ``kinds``."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._labels = Labels(shared.settings.labels)
        store, kinds, clock = shared.store, shared.kinds, shared.clock
        lookup = Lookup(store, kinds, clock)
        viewing = Viewing(lookup, kinds, clock, self._labels)
        trails = Trails(store.log, store.space, kinds)
        self._reading = Reading(store, lookup, viewing, clock)
        self._why = Why(lookup, viewing, Evidences(store), trails)
        self._traces = Traces(lookup, viewing, trails)
        self._threads = Threads(store)

    def handlers(self) -> Mapping[str, Handler]:
        serve = self._shared.serve
        return {
            "facts": serve(FactsRequest, self._list, _thread),
            "fact": serve(FactRequest, self._history),
            "why": serve(WhyRequest, self._answer_why),
            "traces": serve(TracesRequest, self._answer_traces),
            "threads": serve(ThreadsRequest, self._list_threads, lambda _address, _request: ""),
            "kinds": self._kinds,
        }

    async def _kinds(self, _: Address, __: bytes) -> bytes:
        """What this worker was configured with, whoever asks."""
        reply = KindsReply(kinds=self._shared.kinds.describe(), labels=self._labels.items())
        return msgspec.json.encode(reply)

    async def _answer_why(self, address: Address, request: WhyRequest) -> WhyReply:
        return await self._why.answer(request, _viewer(address, request.session, request.preview))

    async def _answer_traces(self, address: Address, request: TracesRequest) -> TracesReply:
        return await self._traces.answer(request, _viewer(address, request.session, request.preview))

    async def _list(self, address: Address, request: FactsRequest) -> FactsReply:
        request = msgspec.structs.replace(request, thread=_thread(address, request))
        _check(preview=request.preview)
        viewer = Viewer(address.caller, request.thread, request.session, request.preview)
        return await self._reading.list(request, viewer)

    async def _history(self, address: Address, request: FactRequest) -> FactReply:
        return await self._reading.history(request, _viewer(address, request.session, request.preview))

    async def _list_threads(self, address: Address, request: ThreadsRequest) -> ThreadsReply:
        return await self._threads.list(request, Viewer(address.caller))


def _thread(address: Address, request: FactsRequest) -> str:
    """The thread that is asked for: an agent's or a tool's is the one that its subject names."""
    thread = request.thread or address.thread
    _check(thread=thread, session=request.session, agent=request.agent, subject=request.subject)
    if not Viewer(address.caller).trusted and request.thread not in ("", address.thread):
        about = f"the thread {address.thread!r}" if address.thread else "no thread"
        raise Denied(f"a request about {about} cannot ask for {thread!r}; address that one")
    return thread


def _viewer(address: Address, session: str, preview: str = "") -> Viewer:
    """Who asks about one fact, and from where."""
    _check(session=session, preview=preview)
    return Viewer(address.caller, address.thread, session, preview)


def _check(**named: str) -> None:
    """Raise `Invalid` for a name that cannot be one; an empty one names nothing."""
    for what, given in named.items():
        if given:
            ids.check(given, what)
