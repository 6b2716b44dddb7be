"""Items of OpenAI's Responses API that are calls, their outputs, or both at once. Pure.

A call that the caller runs has a ``call_id``, and its output comes later as an item of its own; one that the provider
ran (a search, a program) has an ``id`` only, and carries what came of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eunoe.client import jsontext

_KEPT_APART = (  # what says nothing of what was called for
    "type",
    "id",
    "call_id",
    "status",
    "name",
    "namespace",
    "server_label",
    "container_id",
    "approval_request_id",
    "caller",
    "async",
    "async_",
)
_OUTPUTS = ("output", "outputs", "result", "results", "error")
_FAILED = ("failed", "incomplete")


@dataclass(frozen=True, slots=True)
class Item:
    """``arguments`` are None where the item is an output alone; ``answered``: whether it has its output, in ``output``,
    as text or as parts of a content."""

    call: str
    tool: str = ""
    arguments: str | None = None
    answered: bool = False
    output: object = None
    failed: bool = False


def read(part: Mapping[str, Any]) -> Item | None:
    """A call or an output; None for an item of another kind."""
    kind = str(part.get("type"))
    call = str(part.get("call_id") or part.get("id") or "")
    if kind.endswith("_call_output") and call:
        return Item(call, answered=True, output=_listed(part.get("output")), failed=_failed(part))
    if not kind.endswith("_call") or not call:
        return None
    tool, arguments = str(part.get("name") or kind.removesuffix("_call")), _arguments(part)
    if part.get("call_id"):
        return Item(call, tool, arguments)
    return Item(call, tool, arguments, answered=True, output=_output(part), failed=_failed(part))


def _arguments(part: Mapping[str, Any]) -> str:
    """Arguments as the model wrote them, else everything that says what was called for."""
    for name in ("arguments", "input"):
        if isinstance(part.get(name), str):
            return str(part[name])
    apart = (*_KEPT_APART, *_OUTPUTS)
    return jsontext.compact({name: value for name, value in part.items() if name not in apart and value is not None})


def _output(part: Mapping[str, Any]) -> object:
    if part.get("error"):
        return jsontext.as_written(part["error"])
    found = next((part[name] for name in _OUTPUTS if part.get(name) is not None), "")
    if part["type"] == "image_generation_call" and isinstance(found, str):
        media = f"image/{part.get('output_format') or 'png'}"
        return [{"type": "image", "mimeType": media, "data": found}] if found else ""
    if part["type"] == "code_interpreter_call" and isinstance(found, list):
        return [_printed(one) for one in found]
    return jsontext.as_written(found)


def _printed(one: object) -> object:
    """One output of a program as a part of a content."""
    match one:
        case {"type": "logs", "logs": str(text)}:
            return {"type": "text", "text": text}
        case {"type": "image", "url": str(url)}:
            return {"type": "image_url", "image_url": {"url": url}}
    return one


def _listed(output: object) -> object:
    """One part alone (a screenshot) as a list of parts."""
    return [output] if isinstance(output, Mapping) and "type" in output else output


def _failed(part: Mapping[str, Any]) -> bool:
    return part.get("status") in _FAILED or bool(part.get("error"))
