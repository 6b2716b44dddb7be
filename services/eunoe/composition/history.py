"""The context of a past turn: replayed from its recipe, or reconstructed where it has none."""

from __future__ import annotations

import msgspec

from eunoe.composition.assessing.decided import told
from eunoe.composition.bodies import Bodies
from eunoe.composition.counter import ByteCounter, Counter
from eunoe.composition.counters.counters import Counters
from eunoe.composition.fold import Fold, Turn
from eunoe.composition.inputs import Inputs, Settings
from eunoe.composition.instructed import Instructed
from eunoe.composition.losses import noted
from eunoe.composition.making import Made, context, make
from eunoe.composition.past import Found, Past
from eunoe.composition.place import Place
from eunoe.composition.plan import enough
from eunoe.composition.remembered import Memory
from eunoe.composition.replaying import Replayer
from eunoe.composition.showing import Manner
from eunoe.composition.threads import Threads
from eunoe.facts.visibility import Viewer
from eunoe.schemas import limits
from eunoe.schemas.context import Context, Recipe, Watermark
from eunoe.schemas.errors import Denied, Invalid
from eunoe.schemas.requests import ComposeRequest
from eunoe.schemas.subjects import Address, Caller

ERASED = "erased: the recipe, which held words of what was erased"


class Historian:
    """Answers what a turn saw. Looking changes nothing."""

    def __init__(
        self,
        threads: Threads,
        memory: Memory,
        past: Past,
        replayer: Replayer,
        instructed: Instructed,
        bodies: Bodies,
        counters: Counters,
    ) -> None:
        self._threads = threads
        self._memory = memory
        self._past = past
        self._replayer = replayer
        self._instructed = instructed
        self._bodies = bodies
        self._counters = counters

    async def context(self, address: Address, request: ComposeRequest) -> Context:
        """The context of turn ``request.turn``: the last that it saw, or its ``nth``, or, for another window or model
        that is named, or made otherwise in its own, the one that it would have seen.

        Raises `NotFound`, and `Denied` for what another agent saw.
        """
        found = await self._past.find(address.chain, request.turn, request.nth)
        if found.agent and not Viewer(address.caller).trusted and address.caller != Caller("agent", found.agent):
            raise Denied(f"what turn {request.turn} saw is for {found.agent} and for people to see")
        as_it_was = is_own(request, found.recipe, self._counters)
        if found.recipe is not None and as_it_was and not found.erased:
            return await self._replayed(address, found, found.recipe)
        settings = then(request, found.recipe, self._counters)
        shown = await self._reconstructed(address, found, request.turn, settings)
        return msgspec.structs.replace(shown, differs=ERASED) if found.erased and as_it_was else shown

    async def _replayed(self, address: Address, found: Found, recipe: Recipe) -> Context:
        replayed = await self._replayer.replay(found, recipe)
        watermark = Watermark(log=recipe.position)
        made = Made(recipe, replayed.rendered, replayed.stored)
        shown = told(context(made, watermark, address.thread, text=True), found.assessment)
        return msgspec.structs.replace(shown, differs="; ".join(replayed.differs))

    async def _reconstructed(self, address: Address, found: Found, turn: int, settings: Settings) -> Context:
        fold, asked = await self._past.before(found, turn)
        made = await self._again(address, found, fold, asked, settings)
        watermark = Watermark(log=fold.position)
        shown = told(context(made, watermark, address.thread, text=True), found.assessment)
        return noted(msgspec.structs.replace(shown, reconstructed=True), fold.lost)

    async def _again(self, address: Address, found: Found, fold: Fold, asked: Turn, settings: Settings) -> Made:
        """Plan as if the turn had been asked of this worker, with the facts that order before it and what was decided
        about its request."""
        whole = await self._bodies.turn(address.thread, asked, settings.window)
        place = Place(address.thread, asked.session, asked.agent, asked.preview)
        facts = await self._memory.before(place, asked.number, asked.time)
        bare = Inputs(thread=address.thread, fold=fold, turn=asked.number, open=whole)
        while not fold.complete and not enough(bare, settings):
            await self._threads.further(fold)
        given = fold.begun_before(asked.number, asked.agent)
        if given is not None:
            fold.older[asked.agent] = tuple(await self._instructed.older(fold, asked.number, asked.agent, given))
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
            kept=await self._bodies.kept(fold, settings),
            tools=found.recipe.tools if found.recipe else (),
            bearing=found.assessment.facts if found.assessment else (),
        )
        return make(inputs, settings)


def is_own(request: ComposeRequest, recipe: Recipe | None, counters: Counters) -> bool:
    """Whether a past turn is asked for as it was: in no window and for no model, or in all as its recipe was made."""
    if not (request.window or request.model):
        return True
    if recipe is None:
        return False
    as_it_was = ComposeRequest(format=recipe.format)
    return then(request, recipe, counters) == then(as_it_was, recipe, counters)


def check_nth(request: ComposeRequest) -> None:
    """Raise `Invalid` where one of the contexts of a past turn is asked for that cannot be meant."""
    if request.nth < 0:
        raise Invalid(f"the contexts of a turn are counted from 1, and {request.nth} was asked for")
    if request.nth and not request.turn:
        raise Invalid(f"context {request.nth} of no turn was asked for; say of which")
    if request.nth and (request.window or request.model):
        raise Invalid(
            "one of the contexts of a turn is shown as it was; leave the window and the model out, or the number"
        )


def then(request: ComposeRequest, recipe: Recipe | None, counters: Counters) -> Settings:
    """How a past turn is composed anew: as the request says, else as its recipe was made, else as where nothing is
    set. What is set today has no part in it, so that the same turn is the same whenever it is looked at.
    """
    numbers = recipe.settings if recipe else {}
    model = request.model or (recipe.model if recipe else "")
    return Settings(
        window=request.window or (recipe.window if recipe else limits.WINDOW),
        manner=Manner(request.format, request.memory_tool or bool(recipe and recipe.memory_tool)),
        target=request.target or numbers.get("target", limits.TARGET_SHARE),
        headroom=int(numbers.get("headroom", limits.HEADROOM_TURNS)) if request.headroom < 0 else request.headroom,
        keep=int(numbers.get("keep", 0)) if request.keep < 0 else request.keep,
        relevant=bool(numbers.get("relevant", True)) if request.relevant is None else request.relevant,
        counter=_counter(request, recipe, counters),
        model=model,
    )


def _counter(request: ComposeRequest, recipe: Recipe | None, counters: Counters) -> Counter:
    """That of the recipe while no other model is named, whatever the settings say of its model today."""
    if recipe is not None and request.model in ("", recipe.model) and (found := counters.named(recipe.counter)):
        return found
    model = request.model or (recipe.model if recipe else "")
    return counters.of(model) if model else ByteCounter()
