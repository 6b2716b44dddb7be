"""The recorded transcripts in examples/: what they hold is what the documents promise of them."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest

from eunoe.client.importing.model import Problem, Turn
from eunoe.client.importing.reading import read
from eunoe.schemas.events import Instructions, ToolCall, ToolResult

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
NAMES = ("builder", "reviewer")


def turns(name: str) -> list[Turn]:
    return [item for item in read(EXAMPLES / f"{name}.json") if isinstance(item, Turn)]


@pytest.mark.parametrize("name", NAMES)
def test_a_transcript_is_read_without_a_problem(name: str) -> None:
    """Six turns each, and nothing in them that the importer had to mend or leave."""
    items = list(read(EXAMPLES / f"{name}.json"))

    assert [item for item in items if isinstance(item, Problem)] == []
    assert len(turns(name)) == 6


@pytest.mark.parametrize("name", NAMES)
def test_the_instructions_stand_in_the_first_turn(name: str) -> None:
    """An agent has its instructions once, before its first turn."""
    places = [
        number for number, turn in enumerate(turns(name), 1) for event in turn.events if isinstance(event, Instructions)
    ]

    assert places == [1]


@pytest.mark.parametrize("name", NAMES)
def test_every_call_has_its_result(name: str) -> None:
    """Calls and results pair up inside a turn, and every command's result begins with its exit code."""
    for turn in turns(name):
        calls = {event.call: event for event in turn.events if isinstance(event, ToolCall)}
        results = {event.call: event for event in turn.events if isinstance(event, ToolResult)}
        assert calls.keys() == results.keys()
        for call, event in calls.items():
            assert isinstance(json.loads(event.content), dict)
            if event.tool == "bash":
                assert results[call].content.startswith("Exit code: ")


@pytest.mark.parametrize("name", NAMES)
def test_a_transcript_has_outputs_worth_leaving_out(name: str) -> None:
    """A test run of more than 150 lines and a file of more than 120 are in each transcript."""
    lengths = sorted(
        len(event.content.splitlines())
        for turn in turns(name)
        for event in turn.events
        if isinstance(event, ToolResult)
    )

    assert lengths[-1] > 150
    assert any(120 < length <= 150 for length in lengths)


@pytest.mark.parametrize("name", NAMES)
def test_the_demo_tells_the_same_story(name: str) -> None:
    """`eunoe demo` works from an install, so the package carries the transcripts, byte for byte."""
    packaged = resources.files("eunoe.cli") / "examples" / f"{name}.json"

    assert packaged.read_bytes() == (EXAMPLES / f"{name}.json").read_bytes()
