"""Every recorded run beside the repository, as files that imports read, and said again turn by turn."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from eunoe.client import Memory
from eunoe.client.importing.model import Turn
from eunoe.client.importing.reading import read
from eunoe.schemas.context import Context
from eunoe.schemas.events import Event, Instructions, Prompt, ToolResult, TurnAborted, TurnCommitted, TurnOpened

_EDGES = (TurnOpened, TurnCommitted, TurnAborted)


def folder() -> Path:
    """Where the recorded runs are; missing ones fail in CI."""
    for above in Path(__file__).resolve().parents:
        found = above.parent / "shared" / "data"
        if found.is_dir():
            return found
    if os.environ.get("CI"):
        pytest.fail("there are no recorded runs in ../shared/data")
    pytest.skip("there are no recorded runs in ../shared/data")


def files(scratch: Path) -> list[Path]:
    """Every recorded run as a file that an import reads; the first of the conversations between two people is written
    into ``scratch``, one of them as the user."""
    found = [path for path in sorted(folder().glob("*/*")) if path.parent.name != "locomo"]
    for path in sorted(folder().glob("locomo/*.json")):
        run = json.loads(path.read_text(encoding="utf-8"))[0]
        written = scratch / "talk.json"
        written.write_text(json.dumps({"messages": list(_talk(run["conversation"]))}), encoding="utf-8")
        found.append(written)
    return found


def turns_of(path: Path) -> list[Sequence[Event]]:
    """What happened in each turn of a file, without its opening and its end."""
    items = (item for item in read(path) if isinstance(item, Turn) and item.key)
    return [[event for event in item.events if not isinstance(event, _EDGES)] for item in items]


async def say_again(memory: Memory, thread: str, turns: Sequence[Sequence[Event]], **how: Any) -> dict[int, Context]:
    """Say the turns of a run anew, with a context before each of the model's steps; the last one of every turn."""
    given: dict[int, Context] = {}
    held = memory.thread(thread, agent="runner", session=f"session-{thread}")
    for events in turns:
        async with held.turn() as turn:
            for step in _steps(events):
                await turn.append(*step)
                if isinstance(step[-1], Prompt | ToolResult):
                    given[turn.number] = await turn.context(**how)
    return given


def _steps(events: Sequence[Event]) -> Iterator[list[Event]]:
    """The events up to each point where somebody else goes on: the model after what it is told, or its tools."""
    step: list[Event] = []
    for event in events:
        if step and _told(event) != _told(step[-1]):
            yield step
            step = []
        step.append(event)
    if step:
        yield step


def _told(event: Event) -> bool:
    """Whether it is the model that is told this."""
    return isinstance(event, Prompt | Instructions | ToolResult)


def _talk(conversation: dict[str, Any]) -> Iterator[dict[str, str]]:
    """The messages of one conversation; what one side says in a row is one message."""
    first = conversation["speaker_a"]
    sessions = [conversation[f"session_{number}"] for number in range(1, len(conversation)) if
                f"session_{number}" in conversation]  # fmt: skip
    said = [message for session in sessions for message in session]
    role, lines = "user", list[str]()
    for message in said:
        now = "user" if message["speaker"] == first else "assistant"
        if now != role and lines:
            yield {"role": role, "content": "\n".join(lines)}
            lines = []
        role = now
        lines.append(message["text"])
    if lines:
        yield {"role": role, "content": "\n".join(lines)}
