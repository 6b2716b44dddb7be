"""Which turns leave next, so that what is drawn from them is there before they do. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy

from eunoe.composition.blocks import spans
from eunoe.composition.draft import Draft
from eunoe.composition.fitting import leaving
from eunoe.schemas import limits
from eunoe.schemas.context import Recipe


def next_to_leave(draft: Draft) -> tuple[tuple[int, int], ...]:
    """Spans of the literal turns that leave once the context is due: the fewest oldest whose leaving reaches the goal
    then, one at least. None while it fills less than `limits.AHEAD_SHARE` of what it may.

    A context passes the point from which on it is due by as much as one more turn takes, as large as the largest of
    the newest; and what is said of turns that left takes room for which more of them leave.
    """
    budget = draft.budget
    beside = budget.prompt + budget.headroom
    if draft.used + beside < limits.AHEAD_SHARE * budget.limit:
        return ()
    turn = max(draft.sizes[-limits.HEADROOM_TURNS :], default=0)
    used = max(draft.used, budget.limit - beside, budget.goal + 1) + turn
    count = leaving(draft, used)
    while (more := leaving(draft, used + _said_instead(draft, count))) > count:
        count = more
    return tuple(spans([turn.number for turn in draft.turns[:count]]))


def up_to(recipes: Iterable[Recipe]) -> int:
    """The newest turn that left one of these contexts or leaves it next; 0 where every turn stays."""
    return max((_up_to(recipe) for recipe in recipes), default=0)


def _said_instead(draft: Draft, count: int) -> int:
    """Tokens of what is said more once the ``count`` oldest literal turns left, as far as it is known by now."""
    if not count:
        return 0
    then = copy(draft)
    then.leave(count)
    return then.blocks - draft.blocks


def _up_to(recipe: Recipe) -> int:
    gone = recipe.first_turn - 1 if recipe.left else 0
    return max(gone, *(last for _, last in recipe.ahead), 0)
