"""Messages of a model's API as people read them: who says it, then what, with line breaks as line breaks. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from eunoe.schemas.context import Format

RESULT = "result of "
WRITTEN: frozenset[Format] = frozenset({"text", "markdown"})  # formats whose messages are one string
APART: frozenset[Format] = frozenset({"anthropic", "responses"})  # formats that have the instructions apart

Said = tuple[str, str]
"""Who says something, and what."""


Speakers = Iterator[tuple[str, Any]]
"""Every content block of a context's messages with the role that says it, in order."""


def speakers(messages: Any) -> Speakers:
    """Who says each block, where messages hold their blocks as Anthropic's do."""
    for message in messages if isinstance(messages, list) else ():
        match message:
            case {"role": str(role), "content": list(blocks)}:
                yield from ((role, block) for block in blocks)


def of_layer(text: str, format: Format, said_by: Speakers | None = None) -> Iterator[Said]:  # noqa: A002 - the word of the API
    """A layer of a context, whose pieces stand on a line each as that format writes them.

    ``said_by`` goes on from layer to layer: a block of Anthropic's does not name its role by itself.
    """
    if format in WRITTEN:
        yield from (("", _unquoted(line)) for line in text.split("\n") if text)
        return
    if format in APART and text.startswith("[]"):
        yield "system", text[2:]
        return
    for line in text.split("\n") if text else ():
        piece = _decoded(line)
        role = next((role for role, block in said_by or () if block == piece), "")
        yield from (_spoken(role, who, what) for who, what in of(piece))


def of(value: Any) -> Iterator[Said]:
    """A message, a content block, a list of these, or anything else as JSON."""
    match value:
        case list():
            for item in value:
                yield from of(item)
        case {"type": "function_call", "name": str(tool), "arguments": arguments}:
            yield f"assistant calls {tool} ({value.get('call_id', '')})", _text(arguments)
        case {"type": "function_call_output", "output": output}:
            yield f"{RESULT}{value.get('call_id', 'a call')}", _text(output)
        case {"role": "tool", "content": content}:
            yield f"{RESULT}{value.get('tool_call_id', 'a call')}", _text(content)
        case {"role": str(role)}:
            yield from _message(role, value)
        case {"type": "text", "text": str(text)}:
            yield "", text
        case {"type": "tool_use", "name": str(tool)}:
            yield f"calls {tool} ({value.get('id', '')})", _text(value.get("input", {}))
        case {"type": "tool_result"}:
            yield f"{RESULT}{value.get('tool_use_id', 'a call')}", _text(value.get("content", ""))
        case _:
            yield "", _text(value)


def _spoken(role: str, who: str, what: str) -> Said:
    """With its speaker; a result says of which call it is, and that is enough."""
    return (who, what) if not role or who.startswith(RESULT) else (f"{role} {who}".rstrip(), what)


def _message(role: str, message: dict[str, Any]) -> Iterator[Said]:
    content = message.get("content")
    if isinstance(content, list):
        yield from (_spoken(role, who, what) for who, what in of(content))
    elif content:
        yield role, _text(content)
    for call in message.get("tool_calls") or ():
        match call:
            case {"id": str(name), "function": {"name": str(tool), "arguments": arguments}}:
                yield f"{role} calls {tool} ({name})", _text(arguments)
            case _:
                yield f"{role} calls", _text(call)


def _decoded(line: str) -> Any:
    try:
        return msgspec.json.decode(line)
    except msgspec.DecodeError:
        return line


def _unquoted(line: str) -> str:
    """The inside of a JSON string, with or without its quotes, as the text that it stands for."""
    inside = line[1:-1] if len(line) > 1 and line[0] == line[-1] == '"' else line
    try:
        return msgspec.json.decode(f'"{inside}"', type=str)
    except msgspec.DecodeError:
        return line


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
