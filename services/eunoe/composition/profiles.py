"""Profiles: the ways in which contexts of a thread are asked for, each with its last recipe, and what was learned from
that of how its provider counts. Pure but for `take`, which changes what it is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from eunoe.composition import anchoring
from eunoe.composition.counters import naming
from eunoe.schemas.context import Recipe
from eunoe.schemas.events import Usage

PROFILES = 4  # profiles whose last recipe is remembered, so that one asked for once keeps no turns for ever
Profile = tuple[int, str, str]  # window, counter, format


def profile(recipe: Recipe) -> Profile:
    return recipe.window, recipe.counter, recipe.format


@dataclass(slots=True)
class Composed:
    """A stored recipe, and where its record is."""

    recipe: Recipe
    position: int


def take(recipes: dict[Profile, Composed], recipe: Recipe, position: int) -> None:
    """Remember a recipe as the last of its profile, unless a newer one is."""
    known = recipes.get(profile(recipe))
    if known is None or known.position < position:
        recipes[profile(recipe)] = Composed(recipe, position)
    if len(recipes) > PROFILES:
        del recipes[min(recipes, key=lambda kept: recipes[kept].position)]


def anchor(
    recipes: Mapping[Profile, Composed], usages: Iterable[tuple[int, Usage]], wanted: Profile, model: str = ""
) -> int:
    """Tokens between what the provider counted for the last context of this profile, and its recipe; ``usages`` are the
    reports of that by position, oldest first.

    What was learned of one model says nothing of another, nor does what another was reported to have used.
    """
    composed = recipes.get(wanted)
    if composed is None or not naming.same(model, composed.recipe.model):
        return 0
    kept = int(composed.recipe.settings.get("anchor", 0))
    for position, usage in usages:
        after = position > composed.position and usage.turn == composed.recipe.turn
        if after and usage.input_tokens > 0 and naming.same(usage.model, composed.recipe.model):
            others = (other.position for other in recipes.values())
            if any(composed.position < other < position for other in others):
                return kept
            counted, window = composed.recipe.tokens - kept, composed.recipe.window
            return anchoring.reported(counted, usage.input_tokens, window, kept)
    return kept
