"""One reader for the tools of widely used agents: which shape each has, and what is read of a call as it really is."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from extracting import derived, facts_of, records_of
from turns import call, turn, used

from eunoe.extraction.calls import pair
from eunoe.extraction.found import Extractor, Found, Profile
from eunoe.extraction.profiles import PROFILES, SHAPES
from eunoe.extraction.registry import SHIPPED, Registry
from eunoe.extraction.tools import Tools
from eunoe.schemas.errors import Misconfigured
from eunoe.schemas.subjects import Caller

PATCH = "*** Begin Patch\n*** Add File: a.py\n+x\n*** Update File: b.py\n*** Delete File: c.py\n*** End Patch"
ROO = (
    '<files>\n<file><path>src/a.py</path>\n<content lines="1-2">\n1 | x\n2 | y\n</content>\n</file>\n'
    "<file><path>b.py</path>\n<content>\nz\n</content>\n</file>\n</files>"
)


def test_a_name_has_one_shape_in_all_profiles() -> None:
    """Agents may share a name, and then they mean the same by it; each shape is one that there is."""
    shapes: dict[str, set[str]] = {}
    for profile in PROFILES.values():
        assert profile.keys() <= set(SHAPES)
        for shape, names in profile.items():
            for name in names.split():
                shapes.setdefault(name, set()).add(shape)
        assert [name for name, times in Counter(" ".join(profile.values()).split()).items() if times > 1] == []

    assert {name: found for name, found in shapes.items() if len(found) > 1 or name != name.casefold()} == {}


def test_every_shape_is_read() -> None:
    """By an extractor, except for what gives nothing."""
    read = {shape for extractor in SHIPPED for shape in extractor.shapes}

    assert read == set(SHAPES) - {"memory", "none"}


@pytest.mark.parametrize(
    ("tool", "arguments", "text", "expected"),
    [
        # Claude Code
        ("Bash", {"command": "git switch -c topic"}, "", [("branch", "", "topic")]),
        ("MultiEdit", {"file_path": "/r/a.py", "edits": []}, "Applied 2 edits", [("file", "/r/a.py", "edited")]),
        ("NotebookEdit", {"notebook_path": "/r/n.ipynb"}, "Updated cell 3", [("file", "/r/n.ipynb", "edited")]),
        ("Write", {"file_path": "/r/a.py"}, "File created successfully at: /r/a.py", [("file", "/r/a.py", "written")]),
        ("Glob", {"pattern": "*.py", "path": "/r"}, "/r/a.py", []),
        ("Grep", {"pattern": "x", "path": "/r/a.py"}, "/r/a.py:1:x", []),
        ("WebFetch", {"url": "https://example.org/", "prompt": "what"}, "HTTP/1.1 200 OK", []),
        (
            "WebFetch",
            {"url": "http://localhost:3000/"},
            "A page",
            [("service", "port 3000 http", "answers at localhost:3000/")],
        ),
        # Codex
        (
            "local_shell_call",
            {"action": {"type": "exec", "command": ["bash", "-lc", "git branch --show-current"]}},
            '{"output": "main\\n", "metadata": {"exit_code": 0}}',
            [("branch", "", "main")],
        ),
        ("functions.exec_command", {"cmd": "pwd", "workdir": "/w"}, "/w", [("workdir", "", "/w")]),
        ("update_plan", {"plan": []}, "Plan updated", []),
        (
            "apply_patch",
            {"input": PATCH},
            "Success.",
            [("file", "a.py", "created"), ("file", "b.py", "edited"), ("file", "c.py", "deleted")],
        ),
        # OpenHands
        ("execute_bash", {"command": "C-c", "is_input": "true"}, "[The command completed with exit code 130.]", []),
        (
            "execute_bash",
            {"command": "uname", "is_input": "false"},
            "Linux\n[The command completed with exit code 0.]\n[Current working directory: /workspace]\n"
            "[Python interpreter: /usr/bin/python]\n[Command finished with exit code 0]",
            [("workdir", "", "/workspace"), ("machine", "system", "Linux")],
        ),
        ("execute_ipython_cell", {"code": "!pytest"}, "3 passed in 0.1s", []),
        (
            "str_replace_editor",
            {"command": "create", "path": "/w/a.py"},
            "File created",
            [("file", "/w/a.py", "created")],
        ),
        # SWE-agent
        (
            "scroll_down",
            {},
            "[File: /t/s.py (9 lines total)]\n(4 more lines above)\n5:a\n6:b\n(3 more lines below)",
            [("file", "/t/s.py", "read lines 5-6 of 9, 81 bytes")],
        ),
        ("create", {"filename": "new.py"}, "[File: new.py (1 lines total)]\n1:", [("file", "new.py", "created")]),
        ("submit", {}, "diff --git a/x b/x", []),
        # Cline and Roo
        (
            "execute_command",
            {"command": "npm test", "cwd": "/w"},
            "Command executed in terminal within working directory '/w'. Exit code: 1\nOutput:\nnope",
            [("tests", "npm test", "failed, exit status 1")],
        ),
        ("write_to_file", {"path": "a.py", "content": "x"}, "The content was saved.", [("file", "a.py", "written")]),
        ("replace_in_file", {"path": "a.py", "diff": "…"}, "The content was saved.", [("file", "a.py", "edited")]),
        (
            "read_file",
            {"files": [{"path": "src/a.py"}, {"path": "b.py"}]},
            ROO,
            [("file", "src/a.py", "read to the end, 12 bytes"), ("file", "b.py", "read to the end, 2 bytes")],
        ),
        # Gemini CLI
        (
            "run_shell_command",
            {"command": "make test"},
            "Command: make test\nDirectory: (root)\nOutput: ok\nError: (none)\nExit Code: 2\nSignal: (none)\n"
            "Background PIDs: (none)\nProcess Group PGID: 7",
            [("tests", "make test", "failed, exit status 2")],
        ),
        (
            "run_shell_command",
            {"command": "make test"},
            "Output: ok\nProcess Group PGID: 7",
            [("tests", "make test", "passed")],
        ),
        ("replace", {"file_path": "/r/a.py"}, "Successfully modified file", [("file", "/r/a.py", "edited")]),
        (
            "read_many_files",
            {"paths": ["a.txt", "b.txt"]},
            "--- a.txt ---\n\none\n\n\n--- b.txt ---\n\ntwo\nthree\n",
            [("file", "a.txt", "read to the end, 4 bytes"), ("file", "b.txt", "read to the end, 10 bytes")],
        ),
        ("save_memory", {"fact": "x"}, "Okay, I've remembered that", []),
        # The reference servers of MCP
        (
            "mcp__filesystem__read_text_file",
            {"path": "/r/a"},
            "x\n",
            [("file", "/r/a", "read lines 1-1, to the end, 2 bytes")],
        ),
        ("read_text_file", {"path": "/r/a", "head": 2}, "x\ny\n", [("file", "/r/a", "read lines 1-2, 4 bytes")]),
        (
            "read_text_file",
            {"path": "/r/a", "tail": 1},
            "y",
            [("file", "/r/a", "read the last 1 line, to the end, 1 bytes")],
        ),
        (
            "filesystem.read_multiple_files",
            {"paths": ["/r/a", "/r/b", "/r/c"]},
            "/r/a:\none\n\n---\n/r/b: Error - ENOENT: no such file\n---\n/r/c:\ntwo\n",
            [("file", "/r/a", "read to the end, 4 bytes"), ("file", "/r/c", "read to the end, 4 bytes")],
        ),
        ("edit_file", {"path": "/r/a", "edits": [], "dryRun": True}, "```diff\n```", []),
        ("edit_file", {"path": "/r/a", "edits": []}, "```diff\n```", [("file", "/r/a", "edited")]),
        (
            "move_file",
            {"source": "/r/a", "destination": "/r/b"},
            "Successfully moved /r/a to /r/b",
            [("file", "/r/a", "moved to /r/b"), ("file", "/r/b", "moved from /r/a")],
        ),
        ("list_directory", {"path": "/r"}, "[FILE] a", []),
        ("mcp__git__git_status", {"repo_path": "/r"}, "Repository status:\nOn branch main\n", [("branch", "", "main")]),
        ("git_checkout", {"repo_path": "/r", "branch_name": "x"}, "Switched to branch 'x'", [("branch", "", "x")]),
        ("git_branch", {"repo_path": "/r"}, "* main\n  dev", [("branch", "", "main")]),
        ("git_create_branch", {"repo_path": "/r", "branch_name": "x"}, "Created branch 'x' from 'main'", []),
        ("git_commit", {"repo_path": "/r", "message": "m"}, "Changes committed successfully with hash 1a2b3c4", []),
        ("git_log", {"repo_path": "/r"}, "* fixed\nOn branch x", []),
        ("fetch", {"url": "https://example.org"}, "Contents of https://example.org", []),
        ("read_graph", {}, '{"entities": []}', []),
        ("mcp__memory__anything", {"path": "a", "command": "git status"}, "On branch x", []),
        ("read_query", {"query": "select 1"}, "[{'1': 1}]", []),
        ("get_current_time", {"timezone": "UTC"}, '{"datetime": "2026-01-01T00:00:00Z"}', []),
    ],
)
def test_what_is_read_of_a_call(
    tool: str, arguments: dict[str, Any], text: str, expected: list[tuple[str, str, str]]
) -> None:
    """As each of these agents and servers writes arguments and results."""
    assert facts_of(call(tool, arguments, text)) == expected


def test_a_wrapper_is_the_tool_that_it_calls() -> None:
    """Cline's ``use_mcp_tool`` names the server's tool, and its arguments as JSON text, in its own arguments."""
    wrapped = {"server_name": "fs", "tool_name": "write_file", "arguments": '{"path": "/r/a"}'}
    (found,) = pair(1, records_of(turn(*used(1, "use_mcp_tool", wrapped, "ok"))))
    assert (found.tool, found.arguments) == ("fs.write_file", {"path": "/r/a"})
    assert facts_of(found) == [("file", "/r/a", "written")]


def test_a_fleet_says_the_shapes_of_its_own_tools() -> None:
    """By name, with or without the server's, in any case; and of shipped ones, for what it means by the name."""
    registry = Registry(tools={"Acme.Run": "shell", "peek": "read", "open": "none", "search_history": "none"})

    assert facts_of(call("acme.run", {"command": "git switch x"}, ""), registry) == [("branch", "", "x")]
    assert facts_of(call("other.run_it", {"command": "git switch x"}, ""), registry) == []
    assert facts_of(call("mcp__fs__peek", {"path": "/a"}, "x"), registry)[0][:2] == ("file", "/a")
    assert facts_of(call("open", {"path": "/a"}, "x"), registry) == []
    assert Tools({"search_history": "none"}).shape("search_history") == "none"


@pytest.mark.parametrize(
    ("tools", "message"),
    [
        ({"peek": "reed"}, "tools.peek: there is no shape 'reed'; did you mean read?"),
        (
            {"peek": "zzz"},
            "tools.peek: there is no shape 'zzz'; known are shell, read, write, create, edit, editor, patch,",
        ),
        ({" ": "read"}, "tools: a tool needs a name"),
    ],
)
def test_a_shape_that_is_none_is_refused_with_the_tool(tools: dict[str, str], message: str) -> None:
    """The field is named, and the shape that may have been meant."""
    with pytest.raises(Misconfigured) as caught:
        Registry(tools=tools)
    assert str(caught.value).startswith(message)


def test_an_extension_brings_shapes_and_extractors() -> None:
    """Its own shape is known to its tools and to the configuration."""
    lights = Extractor(
        "lights", lambda call, around: [Found("note", call.argument("lamp"), call.text)], frozenset({"lamp"})
    )
    profile = Profile("home", {"switch": "lamp"}, (lights,))
    registry = Registry(tools={"dim": "lamp"}, profiles=[profile])

    for tool in ("switch", "dim"):
        assert facts_of(call(tool, {"lamp": "hall"}, "on"), registry) == [("note", "hall", "on")]
    with pytest.raises(Misconfigured, match=r"the extension bad: tools\.x: there is no shape 'nix'"):
        Registry(profiles=[Profile("bad", {"x": "nix"})])


def test_only_what_a_trusted_reporter_gave_was_carried_by_nobody() -> None:
    """A result that an agent appended came through it; one that a person or program brings, and whose turn names no
    agent, through them: an old import never outranks what an agent's tool says now."""
    events = used(1, "Bash", {"command": "pytest"}, "", exit_status=0)
    sources = {
        role: derived(*events, by=Caller(role, "who"))[1][0].source.agent
        for role in ("tool", "agent", "person", "caller")
    }
    assert sources == {"tool": "", "agent": "who", "person": "who", "caller": "who"}
