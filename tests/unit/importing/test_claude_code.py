"""Claude Code's session files: sessions, side chains, blocks, and the lines of the program's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from eunoe.client.importing import Aside, Problem, Turn, read
from eunoe.client.importing.model import Item
from eunoe.schemas.events import (
    Prompt,
    Response,
    ToolCall,
    ToolResult,
    TurnAborted,
    TurnCommitted,
    TurnOpened,
    Usage,
)

NOON = 1_767_268_800_000  # 2026-01-01T12:00:00Z


def line(kind: str, content: Any, second: int = 0, **more: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content, **more.pop("message", {})}
    time = f"2026-01-01T12:00:{second:02}.000Z"
    return {"type": kind, "sessionId": "s1", "uuid": f"u{second:07}", "timestamp": time, "message": message} | more


def items(path: Path, *rows: object) -> list[Item]:
    file = path / "session.jsonl"
    file.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return list(read(file, "claude_code"))


def turns(found: list[Item]) -> list[Turn]:
    return [item for item in found if isinstance(item, Turn)]


def problems(found: list[Item]) -> list[Problem]:
    return [item for item in found if isinstance(item, Problem)]


def test_a_turn_with_a_tool(tmp_path: Path) -> None:
    """Thinking, text and call of one message; its result from the next user line; usage once."""
    usage = {"input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 5}
    found = items(
        tmp_path,
        line("user", "Run it."),
        line(
            "assistant",
            [
                {"type": "thinking", "thinking": "Hm."},
                {"type": "text", "text": "I will."},
                {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "make"}},
            ],
            1,
            message={"id": "m", "model": "model-x", "usage": usage},
        ),
        line("user", [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}], 2),
    )

    assert [turn.events for turn in turns(found)] == [
        (
            TurnOpened(at=NOON, key="1", session="s1"),
            Prompt(at=NOON, content="Run it."),
            Response(at=NOON + 1000, content="I will.", thinking="Hm.", model="model-x"),
            ToolCall(at=NOON + 1000, call="t", tool="Bash", content='{"command":"make"}'),
            Usage(at=NOON + 1000, model="model-x", input_tokens=7, output_tokens=5),
            ToolResult(at=NOON + 2000, call="t", tool="Bash", content="ok", exit_status=0),
            TurnCommitted(at=NOON + 2000),
        )
    ]


def test_a_message_over_several_lines_has_its_usage_once(tmp_path: Path) -> None:
    """Lines that repeat a message's id repeat its usage; the last one counts."""
    first = {"id": "m", "usage": {"input_tokens": 3, "output_tokens": 1}}
    last = {"id": "m", "usage": {"input_tokens": 3, "output_tokens": 9}}
    (turn,) = turns(
        items(
            tmp_path,
            line("user", "Hi"),
            line("assistant", [{"type": "text", "text": "a"}], 1, message=first),
            line("assistant", [{"type": "text", "text": "b"}], 2, message=last),
        )
    )

    assert [event.output_tokens for event in turn.events if isinstance(event, Usage)] == [9]


def test_a_failed_command_names_its_exit_status(tmp_path: Path) -> None:
    """The result of a shell command that failed begins with its status."""
    (turn,) = turns(
        items(
            tmp_path,
            line("user", "Run it."),
            line("assistant", [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}], 1),
            line(
                "user",
                [{"type": "tool_result", "tool_use_id": "t", "content": "Exit code 2\nno rule", "is_error": True}],
                2,
            ),
        )
    )
    (result,) = (event for event in turn.events if isinstance(event, ToolResult))

    assert (result.status, result.exit_status) == ("failed", 2)


def test_sessions_are_threads(tmp_path: Path) -> None:
    """The first session's thread is the file's; the second is named by its id."""
    found = turns(items(tmp_path, line("user", "one"), line("user", "two", sessionId="s2"), line("user", "three")))

    assert [(turn.suffix, turn.key, turn.line) for turn in found] == [("", "1", 1), ("", "2", 3), ("s2", "1", 2)]


def test_side_chains_are_threads(tmp_path: Path) -> None:
    """Two helpers that work side by side are told apart by their first lines."""
    found = turns(
        items(
            tmp_path,
            line("user", "Ask two helpers."),
            line("user", "first helper", uuid="aaaaaaaa-1", parentUuid=None, isSidechain=True),
            line("user", "second helper", uuid="bbbbbbbb-1", parentUuid=None, isSidechain=True),
            line("assistant", "one", uuid="aaaaaaaa-2", parentUuid="aaaaaaaa-1", isSidechain=True),
            line("assistant", "two", uuid="bbbbbbbb-2", parentUuid="bbbbbbbb-1", isSidechain=True),
        )
    )

    assert {turn.suffix: [event.content for event in turn.events if isinstance(event, Response)] for turn in found} == {
        "": [],
        "side-aaaaaaaa": ["one"],
        "side-bbbbbbbb": ["two"],
    }


def test_an_interrupted_turn_is_aborted(tmp_path: Path) -> None:
    """The program's own note that the person interrupted ends the turn, and is no prompt."""
    found = turns(
        items(
            tmp_path,
            line("user", "Delete everything."),
            line("user", [{"type": "text", "text": "[Request interrupted by user]"}], 1),
            line("user", "Do not.", 2),
        )
    )

    assert [type(turn.events[-1]) for turn in found] == [TurnAborted, TurnCommitted]
    assert found[0].events[-1] == TurnAborted(at=NOON, reason="[Request interrupted by user]")


def test_lines_of_the_program_are_kept_aside(tmp_path: Path) -> None:
    """Summaries, meta lines and system lines are no problems and no turns."""
    found = items(
        tmp_path,
        {"type": "summary", "summary": "x", "leafUuid": "u"},
        line("user", "a caveat", isMeta=True),
        line("user", "the story so far", isCompactSummary=True),
        {"type": "system", "content": "compacted"},
    )

    assert found == [Aside(1, "summary"), Aside(2, "meta"), Aside(3, "summary"), Aside(4, "system")]


def test_malformed_lines_are_named(tmp_path: Path) -> None:
    """What can be read is read and named; what cannot is named, with the reason."""
    found = items(
        tmp_path,
        line("user", "Hi"),
        '"massive error"',
        '{"silly": "this"}',
        "42",
        "[1]",
        "{half",
        {"type": "user", "sessionId": "s1", "message": "bare"},
        line("user", ["bare part"], 1),
        {"type": "user", "sessionId": "s1", "message": {"role": "user", "contenst": []}},
        {"type": "assistant", "sessionId": "s1"},
    )

    assert [(one.line, one.kept) for one in problems(found)] == [
        (2, False),
        (3, False),
        (4, False),
        (5, False),
        (6, False),
        (7, True),
        (8, True),
        (9, False),
        (10, False),
    ]
    assert [turn.events[1] for turn in turns(found)] == [
        Prompt(at=NOON, content="Hi"),
        Prompt(at=NOON, content="bare"),
        Prompt(at=NOON + 1000, content="bare part"),
    ]


def test_an_empty_result_takes_what_stands_beside_it(tmp_path: Path) -> None:
    """The line's own copy of a tool's output is used when the block has none."""
    (turn,) = turns(
        items(
            tmp_path,
            line("user", "Read."),
            line("assistant", [{"type": "tool_use", "id": "t", "name": "Read", "input": {}}], 1),
            line("user", [{"type": "tool_result", "tool_use_id": "t"}], 2, toolUseResult="text of the file"),
        )
    )

    assert [event.content for event in turn.events if isinstance(event, ToolResult)] == ["text of the file"]
