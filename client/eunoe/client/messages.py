"""Messages as model APIs write them, turned into events. Pure; told by shape, so no SDK is needed.

One reading serves every dialect: OpenAI's chat messages (``content``, ``tool_calls``, role ``tool``), Anthropic's
(``content`` as blocks: ``text``, ``thinking``, ``tool_use``, ``tool_result``, ``image``), and the output of OpenAI's
Responses API, whose items are read as the parts of one message.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from msgspec import structs

from eunoe.client import jsontext
from eunoe.client.parts import Reading, SaidOrDone, flatten
from eunoe.schemas.errors import Invalid
from eunoe.schemas.events import ToolCall, ToolResult


@dataclass(frozen=True, slots=True)
class Read:
    """The events of one message, and what was read otherwise than it stood there."""

    events: tuple[SaidOrDone, ...]
    notes: tuple[str, ...] = ()


def read(message: Mapping[str, Any], at: int = 0, model: str = "") -> Read:
    """The events of one message; raises `Invalid`, saying why, for what is no message."""
    role = _role(message)
    if role in ("tool", "function"):
        return _tool_message(message, at)
    if "content" not in message and not _carries_more(message):
        raise Invalid(f"the message has no content (its keys: {', '.join(sorted(map(str, message))) or 'none'})")
    reading = Reading(role=role, at=at, model=model or str(message.get("model") or ""))
    _content(reading, message)
    calls = list(_calls(message, at, reading.notes))
    if not reading.events and not calls and not reading.texts:
        reading.texts.append("")
    reading.flush()
    return Read((*reading.events, *calls), tuple(reading.notes))


def _role(message: Mapping[str, Any]) -> str:
    role = message.get("role")
    if role in ("system", "developer", "user", "assistant", "tool", "function"):
        return "system" if role == "developer" else str(role)
    raise Invalid(f"the message has the role {role!r}; known are system, developer, user, assistant and tool")


def _carries_more(message: Mapping[str, Any]) -> bool:
    return any(message.get(key) for key in ("tool_calls", "function_call", "refusal"))


def _content(reading: Reading, message: Mapping[str, Any]) -> None:
    if thinking := message.get("reasoning_content") or message.get("reasoning"):
        reading.thoughts.append(str(thinking))
    content = message.get("content")
    if isinstance(content, str):
        if content or not _carries_more(message):
            reading.texts.append(content)
    elif isinstance(content, list):
        for part in content:
            reading.part(part)
    elif content is not None:
        raise Invalid(f"the content of the message is a {type(content).__name__}, not text or a list of parts")
    if refusal := message.get("refusal"):
        reading.texts.append(str(refusal))


def _calls(message: Mapping[str, Any], at: int, notes: list[str]) -> Iterable[ToolCall]:
    calls = message.get("tool_calls") or []
    for call in calls if isinstance(calls, list) else [calls]:
        function = call.get("function") or call.get("custom") if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
            notes.append("a tool call of the message has no function with a name; the rest of the message went in")
            continue
        arguments = function.get("arguments", function.get("input", ""))
        yield ToolCall(
            at=at, call=str(call.get("id") or ""), tool=function["name"], content=jsontext.as_written(arguments)
        )
    legacy = message.get("function_call")
    if isinstance(legacy, Mapping):
        name = str(legacy.get("name") or "")
        yield ToolCall(at=at, call=name, tool=name, content=jsontext.as_written(legacy.get("arguments", "")))


def _tool_message(message: Mapping[str, Any], at: int) -> Read:
    name = str(message.get("name") or "")
    call = message.get("tool_call_id") or _first(message.get("tool_call_ids")) or name
    if not call:
        raise Invalid("the tool message names no call (tool_call_id)")
    if "content" not in message:
        raise Invalid("the tool message has no content")
    text, attached = flatten(message["content"])
    return Read((ToolResult(at=at, call=str(call), tool=name, content=text, attachments=attached),))


def _first(value: object) -> object:
    return value[0] if isinstance(value, list) and value else None


def unknown_calls(events: Iterable[SaidOrDone], tools: Mapping[str, str]) -> list[str]:
    """What is strange about results: one note for each whose call is neither in ``tools`` nor before it."""
    called: set[str] = set()
    notes: list[str] = []
    for event in events:
        if isinstance(event, ToolCall):
            called.add(event.call)
        elif isinstance(event, ToolResult) and event.call not in called and event.call not in tools:
            notes.append(f"the tool result answers {event.call!r}, and no call of that id waits for one")
    return notes


def name_results(events: Iterable[SaidOrDone], tools: dict[str, str]) -> list[SaidOrDone]:
    """The events, with each result naming its call's tool; ``tools`` keeps the calls that have no result yet."""
    named: list[SaidOrDone] = []
    for event in events:
        if isinstance(event, ToolCall):
            tools[event.call] = event.tool
        elif isinstance(event, ToolResult):
            tool = tools.pop(event.call, "")
            event = event if event.tool else structs.replace(event, tool=tool)
        named.append(event)
    return named
