"""A request read back: its parts in order, each with what it says, as a strict reader of its format finds them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import takewhile
from typing import Any

from markdown_it import MarkdownIt

Part = tuple[str, Any]  # what it is (instructions, user, assistant, call, output), and its text, or a call's arguments

_PART = re.compile(r"<eunoe-(\w+)(?: [^\n>]*)?>\n(.*?)\n</eunoe-\1>(?:\n\n|\Z)", re.DOTALL)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_HEADINGS = {"Instructions": "instructions", "User": "user", "Assistant": "assistant", "Memory": "record"}


def chat(messages: Any, system: str) -> Iterator[Part]:
    assert system == ""
    for message in messages:
        role = message["role"]
        if role == "tool":
            yield "output", message["content"]
        elif "content" in message:
            yield ("instructions" if role == "system" else role), message["content"]
        yield from (("call", json.loads(call["function"]["arguments"])) for call in message.get("tool_calls", []))


def responses(items: Any, system: str) -> Iterator[Part]:
    yield from apart(system)
    for item in items:
        match item:
            case {"type": "message", "role": role, "content": content}:
                yield role, content
            case {"type": "function_call", "arguments": arguments}:
                yield "call", json.loads(arguments)
            case {"type": "function_call_output", "output": output}:
                yield "output", output


def anthropic(messages: Any, system: str) -> Iterator[Part]:
    yield from apart(system)
    for message in messages:
        for block in message["content"]:
            match block:
                case {"type": "text", "text": text}:
                    yield message["role"], text
                case {"type": "tool_use", "input": arguments}:
                    yield "call", arguments
                case {"type": "tool_result"}:
                    yield "output", block.get("content", "")


def text(found: str, system: str) -> Iterator[Part]:
    """Every character belongs to a part; what looks like a label inside one has a backslash more than it had."""
    assert system == ""
    at = 0
    while at < len(found):
        part = _PART.match(found, at)
        assert part is not None, found[at : at + 200]
        kind, said = part[1], part[2]
        yield (kind, part[0].rstrip("\n")) if kind == "record" else (kind, unescape(said))
        at = part.end()


def markdown(found: str, system: str) -> Iterator[Part]:
    """As CommonMark has it: a heading, then one quote or one fence, and nothing else anywhere."""
    assert system == ""
    tokens = MarkdownIt().parse(found)
    blocks = [token for token in tokens if token.level == 0 and token.nesting >= 0]
    headings = [token.content for token in tokens if token.level == 1 and token.type == "inline"]
    assert [token.type for token in blocks[::2]] == ["heading_open"] * (len(blocks) // 2)
    lines = _LINE.findall(found)
    for heading, block in zip(headings, blocks[1::2], strict=True):
        assert block.map is not None
        body = lines[slice(*block.map)]
        kind = _HEADINGS.get(heading) or heading.split()[0].casefold()
        if block.type == "fence":
            yield kind, "".join(body[1:-1]).removesuffix("\n")
        else:
            assert block.type == "blockquote_open"
            quoted = list(takewhile(lambda line: line.startswith("> "), body))
            assert "".join(body[len(quoted) :]).strip() == ""
            yield kind, "".join(line.removeprefix("> ") for line in quoted).removesuffix("\n")


def apart(system: str) -> Iterator[Part]:
    if system:
        yield "instructions", system


def unescape(said: str) -> str:
    """One backslash less in whatever looks like a label."""
    return re.sub(r"<\\(\\*)(/?eunoe-)", r"<\1\2", said, flags=re.IGNORECASE)


READERS: dict[str, Callable[[Any, str], Iterator[Part]]] = {
    "openai": chat,
    "responses": responses,
    "anthropic": anthropic,
    "text": text,
    "markdown": markdown,
}
