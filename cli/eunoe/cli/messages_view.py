"""Messages of a model's API as people read them: who says it, then what, with line breaks as line breaks. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from eunoe.schemas.context import Format

Said = tuple[str, str]
"""Who says something, and what."""


def of_layer(text: str, format: Format) -> Iterator[Said]:  # noqa: A002 - the word of the API
    """A layer of a context, whose pieces stand on a line each as that format writes them."""
    if format == "text":
        yield "", "\n\n".join(_unquoted(line) for line in text.splitlines())
        return
    if format == "anthropic" and text.startswith("[]"):
        yield "system", text[2:]
        return
    for line in text.splitlines():
        yield from of(_decoded(line))


def of(value: Any) -> Iterator[Said]:
    """A message, a content block, a list of these, or anything else as JSON."""
    match value:
        case list():
            for item in value:
                yield from of(item)
        case {"role": "tool", "content": content}:
            yield f"result of {value.get('tool_call_id', 'a call')}", _text(content)
        case {"role": str(role)}:
            yield from _message(role, value)
        case {"type": "text", "text": str(text)}:
            yield "", text
        case {"type": "tool_use", "name": str(tool)}:
            yield f"calls {tool} ({value.get('id', '')})", _text(value.get("input", {}))
        case {"type": "tool_result"}:
            yield f"result of {value.get('tool_use_id', 'a call')}", _text(value.get("content", ""))
        case _:
            yield "", _text(value)


def _message(role: str, message: dict[str, Any]) -> Iterator[Said]:
    content = message.get("content")
    if isinstance(content, list):
        yield from ((f"{role} {who}" if who else role, what) for who, what in of(content))
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
