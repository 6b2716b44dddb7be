"""A recorded run said again as its agent would say it: a context before each of the model's steps, then the step."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import recordings

from eunoe.client.sync import Memory
from eunoe.schemas.context import Context, Format


def replay(
    memory: Memory,
    thread: str,
    messages: Sequence[dict[str, Any]],
    *,
    window: int,
    format: Format = "openai",  # noqa: A002
) -> list[Context]:
    """Say a run of OpenAI chat messages in a thread of its own, and return the contexts of its model's steps."""
    held = memory.thread(thread, agent="airline")
    composed: list[Context] = []
    for turn in _turns(messages):
        with held.turn(turn[0]["content"]) as opened:
            for message in turn[1:]:
                if message["role"] == "tool":
                    opened.result(message["content"], call=message["tool_call_id"])
                    continue
                composed.append(opened.context(window=window, format=format))
                opened.reply(message)
    return composed


def airline(number: int) -> list[dict[str, Any]]:
    """A recorded run of an airline's agent."""
    text = (recordings.folder() / "tau_bench_airline" / f"task_{number:02}.json").read_text(encoding="utf-8")
    messages: list[dict[str, Any]] = json.loads(text)["messages"]
    return messages


def _turns(messages: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The messages from each of the user's to the next; what stands before the first is left out."""
    found: list[list[dict[str, Any]]] = []
    for message in messages:
        if message["role"] == "user":
            found.append([message])
        elif found:
            found[-1].append(message)
    return found
