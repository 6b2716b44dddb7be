"""What the APIs demand of a request's messages: the types of their own SDKs, and the rules beyond them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import api_rules
from anthropic.types import MessageParam
from openai.types.chat import ChatCompletionMessageParam
from openai.types.responses import ResponseInputItemParam
from pydantic import TypeAdapter

OPENAI: TypeAdapter[Any] = TypeAdapter(list[ChatCompletionMessageParam])
RESPONSES: TypeAdapter[Any] = TypeAdapter(list[ResponseInputItemParam])
ANTHROPIC: TypeAdapter[Any] = TypeAdapter(list[MessageParam])


def validate(adapter: TypeAdapter[Any], value: object) -> None:
    """Raises for what the types do not allow; what they check only when it is read (an iterable) is read to its end."""
    deque(_read(adapter.validate_python(value)), maxlen=0)


def _read(value: object) -> Iterator[object]:
    if isinstance(value, str | bytes | int | float | None):
        yield value
    else:
        for one in value.values() if isinstance(value, Mapping) else value:  # type: ignore[attr-defined]
            yield from _read(one)


def check_openai(messages: Sequence[dict[str, Any]]) -> None:
    """Valid for the SDK's own types, and for the API."""
    validate(OPENAI, messages)
    api_rules.chat({"messages": messages})


def check_responses(items: Sequence[dict[str, Any]]) -> None:
    """Valid for the SDK's own types, and for the API."""
    validate(RESPONSES, items)
    api_rules.responses({"input": items})


def check_anthropic(messages: Sequence[dict[str, Any]]) -> None:
    """Valid for the SDK's own types, and for the API."""
    validate(ANTHROPIC, messages)
    api_rules.anthropic({"messages": messages})


CHECKS = {"openai": check_openai, "responses": check_responses, "anthropic": check_anthropic}
"""By the format that an API is composed for."""
