"""The list of turns: what each was, and what its composition changed."""

from __future__ import annotations

from collections.abc import Iterable

from eunoe.composition.contents import text
from eunoe.composition.fold import Fold, Turn
from eunoe.composition.walking import Walker
from eunoe.runtime.chains import ChainReader
from eunoe.schemas.context import Recipe
from eunoe.schemas.errors import Invalid
from eunoe.schemas.events import ContextComposed, Prompt
from eunoe.schemas.records import Record
from eunoe.schemas.requests import TurnLine, TurnsReply, TurnsRequest

PAGE = 1_000  # turns of one reply
PROMPT_LENGTH = 200  # characters of a prompt


async def turn_lines(chains: ChainReader, walker: Walker, chain: str, request: TurnsRequest) -> TurnsReply:
    """The turns after turn ``after``, in order, ``limit`` at most."""
    if not 1 <= request.limit <= PAGE or request.after < 0:
        raise Invalid(f"a page has 1 to {PAGE} turns; ask for the next one with after")
    head = await chains.head(chain)
    if head is None or head.header.turns <= request.after:
        return TurnsReply(turns=())
    last = min(request.after + request.limit, head.header.turns)
    fold, recipes = Fold(chain), dict[int, Recipe]()
    start = await chains.first(head, lambda header: header.turns >= max(request.after, 1))
    async for record in walker.forward(head, start):
        fold.add(record)
        recipes.update(_recipes(record))
        if _past(record, request.after, last):
            break
    turns = [fold.turns[number] for number in range(request.after + 1, last + 1) if number in fold.turns]
    lines = tuple(line(turn, recipes.get(turn.number), recipes.get(turn.number - 1)) for turn in turns)
    return TurnsReply(turns=lines, more=last < head.header.turns)


def line(turn: Turn, recipe: Recipe | None, before: Recipe | None) -> TurnLine:
    """One turn, with what its recipe (its last one) changed against the one before."""
    entries = [item.entry for item in turn.items]
    prompt = next((text(item.event) for item in turn.items if isinstance(item.event, Prompt)), "")
    return TurnLine(
        turn=turn.number,
        state=turn.state,
        time=turn.time,
        prompt=" ".join(prompt[: 2 * PROMPT_LENGTH].split())[:PROMPT_LENGTH],
        entries=(min(entries), max(entries)) if entries else (0, 0),
        agent=turn.agent,
        session=turn.session,
        composed=recipe is not None,
        tokens=recipe.tokens if recipe else 0,
        window=recipe.window if recipe else 0,
        changes=tuple(changes(recipe, before)) if recipe else (),
    )


def changes(recipe: Recipe, before: Recipe | None) -> Iterable[str]:
    """What was shown in short for the first time, what left to fit, and whether that was enough."""
    known = {(one.entry, one.how) for one in before.renderings} if before else set()
    new = [one for one in recipe.renderings if (one.entry, one.how) not in known]
    for how, what in (("reference", "referenced"), ("cut", "cut"), ("excerpt", "shortened")):
        entries = [one.entry for one in new if one.how == how]
        if len(entries) == 1:
            yield f"{what} entry {entries[0]}"
        elif entries:
            yield f"{what} {len(entries)} entries from {entries[0]} to {entries[-1]}"
    yield from recipe.steps
    if recipe.floor:
        yield "at its floor"


def _recipes(record: Record) -> dict[int, Recipe]:
    return {event.recipe.turn: event.recipe for event in record.events if isinstance(event, ContextComposed)}


def _past(record: Record, after: int, last: int) -> bool:
    """Whether every wanted turn was opened and closed by now."""
    opened = [turn.turn for turn in record.header.open.values()]
    return record.header.turns >= last and not any(after < number <= last for number in opened)
