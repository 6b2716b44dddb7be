"""Messages as model APIs write them, turned into events. Pure; told by shape, so no SDK is needed.

One reading serves both dialects: OpenAI's chat messages (``content``, ``tool_calls``, role ``tool``) and
Anthropic's (``content`` as blocks: ``text``, ``thinking``, ``tool_use``, ``tool_result``, ``image``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import structs

from eunoe.client import attachments, jsontext
from eunoe.schemas.errors import Invalid
from eunoe.schemas.events import (
    Attachment,
    Instructions,
    Prompt,
    Response,
    ToolCall,
    ToolResult,
)

SaidOrDone = Instructions | Prompt | Response | ToolCall | ToolResult
_TEXT = ("text", "input_text", "output_text")
_THINKING = {"thinking": "thinking", "reasoning": "text", "redacted_thinking": ""}
_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")


@dataclass(slots=True)
class _Reading:
    """The events of one message while its parts are read in order; text waits until something else comes."""

    role: str
    at: int
    model: str = ""
    events: list[SaidOrDone] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    attached: list[Attachment] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def part(self, part: Any) -> None:
        match part:
            case str():
                self.texts.append(part)
                self.notes.append("a part of the content is a bare string; read as text")
            case {"type": "refusal", "refusal": str(text)}:
                self.texts.append(text)
            case {"type": str(kind), "text": str(text)} if kind in _TEXT:
                self.texts.append(text)
            case {"type": str(kind)} if kind in _THINKING:
                self.thoughts.append(str(part.get(_THINKING[kind]) or ""))
            case {"type": str(kind), "id": str(call), "name": str(tool)} if kind in _CALLS:
                self._add(ToolCall(at=self.at, call=call, tool=tool, content=jsontext.compact(part.get("input", {}))))
            case {"type": str(kind), "tool_use_id": str(call)} if kind.endswith("tool_result"):
                self._result(part, call)
            case _:
                self._other(part)

    def _other(self, part: Any) -> None:
        found = attachments.read(part) if isinstance(part, Mapping) else None
        if found is not None:
            self.attached.append(found)
            if found.size and not found.data:
                self.notes.append(f"an attachment of {found.size:,} bytes is kept by its size and digest only")
            return
        kind = part.get("type") if isinstance(part, Mapping) else type(part).__name__
        self.texts.append(jsontext.compact(part))
        self.notes.append(f"a part of the content is of the unknown type {kind!r}; kept as JSON")

    def _result(self, part: Mapping[str, Any], call: str) -> None:
        text, attached = flatten(part.get("content"))
        result = ToolResult(at=self.at, call=call, content=text, attachments=attached)
        self._add(structs.replace(result, status="failed") if part.get("is_error") is True else result)

    def _add(self, event: SaidOrDone) -> None:
        self.flush()
        self.events.append(event)

    def flush(self) -> None:
        """Turn the text that waits into an entry of the message's role."""
        thinking = "\n\n".join(thought for thought in self.thoughts if thought)
        if not (self.texts or self.attached or thinking):
            return
        content, attached = "\n".join(self.texts), tuple(self.attached)
        if self.role == "assistant":
            said = Response(at=self.at, content=content, attachments=attached, thinking=thinking, model=self.model)
            self.events.append(said)
        else:
            kind = Prompt if self.role == "user" else Instructions
            self.events.append(kind(at=self.at, content=content, attachments=attached))
        self.texts, self.thoughts, self.attached = [], [], []


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
    reading = _Reading(role=role, at=at, model=model or str(message.get("model") or ""))
    _content(reading, message)
    calls = list(_calls(message, at, reading.notes))
    if not reading.events and not calls and not reading.texts:
        reading.texts.append("")
    reading.flush()
    return Read((*reading.events, *calls), tuple(reading.notes))


def flatten(content: object) -> tuple[str, tuple[Attachment, ...]]:
    """The text and the attachments of a tool result's content, in whatever shape it came."""
    if content is None:
        return "", ()
    if isinstance(content, str):
        return content, ()
    if not isinstance(content, list):
        return jsontext.compact(content), ()
    reading = _Reading(role="user", at=0)
    for part in content:
        reading.part(part)
    reading.flush()
    attached = [found for event in reading.events for found in event.attachments]
    return "\n".join(event.content for event in reading.events), tuple(attached)


def _role(message: Mapping[str, Any]) -> str:
    role = message.get("role")
    if role in ("system", "developer", "user", "assistant", "tool", "function"):
        return "system" if role == "developer" else str(role)
    raise Invalid(f"the message has the role {role!r}; known are system, developer, user, assistant and tool")


def _carries_more(message: Mapping[str, Any]) -> bool:
    return any(message.get(key) for key in ("tool_calls", "function_call", "refusal"))


def _content(reading: _Reading, message: Mapping[str, Any]) -> None:
    if thinking := message.get("reasoning_content"):
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
