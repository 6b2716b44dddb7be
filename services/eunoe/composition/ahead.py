"""Which turns leave next, so that what is drawn from them is there before they do. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from eunoe.composition.blocks import spans
from eunoe.composition.draft import Draft
from eunoe.schemas import limits
from eunoe.schemas.context import Recipe


def leaving(draft: Draft) -> tuple[tuple[int, int], ...]:
    """Spans of the literal turns that leave once the context is due: the fewest oldest whose leaving reaches the goal
    then, one at least. None while it fills less than `limits.AHEAD_SHARE` of what it may."""
    budget = draft.budget
    fill = draft.used + budget.prompt + budget.headroom
    if fill < limits.AHEAD_SHARE * budget.limit:
        return ()
    due = budget.limit - budget.prompt - budget.headroom
    excess, count = max(draft.used, due) - budget.goal, 0
    free = len(draft.turns) - max(draft.settings.keep, 0 if draft.in_rounds else 1)
    while count < free and (excess > 0 or not count):
        excess -= draft.sizes[count]
        count += 1
    return tuple(spans([turn.number for turn in draft.turns[:count]]))


def up_to(recipes: Iterable[Recipe]) -> int:
    """The newest turn that left one of these contexts or leaves it next; 0 where every turn stays."""
    return max((_up_to(recipe) for recipe in recipes), default=0)


def _up_to(recipe: Recipe) -> int:
    gone = recipe.first_turn - 1 if recipe.left else 0
    return max(gone, *(last for _, last in recipe.ahead), 0)
