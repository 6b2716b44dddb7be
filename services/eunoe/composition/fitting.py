"""The steps that make a draft fit its window, in order; each drops something or stops. Pure but for the draft."""

from __future__ import annotations

from eunoe.composition import excerpts
from eunoe.composition.budget import least
from eunoe.composition.draft import LEAST, NO_SUMMARY, Draft
from eunoe.composition.floor import Floor, Over
from eunoe.composition.summary import Summary
from eunoe.schemas import limits
from eunoe.schemas.context import LeftTurn


def fit(draft: Draft) -> bool:
    """Take away until the draft is at its goal; True when it is at its floor and still over.

    Raises `Over` when even the floor is larger than the window.
    """
    floor = False
    if draft.due:
        _reference_rounds(draft)
        if draft.due:
            _turns_leave(draft)
            _squeeze(draft)
            _rounds_leave(draft)
            _shrink(draft)
            floor = draft.over
    if draft.total > draft.settings.window:
        _last_resort(draft)
        floor = True
    return floor


def note(draft: Draft) -> str:
    """What is said at the floor, with the figures that a context does not show by itself."""
    window, budget = draft.settings.window, draft.budget
    beside = f"this request and what an average turn still needs ({budget.headroom:,} tokens)"
    kept = f" with the last {'turn' if draft.kept == 1 else _turns(draft.kept)} kept" if draft.kept else ""
    if draft.over and not draft.due:
        return f"context at its floor{kept}: it is above the {budget.goal:,} of {window:,} tokens that it was to have"
    if draft.over and budget.goal > 0:
        return (
            f"context at its floor{kept}: "
            f"it is above the {budget.goal:,} of {window:,} tokens that leave room for {beside}"
        )
    if draft.over:
        return f"context at its floor{kept}: {beside} leave no room for it within {budget.limit:,} of {window:,} tokens"
    return f"context at its floor{kept}: in {window:,} tokens the last turn had to leave it for {beside}"


def leaving(draft: Draft, used: int | None = None) -> int:
    """The fewest oldest turns whose leaving reaches the goal, as far as turns may leave; ``used``: once the context
    takes so many tokens."""
    stay = max(draft.kept, 0 if draft.in_rounds else 1)
    excess, count = (draft.used if used is None else used) - draft.budget.goal, 0
    while excess > 0 and len(draft.turns) - count > stay:
        excess -= draft.sizes[count]
        count += 1
    return count


def _reference_rounds(draft: Draft) -> None:
    """Outputs of the open turn's older rounds become references."""
    if draft.inputs.open is None or draft.rounds <= limits.WHOLE_ROUNDS or not draft.in_rounds or draft.older:
        return
    before = draft.tail
    draft.older = True
    draft.measure_tail()
    if draft.tail < before:
        draft.steps.append(f"referenced {draft.rounds - limits.WHOLE_ROUNDS} rounds")


def _turns_leave(draft: Draft) -> None:
    """The fewest oldest turns whose leaving reaches the goal; again while facts that came in put it back above."""
    while count := leaving(draft):
        draft.leave(count)
    if draft.left_now:
        draft.steps.append(f"left {_turns(draft.left_now)}")


def _squeeze(draft: Draft) -> None:
    """The blocks shrink to their least: few facts and no turn that left named, then no summary either."""
    if not draft.over:
        return
    before, facts, outline, summary = draft.blocks, draft.facts, draft.outline, draft.summary
    draft.squeeze(LEAST)
    if draft.over and summary:
        draft.squeeze(NO_SUMMARY)
    if draft.blocks >= before:
        draft.squeeze(0)
        return
    if draft.facts != facts:
        draft.steps.append("squeezed facts")
    _left_out(draft, outline, summary)


def _left_out(draft: Draft, outline: tuple[LeftTurn, ...], summary: Summary | None) -> None:
    """Note what was said of turns that left, and is no more."""
    if outline and not draft.outline:
        draft.steps.append("left the outline out")
    if summary and not draft.summary:
        draft.steps.append("left the summary out")


def _rounds_leave(draft: Draft) -> None:
    """The fewest oldest tool rounds of the turn that is left leave it; its last one stays."""
    gone = draft.dropped
    if not draft.over or draft.rounds - gone <= 1:
        return
    before = draft.used

    def fits(count: int) -> bool:
        draft.dropped = count
        draft.measure_tail()
        draft.measure_blocks()
        return not draft.over

    fits(least(gone + 1, draft.rounds - 1, fits))
    if draft.used >= before:
        fits(gone)
        return
    count = draft.dropped - gone
    draft.steps.append(f"left {count} rounds" if count > 1 else "left 1 round")


def _shrink(draft: Draft) -> None:
    """What is long in the turn that is left becomes excerpts, shorter and shorter."""
    if not draft.over or draft.last is None:
        return
    size, before = draft.settings.output, draft.used
    while draft.over and size > excerpts.SIZE_MIN:
        size = max(size // 2, excerpts.SIZE_MIN)
        draft.shrink = size
        draft.measure_tail()
    draft.measure_blocks()
    if draft.used < before:
        draft.steps.append(f"shortened to {size} bytes")
        return
    draft.shrink = 0
    draft.measure_tail()
    draft.measure_blocks()


def _last_resort(draft: Draft) -> None:
    """Over the window itself: the last turn that is over leaves too where it is not kept, then the outline goes, the
    summary, facts are held back, the session's state, and pinned facts last. A turn that is shorter than what is said
    of it leaves after all where that takes less room once the facts are held back."""
    _last_turn_leaves(draft)
    outline, summary = draft.outline, draft.summary
    if draft.total > draft.settings.window and draft.outline_bytes:
        draft.outline_bytes = 0
        draft.measure_blocks()
    if draft.total > draft.settings.window and draft.summary_bytes:
        draft.summary_bytes = 0
        draft.measure_blocks()
    _left_out(draft, outline, summary)
    while draft.total > draft.settings.window and draft.facts_bytes + draft.now_bytes:
        draft.facts_bytes, draft.now_bytes = draft.facts_bytes // 2, draft.now_bytes // 2
        draft.measure_blocks()
        if draft.facts.pinned_only:
            draft.facts_bytes = draft.now_bytes = 0
    if draft.total > draft.settings.window and draft.hold_back_state():
        draft.steps.append("held back the session's state")
    while draft.total > draft.settings.window and draft.pinned_bytes:
        draft.pinned_bytes //= 2
        draft.measure_blocks()
    if draft.total > draft.settings.window:
        _last_turn_leaves(draft)
    if draft.total > draft.settings.window:
        raise Over(_floor(draft))


def _last_turn_leaves(draft: Draft) -> None:
    gone = len(draft.turns) - draft.kept
    if gone and draft.leave_unless_larger(gone):
        draft.dropped, draft.shrink = (draft.dropped, draft.shrink) if draft.in_rounds else (0, 0)
        draft.measure_tail()
        draft.steps.append("left the last turn" if gone == 1 else f"left {gone} turns")


def _floor(draft: Draft) -> Floor:
    return Floor(
        window=draft.settings.window,
        alone=draft.alone,
        turns=draft.kept,
        kept=sum(draft.sizes[len(draft.sizes) - draft.kept :]),
        opened=draft.tail,
        earlier=draft.weight(draft.earlier_text),
        now=draft.weight(draft.now_text),
        total=draft.total,
        needed=draft.needed,
    )


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count} turns"
