"""What a past turn saw: composed again from its recipe, or reconstructed where there is none."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import structs

from eunoe.composition.bodies import Bodies
from eunoe.composition.contents import Item
from eunoe.composition.fold import Fold, Turn
from eunoe.composition.lines import Lines
from eunoe.composition.named import Named
from eunoe.composition.render import Rendered, Stored, render
from eunoe.composition.summary import told
from eunoe.composition.walking import Walker
from eunoe.facts.kinds import Kinds
from eunoe.runtime.chains import ChainReader, Head
from eunoe.runtime.doors import Store
from eunoe.schemas import limits, records
from eunoe.schemas.context import Recipe
from eunoe.schemas.errors import NotFound
from eunoe.schemas.events import (
    ContextComposed,
    Entry,
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
    its record and the entries that it showed. ``erased``: a recipe came after that one, and was erased."""

    head: Head
    opening: int
    agent: str = ""
    recipe: Recipe | None = None
    record: int = 0
    shown: frozenset[int] = frozenset()
    erased: bool = False


@dataclass(frozen=True, slots=True)
class Replayed:
    """A recipe carried out again. ``differs`` says in what the result is not what the model saw, if it is not."""

    rendered: Rendered
    stored: Stored
    differs: tuple[str, ...]


class Past:
    """Reads the past of threads."""

    def __init__(self, store: Store, kinds: Kinds, named: Named) -> None:
        self._log = store.log
        self._chains = ChainReader(store.log, store.space)
        self._walker = Walker(store.log, self._chains)
        self._lines = Lines(kinds)
        self._named = named

    async def find(self, chain: str, turn: int, nth: int = 0) -> Found:
        """Where a turn is, with its last context, or its ``nth``; raises `NotFound`."""
        head = await self._chains.head(chain)
        opening = await self._chains.first(head, lambda header: header.turns >= turn) if head and turn > 0 else 0
        if head is None or not opening:
            raise NotFound(f"there is no turn {turn} in this thread; it has {head.header.turns if head else 0}")
        recipe, number, shown, agent, erased = None, 0, frozenset[int](), "", False
        composed = 0
        async for record in self._walker.forward(head, max(opening - COMPOSED_BEFORE, 1)):
            erased = erased or _lost_recipe(record, turn)
            for event in record.events:
                if isinstance(event, ContextComposed) and event.recipe.turn == turn:
                    composed += 1
                    if nth not in (0, composed):
                        continue
                    recipe, number, shown, erased = event.recipe, record.header.record, _shown(record), False
                elif isinstance(event, TurnOpened) and event.turn == turn:
                    agent = event.agent
            if _closes(record, turn):
                break
        if nth > composed:
            raise NotFound(f"turn {turn} has no context {nth}; it has {composed}")
        return Found(head, opening, agent, recipe, number, shown, erased and not nth)

    async def replay(self, found: Found, recipe: Recipe, bodies: Bodies) -> Replayed:
        """Compose again what a recipe says, and compare the digest."""
        fold = await self._fold(found, recipe)
        wanted = {*recipe.turns, recipe.turn}
        turns = {number: turn for number, turn in fold.turns.items() if number in wanted}
        if recipe.turn in turns:
            turns[recipe.turn] = await bodies.turn(fold.thread, turns[recipe.turn], recipe.window)
        short = {one.entry for one in recipe.renderings}
        for number in set(recipe.turns) & turns.keys():
            turns[number] = await bodies.said(fold.thread, turns[number], recipe.window, short)
        instructions = await bodies.items(fold.thread, await self.instructions(recipe), recipe.window)
        prompts = await self._named.read(recipe.outline)
        made: list[tuple[Rendered, Stored]] = []
        named = await self._named_by(recipe)
        said = told(recipe.summary, named) if recipe.summary else None
        for lines in self._lines.of(recipe, named):
            stored = Stored(turns, instructions, lines, prompts, said)
            made.append((render(recipe, stored), stored))
            if made[-1][0].sha256 == recipe.sha256:
                return Replayed(*made[-1], ())
        return Replayed(*made[0], _differences(found, recipe, made[0][1]))

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

    async def _fold(self, found: Found, recipe: Recipe) -> Fold:
        """The thread up to the position that a recipe read, back to the oldest turn that it names."""
        fold = Fold(found.head.header.chain)
        first = min((*recipe.turns, recipe.turn))
        async for record in self._walker.backward(found.head, found.record):
            if record.position <= recipe.position:
                fold.add(record)
            if fold.header is not None and fold.base and fold.base <= first:
                break
        return fold

    async def instructions(self, recipe: Recipe) -> list[Item]:
        """The instructions that a recipe names, as far as they are still there."""
        stored = await self._log.get(sorted(set(recipe.instructions_at)))
        found = [
            Item(event, record.position, event.at or record.header.time)
            for record in (records.read(one.seq, one.data) for one in stored if one is not None)
            for event in record.events
            if isinstance(event, Entry) and event.entry in recipe.instructions
        ]
        return sorted(found, key=lambda item: item.entry)

    async def _named_by(self, recipe: Recipe) -> list[Record]:
        """The records of the facts that a recipe shows, of what the session carried, and of the summary, as far as they
        are there."""
        places = {fact.position for fact in (*recipe.earlier, *recipe.now, *filter(None, [recipe.state]))}
        places |= {recipe.summary.position} if recipe.summary else set()
        stored = await self._log.get(sorted(places)) if places else []
        return [records.read(one.seq, one.data) for one in stored if one is not None]


def _differences(found: Found, recipe: Recipe, stored: Stored) -> tuple[str, ...]:
    reasons = []
    if recipe.renderer != limits.RENDERER_VERSION:
        reasons.append(f"renderer {recipe.renderer} → {limits.RENDERER_VERSION}")
    items = [*(item for turn in stored.turns.values() for item in turn.items), *stored.instructions]
    present = {item.entry for item in items if not item.event.erased}
    present |= {said.entry for said in stored.prompts.values() if not said.erased}
    reasons += [f"erased: entry {entry}" for entry in sorted(found.shown - present)]
    facts = (*recipe.earlier, *recipe.now)
    reasons += [f"erased: fact {fact.id}" for fact in facts if fact.id not in stored.lines]
    if recipe.state and recipe.state.id not in stored.lines:
        reasons.append("erased: the session's state")
    if recipe.summary and stored.summary is None:
        reasons.append("erased: the summary")
    return tuple(reasons) or ("the stored content is not what it was; run `eunoe audit verify`",)


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
