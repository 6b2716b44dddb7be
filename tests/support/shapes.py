"""What two APIs demand of a request's messages, checked with the types of their own SDKs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from anthropic.types import MessageParam
from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter

OPENAI: TypeAdapter[Any] = TypeAdapter(list[ChatCompletionMessageParam])
ANTHROPIC: TypeAdapter[Any] = TypeAdapter(list[MessageParam])


def check_openai(messages: Sequence[dict[str, Any]]) -> None:
    """Valid for the SDK's own types, and the tool messages of a call's message follow it at once, one each."""
    OPENAI.validate_python(messages)
    waiting: list[str] = []
    seen: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
            continue
        assert waiting == []
        waiting = [call["id"] for call in message.get("tool_calls", [])]
        assert not seen & set(waiting)
        seen.update(waiting)
        assert waiting or message["content"].strip()
        for call in message.get("tool_calls", []):
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
            assert call["function"]["name"]
    assert waiting == []
    assert all(message["role"] != "system" for message in messages[1:])
    assert messages[0]["role"] in ("system", "user", "assistant")
    assert messages[-1]["role"] in ("user", "tool")


def check_anthropic(messages: Sequence[dict[str, Any]]) -> None:
    """Valid for the SDK's own types; roles alternate, user first and last; results come first in the next message."""
    ANTHROPIC.validate_python(messages)
    roles = [message["role"] for message in messages]
    assert roles == [("user", "assistant")[at % 2] for at in range(len(roles))]
    assert roles[-1] == "user"
    for message, following in zip(messages, [*messages, {"content": []}][1:], strict=True):
        calls = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
        results = [block for block in following["content"] if block["type"] == "tool_result"]
        assert [block["tool_use_id"] for block in results] == calls
        assert following["content"][: len(results)] == results
        assert all(block["text"].strip() for block in message["content"] if block["type"] == "text")
