"""What the contexts of a turn changed: a line for each kind of change, in a fixed order. Pure.

What the log says of a context (`context.condensed` and the like) is told as it says it. Of a recipe from before it said
so, what it names is compared with the last recipe of its profile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from eunoe.composition.blocks import spans
from eunoe.schemas.context import Recipe
from eunoe.schemas.events import ContextCondensed, ContextCut, ContextReferenced, ContextRefused, Event

SPANS_NAMED = 4  # spans of entries that one line names; of more, only the first and the last entry


@dataclass(slots=True)
class Changed:
    """The contexts of one turn in one profile: the last recipe of that profile before them (None: there was none, or
    it is not ``known``), their own last one, and what their records say beside the recipes. The first ``recounted`` of
    those that were ``condensed`` came before a refusal, by whose count the others are reckoned."""

    last: Recipe
    before: Recipe | None = None
    known: bool = True
    told: bool = False
    steps: list[str] = field(default_factory=list)
    condensed: list[ContextCondensed] = field(default_factory=list)
    recounted: int = 0
    referenced: set[int] = field(default_factory=set)
    cuts: dict[tuple[int, int], int] = field(default_factory=dict)
    refused: list[ContextRefused] = field(default_factory=list)

    def add(self, recipe: Recipe, events: Iterable[Event]) -> None:
        """Take in the next context with the events of its record."""
        self.last = recipe
        self.steps += [step for step in recipe.steps if step not in self.steps]
        for event in events:
            match event:
                case ContextCondensed():
                    self.condensed.append(event)
                case ContextReferenced():
                    self.referenced.update(number for one in event.entries for number in range(one[0], one[1] + 1))
                case ContextCut():
                    self.cuts.update({(reply, output): size for reply, output, size in event.cuts})
                case ContextRefused():
                    self.refused.append(event)
                    self.recounted = len(self.condensed)
                case _:
                    continue
            self.told = True

    def new(self, how: str) -> list[int]:
        """The entries that are rendered so, and were not before; none while it is not known what was before."""
        if not self.known:
            return []
        old = {one.entry for one in self.before.renderings if one.how == how} if self.before else set()
        return [one.entry for one in self.last.renderings if one.how == how and one.entry not in old]


def changes(turn: Changed) -> tuple[str, ...]:
    """What a turn's contexts changed, each kind of change once."""
    return tuple(line for lines in ORDER for line in lines(turn))


def _condensed(turn: Changed) -> Iterator[str]:
    """What left or was shortened to fit, with the turns and the fill before the first time and after the last."""
    if not turn.condensed:
        if turn.steps:
            yield f"condensed: {', '.join(turn.steps)}"
        return
    first, last = turn.condensed[0], turn.condensed[-1]
    times = f" {len(turn.condensed)} times," if len(turn.condensed) > 1 else ""
    gone = first.turns_before - last.turns_after
    turns = f" from {_turns(first.turns_before)} to {last.turns_after}," if gone else ""
    steps = ", ".join(dict.fromkeys(step for one in turn.condensed for step in one.steps))
    counts = f"{first.fill_before:,} to {last.fill_after:,} tokens"
    if 0 < turn.recounted < len(turn.condensed):
        counts = f"{first.fill_before:,} tokens to {last.fill_after:,} by the provider's count"
    fill = f"condensed{times}{turns} from {counts}"
    yield f"{fill}: {steps}" if steps else fill


def _referenced(turn: Changed) -> Iterator[str]:
    entries = sorted(turn.referenced) if turn.told else turn.new("reference")
    if entries:
        yield f"referenced {named(entries)}"


def _cut(turn: Changed) -> Iterator[str]:
    entries = sorted({reply for reply, _ in turn.cuts}) if turn.told else turn.new("cut")
    size = sum(turn.cuts.values())
    if entries:
        yield f"cut {named(entries)}" + (f": {size:,} bytes that copy outputs" if size else "")


def _shortened(turn: Changed) -> Iterator[str]:
    if entries := turn.new("excerpt"):
        yield f"shortened {named(entries)}"


def _arguments(turn: Changed) -> Iterator[str]:
    if entries := turn.new("arguments"):
        yield f"held back arguments of {named(entries)}"


def _pending(turn: Changed) -> Iterator[str]:
    if turn.last.pending:
        yield f"pending: the facts of {named(turn.last.pending, 'turn', 'turns')}"


def _refused(turn: Changed) -> Iterator[str]:
    for one in turn.refused:
        yield f"refused: {one.context} was {one.tokens:,} tokens to its provider; composed again, by its count"
    if turn.last.refused and turn.last.refused not in {one.context for one in turn.refused}:
        yield f"refused: {turn.last.refused} was too long for its provider; composed again"


def _floor(turn: Changed) -> Iterator[str]:
    if turn.last.floor:
        yield "at its floor"


ORDER: tuple[Callable[[Changed], Iterator[str]], ...] = (
    _condensed,
    _referenced,
    _cut,
    _shortened,
    _arguments,
    _pending,
    _refused,
    _floor,
)
"""The kinds of changes in the order in which they are told; a further kind has its place here."""


def named(numbers: Sequence[int], what: str = "entry", many: str = "entries") -> str:
    """``entry 3``, ``entries 3-7, 9``; of many spans, how many entries from which to which. Ascending."""
    return spanned(spans(numbers), what, many)


def spanned(found: Sequence[tuple[int, int]], what: str, many: str) -> str:
    """The same of spans."""
    count = sum(last - first + 1 for first, last in found)
    if count == 1:
        return f"{what} {found[0][0]}"
    if len(found) > SPANS_NAMED:
        return f"{count} {many} from {found[0][0]} to {found[-1][1]}"
    return f"{many} " + ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in found)


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count} turns"
