"""The context of a past turn: replayed from its recipe, or reconstructed where it has none."""

from __future__ import annotations

import msgspec

from eunoe.composition.bodies import Bodies
from eunoe.composition.composer import Made, context, make
from eunoe.composition.counter import ByteCounter
from eunoe.composition.fold import Fold, Turn
from eunoe.composition.inputs import Inputs, Settings
from eunoe.composition.instructed import Instructed
from eunoe.composition.past import Found, Past
from eunoe.composition.place import Place
from eunoe.composition.plan import enough
from eunoe.composition.remembered import Memory
from eunoe.composition.showing import Manner
from eunoe.composition.threads import Threads
from eunoe.facts.visibility import Viewer
from eunoe.schemas.context import Context, Recipe, Watermark
from eunoe.schemas.errors import Denied
from eunoe.schemas.requests import ComposeRequest
from eunoe.schemas.subjects import Address


class Historian:
    """Answers what a turn saw. Looking changes nothing."""

    def __init__(self, threads: Threads, memory: Memory, past: Past, instructed: Instructed, bodies: Bodies) -> None:
        self._threads = threads
        self._memory = memory
        self._past = past
        self._instructed = instructed
        self._bodies = bodies

    async def context(self, address: Address, request: ComposeRequest, settings: Settings) -> Context:
        """The context of turn ``request.turn``; raises `NotFound`, and `Denied` for what another agent saw."""
        found = await self._past.find(address.chain, request.turn)
        if found.agent and not Viewer(address.caller).trusted and address.caller.principal != found.agent:
            raise Denied(f"what turn {request.turn} saw is for {found.agent} and for people to see")
        if found.recipe is not None:
            return await self._replayed(address, found, found.recipe)
        return await self._reconstructed(address, found, request.turn, settings)

    async def _replayed(self, address: Address, found: Found, recipe: Recipe) -> Context:
        replayed = await self._past.replay(found, recipe, self._bodies)
        settings = Settings(recipe.window, Manner(recipe.format, recipe.memory_tool), counter=ByteCounter())
        watermark = Watermark(log=recipe.position)
        made = Made(recipe, replayed.rendered, replayed.stored)
        shown = context(made, settings, watermark, address.thread, text=True)
        return msgspec.structs.replace(shown, differs="; ".join(replayed.differs))

    async def _reconstructed(self, address: Address, found: Found, turn: int, settings: Settings) -> Context:
        fold, asked = await self._past.before(found, turn)
        made = await self._again(address, fold, asked, settings)
        watermark = Watermark(log=fold.position)
        shown = context(made, settings, watermark, address.thread, text=True)
        return msgspec.structs.replace(shown, reconstructed=True)

    async def _again(self, address: Address, fold: Fold, asked: Turn, settings: Settings) -> Made:
        """Plan as if the turn had been asked of this worker, with the facts that order before it."""
        whole = await self._bodies.turn(address.thread, asked, settings.window)
        place = Place(address.thread, asked.session, asked.agent, asked.preview)
        facts = await self._memory.before(place, asked.number, asked.time)
        bare = Inputs(thread=address.thread, fold=fold, turn=asked.number, open=whole)
        while not fold.complete and not enough(bare, settings):
            await self._threads.further(fold)
        if not fold.complete and not fold.in_force(asked.number, asked.agent):
            fold.older[asked.agent] = tuple(await self._instructed.older(fold, asked.number, asked.agent))
        held = fold.in_force(asked.number, asked.agent)
        instructions = await self._bodies.items(address.thread, held, settings.window)
        inputs = Inputs(
            thread=address.thread,
            fold=fold,
            turn=asked.number,
            open=whole,
            instructions=tuple(instructions),
            earlier=facts.earlier,
            now=facts.now,
            carried=facts.carried,
        )
        return make(inputs, settings)
