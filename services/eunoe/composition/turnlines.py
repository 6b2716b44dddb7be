"""The list of turns: what each was, and what its composition changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from eunoe.composition.changes import Changed, changes
from eunoe.composition.contents import text
from eunoe.composition.drawing import Versions, drawn
from eunoe.composition.fold import TurnState
from eunoe.composition.past import COMPOSED_BEFORE
from eunoe.composition.profiles import Profile, profile
from eunoe.composition.walking import Walker
from eunoe.runtime.chains import ChainReader, Head
from eunoe.schemas.context import Recipe, Watermark
from eunoe.schemas.errors import Invalid
from eunoe.schemas.events import (
    ContextComposed,
    Event,
    Prompt,
    Response,
    ToolCall,
    ToolResult,
    TurnAborted,
    TurnCommitted,
    TurnOpened,
)
from eunoe.schemas.records import Record
from eunoe.schemas.requests import SummaryDocument, ThreadState, TurnLine, TurnsReply, TurnsRequest

PAGE = 1_000  # turns of one reply
PROMPT_LENGTH = 200  # characters of a prompt
Extraction = Literal["", "pending", "extracted", "failed"]
LOOKED_BACK = 512  # records before a page that are looked through for the last recipe of a profile


@dataclass(slots=True)
class Told:
    """One turn as far as the list tells it: no content but the beginning of its prompt."""

    number: int
    state: TurnState = "open"
    ordinal: int = 0
    time: int = 0
    agent: str = ""
    session: str = ""
    prompt: str | None = None
    entries: tuple[int, int] = (0, 0)
    contexts: int = 0
    last: Profile | None = None
    changed: dict[Profile, Changed] = field(default_factory=dict)
    drawn: list[str] = field(default_factory=list)

    def add(self, event: Event, record: Record) -> None:
        """Take in an event of this turn."""
        match event:
            case TurnOpened():
                self.agent, self.session, self.time = event.agent, event.session, event.at or record.header.time
            case TurnCommitted():
                self.state, self.ordinal = "committed", event.ordinal
            case TurnAborted():
                self.state = "aborted"
            case Prompt() | Response() | ToolCall() | ToolResult():
                first, last = self.entries
                self.entries = (min(first or event.entry, event.entry), max(last, event.entry))
                if isinstance(event, Prompt) and self.prompt is None:
                    self.prompt = " ".join(text(event)[: 2 * PROMPT_LENGTH].split())[:PROMPT_LENGTH]
            case _:
                pass

    def line(self, known: ThreadState | None) -> TurnLine:
        """The line of the list; its figures are those of the turn's last context. ``known`` is the thread's state."""
        facts, failure = facts_of(self.ordinal, known)
        changed = self.changed[self.last] if self.last else None
        recipe = changed.last if changed else None
        return TurnLine(
            turn=self.number,
            state=self.state,
            time=self.time,
            prompt=self.prompt or "",
            entries=self.entries,
            ordinal=self.ordinal,
            facts=facts,
            failure=failure,
            agent=self.agent,
            session=self.session,
            composed=recipe is not None,
            tokens=recipe.tokens if recipe else 0,
            window=recipe.window if recipe else 0,
            format=recipe.format if recipe else "",
            counter=recipe.counter if recipe else "",
            model=recipe.model if recipe else "",
            layers=recipe.layers if recipe else {},
            bytes=recipe.bytes if recipe else 0,
            before=recipe.before if recipe else "",
            stable=recipe.stable if recipe else 0,
            contexts=self.contexts,
            changes=(*(changes(changed) if changed else ()), *self.drawn),
        )


class Listing:
    """The turns after ``after`` up to ``last`` as their records go by, in order; ``versions`` are those of the summary
    that are known."""

    def __init__(self, after: int, last: int, versions: Versions) -> None:
        self._after = after
        self._last = last
        self._versions = versions
        self._turns: dict[int, Told] = {}
        self._recipes: dict[Profile, Recipe] = {}

    def add(self, record: Record) -> bool:
        """Take in the next record; False once every wanted turn was opened and closed, and another one was opened."""
        for event in record.events:
            if isinstance(event, ContextComposed):
                self._composed(event.recipe, record)
            elif self._wanted(number := getattr(event, "turn", 0)):
                self._turn(number).add(event, record)
        newest = record.header.turns
        if self._wanted(newest) and (found := drawn(record, self._versions)):
            self._turn(newest).drawn += found
        opened = (turn.turn for turn in record.header.open.values())
        return newest <= self._last or any(self._wanted(number) for number in opened)

    def lacking(self) -> dict[Profile, Changed]:
        """The first contexts of each profile, while nothing of that profile was read before them."""
        changed = [item for turn in self._turns.values() for item in turn.changed.items()]
        return {key: one for key, one in changed if one.before is None}

    def lines(self, known: ThreadState | None) -> tuple[TurnLine, ...]:
        return tuple(self._turns[number].line(known) for number in sorted(self._turns) if self._turns[number].time)

    def _composed(self, recipe: Recipe, record: Record) -> None:
        key = profile(recipe)
        if self._wanted(recipe.turn):
            turn = self._turn(recipe.turn)
            turn.contexts, turn.last = turn.contexts + 1, key
            changed = turn.changed.setdefault(key, Changed(recipe, self._recipes.get(key)))
            changed.add(recipe, record.events)
        self._recipes[key] = recipe

    def _turn(self, number: int) -> Told:
        return self._turns.setdefault(number, Told(number))

    def _wanted(self, number: int) -> bool:
        return self._after < number <= self._last


def facts_of(ordinal: int, known: ThreadState | None) -> tuple[Extraction, str]:
    """How far the facts of a committed turn are, by its thread's state, and why some of them failed."""
    if not ordinal:
        return "", ""
    if known is None or known.extracted < ordinal:
        return "pending", ""
    failure = next((reason for failed, reason in known.failed if failed == ordinal), None)
    return ("extracted", "") if failure is None else ("failed", failure)


async def turn_lines(
    chains: ChainReader,
    walker: Walker,
    chain: str,
    request: TurnsRequest,
    summary: SummaryDocument | None,
    known: ThreadState | None,
) -> TurnsReply:
    """The turns after turn ``after``, in order, ``limit`` at most; ``summary`` and ``known`` are the thread's."""
    if not 1 <= request.limit <= PAGE or request.after < 0:
        raise Invalid(f"a page has 1 to {PAGE} turns; ask for the next one with after")
    head = await chains.head(chain, fresh=bool(request.wait))
    if head is None or head.header.turns <= request.after:
        return TurnsReply(turns=(), watermark=Watermark(log=head.position if head else 0))
    last = min(request.after + request.limit, head.header.turns)
    listing = Listing(request.after, last, Versions(summary))
    opening = await chains.first(head, lambda header: header.turns >= request.after + 1)
    start = max(opening - COMPOSED_BEFORE, 1)
    async for record in walker.forward(head, start):
        if not listing.add(record):
            break
    await _look_back(walker, head, start - 1, listing.lacking())
    watermark = Watermark(log=head.position)
    return TurnsReply(turns=listing.lines(known), more=last < head.header.turns, watermark=watermark)


async def _look_back(walker: Walker, head: Head, end: int, lacking: dict[Profile, Changed]) -> None:
    """Find what came last before the page in each profile that lacks it; what is not found is not known."""
    if not lacking or end < 1:
        return
    async for record in walker.backward(head, end):
        for recipe in _recipes(record):
            if changed := lacking.pop(profile(recipe), None):
                changed.before = recipe
        if not lacking or record.header.record <= end - LOOKED_BACK:
            break
    else:
        return
    for changed in lacking.values():
        changed.known = False


def _recipes(record: Record) -> Iterator[Recipe]:
    """The recipes of a record, newest first."""
    return (event.recipe for event in reversed(record.events) if isinstance(event, ContextComposed))
