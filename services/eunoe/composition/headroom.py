"""What an average turn of a thread still needs. Pure."""

from __future__ import annotations

from eunoe.composition import contents
from eunoe.composition.budget import headroom_most
from eunoe.composition.fold import Turn
from eunoe.composition.inputs import Inputs, Settings
from eunoe.schemas.events import Entry, Response, ToolCall, ToolResult


def headroom(inputs: Inputs, settings: Settings) -> int:
    """Tokens: the mean size of the newest turns, less what the open turn has used of it already."""
    count = settings.headroom
    newest = [turn for turn, _ in zip(inputs.fold.committed(), range(count), strict=False)] if count else []
    if not newest:
        return 0
    mean = sum(_own_tokens(turn, settings) for turn in newest) // len(newest)
    used = _own_tokens(inputs.open, settings) if inputs.open else 0
    return max(min(mean, headroom_most(settings.window)) - used, 0)


def _own_tokens(turn: Turn, settings: Settings) -> int:
    """What a turn takes while it is asked, beside its prompt: calls, outputs whole, and replies."""
    key = ("own", settings.output, settings.counter.name)
    found: int | None = turn.cache.get(key)
    if found is None:
        own = [item.event for item in turn.items if isinstance(item.event, Response | ToolCall | ToolResult)]
        found = turn.cache[key] = settings.counter.count(b"\n".join(_bounded(event, settings.output) for event in own))
    return found


def _bounded(event: Entry, output: int) -> bytes:
    """As much of an entry as is ever shown of an output. What is in pieces is in its record as head and tail."""
    text = contents.text(event) if event.blob is None else contents.said(event) + contents.tail(event)
    return text.encode()[:output]
