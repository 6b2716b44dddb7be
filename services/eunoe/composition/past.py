"""Where a past turn is in the log, with its recipes, and the thread as it was when that turn had only been asked."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import structs

from eunoe.composition.fold import Fold, Turn
from eunoe.composition.walking import Walker
from eunoe.runtime.chains import ChainReader, Head
from eunoe.schemas.context import Assessment, Recipe
from eunoe.schemas.errors import NotFound
from eunoe.schemas.events import (
    ContextAssessed,
    ContextComposed,
    Erased,
    MemoryUsed,
    Prompt,
    TurnAborted,
    TurnCommitted,
    TurnOpened,
)
from eunoe.schemas.records import Record

_COMPOSED = ContextComposed.__struct_config__.tag
COMPOSED_BEFORE = 8  # records before a turn's opening that may hold the recipe it was asked with


@dataclass(frozen=True, slots=True)
class Found:
    """A turn as the log has it: the number of its opening record, the agent that asked, and its last recipe with
    its record, the entries that it showed, and what was decided about its request. ``erased``: a recipe came after that
    one, and was erased."""

    head: Head
    opening: int
    agent: str = ""
    recipe: Recipe | None = None
    record: int = 0
    shown: frozenset[int] = frozenset()
    assessment: Assessment | None = None
    erased: bool = False


class Past:
    """Reads the past of threads."""

    def __init__(self, chains: ChainReader, walker: Walker) -> None:
        self._chains = chains
        self._walker = walker

    async def find(self, chain: str, turn: int, nth: int = 0) -> Found:
        """Where a turn is, with its last context, or its ``nth``; raises `NotFound`."""
        head = await self._chains.head(chain)
        opening = await self._chains.first(head, lambda header: header.turns >= turn) if head and turn > 0 else 0
        if head is None or not opening:
            raise NotFound(f"there is no turn {turn} in this thread; it has {head.header.turns if head else 0}")
        recipe, number, shown, agent, erased = None, 0, frozenset[int](), "", False
        composed, decided, assessment = 0, None, None
        async for record in self._walker.forward(head, max(opening - COMPOSED_BEFORE, 1)):
            erased = erased or _lost_recipe(record, turn)
            for event in record.events:
                if isinstance(event, ContextComposed) and event.recipe.turn == turn:
                    composed += 1
                    if nth not in (0, composed):
                        continue
                    recipe, number, shown, erased = event.recipe, record.header.record, _shown(record), False
                    assessment = decided
                elif isinstance(event, ContextAssessed) and event.turn == turn:
                    decided = event.assessment
                elif isinstance(event, TurnOpened) and event.turn == turn:
                    agent = event.agent
            if _closes(record, turn):
                break
        if nth > composed:
            raise NotFound(f"turn {turn} has no context {nth}; {_counted(composed)}")
        return Found(head, opening, agent, recipe, number, shown, assessment, erased and not nth)

    async def before(self, found: Found, turn: int) -> tuple[Fold, Turn]:
        """The thread as it was when a turn had only been asked: its fold, and the turn with its first prompts."""
        fold = Fold(found.head.header.chain)
        asked = Turn(turn)
        async for record in self._walker.forward(found.head, found.opening):
            fold.add(record)
            asked = fold.turns[turn]
            if _asked(asked) or _closes(record, turn):
                break
        if (
            asked.state == "committed" and fold.header is not None
        ):  # a record may hold a turn from its prompt to its end
            fold.header = structs.replace(fold.header, committed=fold.header.committed - 1)
        fold.turns[turn] = only = _only_prompts(asked)
        return fold, only


def _counted(composed: int) -> str:
    """How many contexts a turn has; where it has none, what to ask for instead."""
    return f"it has {composed}" if composed else "none was composed here; without a number it is reconstructed"


def _shown(record: Record) -> frozenset[int]:
    """The entries that reached the model, as the record of a recipe says."""
    used = [event for event in record.events if isinstance(event, MemoryUsed)]
    return frozenset(entry for one in used for first, last in one.entries for entry in range(first, last + 1))


def _lost_recipe(record: Record, turn: int) -> bool:
    """Whether a recipe of a turn stood here and was erased; what it used is named beside it."""
    used = any(isinstance(event, MemoryUsed) and event.turn == turn for event in record.events)
    return used and any(isinstance(event, Erased) and event.kind == _COMPOSED for event in record.events)


def _closes(record: Record, turn: int) -> bool:
    return any(isinstance(event, TurnCommitted | TurnAborted) and event.turn == turn for event in record.events)


def _asked(turn: Turn) -> bool:
    return any(isinstance(item.event, Prompt) for item in turn.items)


def _only_prompts(turn: Turn) -> Turn:
    """The turn as it was before anything was answered."""
    count = next((at for at, item in enumerate(turn.items) if not isinstance(item.event, Prompt)), len(turn.items))
    asked = Turn(
        turn.number,
        key=turn.key,
        agent=turn.agent,
        session=turn.session,
        preview=turn.preview,
        time=turn.time,
        whole=True,
    )
    asked.items.extend(turn.items[:count])
    return asked
