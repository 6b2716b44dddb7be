"""A recipe carried out: a pure function of the recipe and of what is stored. Pure.

So a context that a model saw is composed again by reading what its recipe names and rendering it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from eunoe.composition import blocks, contents, outline
from eunoe.composition.budget import outline_bytes
from eunoe.composition.contents import Item
from eunoe.composition.fold import Turn
from eunoe.composition.formats import Piece
from eunoe.composition.outline import Asked
from eunoe.composition.rounds import tool_rounds
from eunoe.composition.showing import Manner, Renderings, turn_pieces
from eunoe.composition.summary import Summary
from eunoe.schemas.context import LayerName, Recipe, Rendering


@dataclass(frozen=True, slots=True)
class Stored:
    """What a recipe names: ``turns`` by number (the asking one too), the instructions, the lines of
    facts and of the session's state by their ids, what was asked in the turns of the outline by turn, and the
    summary, None where that is gone."""

    turns: Mapping[int, Turn]
    instructions: Sequence[Item]
    lines: Mapping[str, str]
    prompts: Mapping[int, Asked] = field(default_factory=dict)
    summary: Summary | None = None


@dataclass(frozen=True, slots=True)
class Rendered:
    """``messages`` is JSON, ``system`` text. ``layers`` are pieces, in order."""

    messages: bytes
    system: str
    layers: tuple[tuple[LayerName, Sequence[Piece]], ...]

    @property
    def data(self) -> bytes:
        """The bytes that are measured and digested."""
        return self.messages + (b"\n" + self.system.encode() if self.system else b"")

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


def render(recipe: Recipe, stored: Stored) -> Rendered:
    """The request that a recipe stands for."""
    manner = Manner(recipe.format, recipe.memory_tool)
    texts = [contents.text(item.event) for item in stored.instructions]
    parts: list[tuple[LayerName, Sequence[Piece]]] = [
        ("earlier", _earlier(recipe, stored, manner)),
        ("literal", _literal(recipe, stored, manner)),
        ("now", _now(recipe, stored.lines, manner)),
        ("request", _request(recipe, stored, manner)),
    ]
    if not any(pieces for _, pieces in parts):
        parts[-1] = ("request", manner.shape.user(""))
    messages, system = manner.shape.request(texts, [piece for _, pieces in parts for piece in pieces])
    alone, apart = manner.shape.request(texts, ())
    instructions = (Piece("system", alone + apart.encode()),) if texts else ()
    return Rendered(messages, system, (("instructions", instructions), *parts))


def _earlier(recipe: Recipe, stored: Stored, manner: Manner) -> Sequence[Piece]:
    text = blocks.earlier(
        [stored.lines[fact.id] for fact in recipe.earlier if fact.id in stored.lines],
        recipe.earlier_hidden,
        left=recipe.left,
        erased=recipe.erased,
        first_turn=recipe.first_turn,
        pending=recipe.pending,
        memory_tool=recipe.memory_tool,
        summary=stored.summary.lines if stored.summary else (),
        outline=outline.lines(recipe.outline, stored.prompts, outline_bytes(recipe.window)),
        outline_hidden=recipe.outline_hidden,
    )
    return manner.shape.derived(text) if text else ()


def _now(recipe: Recipe, lines: Mapping[str, str], manner: Manner) -> Sequence[Piece]:
    state = lines.get(recipe.state.id, "") if recipe.state else ""
    text = blocks.now(
        [lines[fact.id] for fact in recipe.now if fact.id in lines], recipe.now_hidden, state, recipe.tools
    )
    return manner.shape.derived(text) if text else ()


def _literal(recipe: Recipe, stored: Stored, manner: Manner) -> Sequence[Piece]:
    dropping = 0 if _in_rounds(recipe, stored) or not recipe.turns else recipe.turns[-1]
    how = {one.entry: one for one in recipe.renderings}
    found: list[Piece] = []
    for number in recipe.turns:
        turn = stored.turns.get(number)
        if turn is not None:
            drop = recipe.dropped_rounds if number == dropping else 0
            found += turn_pieces(turn, _of(turn, how), manner, drop=drop)
    return found


def _request(recipe: Recipe, stored: Stored, manner: Manner) -> Sequence[Piece]:
    asked = manner.shape.user(recipe.request) if recipe.request else ()
    turn = stored.turns.get(recipe.turn)
    if turn is None:
        return asked
    drop = recipe.dropped_rounds if _in_rounds(recipe, stored) else 0
    how = {one.entry: one for one in recipe.renderings}
    return [*asked, *turn_pieces(turn, _of(turn, how), manner, drop=drop, live=True)]


def _in_rounds(recipe: Recipe, stored: Stored) -> bool:
    turn = stored.turns.get(recipe.turn)
    return turn is not None and bool(tool_rounds(turn.steps))


def _of(turn: Turn, how: Mapping[int, Rendering]) -> Renderings:
    """The renderings of one turn's entries."""
    return tuple(how[item.entry] for item in turn.items if item.entry in how)
