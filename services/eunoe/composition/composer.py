"""Composing one request: read what is new, plan, render, store the recipe, answer."""

from __future__ import annotations

import msgspec

from eunoe.composition import recording
from eunoe.composition.bodies import Bodies
from eunoe.composition.contents import Item
from eunoe.composition.draft import PENDING_LOOKED_AT
from eunoe.composition.fold import Fold, Turn
from eunoe.composition.freshness import Freshness, newer, reflects
from eunoe.composition.inputs import Inputs, Settings
from eunoe.composition.instructed import Instructed
from eunoe.composition.making import Made, context, make
from eunoe.composition.place import Place
from eunoe.composition.plan import enough
from eunoe.composition.recording import Recorder
from eunoe.composition.remembered import Memory, Remembered
from eunoe.composition.shelf import Facts
from eunoe.composition.threads import Threads
from eunoe.facts.visibility import Viewer
from eunoe.schemas.context import Context, Watermark
from eunoe.schemas.errors import Denied, TurnNotOpen
from eunoe.schemas.requests import ComposeRequest
from eunoe.schemas.subjects import Address, Caller


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
    ) -> None:
        self._threads = threads
        self._freshness = freshness
        self._memory = memory
        self._instructed = instructed
        self._bodies = bodies
        self._recorder = recorder

    async def compose(self, address: Address, request: ComposeRequest, settings: Settings) -> Context:
        """The context of a request; with ``store`` its recipe is in the log when this returns.

        What is read first is mostly fresh enough; only where it is not, somebody has to wait.
        """
        found = await self._compose(address, request, settings, patient=True)
        if found is not None:
            return found
        stale = await self._freshness.wait(address.thread, request.after, request.wait)
        found = await self._compose(address, request, settings, patient=False)
        assert found is not None
        return msgspec.structs.replace(found, stale=stale) if stale else found

    async def _compose(
        self, address: Address, request: ComposeRequest, settings: Settings, *, patient: bool
    ) -> Context | None:
        """The context; None when it is worth waiting because something is not as fresh as was asked."""
        async with self._memory.looking() as latest, self._threads.using(address.chain) as fold:
            if patient and not await self._freshness.readable(fold, request.after.log):
                return None
            opened = await self._opened(fold, request, settings)
            if request.store:
                check_own(address.caller, opened)
            place = await self._place(address, fold, opened, request)
            remembered = await self._remembered(fold, place, await latest(), request.after, patient=patient)
            if patient and not reflects(fold, remembered, request.after):
                return None
            return await self._answer(place, fold, opened, request, settings, remembered)

    async def _place(self, address: Address, fold: Fold, opened: Turn | None, request: ComposeRequest) -> Place:
        """Where a request comes from: its turn's agent and session, else the newest turn's, else what it says.

        An agent asks for itself whatever the turn says, and a tool for no agent. Of a preview is a request whose
        turn is, and one that looks at it.
        """
        if opened is None and fold.last:
            await self._threads.reach(fold, lambda: fold.last in fold.turns and fold.turns[fold.last].whole)
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

    async def _answer(
        self,
        place: Place,
        fold: Fold,
        opened: Turn | None,
        request: ComposeRequest,
        settings: Settings,
        remembered: Remembered,
    ) -> Context:
        await self._far_enough(fold, request, settings)
        instructions = await self._instructions(fold, opened, place.agent, settings)
        made = await self._made(_inputs(fold, opened, request, settings, remembered, instructions), settings)
        if request.store:
            events = recording.events(made.recipe, made.stored)
            await self._recorder.record(fold, events, remembered.state, lambda: self._threads.refresh(fold))
        watermark = msgspec.structs.replace(remembered.watermark, log=fold.upto)
        return context(made, watermark, place.thread, text=not request.store)

    async def _made(self, inputs: Inputs, settings: Settings) -> Made:
        """Plan and render; again with more of the past where turns left whose facts are still to come."""
        made, fold = make(inputs, settings), inputs.fold
        oldest = max(made.recipe.first_turn - PENDING_LOOKED_AT, 1)
        if inputs.extracted is None or inputs.extracted >= made.recipe.left or fold.base <= oldest:
            return made
        await self._threads.reach(fold, lambda: fold.base <= oldest)
        return make(inputs, settings)

    async def _opened(self, fold: Fold, request: ComposeRequest, settings: Settings) -> Turn | None:
        """The open turn that asks, whole; raises `TurnNotOpen`."""
        if not request.key:
            return None
        header = fold.header
        known = header.open.get(request.key) if header else None
        if header is None or known is None:
            closed = header.closed.get(request.key) if header else None
            what = f"turn {closed.turn} was {closed.state}" if closed else f"no turn {request.key!r} is open"
            raise TurnNotOpen(f"{what}, so there is no request of it to compose", state=closed.state if closed else "")
        await self._threads.reach(fold, lambda: known.turn in fold.turns and fold.turns[known.turn].whole)
        return await self._bodies.turn(fold.thread, fold.turns[known.turn], settings.window)

    async def _far_enough(self, fold: Fold, request: ComposeRequest, settings: Settings) -> None:
        """Fold back to what the plan can need, and to the instructions in force."""

        def reached() -> bool:
            opened = fold.opened(request.key) if request.key else None
            return enough(_inputs(fold, opened, request, settings), settings)

        await self._threads.reach(fold, reached)

    async def _instructions(self, fold: Fold, opened: Turn | None, agent: str, settings: Settings) -> tuple[Item, ...]:
        turn = opened.number if opened else fold.last + 1
        if agent not in fold.older and not fold.complete and not fold.in_force(turn, agent):
            fold.older[agent] = tuple(await self._instructed.older(fold, turn, agent))
        return tuple(await self._bodies.items(fold.thread, fold.in_force(turn, agent), settings.window))


def check_own(caller: Caller, turn: Turn | None) -> None:
    """Raise `Denied` for an agent that would store the context of a turn which is not its own: it adds to no other."""
    if caller.role != "agent" or (turn is not None and turn.agent == caller.principal):
        return
    whose = f"turn {turn.number} is {turn.agent or 'nobody'}'s" if turn else "no open turn was named"
    raise Denied(f"{whose}; the agent {caller.principal!r} stores contexts of its own turns, and may look at others")


def _inputs(
    fold: Fold,
    opened: Turn | None,
    request: ComposeRequest,
    settings: Settings,
    remembered: Remembered | None = None,
    instructions: tuple[Item, ...] = (),
) -> Inputs:
    composed = fold.recipes.get(settings.profile)
    state = remembered.state if remembered else None
    extracted = state.extracted if state else 0
    return Inputs(
        thread=fold.thread,
        fold=fold,
        turn=opened.number if opened else fold.last + 1,
        open=opened,
        request=request.prompt if opened is None or not opened.asked else "",
        instructions=instructions,
        earlier=remembered.earlier if remembered else Facts(),
        now=remembered.now if remembered else Facts(),
        carried=remembered.carried if remembered else None,
        before=composed.recipe if composed else None,
        anchor=fold.anchor(settings.profile, settings.model),
        extracted=extracted if remembered else None,
    )
