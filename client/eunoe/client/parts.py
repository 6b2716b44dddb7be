"""The parts of a message's content as model APIs write them, turned into events. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import structs

from eunoe.client import attachments, items, jsontext
from eunoe.schemas.events import Attachment, Instructions, Prompt, Response, ToolCall, ToolResult

SaidOrDone = Instructions | Prompt | Response | ToolCall | ToolResult
_TEXT = ("text", "input_text", "output_text")
_THINKING = ("thinking", "reasoning", "redacted_thinking")
_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
_BOOKKEEPING = (
    "additional_tools",
    "compaction",
    "configuration_update",
    "item_reference",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_list_tools",
)


@dataclass(slots=True)
class Reading:
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
                self.thoughts += _thoughts(part)
            case {"type": str(kind), "id": str(call), "name": str(tool)} if kind in _CALLS:
                self._add(ToolCall(at=self.at, call=call, tool=tool, content=jsontext.compact(part.get("input", {}))))
            case {"type": str(kind), "tool_use_id": str(call)} if kind.endswith("tool_result"):
                self._result(part, call)
            case {"type": "message", "content": list(parts)}:
                self._said_apart(parts)
            case {"type": str(kind)} if kind in _BOOKKEEPING:
                self.notes.append(f"a {kind} item is the API's own bookkeeping, and is left out")
            case _:
                self._other(part)

    def _said_apart(self, parts: list[Any]) -> None:
        """A message that is one item of an output."""
        if self.texts or self.attached:
            self.flush()
        for part in parts:
            self.part(part)

    def _other(self, part: Any) -> None:
        item = items.read(part) if isinstance(part, Mapping) else None
        if item is not None:
            self._item(item)
            return
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

    def _item(self, item: items.Item) -> None:
        if item.arguments is not None:
            self._add(ToolCall(at=self.at, call=item.call, tool=item.tool, content=item.arguments))
        if item.answered:
            text, attached = flatten(item.output)
            result = ToolResult(at=self.at, call=item.call, tool=item.tool, content=text, attachments=attached)
            self._add(structs.replace(result, status="failed") if item.failed else result)

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


def flatten(content: object) -> tuple[str, tuple[Attachment, ...]]:
    """The text and the attachments of a tool result's content, in whatever shape it came."""
    if content is None:
        return "", ()
    if isinstance(content, str):
        return content, ()
    if not isinstance(content, list):
        return jsontext.compact(content), ()
    reading = Reading(role="user", at=0)
    for part in content:
        reading.part(part)
    reading.flush()
    attached = [found for event in reading.events for found in event.attachments]
    return "\n".join(event.content for event in reading.events), tuple(attached)


def _thoughts(part: Mapping[str, Any]) -> list[str]:
    """The thinking of one part: its text, or a summary and what that summarises, where either is readable."""
    if part["type"] == "thinking":
        return [str(part.get("thinking") or "")]
    found = [str(part.get("text") or "")]
    for name in ("summary", "content"):
        listed = part.get(name)
        found += [str(one.get("text") or "") for one in listed or () if isinstance(one, Mapping)]
    return found
