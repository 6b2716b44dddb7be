"""OpenAI chat messages: every arrangement of a file, every shape of a message."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eunoe.client.importing import Problem, Turn, read
from eunoe.client.importing.model import Item
from eunoe.schemas.events import (
    Instructions,
    Prompt,
    Response,
    ToolCall,
    ToolResult,
    TurnCommitted,
    TurnOpened,
)

CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q": "x"}'}}
RUN: list[dict[str, Any]] = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Find x."},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "x is here"},
    {"role": "assistant", "content": "It is here."},
    {"role": "user", "content": [{"type": "text", "text": "Thank"}, {"type": "text", "text": "you."}]},
]
FIRST = (
    TurnOpened(key="1"),
    Instructions(content="Be kind."),
    Prompt(content="Find x."),
    ToolCall(call="c1", tool="find", content='{"q": "x"}'),
    ToolResult(call="c1", tool="find", content="x is here"),
    Response(content="It is here."),
    TurnCommitted(),
)
SECOND = (TurnOpened(key="2"), Prompt(content="Thank\nyou."), TurnCommitted())


def items(path: Path, text: str) -> list[Item]:
    file = path / "file.json"
    file.write_text(text, encoding="utf-8")
    return list(read(file))


def turns(found: list[Item]) -> list[Turn]:
    return [item for item in found if isinstance(item, Turn)]


def problems(found: list[Item]) -> list[Problem]:
    return [item for item in found if isinstance(item, Problem)]


@pytest.mark.parametrize(
    "text",
    [json.dumps({"messages": RUN}), json.dumps(RUN, indent=1), "\n".join(map(json.dumps, RUN))],
    ids=["run", "list", "lines"],
)
def test_one_run(tmp_path: Path, text: str) -> None:
    """A run as an object, as a list and as lines has the same two turns."""
    found = items(tmp_path, text)

    assert [turn.events for turn in turns(found)] == [FIRST, SECOND]
    assert {turn.suffix for turn in turns(found)} == {""}
    assert problems(found) == []


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([RUN, RUN]),
        json.dumps([{"messages": RUN}, {"messages": RUN}]),
        "\n".join(json.dumps({"messages": RUN}) for _ in range(2)),
        "\n".join(json.dumps(RUN) for _ in range(2)),
    ],
    ids=["lists", "objects", "lines of objects", "lines of lists"],
)
def test_several_runs(tmp_path: Path, text: str) -> None:
    """Runs are numbered from 1, and each has its own turns."""
    found = turns(items(tmp_path, text))

    assert [(turn.suffix, turn.key) for turn in found] == [("1", "1"), ("1", "2"), ("2", "1"), ("2", "2")]
    assert [turn.events for turn in found[2:]] == [FIRST, SECOND]


def test_a_bad_line_is_named_and_the_rest_goes_in(tmp_path: Path) -> None:
    """Each bad line is one problem with its number."""
    rows = [json.dumps(RUN[1]), "{half", "42", '{"role": "wizard", "content": ""}', json.dumps(RUN[4])]
    found = items(tmp_path, "\n".join(rows))

    assert [(one.line, one.kept) for one in problems(found)] == [(2, False), (3, False), (4, False)]
    assert [turn.events[1:-1] for turn in turns(found)] == [
        (Prompt(content="Find x."), Response(content="It is here."))
    ]


def test_a_bad_run_keeps_its_number(tmp_path: Path) -> None:
    """The run after a broken line is still run 3, as its line is the third."""
    run = json.dumps({"messages": RUN})
    found = items(tmp_path, f"{run}\n{{half\n{run}")

    assert [turn.suffix for turn in turns(found)] == ["1", "1", "3", "3"]


def test_only_instructions_are_no_turn(tmp_path: Path) -> None:
    """They are events of no turn: the key is empty."""
    (turn,) = turns(items(tmp_path, json.dumps([RUN[0]])))

    assert (turn.key, turn.events) == ("", (Instructions(content="Be kind."),))


def test_a_reply_before_any_prompt_opens_a_turn(tmp_path: Path) -> None:
    """A transcript may begin with what the model said."""
    (turn,) = turns(items(tmp_path, json.dumps([RUN[4]])))

    assert turn.events == (TurnOpened(key="1"), Response(content="It is here."), TurnCommitted())


def test_no_messages_is_no_turn(tmp_path: Path) -> None:
    """An empty run is read, and holds nothing."""
    assert items(tmp_path, '{"messages": []}') == []


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"role": "assistant", "content": ""}, Response()),
        ({"role": "assistant", "content": None}, Response()),
        ({"role": "assistant", "content": None, "refusal": "No."}, Response(content="No.")),
        ({"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}, Response(content="No.")),
        ({"role": "developer", "content": "Be kind."}, None),
        ({"role": "user", "name": "ada", "content": "Hi"}, Prompt(content="Hi")),
        (
            {"role": "tool", "tool_call_id": "c", "name": "f", "content": "y"},
            ToolResult(call="c", tool="f", content="y"),
        ),
        ({"role": "function", "name": "f", "content": "y"}, ToolResult(call="f", tool="f", content="y")),
        (
            {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
            ToolCall(call="f", tool="f", content="{}"),
        ),
        (
            {"role": "assistant", "reasoning_content": "Hm.", "content": "Yes."},
            Response(content="Yes.", thinking="Hm."),
        ),
        ({"role": "user", "content": "a\x00b"}, Prompt(content="a\x00b")),
    ],
)
def test_shapes_of_messages(tmp_path: Path, message: dict[str, Any], expected: object) -> None:
    """Null content, refusals, names, parts, the older function calls, reasoning, NUL."""
    (turn,) = turns(items(tmp_path, json.dumps([message])))

    if expected is None:
        assert turn.events == (Instructions(content="Be kind."),)
    else:
        assert turn.events[1:-1] == (expected,)


def test_times_are_the_transcripts_own(tmp_path: Path) -> None:
    """A message without a time takes that of the one before it."""
    first = {"role": "user", "content": "Hi", "timestamp": "2026-01-01T21:00:00+09:00"}
    (turn,) = turns(items(tmp_path, json.dumps([first, RUN[4]])))

    assert [event.at for event in turn.events] == [1_767_268_800_000] * 4


def test_half_of_a_surrogate_pair_is_mended_and_named(tmp_path: Path) -> None:
    """The escape is legal JSON and no text: it becomes U+FFFD, and the line is named."""
    found = items(tmp_path, '{"role": "user", "content": "cut \\ud83d"}\n{"role": "user", "content": "\\ud83d\\ude00"}')

    assert [(one.line, one.kept) for one in problems(found)] == [(1, True)]
    assert [turn.events[1] for turn in turns(found)] == [Prompt(content="cut \ufffd"), Prompt(content="\U0001f600")]


ROLES = st.sampled_from(["user", "assistant", "system"])
MESSAGES = st.lists(
    st.fixed_dictionaries({"role": ROLES, "content": st.text(st.characters(exclude_categories=["Cs"]), max_size=8)}),
    min_size=1,
    max_size=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(MESSAGES)
def test_any_arrangement_has_the_same_turns(tmp_path: Path, messages: list[dict[str, str]]) -> None:
    """Whole or as lines, indented or not, a run has the same turns, and every message is one entry."""
    arranged = [
        json.dumps({"messages": messages}),
        json.dumps(messages, indent=2),
        json.dumps(messages, ensure_ascii=False),
        "\n".join(map(json.dumps, messages)),
        "\r\n\r\n".join(json.dumps(message, ensure_ascii=False) for message in messages),
    ]
    found = [[turn.events for turn in turns(items(tmp_path, text))] for text in arranged]
    said = [event for events in found[0] for event in events if not isinstance(event, TurnOpened | TurnCommitted)]

    assert all(one == found[0] for one in found)
    assert len(said) == len(messages)


def test_a_bad_message_of_a_run_is_named_by_line_and_number(tmp_path: Path) -> None:
    """In JSONL the line is the file's and the message is counted; in one value the run is."""
    bad = [*RUN, {"role": "wizard", "content": "x"}]
    as_lines = items(tmp_path, "\n".join(json.dumps({"messages": run}) for run in (RUN, bad)))
    as_value = items(tmp_path, json.dumps([RUN, bad]))

    assert [(one.line, one.reason[:10]) for one in problems(as_lines)] == [(2, "message 7:")]
    assert [(one.line, one.reason[:19]) for one in problems(as_value)] == [(0, "message 7 of run 2:")]
    assert {turn.line for turn in turns(as_lines)} == {1, 2}
