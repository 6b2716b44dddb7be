"""The turns before the first literal one, as far as a plan looks at them. Pure.

Which they are depends on the last recipe and the first literal turn alone, never on how much of the thread happens to
be folded: `eunoe.composition.plan.enough` sees to it that they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from eunoe.composition import outline
from eunoe.composition.fold import Fold, Turn
from eunoe.composition.inputs import Inputs
from eunoe.composition.literal import is_erased
from eunoe.composition.outline import Asked
from eunoe.schemas.context import LeftTurn, Recipe

LOOKED_AT = 64  # turns before the first literal one that are looked at


@dataclass(frozen=True, slots=True)
class Left:
    """``turns`` have something to say, oldest first, and what was asked in them is in ``prompts``. ``erased`` counts
    those before the first literal turn that are known to have nothing left to say, ``found`` those of them that the
    last recipe did not know of."""

    turns: tuple[LeftTurn, ...]
    prompts: dict[int, Asked]
    erased: int
    found: int


def left(inputs: Inputs, first: int, erased: Iterable[int] = ()) -> Left:
    """The turns before turn ``first``: those that the last outline names, and those that left since.

    Where there is no last outline, they are those of the last `LOOKED_AT` turns. Those of them too that were open for
    the last recipe and are committed since. ``erased`` are turns from ``first`` on that have nothing to say.
    """
    before, fold = inputs.before, inputs.fold
    named = [one for one in before.outline if one.turn < first] if before else []
    doubtful = [turn for number in _doubtful(inputs) if number < first and (turn := fold.turns.get(number))]
    gone = {turn.number for turn in doubtful if is_erased(turn)}
    turns = [*_late(inputs, named, first), *_committed(fold, _start(inputs, first), first)]
    empty = {turn.number for turn in turns if is_erased(turn)}
    shown = [turn for turn in turns if turn.number not in empty]
    known = max(_erased_before(before) - sum(number < inputs.mark for number in erased), 0)
    earlier = len(gone) + sum(number < inputs.mark for number in empty)
    total = max(known, earlier) if is_new(before) else known + earlier
    prompts = {one.turn: said for one in named if inputs.named and (said := inputs.named.get(one.turn))}
    prompts |= {turn.number: said for turn in shown if (said := outline.asked_in(turn))}
    kept = [one for one in named if one.turn not in gone]
    return Left(
        turns=tuple(sorted((*kept, *(outline.left_turn(turn) for turn in shown)), key=lambda one: one.turn)),
        prompts=prompts,
        erased=total + sum(number >= inputs.mark for number in empty),
        found=total - known,
    )


def is_new(before: Recipe | None) -> bool:
    """Whether there is no last outline to go on from."""
    return before is None or (before.left > 0 and not before.outline)


def pending(inputs: Inputs, first: int) -> tuple[int, ...]:
    """The committed turns before turn ``first`` from which not everything is drawn, of the last `LOOKED_AT`."""
    ready = inputs.ready
    if ready is None:
        return ()
    turns = [turn for number in range(max(first - LOOKED_AT, 1), first) if (turn := inputs.fold.turns.get(number))]
    return tuple(turn.number for turn in turns if turn.state == "committed" and turn.ordinal > ready)


def reach(inputs: Inputs, first: int) -> int:
    """The oldest turn that has to be folded where ``first`` is the oldest that may be literal."""
    late = [first - LOOKED_AT] if _any_late(inputs) else []
    return max(min([first, _start(inputs, first), _pending(inputs, first), *_doubtful(inputs), *late]), 1)


def _start(inputs: Inputs, first: int) -> int:
    """The oldest turn before turn ``first`` that is looked at."""
    return first - LOOKED_AT if is_new(inputs.before) else max(inputs.mark, first - LOOKED_AT)


def _late(inputs: Inputs, named: Collection[LeftTurn], first: int) -> list[Turn]:
    """Turns from before the mark that were open for the last recipe and are committed since, so that they never were
    literal; of what they say, something is left."""
    before = inputs.before
    if before is None or is_new(before):
        return []
    known = {one.turn for one in named}
    turns = _committed(inputs.fold, first - LOOKED_AT, min(inputs.mark, first))
    late = [turn for turn in turns if turn.ordinal > _committed_before(before) and turn.number not in known]
    return [turn for turn in late if not is_erased(turn)]


def _any_late(inputs: Inputs) -> bool:
    """Whether more turns are committed since the last recipe than there are from its mark on."""
    before, fold = inputs.before, inputs.fold
    if before is None or fold.header is None:
        return False
    since = fold.header.committed - _committed_before(before)
    for turn in fold.committed(inputs.mark):
        if since <= 0:
            break
        since -= turn.ordinal > _committed_before(before)
    return since > 0


def _committed_before(before: Recipe) -> int:
    """The turns that were committed when a recipe was made."""
    return before.left + len(before.turns) + before.erased


def _pending(inputs: Inputs, first: int) -> int:
    """The oldest turn before turn ``first`` whose facts may be still to come; that one where all of them are folded."""
    fold, ready, start = inputs.fold, inputs.ready, first - LOOKED_AT
    missing = fold.header.committed - ready if fold.header and ready is not None else 0
    for number in range(fold.last, max(start, 0), -1):
        if missing <= 0:
            break
        turn = fold.turns.get(number)
        missing -= turn is not None and turn.state == "committed" and turn.ordinal > (ready or 0)
    return first if missing <= 0 else start


def _doubtful(inputs: Inputs) -> list[int]:
    """The turns just before the mark of which nothing may be left, since what was asked in them is not."""
    if inputs.before is None or inputs.named is None:
        return []
    near = [one.turn for one in inputs.before.outline if one.turn >= inputs.mark - LOOKED_AT]
    return [turn for turn in near if (said := inputs.named.get(turn)) is None or said.erased]


def _committed(fold: Fold, start: int, end: int) -> Iterable[Turn]:
    """The committed turns from ``start`` to before ``end`` that are folded whole."""
    for number in range(max(start, fold.base, 1), end):
        turn = fold.turns.get(number)
        if turn is not None and turn.state == "committed":
            yield turn


def _erased_before(before: Recipe | None) -> int:
    return int(before.settings.get("erased", 0)) if before else 0
