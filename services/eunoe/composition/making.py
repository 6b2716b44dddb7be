"""Making a context of its inputs: planned, rendered, measured and sealed. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from eunoe.composition.inputs import Inputs, Settings
from eunoe.composition.plan import plan
from eunoe.composition.render import Rendered, Stored, layers, render, sealed
from eunoe.composition.shown import shown_facts
from eunoe.schemas.context import Context, Recipe, Watermark


@dataclass(frozen=True, slots=True)
class Made:
    """A recipe and what it rendered to, with what it was made of."""

    recipe: Recipe
    rendered: Rendered
    stored: Stored


def make(inputs: Inputs, settings: Settings) -> Made:
    """Plan and render; raises `DoesNotFit`."""
    recipe, lines = plan(inputs, settings)
    turns = {number: inputs.fold.turns[number] for number in recipe.turns}
    if inputs.open is not None:
        turns[inputs.turn] = inputs.open
    stored = Stored(turns, inputs.instructions, lines)
    rendered = render(recipe, stored)
    return Made(sealed(recipe, rendered, settings.counter, inputs.fold.chain), rendered, stored)


def context(made: Made, settings: Settings, watermark: Watermark, thread: str, *, text: bool) -> Context:
    """The context as its caller gets it; with ``text``, as somebody who looks does."""
    recipe, rendered = made.recipe, made.rendered
    return Context(
        id=recipe.id,
        thread=thread,
        turn=recipe.turn,
        window=recipe.window,
        format=recipe.format,
        messages=msgspec.Raw(rendered.messages),
        layers=layers(rendered, settings.counter, recipe.tokens, text=text),
        recipe=recipe,
        watermark=watermark,
        system=rendered.system,
        tokens=recipe.tokens,
        note=recipe.note,
        counter=recipe.counter,
        facts=shown_facts(recipe, made.stored.lines) if text else (),
    )
