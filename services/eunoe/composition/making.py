"""Making a context of its inputs: planned, rendered, measured and sealed. Pure."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import msgspec

from eunoe.composition import stability
from eunoe.composition.budget import anchored
from eunoe.composition.counter import Counter
from eunoe.composition.floor import Floor, Over, does_not_fit
from eunoe.composition.inputs import Inputs, Settings
from eunoe.composition.larger import Larger, Tried, larger
from eunoe.composition.measuring import layers, measure
from eunoe.composition.plan import plan
from eunoe.composition.render import Rendered, Stored, render
from eunoe.composition.shown import shown_facts
from eunoe.schemas.context import Context, Recipe, Watermark


@dataclass(frozen=True, slots=True)
class Made:
    """A recipe and what it rendered to, with what it was made of."""

    recipe: Recipe
    rendered: Rendered
    stored: Stored


def make(inputs: Inputs, settings: Settings) -> Made:
    """Plan and render; raises `DoesNotFit`, which names a window that is enough."""
    try:
        return _within(inputs, settings)
    except Over as over:
        raise does_not_fit(over.floor, _larger(inputs, settings, over.floor)) from None


def _within(inputs: Inputs, settings: Settings) -> Made:
    """Plan and render; raises `Over`.

    A plan adds up what its parts count for. Where a counter counts the whole for more than that, and that is too much,
    the plan is made again with so much less room, until what is handed out fits by its own count.
    """
    spare = 0
    while True:
        made = _made(inputs, settings, spare)
        excess = made.recipe.tokens - settings.window
        if excess <= 0:
            return made
        spare = max(2 * spare, spare + excess)


def _larger(inputs: Inputs, settings: Settings, floor: Floor) -> Larger:
    """The window that is enough for what does not fit. What was learnt to take off the counts of one window holds for
    no other."""
    inputs = replace(inputs, anchor=max(inputs.anchor, 0))

    def attempt(window: int) -> Tried:
        try:
            return Tried(fits=True, tokens=_within(inputs, replace(settings, window=window)).recipe.tokens)
        except Over as over:
            return Tried(fits=False, tokens=over.floor.needed)

    return larger(floor.window, floor.needed, attempt)


def _made(inputs: Inputs, settings: Settings, spare: int) -> Made:
    planned = plan(inputs, settings, spare)
    recipe = planned.recipe
    turns = {number: inputs.kept.get(number) or inputs.fold.turns[number] for number in recipe.turns}
    if inputs.open is not None:
        turns[inputs.turn] = inputs.open
    stored = Stored(turns, inputs.instructions, planned.lines, planned.prompts, planned.summary)
    rendered = render(recipe, stored)
    return Made(sealed(recipe, rendered, settings.counter, inputs), rendered, stored)


def sealed(recipe: Recipe, rendered: Rendered, counter: Counter, inputs: Inputs) -> Recipe:
    """The recipe with the digest, the measures and the id of what it renders to, and how much of that is as before."""
    found, chain, before = rendered.sha256, inputs.fold.chain, inputs.before
    ladder = stability.ladder(rendered)
    key = f"{chain}\x00{recipe.turn}\x00{recipe.position}\x00{recipe.window}\x00{found}"
    anchor = int(recipe.settings["anchor"])
    tokens, shares = measure(rendered, counter, anchor)
    if (held := anchored(tokens - anchor, anchor) - (tokens - anchor)) != anchor:
        anchor, (tokens, shares) = held, measure(rendered, counter, held)
    return msgspec.structs.replace(
        recipe,
        id="c" + hashlib.sha256(key.encode()).hexdigest()[:16],
        sha256=found,
        tokens=tokens,
        layers=shares,
        bytes=len(rendered.data),
        before=before.id if before else "",
        stable=stability.stable(ladder, before.ladder) if before else 0,
        ladder=stability.packed(ladder),
        settings=recipe.settings | {"anchor": anchor},
    )


def context(made: Made, watermark: Watermark, thread: str, *, text: bool) -> Context:
    """The context as its caller gets it; with ``text``, as somebody who looks does."""
    recipe, rendered = made.recipe, made.rendered
    return Context(
        id=recipe.id,
        thread=thread,
        turn=recipe.turn,
        window=recipe.window,
        format=recipe.format,
        messages=msgspec.Raw(rendered.messages),
        layers=layers(rendered, recipe, text=text),
        recipe=recipe,
        watermark=watermark,
        system=rendered.system,
        tokens=recipe.tokens,
        note=recipe.note,
        counter=recipe.counter,
        facts=shown_facts(recipe, made.stored.lines) if text else (),
        summary=made.stored.summary.source if text and made.stored.summary else "",
    )
