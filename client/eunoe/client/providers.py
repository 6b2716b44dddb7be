"""What model APIs return, accepted as it is: their objects, or the same as dictionaries. Told by shape."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any, cast

from eunoe.client import messages
from eunoe.client.unicode import mend, mend_value
from eunoe.client.usage import usage_of
from eunoe.schemas.errors import Invalid
from eunoe.schemas.events import Entry, Response, ToolCall, ToolResult, Usage

logger = logging.getLogger(__name__)

Said = Entry | Usage
_STREAMED = ("response.", "content_block_", "message_start", "message_delta", "message_stop")


def events_of(value: object, *, role: str = "assistant") -> list[Said]:
    """The events of a reply, a message, content blocks, or a list of these; text is a reply's.

    Raises `Invalid` for what is none of them.
    """
    if isinstance(value, str):
        return [Response(content=mended(value))]
    if isinstance(value, Entry | Usage):
        return [value]
    if isinstance(value, list | tuple):
        return _several(value, role)
    return _one(mapping(value), role)


def results_of(value: object) -> list[ToolResult]:
    """The tool results of tool messages or blocks; raises `Invalid` when there is none."""
    found = [event for event in events_of(value, role="user") if isinstance(event, ToolResult)]
    if not found:
        raise Invalid("this holds no tool result; give a tool message, a tool_result block, or text")
    return found


def calls_of(value: object) -> list[ToolCall]:
    """The tool calls of a call as an API writes it; raises `Invalid` when there is none."""
    shaped = mapping(value)
    if "function" in shaped or "custom" in shaped:
        shaped = {"role": "assistant", "content": None, "tool_calls": [shaped]}
    found = [event for event in events_of(shaped) if isinstance(event, ToolCall)]
    if not found:
        raise Invalid("this holds no tool call; give a call of a reply, a tool_use block, or the tool's name")
    return found


def mapping(value: object) -> dict[str, Any]:
    """A provider's object as a dictionary; raises `Invalid` for what cannot be one."""
    if isinstance(value, Mapping):
        found: Any = dict(value)
    elif callable(dump := getattr(value, "model_dump", None)):
        found = dump(mode="json", warnings=False)
    else:
        found = getattr(value, "__dict__", None)
    if not isinstance(found, dict):
        raise Invalid(f"a value of type {type(value).__name__} is no message; give text, a message, or an API's reply")
    whole, halves = mend_value(found)
    _say(halves)
    return cast("dict[str, Any]", whole)


def mended(text: str) -> str:
    """Text in which halves of surrogate pairs, which cannot be stored, became U+FFFD (said in the log)."""
    found = mend(text)
    _say(int(found != text))
    return found


def _several(values: Iterable[object], role: str) -> list[Said]:
    """Content blocks are one message, and so are the items of an output; anything else is read one by one."""
    items = list(values)
    shaped = [mapping(item) if not isinstance(item, str | Entry | Usage) else None for item in items]
    if any(item is not None and "role" not in item for item in shaped) and all(map(_is_part, shaped)):
        return list(messages.read({"role": role, "content": shaped}).events)
    return [event for item in items for event in events_of(item, role=role)]


def _is_part(item: dict[str, Any] | None) -> bool:
    """Whether this can be a part of what the model said: a block, or an item that is no whole reply."""
    return item is not None and "type" in item and "usage" not in item and item.get("role", "assistant") == "assistant"


def _one(value: dict[str, Any], role: str) -> list[Said]:
    if isinstance(value.get("choices"), list):
        return _completion(value)
    if isinstance(value.get("output"), list) and value.get("object") == "response":
        return _response(value)
    if str(value.get("type")).startswith(_STREAMED):
        return _streamed(value, role)
    if "role" in value:
        return _with_usage(value, messages.read(value).events)
    if "type" in value:
        return list(messages.read({"role": role, "content": [value]}).events)
    if "content" in value or "tool_calls" in value:
        return list(messages.read({"role": role, **value}).events)
    raise Invalid(f"this is no message: it has neither a role nor a type (its keys: {', '.join(sorted(value))})")


def _completion(value: dict[str, Any]) -> list[Said]:
    choices = value["choices"]
    message = choices[0].get("message") if choices and isinstance(choices[0], dict) else None
    if not isinstance(message, dict):
        raise Invalid("the reply has no message in its first choice; append a stream when it is complete")
    return _with_usage(value, messages.read({"role": "assistant", **message}, model=_model(value)).events)


def _response(value: dict[str, Any]) -> list[Said]:
    """A reply of the Responses API; raises `Invalid` for one that is not there yet, or never came."""
    status = value.get("status") or "completed"
    if not value["output"] and status not in ("completed", "incomplete"):
        error = value.get("error")
        why = f": {error['message']}" if isinstance(error, dict) and error.get("message") else ""
        raise Invalid(f"the response is {status} and has no output{why}; append it when it is complete")
    said = {"role": "assistant", "content": value["output"]}
    return _with_usage(value, messages.read(said, model=_model(value)).events)


def _streamed(value: dict[str, Any], role: str) -> list[Said]:
    """The event of a stream that brings the whole response; raises `Invalid` for one that brings a part."""
    if isinstance(value.get("response"), dict) and value["type"] in ("response.completed", "response.incomplete"):
        return _one(value["response"], role)
    raise Invalid(f"a {value['type']} event is a part of a stream; append the reply when it is complete")


def _with_usage(value: dict[str, Any], events: Iterable[Entry]) -> list[Said]:
    usage = usage_of(value)
    return [*events, usage] if usage else [*events]


def _model(value: Mapping[str, Any]) -> str:
    return str(value.get("model") or "")


def _say(halves: int) -> None:
    if halves:
        logger.warning(
            "halves of surrogate pairs in a message were replaced by U+FFFD", extra={"action": "text_mended"}
        )
