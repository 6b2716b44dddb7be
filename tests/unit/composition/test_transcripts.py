"""Contexts of real runs of a coding agent, at every step of their tool loop."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from shapes import CHECKS

from eunoe.client.importing.model import Turn
from eunoe.client.importing.reading import read
from eunoe.schemas.errors import DoesNotFit
from eunoe.schemas.events import Prompt, ToolResult, TurnCommitted

RUNS = ("marshmallow_1867.traj", "pydicom_1458.traj")
WINDOWS = (2048, 4096, 8192, 32_768, 200_000)
TOO_SMALL = ("pydicom_1458.traj", 2048)  # its request has 4,591 bytes, its instructions 4,877


def transcript(name: str) -> Path:
    """The file beside the repository, if it is there; a missing one fails in CI."""
    for folder in Path(__file__).resolve().parents:
        found = folder.parent / "shared" / "data" / "swe_agent" / name
        if found.is_file():
            return found
    if os.environ.get("CI"):
        pytest.fail(f"{name} is not there")
    pytest.skip(f"{name} is not there")


def replayed(kit: Any, name: str) -> tuple[Any, str]:
    """The run as a thread whose last turn is still open, and that turn's key."""
    thread = kit.thread()
    turns = [item for item in read(transcript(name)) if isinstance(item, Turn)]
    for turn in turns[:-1]:
        thread.append(*turn.events, key=turn.key)
    last = turns[-1]
    thread.append(*(event for event in last.events if not isinstance(event, TurnCommitted)), key=last.key)
    return thread, last.key


@pytest.mark.parametrize("form", ["openai", "responses", "anthropic", "text"])
@pytest.mark.parametrize(
    ("name", "window"), [(name, window) for name in RUNS for window in WINDOWS if (name, window) != TOO_SMALL]
)
def test_every_request_of_a_real_run_is_valid_and_fits(kit: Any, name: str, window: int, form: str) -> None:
    """Composed inside its open turn, with the memory tool; the newest output is there to act on."""
    thread, key = replayed(kit, name)
    fold = thread.fold()
    turn = fold.opened(key)

    composed = kit.compose(window=window, format=form, memory_tool=True)(fold, key=key)

    CHECKS.get(form, len)(composed.messages)
    assert composed.recipe.tokens <= window
    assert composed.recipe.tokens <= 0.85 * window or composed.recipe.floor
    newest = [item for item in turn.items if isinstance(item.event, ToolResult)][-1]
    first_line = json.dumps(newest.event.content.split("\n")[0][:40], ensure_ascii=False)[1:-1]
    assert first_line.encode() in composed.rendered.messages


@pytest.mark.parametrize("form", ["openai", "anthropic", "text"])
def test_a_window_that_the_request_alone_is_too_large_for_is_refused_with_the_floor(kit: Any, form: str) -> None:
    """Request and instructions are never cut; the refusal names what they take and the least that would do."""
    name, window = TOO_SMALL
    thread, key = replayed(kit, name)

    with pytest.raises(DoesNotFit) as refused:
        kit.compose(window=window, format=form, memory_tool=True)(thread.fold(), key=key)

    floor = int(refused.value.detail["floor"])
    assert window < refused.value.detail["alone"] < floor
    assert kit.compose(window=floor, format=form, memory_tool=True)(thread.fold(), key=key).recipe.tokens <= floor


@pytest.mark.parametrize("name", RUNS)
def test_after_the_run_its_outputs_are_references(kit: Any, name: str) -> None:
    """The next request carries a fraction of what the run held, and every long output names its recall."""
    thread, key = replayed(kit, name)
    thread.append(TurnCommitted(), key=key)
    fold = thread.fold()

    composed = kit.compose(window=131_072, memory_tool=True)(fold, request="What did you change?")

    outputs = [item.event for turn in fold.turns.values() for item in turn.items if isinstance(item.event, ToolResult)]
    long = [event.entry for event in outputs if len(event.content.encode()) > 640]
    shown = composed.rendered.messages.decode()
    assert long
    assert all(f"[output of entry {entry} held back: " in shown for entry in long)
    assert len(composed.rendered.messages) < sum(turn.size for turn in fold.turns.values())
    assert any(isinstance(item.event, Prompt) for item in fold.turns[1].items)
