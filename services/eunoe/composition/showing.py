"""How entries become pieces of a request: each as its rendering says. Pure.

A rendering is decided by `eunoe.composition.renderings`; here it is carried out, and the result depends
on the entries and the rendering alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eunoe.composition import arguments, blocks, contents, cuts, excerpts, hints, marks
from eunoe.composition.contents import Item
from eunoe.composition.fold import Turn
from eunoe.composition.formats import SHAPES, Piece, Shape, ShownCall
from eunoe.composition.rounds import Call, Round, Said, Step, tool_rounds
from eunoe.schemas.context import Format, Rendering
from eunoe.schemas.events import ToolCall, ToolResult
from eunoe.schemas.labels import NO_RESULT, NO_RESULT_YET

ATTACHED_SHARE = 8  # of an excerpt, the part that may name attachments is one in so many

Renderings = tuple[Rendering, ...]


@dataclass(frozen=True, slots=True)
class Manner:
    """What every piece of one request has in common."""

    format: Format
    memory_tool: bool

    @property
    def shape(self) -> Shape:
        return SHAPES[self.format]


def turn_pieces(
    turn: Turn, renderings: Renderings, manner: Manner, *, drop: int = 0, live: bool = False
) -> Sequence[Piece]:
    """The pieces of a turn, without its ``drop`` oldest tool rounds, which a marker stands for.

    ``live``: the turn is open, so a call without a result still waits for it.
    """
    key = ("pieces", manner, renderings, drop, live)
    found: Sequence[Piece] | None = turn.cache.get(key)
    if found is None:
        found = turn.cache[key] = _turn_pieces(turn, renderings, manner, drop, live)
    return found


def _turn_pieces(turn: Turn, renderings: Renderings, manner: Manner, drop: int, live: bool) -> Sequence[Piece]:
    how = {rendering.entry: rendering for rendering in renderings}
    gone = tool_rounds(turn.steps)[:drop] if drop else []
    leaving = {step.first for step in gone}
    found: list[Piece] = []
    for step in turn.steps:
        if step.first not in leaving:
            found += step_pieces(turn, step, how, manner, live=live)
        elif step.first == gone[-1].first:
            found += manner.shape.derived(left_marker(turn, gone, manner))
    return tuple(found)


def step_pieces(
    turn: Turn, step: Step, how: Mapping[int, Rendering], manner: Manner, *, live: bool = False
) -> Sequence[Piece]:
    """The pieces of one step; kept with the turn, since most steps are the same in the next request."""
    entries = step.entries
    key = (manner, live, entries, tuple(how[entry] for entry in entries if entry in how))
    found: Sequence[Piece] | None = turn.kept.get(key)
    if found is None:
        found = turn.kept[key] = _step(turn, step, how, manner, live)
    return found


def _step(turn: Turn, step: Step, how: Mapping[int, Rendering], manner: Manner, live: bool) -> Sequence[Piece]:
    return _said(turn, step, how, manner) if isinstance(step, Said) else _round(turn, step, how, manner, live)


def shown_text(turn: Turn, item: Item, how: Mapping[int, Rendering], manner: Manner) -> str:
    """The text of one entry as its rendering says; of an erased one, that it is."""
    event, rendering = item.event, how.get(item.entry)
    if rendering is None or event.erased:
        return contents.text(event, hints.recall_text(item.entry, manner.memory_tool))
    if isinstance(event, ToolCall):
        return arguments.shorten(event, rendering.size, manner.memory_tool)
    if rendering.how == "reference" and isinstance(event, ToolResult):
        return turn.reference(item, event, manner.memory_tool)
    words = cuts.apply(contents.said(event), rendering.spans, turn.tools)
    return _bounded(turn, item, words, rendering.size, manner)


def _bounded(turn: Turn, item: Item, words: str, size: int, manner: Manner) -> str:
    """What is left of an entry's words, in ``size`` bytes with what names its attachments; as it is for a size of 0."""
    event, memory = item.event, manner.memory_tool
    way = hints.recall_text(item.entry, memory)
    if not size:
        lines = contents.attached(event, way)
        return contents.joined(words, lines) if lines else words
    lines = contents.attached(event, way, size // ATTACHED_SHARE)
    room = size - (len(lines.encode()) + 1 if lines else 0)
    shown = excerpts.shorten(words, event, room, excerpts.hint(event, memory, turn.tools.get(item.entry, "")))
    return contents.joined(shown, lines) if lines else shown


def _said(turn: Turn, step: Said, how: Mapping[int, Rendering], manner: Manner) -> Sequence[Piece]:
    text = shown_text(turn, step.item, how, manner)
    if not isinstance(step.item.event, ToolResult):
        return manner.shape.user(text)
    head = f"[output of entry {step.item.entry}, of {turn.tools[step.item.entry]}, without a call]"
    return manner.shape.derived(marks.label("output", f"{head}\n{text}"))


def _round(turn: Turn, step: Round, how: Mapping[int, Rendering], manner: Manner, live: bool) -> Sequence[Piece]:
    texts = [shown_text(turn, item, how, manner) for item in step.texts]
    said = "\n\n".join(text for text in texts if text.strip())
    return manner.shape.round(said, [_call(turn, call, how, manner, live) for call in step.calls])


def _call(turn: Turn, call: Call, how: Mapping[int, Rendering], manner: Manner, live: bool) -> ShownCall:
    event = call.call.event
    assert isinstance(event, ToolCall)
    given = shown_text(turn, call.call, how, manner)
    failed, result = not live, NO_RESULT_YET if live else NO_RESULT
    if call.result is not None and isinstance(call.result.event, ToolResult):
        failed, result = call.result.event.status == "failed", shown_text(turn, call.result, how, manner)
    return ShownCall(call.call.entry, marks.clean(event.tool), given, result, failed)


def left_marker(turn: Turn, gone: Sequence[Round], manner: Manner) -> str:
    """What stands for the tool rounds that left a turn."""
    entries = [entry for step in gone for entry in step.entries]
    return blocks.dropped(len(gone), (min(entries), max(entries)), hints.recall_turn(turn.number, manner.memory_tool))
