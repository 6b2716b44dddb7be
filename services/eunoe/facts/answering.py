"""Answering what is asked of facts and threads: who asks, from where, and how fresh it must be."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from eunoe.facts.duty import Duty, Shared
from eunoe.facts.lookup import Lookup
from eunoe.facts.reading import Reading
from eunoe.facts.threads import Threads
from eunoe.facts.viewing import Viewing
from eunoe.facts.visibility import Viewer
from eunoe.runtime.doors import Handler
from eunoe.schemas import ids
from eunoe.schemas.errors import Denied
from eunoe.schemas.requests import FactReply, FactRequest, FactsReply, FactsRequest, ThreadsReply, ThreadsRequest
from eunoe.schemas.subjects import Address


class Answering(Duty):
    """Serves ``facts``, ``fact`` and ``threads``."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        lookup = Lookup(shared.store, shared.kinds, shared.clock)
        viewing = Viewing(lookup, shared.kinds, shared.clock)
        self._reading = Reading(shared.store, lookup, viewing, shared.clock)
        self._threads = Threads(shared.store)

    def handlers(self) -> Mapping[str, Handler]:
        serve = self._shared.serve
        return {
            "facts": serve(FactsRequest, self._list, _thread),
            "fact": serve(FactRequest, self._history),
            "threads": serve(ThreadsRequest, self._list_threads, lambda _address, _request: ""),
        }

    async def _list(self, address: Address, request: FactsRequest) -> FactsReply:
        request = msgspec.structs.replace(request, thread=_thread(address, request))
        viewer = Viewer(address.caller, request.thread, request.session, request.preview)
        return await self._reading.list(request, viewer)

    async def _history(self, address: Address, request: FactRequest) -> FactReply:
        viewer = Viewer(address.caller, address.thread, request.session, request.preview)
        return await self._reading.history(request, viewer)

    async def _list_threads(self, address: Address, request: ThreadsRequest) -> ThreadsReply:
        return await self._threads.list(request, Viewer(address.caller))


def _thread(address: Address, request: FactsRequest) -> str:
    """The thread that is asked for: an agent's or a tool's is the one that its subject names."""
    thread = request.thread or address.thread
    for what, given in (("thread", thread), ("session", request.session), ("agent", request.agent)):
        if given:
            ids.check(given, what)
    if not Viewer(address.caller).trusted and request.thread not in ("", address.thread):
        about = f"the thread {address.thread!r}" if address.thread else "no thread"
        raise Denied(f"a request about {about} cannot ask for {thread!r}; address that one")
    return thread
