"""Composing one request: read what is new, plan, render, store the recipe, answer."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

import anyio
import msgspec

from eunoe.composition import overflow, telling
from eunoe.composition import wanted as wanting
from eunoe.composition.assessing import brief as briefing
from eunoe.composition.assessing.brief import Brief
from eunoe.composition.assessing.decided import Assessed
from eunoe.composition.bodies import Bodies
from eunoe.composition.contents import Item
from eunoe.composition.fold import Fold, Turn
from eunoe.composition.freshness import Freshness, newer, reflects
from eunoe.composition.inputs import Inputs, Settings
from eunoe.composition.instructed import Instructed
from eunoe.composition.losses import noted
from eunoe.composition.making import Made, context
from eunoe.composition.named import Named
from eunoe.composition.overflow import Overflow
from eunoe.composition.place import Place
from eunoe.composition.plan import begins, enough, likely, reckoned
from eunoe.composition.recording import Events, Recorder
from eunoe.composition.remembered import Memory, Remembered
from eunoe.composition.standing import standing
from eunoe.composition.submitting import Submitter
from eunoe.composition.threads import Threads
from eunoe.composition.wanted import Early, Read, Wanted
from eunoe.facts.visibility import Viewer
from eunoe.runtime.tasks import task_group
from eunoe.schemas.context import Context, Watermark
from eunoe.schemas.errors import Denied, TurnNotOpen
from eunoe.schemas.events import ContextRefused
from eunoe.schemas.requests import ComposeRequest
from eunoe.schemas.subjects import Address, Caller

logger = logging.getLogger(__name__)

FIRST_TURNS = 16  # turns whose records are read for one of them: as many as most contexts show, in one round trip

_Found = TypeVar("_Found")


class Composer:
    """Composes the next request of a thread."""

    def __init__(
        self,
        threads: Threads,
        memory: Memory,
        freshness: Freshness,
        instructed: Instructed,
        bodies: Bodies,
        recorder: Recorder,
        submitter: Submitter,
        named: Named,
    ) -> None:
        self._threads = threads
        self._freshness = freshness
        self._memory = memory
        self._instructed = instructed
        self._bodies = bodies
        self._recorder = recorder
        self._submitter = submitter
        self._named = named
        self._counts = {"refused": 0, "awaited": 0}

    def statistics(self) -> dict[str, int]:
        return {**self._counts, **self._submitter.statistics()}

    async def brief(self, address: Address, request: ComposeRequest, settings: Settings) -> Brief:
        """What is known of a request before anything is decided about it; raises what composing it would."""
        return (await self._fresh(address, request, settings, partial(self._brief, request)))[0]

    async def compose(self, address: Address, assessed: Assessed, settings: Settings) -> Context:
        """The context of a request; with ``store`` its recipe is in the log when this returns.

        What is read first is mostly fresh enough; only where it is not, somebody has to wait.
        """
        request = assessed.request
        wanted = Wanted(assessed, settings, ripe=request.pending_wait > 0)
        found, stale = await self._fresh(address, request, settings, partial(self._answer, wanted))
        end, soon = anyio.current_time() + request.pending_wait, msgspec.structs.replace(request, wait=0.0)
        self._counts["awaited"] += isinstance(found, Early)
        while isinstance(found, Early):  # the facts that come take room, so that more turns may leave
            await self._freshness.drawn(address.thread, found.turns, max(end - anyio.current_time(), 0.0))
            ripe = replace(wanted, ripe=anyio.current_time() < end)
            found, stale = await self._fresh(address, soon, settings, partial(self._answer, ripe))
        return msgspec.structs.replace(found, stale=stale) if stale else found

    async def _fresh(
        self, address: Address, request: ComposeRequest, settings: Settings, use: Callable[[Read], Awaitable[_Found]]
    ) -> tuple[_Found, tuple[str, ...]]:
        """What ``use`` makes of what was read, and the layers that are not as fresh as was asked for."""
        found = await self._read(address, request, settings, use, patient=True)
        if found is not None:
            return found, ()
        stale = await self._freshness.wait(address.thread, request.after, request.wait)
        found = await self._read(address, request, settings, use, patient=False)
        assert found is not None
        return found, stale

    async def _read(
        self,
        address: Address,
        request: ComposeRequest,
        settings: Settings,
        use: Callable[[Read], Awaitable[_Found]],
        *,
        patient: bool,
    ) -> _Found | None:
        """What ``use`` makes of it; None when it is worth waiting because something is not as fresh as was asked."""
        async with (
            self._memory.looking(address.thread, request.session) as latest,
            self._threads.using(address.chain) as fold,
        ):
            if patient and not await self._freshness.readable(fold, request.after.log):
                return None
            opened = await self._opened(fold, request, settings)
            if request.store:
                check_own(address.caller, opened)
            place = await self._place(address, fold, opened, request)
            async with self._named.ahead(fold, settings.profile):
                await self._likely(fold, settings)
                remembered = await self._remembered(fold, place, await latest(), request.after, patient=patient)
            if patient and not reflects(fold, remembered, request.after):
                return None
            return await use(Read(fold, opened, place, remembered))

    async def _brief(self, request: ComposeRequest, read: Read) -> Brief:
        task = briefing.task_of(read.remembered)
        await self._threads.reach(read.fold, lambda: briefing.enough(read.fold, task))
        return briefing.brief(read.fold, read.opened, request.prompt, read.place, read.remembered)

    async def _place(self, address: Address, fold: Fold, opened: Turn | None, request: ComposeRequest) -> Place:
        """Where a request comes from: its turn's agent and session, else the newest turn's, else what it says.

        An agent asks for itself whatever the turn says, and a tool for no agent. Of a preview is a request whose
        turn is, and one that looks at it.
        """
        if opened is None and fold.last:
            await self._whole(fold, fold.last)
        turn = opened or fold.turns.get(fold.last)
        session, agent = (turn.session, turn.agent) if turn else (request.session, request.agent)
        if not Viewer(address.caller).trusted:
            agent = address.caller.principal if address.caller.role == "agent" else ""
        return Place(address.thread, session, agent, opened.preview if opened else request.preview)

    async def _remembered(
        self, fold: Fold, place: Place, latest: Watermark, after: Watermark, *, patient: bool
    ) -> Remembered:
        """What is remembered now; where that is not as fresh as was asked for, as fresh as it can be read."""
        if patient:
            return await self._memory.read(place, latest)
        return await self._memory.read(place, newer(latest, after), fold.remembered_up_to(after.log))

    async def _answer(self, wanted: Wanted, read: Read) -> Context | Early:
        wanted, fold = await self._refused(wanted, read), read.fold
        await self._far_enough(wanted, read)
        last = standing(fold, wanted.settings)
        read = replace(read, named=await self._named.of(fold, last.recipe.outline if last else ()))
        await self._far_enough(wanted, read)
        read = replace(read, kept=await self._bodies.kept(fold, wanted.settings))
        instructions = await self._instructions(fold, read.opened, read.place.agent, wanted.settings)
        made = wanting.made(wanting.inputs(wanted, read, instructions), wanted)
        if wanted.ripe and (found := wanting.early(made, fold)):
            if wanted.request.store:  # else what nobody has asked for would be waited for
                await self._submitter.submit(fold.thread, [made.recipe], made.recipe.position)
            return found
        if wanted.request.store:
            await self._store(wanted, read, made)
        watermark = msgspec.structs.replace(read.remembered.watermark, log=fold.upto)
        given = wanted.assessed.on(context(made, watermark, read.place.thread, text=not wanted.request.store))
        return noted(given, fold.lost)

    async def _refused(self, wanted: Wanted, read: Read) -> Wanted:
        """The same with what a refusal says that its request brings."""
        if wanted.request.refused is None or read.opened is None:
            return wanted
        last = await self._threads.last_of(read.fold, read.opened, wanted.settings.profile)
        return wanting.refused(wanted, read, last)

    async def _store(self, wanted: Wanted, read: Read, made: Made) -> None:
        """Store the recipe with what led to it; meanwhile ask for what is to be drawn from turns that leave next."""
        fold, recipe = read.fold, made.recipe
        refused = self._noted(wanted.refusal) if wanted.refusal else ()
        last = standing(fold, wanted.settings)
        before = last.recipe if last else None
        events: Events = (*refused, *wanted.assessed.events(recipe.turn), *telling.events(recipe, made.stored, before))
        recipes = [recipe, *(composed.recipe for composed in fold.recipes.values())]
        async with task_group() as tasks:
            tasks.start_soon(self._submitter.submit, fold.thread, recipes, recipe.position)
            await self._recorder.record(fold, events, read.remembered.state, lambda: self._threads.refresh(fold))

    def _noted(self, refusal: Overflow) -> tuple[ContextRefused, ...]:
        """What the log is to know of a refusal that it does not know yet."""
        if not refusal.known:
            self._counts["refused"] += 1
            logger.warning("%s", overflow.said(refusal), extra={"action": "context_refused"})
        return refusal.events

    async def _opened(self, fold: Fold, request: ComposeRequest, settings: Settings) -> Turn | None:
        """The open turn that asks, whole; raises `TurnNotOpen`."""
        if not request.key:
            return None
        opened = fold.opened(request.key)
        if opened is None:
            closed = fold.header.closed.get(request.key) if fold.header else None
            what = f"turn {closed.turn} was {closed.state}" if closed else f"no turn {request.key!r} is open"
            raise TurnNotOpen(f"{what}, so there is no request of it to compose", state=closed.state if closed else "")
        await self._whole(fold, opened.number)
        return await self._bodies.turn(fold.thread, fold.opened(request.key) or opened, settings.window)

    async def _whole(self, fold: Fold, number: int) -> None:
        """Fold back to the opening of a turn."""
        await self._threads.reach(
            fold, lambda: number in fold.turns and fold.turns[number].whole, lambda: reckoned(fold, FIRST_TURNS)
        )

    async def _likely(self, fold: Fold, settings: Settings) -> None:
        """Fold back to where the last recipe begins, while facts are read without which nobody can tell whether that is
        enough."""
        if first := begins(fold, settings):
            await self._threads.reach(fold, lambda: 0 < fold.base <= first, lambda: reckoned(fold, fold.base - first))

    async def _far_enough(self, wanted: Wanted, read: Read) -> None:
        """Fold back to what the plan can need, and to the instructions in force."""
        key = wanted.request.key

        def inputs() -> Inputs:
            opened = read.fold.opened(key) if key else None
            return wanting.inputs(wanted, replace(read, opened=opened))

        await self._threads.reach(
            read.fold, lambda: enough(inputs(), wanted.settings), lambda: likely(inputs(), wanted.settings)
        )

    async def _instructions(self, fold: Fold, opened: Turn | None, agent: str, settings: Settings) -> tuple[Item, ...]:
        turn = opened.number if opened else fold.last + 1
        given = fold.begun_before(turn, agent)
        if agent not in fold.older and given is not None:
            fold.older[agent] = tuple(await self._instructed.older(fold, turn, agent, given))
        return tuple(await self._bodies.items(fold.thread, fold.in_force(turn, agent), settings.window))


def check_own(caller: Caller, turn: Turn | None) -> None:
    """Raise `Denied` for an agent that would store the context of a turn which is not its own: it adds to no other. A
    tool, which has no turns, stores none."""
    if caller.role == "tool":
        raise Denied("a tool may look at a context, and store none")
    if caller.role != "agent" or (turn is not None and turn.agent == caller.principal):
        return
    whose = f"turn {turn.number} is {turn.agent or 'nobody'}'s" if turn else "no open turn was named"
    raise Denied(f"{whose}; the agent {caller.principal!r} stores contexts of its own turns, and may look at others")
