"""What a context is composed for: the request, and the open turn around it. Pure."""

from __future__ import annotations

from eunoe.composition import contents, renderings
from eunoe.composition.fold import Turn
from eunoe.composition.formats.shape import GO_ON
from eunoe.composition.inputs import Inputs, Settings
from eunoe.composition.rounds import Said, tool_rounds
from eunoe.schemas.events import Response


def asked(inputs: Inputs) -> str:
    """The text of the request, empty for none."""
    entry = renderings.request_entry(inputs.open) if inputs.open else 0
    items = inputs.open.items if inputs.open else []
    return next((contents.text(item.event) for item in items if item.entry == entry), "") or inputs.request


def in_rounds(opened: Turn | None) -> bool:
    """Whether an open turn has come to tool rounds or replies, so that it is the turn that stays."""
    if opened is None:
        return False
    return bool(tool_rounds(opened.steps)) or any(isinstance(item.event, Response) for item in opened.items)


def fixed(inputs: Inputs, settings: Settings) -> int:
    """Tokens of the instructions, and of what is said for the user where the first or the last word is the model's."""
    texts = [contents.text(item.event) for item in inputs.instructions]
    shape = settings.manner.shape
    messages, system = shape.request(texts, ())
    said = [shape.begin] if shape.begin else []
    said += [] if _asks(inputs) else [GO_ON]
    beside = sum(settings.weigh(shape.user(text)) for text in said)
    return settings.counter.count(messages + system.encode()) + beside


def _asks(inputs: Inputs) -> bool:
    """Whether the last word is the user's, or a tool's."""
    if inputs.open is None or not inputs.open.steps:
        return bool(inputs.request)
    last = inputs.open.steps[-1]
    return isinstance(last, Said) or bool(last.calls)
