"""SWE-agent trajectories: tool calls, actions as text, demonstrations, and runs without a history."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eunoe.client.importing import Aside, Problem, Turn, read
from eunoe.client.importing.model import Item
from eunoe.schemas.events import Instructions, Prompt, Response, ToolCall, ToolResult, TurnCommitted, TurnOpened

ACTION = "I list it.\n\n```\nls -l\n```"
STATE = '{"open_file": "n/a", "working_dir": "/repo"}'


def items(path: Path, value: object) -> list[Item]:
    file = path / "run.traj"
    file.write_text(json.dumps(value), encoding="utf-8")
    return list(read(file))


def events(found: list[Item]) -> list[object]:
    (turn,) = (item for item in found if isinstance(item, Turn))
    return list(turn.events)


def test_actions_as_text(tmp_path: Path) -> None:
    """The fenced block is a call, the next user message its result; the demonstration is left out."""
    found = items(
        tmp_path,
        {
            "history": [
                {"role": "system", "content": "Use the interface."},
                {"role": "user", "content": "A demonstration.", "is_demo": True},
                {"role": "user", "content": "Fix it."},
                {"role": "assistant", "content": ACTION},
                {"role": "user", "content": "a.py\n(Current directory: /repo)"},
                {"role": "assistant", "content": "```\nsubmit\n```"},
            ],
            "trajectory": [{"observation": "a.py", "state": STATE}, {"observation": "diff", "state": STATE}],
        },
    )

    assert found[0] == Aside(2, "demonstration")
    assert events(found) == [
        TurnOpened(key="1"),
        Instructions(content="Use the interface."),
        Prompt(content="Fix it."),
        Response(content="I list it."),
        ToolCall(call="action-1", tool="bash", content='{"command":"ls -l"}'),
        ToolResult(call="action-1", tool="bash", content="a.py\n(Current directory: /repo)"),
        ToolCall(call="action-2", tool="submit", content="{}"),
        ToolResult(call="action-2", tool="submit", content="diff\n(Current directory: /repo)"),
        TurnCommitted(),
    ]


def test_tool_calls(tmp_path: Path) -> None:
    """Calls keep their names and arguments; results pair by the ids of the tool message."""
    call = {"id": "c", "type": "function", "function": {"name": "open", "arguments": '{"path":"a"}'}}
    found = items(
        tmp_path,
        {
            "history": [
                {"role": "user", "content": "Fix it."},
                {"role": "assistant", "content": "Open.", "tool_calls": [call], "action": 'open "a"'},
                {"role": "tool", "content": "text of a", "tool_call_ids": ["c"]},
            ],
            "trajectory": [{"observation": "text of a", "state": {"working_dir": "/repo"}}],
        },
    )

    assert events(found)[2:-1] == [
        Response(content="Open."),
        ToolCall(call="c", tool="open", content='{"path":"a"}'),
        ToolResult(call="c", tool="open", content="text of a\n(Current directory: /repo)"),
    ]


def test_a_trajectory_without_a_history(tmp_path: Path) -> None:
    """Each step is what the model said, its action, and the observation."""
    found = items(
        tmp_path,
        {"trajectory": [{"response": ACTION, "action": "ls -l\n", "observation": "a.py", "state": STATE}]},
    )

    assert events(found)[1:-1] == [
        Response(content="I list it."),
        ToolCall(call="action-1", tool="bash", content='{"command":"ls -l"}'),
        ToolResult(call="action-1", tool="bash", content="a.py\n(Current directory: /repo)"),
    ]


@pytest.mark.parametrize(
    ("action", "tool", "arguments"),
    [
        ("open src/a.py 12", "open", {"path": "src/a.py", "line_number": "12"}),
        ('create "b.py"', "create", {"filename": "b.py"}),
        ("search_dir needle src", "search_dir", {"search_term": "needle", "dir": "src"}),
        ("edit 1:2\nx = 1\nend_of_edit", "edit", {"command": "edit 1:2\nx = 1\nend_of_edit"}),
        ("cd src && make", "bash", {"command": "cd src && make"}),
        ("open a b c", "bash", {"command": "open a b c"}),
    ],
)
def test_commands_of_the_interface(tmp_path: Path, action: str, tool: str, arguments: dict[str, Any]) -> None:
    """The interface's own commands are tools with arguments; the shell's are bash."""
    history = [{"role": "user", "content": "Fix."}, {"role": "assistant", "content": f"```\n{action}\n```"}]
    call = events(items(tmp_path, {"history": history, "trajectory": []}))[2]

    assert isinstance(call, ToolCall)
    assert (call.tool, json.loads(call.content)) == (tool, arguments)


def test_words_without_an_action_are_a_reply(tmp_path: Path) -> None:
    """A message with no block is what the model said, and the next user message asks again."""
    history = [
        {"role": "user", "content": "Fix."},
        {"role": "assistant", "content": "What exactly?"},
        {"role": "user", "content": "All of it."},
    ]
    found = [item for item in items(tmp_path, {"history": history, "trajectory": []}) if isinstance(item, Turn)]

    assert [[type(event) for event in turn.events[1:-1]] for turn in found] == [[Prompt, Response], [Prompt]]


def test_what_is_no_trajectory(tmp_path: Path) -> None:
    """Empty lists hold no run; a message that is none is named by its number."""
    assert items(tmp_path, {"history": [], "trajectory": []}) == [
        Problem(1, "no trajectory: an object with a history or a trajectory is wanted")
    ]
    found = items(tmp_path, {"history": [{"role": "user", "content": "Fix."}, 42], "trajectory": []})
    assert [item.line for item in found if isinstance(item, Problem)] == [2]
