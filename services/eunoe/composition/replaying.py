"""A recipe of a past turn carried out again, and in what the result is not what the model saw."""

from __future__ import annotations

from dataclasses import dataclass

from eunoe.composition.bodies import Bodies
from eunoe.composition.contents import Item
from eunoe.composition.fold import Fold
from eunoe.composition.lines import Lines
from eunoe.composition.named import Named
from eunoe.composition.past import Found
from eunoe.composition.render import Rendered, Stored, render
from eunoe.composition.summary import told
from eunoe.composition.walking import Walker
from eunoe.facts.kinds import Kinds
from eunoe.runtime.doors import Log
from eunoe.schemas import limits, records
from eunoe.schemas.context import Recipe
from eunoe.schemas.events import Entry
from eunoe.schemas.records import Record


@dataclass(frozen=True, slots=True)
class Replayed:
    """A recipe carried out again. ``differs`` says in what the result is not what the model saw, if it is not."""

    rendered: Rendered
    stored: Stored
    differs: tuple[str, ...]


class Replayer:
    """Composes contexts again from their recipes."""

    def __init__(self, log: Log, walker: Walker, kinds: Kinds, named: Named, bodies: Bodies) -> None:
        self._log = log
        self._walker = walker
        self._lines = Lines(kinds)
        self._named = named
        self._bodies = bodies

    async def replay(self, found: Found, recipe: Recipe) -> Replayed:
        """Compose again what a recipe says, and compare the digest."""
        fold = await self._fold(found, recipe)
        wanted = {*recipe.turns, recipe.turn}
        turns = {number: turn for number, turn in fold.turns.items() if number in wanted}
        if recipe.turn in turns:
            turns[recipe.turn] = await self._bodies.turn(fold.thread, turns[recipe.turn], recipe.window)
        short = {one.entry for one in recipe.renderings}
        for number in set(recipe.turns) & turns.keys():
            turns[number] = await self._bodies.said(fold.thread, turns[number], recipe.window, short)
        instructions = await self._bodies.items(fold.thread, await self._instructions(recipe), recipe.window)
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

    async def _instructions(self, recipe: Recipe) -> list[Item]:
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
    """What a recipe was made of and is no more, or is written otherwise now."""
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
