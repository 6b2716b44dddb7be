"""What the log is told of a context: its recipe, what was done to make it fit, and what reached the model. Pure.

What was shortened is told once, when it is new against the last recipe of the profile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from eunoe.composition import blocks, contents
from eunoe.composition.render import Stored
from eunoe.composition.rounds import tool_rounds
from eunoe.schemas.context import Recipe
from eunoe.schemas.events import ContextComposed, ContextCondensed, ContextCut, ContextReferenced, Event, MemoryUsed


def events(recipe: Recipe, stored: Stored, before: Recipe | None = None) -> tuple[Event, ...]:
    """The events of one context; ``before`` is the last recipe of its profile."""
    found = (
        ContextComposed(recipe=recipe),
        _condensed(recipe, before),
        _referenced(recipe, before),
        _cut(recipe, stored, before),
        _used(recipe, stored),
    )
    return tuple(event for event in found if event is not None)


def _condensed(recipe: Recipe, before: Recipe | None) -> ContextCondensed | None:
    """What left or was shortened, unless the last context was made to fit in the very same way."""
    if not recipe.steps or (before is not None and _way(before) == _way(recipe)):
        return None
    numbers = recipe.settings
    after = len(recipe.turns)
    return ContextCondensed(
        context=recipe.id,
        turn=recipe.turn,
        turns_before=after + int(numbers["turns_left"]),
        turns_after=after,
        fill_before=int(numbers["fill_before"]),
        fill_after=int(numbers["fill_after"]),
        target=numbers["target"],
        goal=int(numbers["goal"]),
        headroom=int(numbers["headroom_tokens"]),
        steps=recipe.steps,
        floor=recipe.floor,
    )


def _way(recipe: Recipe) -> tuple[object, ...]:
    """How a context was made to fit."""
    return recipe.turn, recipe.steps, recipe.first_turn, recipe.dropped_rounds


def _referenced(recipe: Recipe, before: Recipe | None) -> ContextReferenced | None:
    known = {one.entry for one in before.renderings if one.how == "reference"} if before else set()
    new = sorted(one.entry for one in recipe.renderings if one.how == "reference" and one.entry not in known)
    if not new:
        return None
    return ContextReferenced(context=recipe.id, turn=recipe.turn, entries=tuple(blocks.spans(new)))


def _cut(recipe: Recipe, stored: Stored, before: Recipe | None) -> ContextCut | None:
    known = {(one.entry, one.spans) for one in before.renderings if one.spans} if before else set()
    sizes: Counter[tuple[int, int]] = Counter()
    new = {one.entry: one.spans for one in recipe.renderings if one.spans and (one.entry, one.spans) not in known}
    for reply, words in _said(stored, new):
        for start, end, output in new[reply]:
            sizes[reply, output] += len(words[start:end].encode())
    if not sizes:
        return None
    cuts = tuple((reply, output, size) for (reply, output), size in sorted(sizes.items()))
    return ContextCut(context=recipe.id, turn=recipe.turn, cuts=cuts)


def _said(stored: Stored, entries: Iterable[int]) -> Iterator[tuple[int, str]]:
    """The words of entries, by their numbers."""
    wanted = set(entries)
    for turn in stored.turns.values() if wanted else ():
        for item in turn.items:
            if item.entry in wanted:
                yield item.entry, contents.said(item.event)


def _used(recipe: Recipe, stored: Stored) -> MemoryUsed:
    """The facts, the summary and the entries that reached the model; of a turn that the outline names, its prompt
    did."""
    shown = [number for number in (*recipe.turns, recipe.turn) if number in stored.turns]
    entries = {item.entry for number in shown for item in stored.turns[number].items} - _dropped(recipe, stored)
    entries |= {*recipe.instructions, *(said.entry for said in stored.prompts.values())}
    facts = tuple(fact.id for fact in (*recipe.earlier, *recipe.now))
    spans = tuple(blocks.spans(sorted(entries)))
    summary = recipe.summary.position if recipe.summary else 0
    return MemoryUsed(context=recipe.id, turn=recipe.turn, facts=facts, entries=spans, summary=summary)


def _dropped(recipe: Recipe, stored: Stored) -> set[int]:
    """The entries of the rounds that left a turn."""
    turn = stored.turns.get(int(recipe.settings.get("rounds_of", 0)))
    if turn is None:
        return set()
    return {entry for step in tool_rounds(turn.steps)[: recipe.dropped_rounds] for entry in step.entries}
