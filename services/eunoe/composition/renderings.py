"""Which entries are shown in short, and how: the decisions for one turn. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from eunoe.composition import contents, cuts, hints
from eunoe.composition.contents import Item
from eunoe.composition.fold import Turn
from eunoe.composition.rounds import Round, tool_rounds
from eunoe.composition.showing import Renderings
from eunoe.schemas import limits
from eunoe.schemas.context import Rendering
from eunoe.schemas.events import Prompt, Response, ToolCall, ToolResult


def after(turn: Turn, output: int, memory_tool: bool) -> Renderings:
    """A turn that is over: outputs as references, long arguments described, copies of outputs cut; ``output`` bounds
    what is in pieces."""
    key = ("after", output, memory_tool)
    found: Renderings | None = turn.cache.get(key)
    if found is None:
        sources = [cuts.source(item) for item in turn.items if cuts.is_source(item)]
        all_of = (_after(turn, item, output, memory_tool, sources) for item in turn.items)
        found = turn.cache[key] = tuple(rendering for rendering in all_of if rendering)
    return found


def during(turn: Turn, output: int, memory_tool: bool, *, older: bool) -> Renderings:
    """A turn that is open: outputs over ``output`` bytes as excerpts, and with ``older`` those of
    all but its last rounds as references, with the long arguments of those rounds described."""
    key = ("during", output, memory_tool, older)
    found: Renderings | None = turn.cache.get(key)
    if found is None:
        old = _old(turn) if older else set()
        all_of = (_during(turn, item, output, memory_tool, old) for item in turn.items)
        found = turn.cache[key] = tuple(rendering for rendering in all_of if rendering)
    return found


def shrunk(turn: Turn, renderings: Renderings, size: int, *, asked: bool) -> Renderings:
    """Everything longer than ``size`` bytes as an excerpt of that size; not what is being asked (``asked``)."""
    how = {rendering.entry: rendering for rendering in renderings}
    all_of = (_shrunk(item, how.get(item.entry), size, asked) for item in turn.items)
    return tuple(rendering for rendering in all_of if rendering)


def _after(turn: Turn, item: Item, output: int, memory_tool: bool, sources: Iterable[cuts.Source]) -> Rendering | None:
    if isinstance(item.event, ToolResult):
        return _referenced(turn, item, item.event, memory_tool)
    if isinstance(item.event, ToolCall):
        return _described(item)
    if isinstance(item.event, Response) and item.event.blob is None:
        spans = cuts.cuts(contents.said(item.event), list(sources))
        return Rendering(entry=item.entry, how="cut", spans=spans) if spans else None
    return _in_pieces(item, output)


def _during(turn: Turn, item: Item, output: int, memory_tool: bool, old: set[int]) -> Rendering | None:
    if isinstance(item.event, ToolResult):
        if item.entry in old and (found := _referenced(turn, item, item.event, memory_tool)):
            return found
        return _short(item, output) if contents.size(item.event) > output else None
    if item.entry in old and isinstance(item.event, ToolCall):
        return _described(item)
    return _in_pieces(item, output)


def _referenced(turn: Turn, item: Item, result: ToolResult, memory_tool: bool) -> Rendering | None:
    """A reference, unless the output is no longer than its reference."""
    call = turn.call_of(item.entry)
    key = ("reference", item.entry, call.entry if call else 0, memory_tool)
    if key not in turn.kept:
        short = turn.reference(item, result, memory_tool)
        whole = contents.size(result, hints.recall_text(item.entry, memory_tool))
        longer = whole > len(short.encode())
        turn.kept[key] = Rendering(entry=item.entry, how="reference", size=limits.REFERENCE_BYTES) if longer else None
    found: Rendering | None = turn.kept[key]
    return found


def _described(item: Item) -> Rendering | None:
    """Arguments longer than a reference, with their long values described."""
    return _short(item, limits.REFERENCE_BYTES) if contents.size(item.event) > limits.REFERENCE_BYTES else None


def _in_pieces(item: Item, output: int) -> Rendering | None:
    """What is kept in pieces is not in its record whole."""
    return None if item.event.blob is None else _short(item, output)


def _short(item: Item, size: int) -> Rendering:
    """An entry in at most ``size`` bytes."""
    return Rendering(entry=item.entry, how="arguments" if isinstance(item.event, ToolCall) else "excerpt", size=size)


def _shrunk(item: Item, rendering: Rendering | None, size: int, asked: bool) -> Rendering | None:
    if (asked and isinstance(item.event, Prompt)) or (rendering is not None and rendering.how == "reference"):
        return rendering
    if contents.size(item.event) <= size:
        return rendering
    if rendering is not None and rendering.how == "cut":
        return Rendering(entry=item.entry, how="cut", size=size, spans=rendering.spans)
    if rendering is not None and rendering.how == "arguments" and rendering.size <= size:
        return rendering
    return _short(item, size)


def _old(turn: Turn) -> set[int]:
    """The calls and results of all but the last rounds."""
    old: list[Round] = tool_rounds(turn.steps)[: -limits.WHOLE_ROUNDS]
    return {item.entry for step in old for call in step.calls for item in (call.call, call.result) if item is not None}


def request_entry(turn: Turn) -> int:
    """The entry of an open turn that is its request, which is never shortened; 0 for none."""
    return next((item.entry for item in turn.items if isinstance(item.event, Prompt)), 0)
