"""Turns with tool calls in one line, as events to append and as calls to read."""

from __future__ import annotations

from typing import Any

import msgspec

from eunoe.extraction.calls import Call
from eunoe.schemas.events import Event, Prompt, ToolCall, ToolResult, TurnCommitted, TurnOpened


def call(
    tool: str,
    arguments: dict[str, Any] | None = None,
    text: str = "",
    *,
    failed: bool = False,
    exit_status: int | None = None,
) -> Call:
    """A call of entry 4, at position 9, with its result."""
    return Call(
        tool=tool,
        arguments=arguments or {},
        text=text,
        size=len(text.encode()),
        failed=failed,
        exit_status=exit_status,
        entry=4,
        position=9,
        at=1_000,
        lines=len(text.splitlines()),
    )


def used(
    number: int,
    tool: str,
    arguments: dict[str, Any],
    text: str,
    *,
    failed: bool = False,
    exit_status: int | None = None,
) -> tuple[Event, ...]:
    """A tool call and its result, as events."""
    key = f"call-{number}"
    return (
        ToolCall(call=key, tool=tool, content=msgspec.json.encode(arguments).decode()),
        ToolResult(call=key, content=text, status="failed" if failed else "ok", exit_status=exit_status),
    )


def turn(*events: Event, prompt: str = "go on", session: str = "") -> tuple[Event, ...]:
    """A whole turn around these events."""
    return (TurnOpened(session=session), Prompt(content=prompt), *events, TurnCommitted())
