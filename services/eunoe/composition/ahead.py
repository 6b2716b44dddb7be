"""Which turns leave next, so that what is drawn from them is there before they do. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from eunoe.composition import outline
from eunoe.composition import summary as summaries
from eunoe.composition.blocks import spans
from eunoe.composition.choosing import within
from eunoe.composition.draft import Draft
from eunoe.composition.fitting import leaving
from eunoe.composition.fold import Turn
from eunoe.schemas import limits
from eunoe.schemas.context import Recipe

FIRST_TOKENS = 96  # tokens of the block's label and of its standing lines, where nothing left yet


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
    """Tokens of what is said at most of the ``count`` oldest literal turns once they left, as far as it is known by
    now: their facts, in the room that is left for facts, their lines in the outline, and where they are the first, the
    summary.
    """
    gone = draft.turns[:count]
    if not gone:
        return 0
    room = max(draft.facts_bytes - sum(fact.bytes for fact in draft.facts.earlier), 0)
    facts = within(draft.inputs.earlier.of_turns(turn.number for turn in gone), room)
    lines = [*(fact.line for fact in facts), *map(_named, gone)]
    if not draft.left and draft.inputs.summary:
        shown = summaries.within(draft.inputs.summary, draft.summary_bytes)
        lines += shown.lines if shown else ()
    said = draft.settings.manner.shape.derived("\n".join(lines))
    return draft.settings.weigh(said) + (0 if draft.left else FIRST_TOKENS)


def _named(turn: Turn) -> str:
    """The line of a turn in the outline, with all its words."""
    return outline.line(outline.left_turn(turn), outline.asked_in(turn))


def _up_to(recipe: Recipe) -> int:
    gone = recipe.first_turn - 1 if recipe.left else 0
    return max(gone, *(last for _, last in recipe.ahead), 0)
