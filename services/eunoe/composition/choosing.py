"""Which facts a context shows: as many as there is room for, in their order, pinned ones before all others. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from eunoe.composition.known import Known
from eunoe.composition.shelf import Facts
from eunoe.schemas import limits

PASSED_OVER = 32  # facts too long for the room that is left, after which nothing more is looked at


@dataclass(frozen=True, slots=True)
class Room:
    """Bytes of lines that the earlier block and the now block may hold, and pinned facts of both beside them."""

    earlier: int
    now: int
    pinned: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """The facts of the two blocks, and how many of each are not shown."""

    earlier: tuple[Known, ...] = ()
    now: tuple[Known, ...] = ()
    hidden: tuple[int, int] = (0, 0)

    @property
    def pinned_only(self) -> bool:
        return all(fact.pinned for fact in (*self.earlier, *self.now))


def choose(
    earlier: Facts,
    now: Facts,
    words: Callable[[], frozenset[str]],
    view: frozenset[int],
    room: Room,
    asked_for: Sequence[Known] = (),
) -> Chosen:
    """The facts to show: what turns in ``view`` do not say, and, of what is left, those ``asked_for`` and then those
    that share ``words``. What is not shown is counted by blocks, so that the earlier one does not change with what is
    asked.
    """
    first = within((fact for fact in earlier if not fact.said_by(view)), room.earlier, room.pinned)
    left = len(earlier) - sum(fact.said_by(view) for fact in earlier.of_turns(view)) - len(first)
    here = within(now, room.now, room.pinned - sum(fact.bytes for fact in first if fact.pinned))
    lacking = pinned_left_out(earlier, first) or pinned_left_out(now, here)
    shown = frozenset(fact.id for fact in first)
    bearing = _bearing(earlier, words(), shown, view, asked_for) if left and not lacking else ()
    beside = within(bearing, room.now - sum(fact.bytes for fact in here if not fact.pinned))
    return Chosen(first, (*here, *beside), (left, len(now) - len(here)))


def _bearing(
    earlier: Facts, words: frozenset[str], shown: frozenset[str], view: frozenset[int], asked_for: Sequence[Known]
) -> tuple[Known, ...]:
    """The facts that bear on a request and are not shown already, `limits.RELEVANT_FACTS` at most."""
    chosen = [fact for fact in asked_for if fact.id not in shown and not fact.said_by(view)]
    ids = {fact.id for fact in chosen}
    others = [fact for fact in earlier.bearing(words, shown, view) if fact.id not in ids] if words else []
    return tuple([*chosen, *others][: limits.RELEVANT_FACTS])


def within(facts: Iterable[Known], size: int, pinned: int = 0) -> tuple[Known, ...]:
    """As many facts, in order, as ``size`` bytes of lines hold, and beside them pinned ones in ``pinned`` bytes.

    `PASSED_OVER` that do not fit end it. Where a pinned one does not fit, only the task and other pinned ones do.
    """
    chosen: list[Known] = []
    room, passed, lacking = {True: pinned, False: size}, 0, False
    for fact in facts:
        if lacking and not (fact.task or fact.pinned):
            break
        if taken := fact.taking(room[fact.pinned]):
            chosen.append(fact)
            room[fact.pinned] -= taken
            continue
        lacking = lacking or fact.pinned
        if (passed := passed + 1) == PASSED_OVER:
            break
    return tuple(chosen)


def pinned_left_out(facts: Iterable[Known], chosen: Iterable[Known]) -> bool:
    """Whether a pinned fact is not among those that were chosen of these, which are in order."""
    shown = {fact.id for fact in chosen}
    leading = takewhile(lambda fact: fact.task or fact.pinned, facts)
    return any(fact.pinned and fact.id not in shown for fact in leading)
