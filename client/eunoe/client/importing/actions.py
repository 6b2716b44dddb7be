"""Actions that a model wrote as text: a fenced block with one command for SWE-agent's interface."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from eunoe.client import jsontext
from eunoe.client.parts import flatten
from eunoe.schemas.events import Response, ToolCall

_BLOCK = re.compile(r"^```[^\n`]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
_COMMANDS: dict[str, tuple[str, ...]] = {
    "open": ("path", "line_number"),
    "create": ("filename",),
    "goto": ("line_number",),
    "scroll_up": (),
    "scroll_down": (),
    "search_dir": ("search_term", "dir"),
    "search_file": ("search_term", "file"),
    "find_file": ("file_name", "dir"),
    "submit": (),
}
_WHOLE = ("edit",)  # commands of the interface whose text is one argument


def split(message: Mapping[str, Any], number: int) -> tuple[Response | None, ToolCall | None]:
    """What an assistant said, and its action as a call (``action-<number>``); either may be missing.

    The interface's own commands become calls of their name with their arguments; anything else is ``bash``.
    """
    content = flatten(message.get("content"))[0]
    blocks = list(_BLOCK.finditer(content))
    action = message.get("action")
    if not isinstance(action, str) or not action.strip():
        action = blocks[-1][1] if blocks else ""
    rest = content[: blocks[-1].start()] + content[blocks[-1].end() :] if blocks else content
    said = rest.strip()
    response = Response(content=said) if said or not action.strip() else None
    return response, _call(action.strip("\n"), number) if action.strip() else None


def _call(action: str, number: int) -> ToolCall:
    name, *words = action.split()
    call = f"action-{number}"
    if name in _WHOLE:
        return ToolCall(call=call, tool=name, content=jsontext.compact({"command": action}))
    names = _COMMANDS.get(name)
    if names is None or len(words) > len(names) or "\n" in action.strip():
        return ToolCall(call=call, tool="bash", content=jsontext.compact({"command": action}))
    given = {key: word.strip("\"'") for key, word in zip(names, words, strict=False)}
    return ToolCall(call=call, tool=name, content=jsontext.compact(given))
