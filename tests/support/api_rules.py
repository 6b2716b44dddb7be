"""What three model APIs demand of a request beyond its types, and what they say when it is not met.

Each function takes the body of a request and raises `Refused` with the API's own kind of message. They are at least
as strict as the APIs: what one of them lets pass only sometimes, or only of late, is refused here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")
CALL = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")

Body = dict[str, Any]


class Refused(Exception):
    """The API answers 400 with this message."""


def chat(body: Body) -> None:
    """OpenAI chat completions: tool messages follow their call at once, one for each."""
    messages = body["messages"]
    _demand(messages, "[] is too short - 'messages'")
    waiting: list[str] = []
    seen: set[str] = set()
    for at, message in enumerate(messages):
        role, where = message["role"], f"messages[{at}]"
        if role == "tool":
            _demand(
                message["tool_call_id"] in waiting,
                "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
                "'tool_calls'.",
            )
            waiting.remove(message["tool_call_id"])
            _demand(isinstance(message.get("content"), str), f"Invalid value for '{where}.content': expected a string.")
            continue
        _answered(waiting)
        _demand(role in ("system", "user", "assistant"), f"Invalid value: '{role}'.")
        _demand(role != "system" or at == 0 or messages[at - 1]["role"] == "system", "system messages come first")
        calls = message.get("tool_calls", [])
        _demand("tool_calls" not in message or calls, f"[] is too short - '{where}.tool_calls'")
        waiting = [_call(call["id"], call["function"]["name"], call["function"]["arguments"], where) for call in calls]
        _fresh(waiting, seen)
        if not calls or "content" in message:
            _filled(message.get("content"), where)
    _answered(waiting)
    _demand(messages[-1]["role"] in ("user", "tool"), "the last message is not the user's or a tool's")


def responses(body: Body) -> None:
    """OpenAI responses: every call has its output and every output its call; nothing that is stored is named."""
    items = body["input"]
    _demand(items, "Invalid 'input': empty array. Expected an array with minimum length 1.")
    waiting: list[str] = []
    seen: set[str] = set()
    last = ""
    for at, item in enumerate(items):
        where = f"input[{at}]"
        _demand("id" not in item, f"Item with id '{item.get('id')}' not found.")
        last = item["type"]
        match item["type"]:
            case "message":
                _demand(not waiting, f"No tool output found for function call {', '.join(waiting)}.")
                _demand(item["role"] in ("user", "assistant"), f"Invalid value: '{item['role']}' ('{where}.role').")
                _filled(item["content"], where)
                last = item["role"]
            case "function_call":
                found = _call(item["call_id"], item["name"], item["arguments"], where)
                _fresh([found], seen)
                waiting.append(found)
            case "function_call_output":
                call = item["call_id"]
                _demand(call in waiting, f"No tool call found for function call output with call_id {call}.")
                _demand(isinstance(item["output"], str), f"Invalid type for '{where}.output'.")
                waiting.remove(call)
            case other:
                raise Refused(f"Invalid value: '{other}' ('{where}.type').")
    _demand(not waiting, f"No tool output found for function call {', '.join(waiting)}.")
    _demand(last in ("user", "function_call_output"), "the last item is the model's own")


def anthropic(body: Body) -> None:
    """Anthropic messages: user first and last, roles alternate, results first in the message after their calls."""
    messages = body["messages"]
    _demand(messages, "messages: at least one message is required")
    for message in messages:
        _demand(message["role"] in ("user", "assistant"), f'messages: Unexpected role "{message["role"]}".')
    _demand(messages[0]["role"] == "user", 'messages: first message must use the "user" role')
    for before, message in pairwise(messages):
        role = message["role"]
        _demand(
            before["role"] != role,
            f'messages: roles must alternate between "user" and "assistant", but found multiple "{role}" roles in a '
            "row",
        )
    _demand(messages[-1]["role"] == "user", "The conversation must end with a user message.")
    seen: set[str] = set()
    for at, message in enumerate(messages):
        _anthropic_message(messages, at, message["content"], seen)


def _anthropic_message(messages: Sequence[Body], at: int, blocks: Sequence[Body], seen: set[str]) -> None:
    _demand(blocks, f"messages.{at}: all messages must have non-empty content")
    before = messages[at - 1]["content"] if at else []
    calls = [block["id"] for block in before if block["type"] == "tool_use"]
    results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    for result in results:
        _demand(
            result in calls, f"messages.{at}.content: unexpected `tool_use_id` found in `tool_result` blocks: {result}."
        )
    first = [block.get("tool_use_id") for block in blocks[: len(calls)]]
    _demand(
        sorted(filter(None, first)) == sorted(calls) and len(results) == len(calls),
        f"messages.{at - 1}: `tool_use` ids were found without `tool_result` blocks immediately after: "
        f"{', '.join(call for call in calls if call not in first)}.",
    )
    for number, block in enumerate(blocks):
        _anthropic_block(messages[at]["role"], block, f"messages.{at}.content.{number}", seen)


def _anthropic_block(role: str, block: Body, where: str, seen: set[str]) -> None:
    match block["type"]:
        case "text":
            _demand(block["text"].strip(), f"{where}: text content blocks must contain non-whitespace text")
            _demand(
                role == "user" or block["text"] == block["text"].rstrip(),
                f"{where}: assistant content cannot end with trailing whitespace",
            )
        case "tool_use":
            _demand(role == "assistant", f"{where}: `tool_use` blocks can only be in `assistant` messages")
            _call(block["id"], block["name"], json.dumps(block["input"]), where)
            _fresh([block["id"]], seen)
        case "tool_result":
            content = block.get("content", "filled")
            _demand(content.strip(), f"{where}: text content blocks must be non-empty")
        case other:
            raise Refused(f"{where}: Input tag '{other}' found using 'type' does not match any of the expected tags")


def _call(call: str, name: str, arguments: str, where: str) -> str:
    """The id of a call; raises for an id, a name or arguments that cannot be."""
    _demand(CALL.match(call), f"Invalid '{where}' call id: string does not match pattern: {call!r}")
    _demand(NAME.match(name), f"Invalid '{where}' name: string does not match pattern: {name!r}")
    try:
        found = json.loads(arguments)
    except ValueError as error:
        raise Refused(f"Invalid '{where}' arguments: invalid JSON: {error}") from None
    _demand(isinstance(found, dict), f"Invalid '{where}' arguments: Input should be a valid dictionary")
    return call


def _fresh(calls: Iterable[str], seen: set[str]) -> None:
    for call in calls:
        _demand(call not in seen, f"tool_use ids must be unique: {call}")
        seen.add(call)


def _answered(waiting: Sequence[str]) -> None:
    _demand(
        not waiting,
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
        f"The following tool_call_ids did not have response messages: {', '.join(waiting)}",
    )


def _filled(content: object, where: str) -> None:
    _demand(isinstance(content, str), f"Invalid value for '{where}.content': expected a string.")
    _demand(str(content).strip(), f"Invalid '{where}.content': empty string.")


def _demand(met: object, message: str) -> None:
    if not met:
        raise Refused(message)
