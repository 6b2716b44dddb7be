"""Recorded transcripts of other systems, counted by hand from the files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from recordings import folder

from eunoe.client.importing import Aside, Problem, Turn, detect, read
from eunoe.client.importing.model import Item
from eunoe.schemas.events import Prompt, Response, ToolCall, ToolResult


def items(name: str) -> list[Item]:
    return list(read(folder() / name))


def turns(found: list[Item], suffix: str = "") -> list[Turn]:
    return [item for item in found if isinstance(item, Turn) and item.suffix == suffix]


def kinds(found: list[Turn]) -> Counter[str]:
    return Counter(type(event).__name__ for turn in found for event in turn.events if hasattr(event, "entry"))


@pytest.mark.parametrize(
    ("name", "count", "expected"),
    [
        # 32 messages: 1 system, 8 user, 15 assistant of which 8 only call, 8 tool
        (
            "tau_bench_airline/task_00.json",
            8,
            {"Instructions": 1, "Prompt": 8, "Response": 7, "ToolCall": 8, "ToolResult": 8},
        ),
        # 12 messages, no tools
        ("tau_bench_airline/task_01.json", 6, {"Instructions": 1, "Prompt": 6, "Response": 5}),
        # 62 messages: 30 assistant, 20 of them with a call, 1 of these with words as well
        (
            "tau_bench_airline/task_03.json",
            11,
            {"Instructions": 1, "Prompt": 11, "Response": 11, "ToolCall": 20, "ToolResult": 20},
        ),
        # 28 messages: 13 steps, each with words, a call and its result
        (
            "swe_agent/marshmallow_1867.traj",
            1,
            {"Instructions": 1, "Prompt": 1, "Response": 13, "ToolCall": 13, "ToolResult": 13},
        ),
        # 26 messages: 12 steps; the last observation stands in the trajectory only
        (
            "swe_agent/pydicom_1458.traj",
            1,
            {"Instructions": 1, "Prompt": 1, "Response": 12, "ToolCall": 12, "ToolResult": 12},
        ),
        # 11 messages of one block each
        (
            "claude_code/representative_messages.jsonl",
            4,
            {"Prompt": 4, "Response": 3, "ToolCall": 2, "ToolResult": 2},
        ),
    ],
)
def test_counts(name: str, count: int, expected: dict[str, int]) -> None:
    """Turns are prompts, and every message is where it belongs."""
    found = items(name)

    assert len(turns(found)) == count
    assert kinds(turns(found)) == expected
    assert [item for item in found if isinstance(item, Problem)] == []


def test_every_run_of_the_airline_agent(tmp_path: Path) -> None:
    """24 runs: as many turns as user messages, 237 in all, and no problem."""
    files = sorted((folder() / "tau_bench_airline").glob("*.json"))
    found = [items(f"tau_bench_airline/{file.name}") for file in files]
    prompts = sum(file.read_text(encoding="utf-8").count('"role": "user"') for file in files)

    assert {detect(file) for file in files} == {"openai"}
    assert len(files) == 24
    assert sum(len(turns(one)) for one in found) == prompts
    assert not any(isinstance(item, Problem) for one in found for item in one)


def test_the_edge_cases_of_a_session_file() -> None:
    """19 lines: two sessions, four lines that are no messages, one without content, two mended, a summary."""
    found = items("claude_code/edge_cases.jsonl")
    named = {item.line: item for item in found if isinstance(item, Problem)}

    assert {line: item.kept for line, item in named.items()} == {
        10: False,
        11: True,
        13: False,
        14: False,
        15: False,
        16: False,
        18: True,
    }
    assert "contenst" in named[10].reason
    assert "no time" in named[11].reason
    assert [item for item in found if isinstance(item, Aside)] == [Aside(19, "summary")]
    assert kinds(turns(found)) == {"Prompt": 8, "Response": 2, "ToolCall": 2, "ToolResult": 1}
    assert kinds(turns(found, "todowrite_session")) == {"ToolCall": 1}
    prompts = [event.content for turn in turns(found) for event in turn.events if isinstance(event, Prompt)]
    assert prompts[5] == "error"
    assert prompts[7] == "wow error"
    assert "中文" in prompts[6]


def test_calls_of_a_run_with_repeated_ids_keep_their_order() -> None:
    """Two pairs of calls of this run share an id; each result still follows its own call."""
    found = turns(items("tau_bench_airline/task_00.json"))
    done = [event for turn in found for event in turn.events if isinstance(event, ToolCall | ToolResult)]

    assert [type(event) for event in done] == [ToolCall, ToolResult] * 8
    assert all(call.call == result.call for call, result in zip(done[::2], done[1::2], strict=True))
    assert all(event.tool for event in done)


def test_the_working_directory_of_a_trajectory() -> None:
    """Every observation of both runs says where it was made."""
    for name, place in (("marshmallow_1867", "/testbed"), ("pydicom_1458", "/pydicom__pydicom")):
        (turn,) = turns(items(f"swe_agent/{name}.traj"))
        results = [event.content for event in turn.events if isinstance(event, ToolResult)]
        assert all(f"(Current directory: {place}" in content for content in results)
        assert isinstance(turn.events[3], Response)
