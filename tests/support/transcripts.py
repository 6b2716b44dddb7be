"""Recorded conversations as chat messages, made up the same way each time, with tool calls that give facts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

START = 1_767_268_800  # 2026-01-01T12:00:00Z, in seconds
Said = tuple[str, str]
"""An entry as its source has it: the kind of its event, and its content."""


def conversation(name: str, turns: int, calls: int, *, large: int = 0) -> list[dict[str, Any]]:
    """``turns`` turns of a prompt, ``calls`` calls with their results, and a reply: 2 * calls + 4 events each.

    The last result of the second turn is ``large`` bytes long.
    """
    messages: list[dict[str, Any]] = []
    for turn in range(1, turns + 1):
        messages.append({"role": "user", "content": f"{name}: request {turn}"})
        for number in range(calls):
            size = large if turn == 2 and number == calls - 1 else 0
            messages += _call(f"{name}-{turn}-{number}", turn, number, size)
        messages.append({"role": "assistant", "content": f"{name}: reply {turn}"})
    return [{**message, "timestamp": START + at} for at, message in enumerate(messages)]


def write_lines(path: Path, runs: Sequence[list[dict[str, Any]]]) -> Path:
    """JSONL, a run on each line: thread ``<stem>.1``, ``<stem>.2``, …"""
    path.write_text("\n".join(json.dumps({"messages": run}) for run in runs), encoding="utf-8")
    return path


def said(messages: Sequence[dict[str, Any]]) -> Iterator[Said]:
    """The entries that an import makes of a conversation, in order."""
    kinds = {"user": "Prompt", "assistant": "Response", "tool": "ToolResult"}
    for message in messages:
        calls = message.get("tool_calls", ())
        if not calls:
            yield kinds[message["role"]], message["content"]
        for call in calls:
            yield "ToolCall", call["function"]["arguments"]


def _call(call: str, turn: int, number: int, large: int) -> list[dict[str, Any]]:
    tool, arguments, result = _used(turn, number)
    function = {"name": tool, "arguments": json.dumps(arguments)}
    content = result + _filling(call, large)
    return [
        {"role": "assistant", "content": None, "tool_calls": [{"id": call, "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": call, "content": content},
    ]


def _used(turn: int, number: int) -> tuple[str, dict[str, str], str]:
    match number:
        case 0:
            return "bash", {"command": f"cd /srv/app{turn % 3} && git status"}, f"On branch work-{turn % 2}"
        case 1:
            return "read_file", {"path": f"src/module{turn % 4}.py"}, f"1\tvalue = {turn}\n"
        case _:
            return "lookup", {"query": f"question {turn}.{number}"}, f"answer {turn}.{number}"


def _filling(call: str, size: int) -> str:
    """Lines of which no two are alike, so that no two pieces are."""
    lines: list[str] = []
    length = 0
    while length < size:
        lines.append(f"\n{call} line {len(lines)} " + "." * 60)
        length += len(lines[-1])
    return "".join(lines)
