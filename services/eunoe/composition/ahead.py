"""Which turns leave next, so that what is drawn from them is there before they do. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from eunoe.composition.blocks import spans
from eunoe.composition.draft import Draft
from eunoe.composition.fitting import leaving
from eunoe.schemas import limits
from eunoe.schemas.context import Recipe


def next_to_leave(draft: Draft) -> tuple[tuple[int, int], ...]:
    """Spans of the literal turns that leave once the context is due: the fewest oldest whose leaving reaches the goal
    then, one at least. None while it fills less than `limits.AHEAD_SHARE` of what it may."""
    budget = draft.budget
    beside = budget.prompt + budget.headroom
    if draft.used + beside < limits.AHEAD_SHARE * budget.limit:
        return ()
    count = leaving(draft, max(draft.used, budget.limit - beside, budget.goal + 1))
    return tuple(spans([turn.number for turn in draft.turns[:count]]))


def up_to(recipes: Iterable[Recipe]) -> int:
    """The newest turn that left one of these contexts or leaves it next; 0 where every turn stays."""
    return max((_up_to(recipe) for recipe in recipes), default=0)


def _up_to(recipe: Recipe) -> int:
    gone = recipe.first_turn - 1 if recipe.left else 0
    return max(gone, *(last for _, last in recipe.ahead), 0)
