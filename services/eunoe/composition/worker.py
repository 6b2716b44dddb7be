"""The composition worker: contexts of requests, next and past, and the list of turns."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

import msgspec

from eunoe.audit.pieces import Pieces
from eunoe.composition import overflow
from eunoe.composition.assessing.assessor import Assessor
from eunoe.composition.bodies import Bodies
from eunoe.composition.composer import Composer
from eunoe.composition.counters.counters import Counters
from eunoe.composition.freshness import Freshness
from eunoe.composition.history import Historian, check_nth
from eunoe.composition.inputs import Settings as Wanted
from eunoe.composition.instructed import Instructed
from eunoe.composition.named import Named
from eunoe.composition.past import Past
from eunoe.composition.plan import check
from eunoe.composition.recording import Recorder
from eunoe.composition.remembered import Memory
from eunoe.composition.replaying import Replayer
from eunoe.composition.second_level import SecondLevel
from eunoe.composition.showing import Manner
from eunoe.composition.submitting import Submitter
from eunoe.composition.submitting import kinds as kinds_of
from eunoe.composition.threads import Threads
from eunoe.composition.turnlines import turn_lines
from eunoe.composition.walking import Walker
from eunoe.facts import lenient
from eunoe.facts.kinds import Kinds
from eunoe.models import opening
from eunoe.runtime import payload
from eunoe.runtime.cache import cache_of
from eunoe.runtime.chains import ChainReader
from eunoe.runtime.doors import Auditor, Clock, Handler, Store
from eunoe.runtime.settings import Settings
from eunoe.runtime.tasks import task_group
from eunoe.schemas import ids, limits, subjects
from eunoe.schemas.errors import Denied, Invalid
from eunoe.schemas.requests import (
    ComposeReply,
    ComposeRequest,
    SummaryDocument,
    ThreadState,
    TurnsReply,
    TurnsRequest,
)
from eunoe.schemas.subjects import Address

_Request = TypeVar("_Request")
_encode = msgspec.json.Encoder().encode
_summary = msgspec.json.Decoder(SummaryDocument)
_state = msgspec.json.Decoder(ThreadState)


class CompositionWorker:
    """Serves ``compose`` and ``turns``; follows the facts of those that ask."""

    name = "composition"

    def __init__(self, store: Store, auditor: Auditor, settings: Settings, clock: Clock) -> None:
        self._store = store
        self._settings = settings
        self._distilling = settings.distiller != "off"
        self._counters = Counters(settings.counters)
        kinds = Kinds(settings.kinds)
        self._chains = ChainReader(store.log, store.space)
        self._walker = Walker(store.log, self._chains)
        self._second = SecondLevel(cache_of(settings, clock))
        self._threads = Threads(store, self._second)
        self._memory = Memory(store, kinds, clock)
        self._recorder = Recorder(auditor)
        named = Named(store.log)
        past = Past(self._chains, self._walker)
        bodies = Bodies(Pieces(store, self._chains, clock))
        replayer = Replayer(store.log, self._walker, kinds, named, bodies)
        instructed = Instructed(store.log, self._walker)
        self._freshness = Freshness(store, self._distilling)
        self._composer = Composer(
            self._threads,
            self._memory,
            self._freshness,
            instructed,
            bodies,
            self._recorder,
            Submitter(store, kinds_of(settings)),
            named,
        )
        self._assessor = Assessor(settings.assess, opening.opened(settings), kinds, self._threads, self._recorder)
        self._historian = Historian(self._threads, self._memory, past, replayer, instructed, bodies, self._counters)
        self._counts = {"composed": 0, "replayed": 0, "stale": 0}

    def handlers(self) -> Mapping[str, Handler]:
        return {
            "compose": _handler(ComposeRequest, self._compose),
            "turns": _handler(TurnsRequest, self._turns),
        }

    async def run(self) -> None:
        async with task_group() as tasks:
            tasks.start_soon(self._memory.run)
            tasks.start_soon(self._second.run)

    async def drain(self) -> None:
        """Only copies of what was folded are kept back: a context is handed out only once its recipe is stored."""
        await self._second.close()
        await self._assessor.close()

    def statistics(self) -> Mapping[str, int]:
        held = self._memory.statistics()
        composed = {**self._assessor.statistics(), **self._composer.statistics(), **self._recorder.statistics()}
        return {**self._counts, **self._threads.statistics(), **held, **composed}

    async def _compose(self, address: Address, request: ComposeRequest) -> ComposeReply:
        if not address.thread:
            raise Invalid("a context belongs to a thread; address one")
        wanted = self._wanted(request)
        check(wanted.window, wanted.target, wanted.headroom, wanted.keep)
        for what, given in (("session", request.session), ("agent", request.agent), ("preview", request.preview)):
            if given:
                ids.check(given, what)
        if request.store and address.caller.role == "viewer":
            raise Denied("a viewer may look at a context, and store none")
        if request.refused is not None:
            overflow.check(request, request.refused)
        check_nth(request)
        if request.turn:
            self._counts["replayed"] += 1
            return ComposeReply(context=await self._historian.context(address, request))
        assessed = await self._assessor.assess(request, lambda: self._composer.brief(address, request, wanted))
        context = await self._composer.compose(address, assessed, wanted)
        self._counts["composed"] += 1
        self._counts["stale"] += bool(context.stale)
        return ComposeReply(context=context)

    def _wanted(self, request: ComposeRequest) -> Wanted:
        """What a request says, and the settings where it says nothing."""
        settings = self._settings
        return Wanted(
            window=request.window or settings.window,
            manner=Manner(request.format, request.memory_tool),
            target=request.target or settings.target,
            headroom=settings.headroom if request.headroom < 0 else request.headroom,
            keep=settings.keep if request.keep < 0 else request.keep,
            relevant=settings.relevant if request.relevant is None else request.relevant,
            counter=self._counters.of(request.model),
            distilling=self._distilling,
            model=request.model,
        )

    async def _turns(self, address: Address, request: TurnsRequest) -> TurnsReply:
        if not address.thread:
            raise Invalid("turns belong to a thread; address one")
        if not 0 <= request.wait <= limits.WAIT_SECONDS:
            raise Invalid(f"a list of turns waits 0 to {limits.WAIT_SECONDS:g} seconds, not {request.wait:g}")
        found = await self._listed(address, request)
        pending = [line.ordinal for line in found.turns if line.facts == "pending"]
        if not (request.wait and pending):
            return found
        await self._freshness.extracted(address.thread, max(pending), request.wait)
        return await self._listed(address, request)

    async def _listed(self, address: Address, request: TurnsRequest) -> TurnsReply:
        wanted = subjects.summary_key(address.thread), subjects.state_key(address.thread)
        entries = {entry.key: entry for entry in (await self._store.thread.find(wanted)).entries}
        summary = lenient.entry(entries[wanted[0]], _summary) if wanted[0] in entries else None
        known = lenient.entry(entries[wanted[1]], _state) if wanted[1] in entries else None
        return await turn_lines(self._chains, self._walker, address.chain, request, summary, known)


def _handler(kind: type[_Request], answer: Callable[[Address, _Request], Awaitable[object]]) -> Handler:
    decoder = msgspec.json.Decoder(kind)

    async def handle(address: Address, data: bytes) -> bytes:
        return _encode(await answer(address, payload.read(decoder, data)))

    return handle
