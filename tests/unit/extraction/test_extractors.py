"""What each extractor reads out of results as tools really write them; values worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from extracting import facts_of as facts
from turns import call

from eunoe.extraction.registry import Registry
from eunoe.schemas.errors import Misconfigured


def outcomes(command: Any, text: str = "", *, tool: str = "run_command", **more: Any) -> list[tuple[str, str]]:
    found = facts(call(tool, {"command": command}, text, **more))
    return [(name, value) for subject, name, value in found if subject == "tests"]


@pytest.mark.parametrize(
    ("command", "status", "expected"),
    [
        ("pytest -q", 0, [("pytest -q", "passed")]),
        ("pytest -q", 1, [("pytest -q", "failed, exit status 1")]),
        ("cd src && go test ./...", 1, [("go test ./...", "failed, exit status 1")]),
        ("cargo build && cargo test", 0, [("cargo build", "passed"), ("cargo test", "passed")]),
        ("cargo build && cargo test", 101, []),
        ("npm run test", 0, [("npm run test", "passed")]),
        ("npm install", 0, []),
        ("FOO=1 timeout 60 uv run --frozen pytest", 0, [("FOO=1 timeout 60 uv run --frozen pytest", "passed")]),
        ("python3 -m pytest tests", 2, [("python3 -m pytest tests", "failed, exit status 2")]),
        ("python -m http.server", 0, []),
        ("./gradlew test", 0, [("./gradlew test", "passed")]),
        ("mvn -q verify", 1, [("mvn -q verify", "failed, exit status 1")]),
        ("make", 2, [("make", "failed, exit status 2")]),
        ("pytest || true", 0, []),
        ("pytest; echo done", 0, []),
        ("false || pytest", 0, []),
        ("pytest | tail -5", 0, []),
        ("set -o pipefail; pytest | tail -5", 1, [("pytest", "failed, exit status 1")]),
        ("git pull && pytest", 1, []),
        ("git pull; pytest", 1, [("pytest", "failed, exit status 1")]),
        ("echo 'pytest; make'", 0, []),
        ("cat > run.sh <<'EOF'\nmake test\nEOF", 0, []),
        ("pytest", 127, []),
        ("go version", 0, []),
        (["bash", "-lc", "tox"], 0, [("tox", "passed")]),
        ("cat > x <<'EOF'\n" + "y" * 20_000 + "\nEOF\npytest -q", 0, [("pytest -q", "passed")]),
        ("cat <<EOF > a && pytest\nmake\nEOF", 0, [("pytest", "passed")]),
        ("cat <<EOF\nmake", 0, []),
        ("pytest " + "x" * 9_000, 0, []),
        (["npm", "test"], 1, [("npm test", "failed, exit status 1")]),
    ],
)
def test_outcome_by_exit_status(command: Any, status: int, expected: list[tuple[str, str]]) -> None:
    """Only where the line's exit status is the step's own: not after ``||``, before ``;``, or in a bare pipe."""
    found = outcomes(command, exit_status=status, failed=status != 0)
    if command == "set -o pipefail; pytest | tail -5":
        assert found == [("pytest", "failed, exit status 1")]
    assert found == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[The command completed with exit code 0.]", "passed"),
        ("boom\n[Command finished with exit code 3]", "failed, exit status 3"),
        ('{"output": "2 passed", "metadata": {"exit_code": 1}}', "failed, exit status 1"),
        ("Exit code 2\nE   assert", "failed, exit status 2"),
        ("Process exited with code 0\n", "passed"),
        ("==== 1 failed, 2 passed in 0.12s ====", "failed"),
        ("==== 3 passed, 1 skipped in 0.12s ====", "passed"),
        ("1 failed, 2 passed in 0.03s", "failed"),
        ("Ran 4 tests in 0.1s\n\nOK", "passed"),
        ("FAILED (failures=1)", "failed"),
        ("no summary at all", None),
        ("12 passed over the years", None),
    ],
)
def test_outcome_by_what_the_tool_or_the_runner_prints(text: str, expected: str | None) -> None:
    """Exit statuses as fleets write them, else the runner's own summary; nothing is guessed."""
    found = outcomes("pytest", text)
    assert found == ([("pytest", expected)] if expected else [])


def test_a_tool_error_is_no_outcome() -> None:
    """The command never ran: no fact, though the call failed."""
    assert facts(call("Bash", {"command": "pytest"}, "Command timed out after 2m", failed=True)) == []


@pytest.mark.parametrize("tool", ["Bash", "bash"])
def test_an_exit_status_that_nobody_says_is_not_guessed(tool: str) -> None:
    """A result without an error may be of a run that was cut off; who records it says status 0, or the runner does."""
    assert outcomes("make test", "", tool=tool) == []
    assert outcomes("pytest -q", "..F", tool=tool) == []
    assert outcomes("pytest -q", "..\n2 passed in 0.10s", tool=tool) == [("pytest -q", "passed")]
    assert outcomes("make test", "", tool=tool, exit_status=0) == [("make test", "passed")]


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("cd nope && pytest", "Exit code 1\n/bin/bash: line 1: cd: nope: No such file or directory"),
        ("cd nope && pytest", "Exit code 1\n(eval):cd:1: no such file or directory: nope"),
        ("source .venv/bin/activate && pytest", "/bin/bash: line 1: .venv/bin/activate: No such file or directory"),
        ("mkdir a && make", "mkdir: cannot create directory 'a': File exists"),
    ],
)
def test_what_was_not_set_up_did_not_fail(command: str, text: str) -> None:
    """The step before failed, so the tests never ran."""
    assert outcomes(command, text, exit_status=1, failed=True) == []


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("make build > log 2>&1 &", []),
        ("cd x && pytest -q & wait", []),
        ("sleep 1 & make test", ["make test"]),
        ("make clean", []),
        ("make help", []),
        ("make run", []),
        ("make -n test", []),
        ("make -j4 -C run test", ["make -j4 -C run test"]),
        ("make -j 8", ["make -j 8"]),
        ("make -j clean", []),
        ("make -k run", []),
        ("make clean all CC=gcc", ["make clean all CC=gcc"]),
        ("make test-unit > log 2>&1", ["make test-unit > log 2>&1"]),
        ("mvn clean", []),
        ("mvn clean install", ["mvn clean install"]),
        ("pytest --version", []),
        ("npx tsc --help", []),
        ("pytest --collect-only -q", []),
        ("ls # todo; make test", []),
        ("# don't wait\nmake test # all of it", ["make test"]),
        ("(cd sub && pytest -q)", ["pytest -q"]),
        ("(cd sub && pytest -q 'a)') && (make)", ["pytest -q 'a)'", "make"]),
        ("echo $(cd sub && pytest)", []),
        ("pytest -k '(a or b'", ["pytest -k '(a or b'"]),
    ],
)
def test_only_what_ran_and_was_waited_for_has_an_outcome(command: str, expected: list[str]) -> None:
    """Not what is in the background, in a comment, or only says something; subshells are looked into."""
    assert outcomes(command, exit_status=0) == [(name, "passed") for name in expected]


@pytest.mark.parametrize(
    "text",
    [
        "Command running in background with ID: b1",
        "3 passed in 0.10s\nCommand was manually backgrounded by user with ID: b1",
        "..F\n<error>Command was aborted before completion</error>",
        "..\nCommand timed out after 2m 0.0s",
        "[Request interrupted by user for tool use]",
    ],
)
@pytest.mark.parametrize("tool", ["Bash", "bash"])
def test_tests_that_did_not_end_have_no_outcome(tool: str, text: str) -> None:
    """A command that runs on, was interrupted or timed out passed nothing, also where no error is reported."""
    assert outcomes("pytest -q", text, tool=tool) == []


@pytest.mark.parametrize("status", [124, 130, 137, 143])
def test_tests_that_were_ended_have_no_outcome(status: int) -> None:
    """The exit statuses of ``timeout`` and of signals."""
    assert outcomes("timeout 9 pytest -q", "..", exit_status=status, failed=True) == []


@pytest.mark.parametrize(
    ("tool", "text", "expected"),
    [
        ("bash", "Process exited with code 0\nOutput:\nExit code 1\nCommand exited with exit code 2\nmore", "passed"),
        ("bash", "Chunk ID: a\nWall time: 1.0\nProcess exited with code 1\nOutput:\n..", "failed, exit status 1"),
        ("bash", "Exit code: 1\nWall time: 1.0\nOutput:\nExit code: 0", "failed, exit status 1"),
        (
            "bash",
            "..\n[The command completed with exit code 1.]\n[Current working directory: /w]",
            "failed, exit status 1",
        ),
        ("bash", "..\nExit code 1\n..", None),
        ("bash", '{"metadata": {"exit_code": 1}}', None),
        ("bash", "[Command finished with exit code 1]\n..", None),
        ("bash", "Process exited with code 3\n..", None),
        ("Bash", "3 passed in 0.1s\nExit code 1", "passed"),
        ("Bash", "Process exited with code 3\n3 passed in 0.1s", "passed"),
    ],
)
def test_an_exit_status_is_read_where_its_tool_writes_it(tool: str, text: str, expected: str | None) -> None:
    """The first lines, or the last; what a command prints about others is no status of its own."""
    assert outcomes("pytest -q", text, tool=tool) == ([("pytest -q", expected)] if expected else [])


@pytest.mark.parametrize(
    ("arguments", "text", "expected"),
    [
        ({"command": "ls -F"}, "setup.py\n(Open file: n/a)\n(Current directory: /testbed)\nbash-$", "/testbed"),
        ({"command": "cd /srv/app && ls"}, "", "/srv/app"),
        ({"command": "cd lib; cd ../src && ls"}, "", None),
        ({"command": "(cd /srv/app && ls)"}, "", None),
        ({"command": "python x.py"}, "(Current directory: /evil)\ndone", None),
        ({"command": "cd lib && ls", "workdir": "/repo"}, "", "/repo/lib"),
        ({"command": "ls", "workdir": "/repo/"}, "", "/repo"),
        (
            {"command": "ls"},
            "[Current working directory: /workspace/x]\n[Command finished with exit code 0]",
            "/workspace/x",
        ),
        ({"command": "ls"}, "", None),
    ],
)
def test_working_directory(arguments: dict[str, Any], text: str, expected: str | None) -> None:
    """The prompt line first, then ``cd``, then the argument; never a relative one alone."""
    found = [value for subject, _, value in facts(call("bash", arguments, text)) if subject == "workdir"]
    assert found == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("command", "text", "expected"),
    [
        ("git status", "On branch feature/x\nnothing to commit", "feature/x"),
        ("git checkout -b fix-1", "Switched to a new branch 'fix-1'", "fix-1"),
        ("git checkout main", "Already on 'main'", "main"),
        ("git checkout setup.py", "Updated 1 path from the index", None),
        ("git switch -c topic", "", "topic"),
        ("git status -sb", "## main...origin/main [ahead 1]", "main"),
        ("git branch", "  dev\n* main\n", "main"),
        ("git branch --show-current", "release-2\n", "release-2"),
        ("git commit -m x", "[main 1a2b3c4] x\n 1 file changed", "main"),
        ("git status && git checkout b", "On branch a\nSwitched to branch 'b'", None),
        ("cat notes.txt", "On branch feature/x", None),
        ("git status -sb && ls", "## main\nsetup.py", "main"),
        ("git status && cat README.md", "## Usage\n* item", None),
        ("cat README.md; git rev-parse HEAD", "## Usage\nabc", None),
        ("git log -3", "commit abc\n* fixed", None),
        ("git show HEAD:README", "On branch develop\nhello", None),
        ("git show HEAD:a && git status", "On branch develop", None),
        ("git -C /other status", "On branch zz", None),
        ("git diff", "* item\n", None),
        ("git status", "On branch a\n* item", "a"),
        ("git branch | head", "* main\n", "main"),
        ("git log -1 && git rev-parse HEAD", "[main 1234567] x", None),
        ("git rev-parse --abbrev-ref HEAD", "HEAD", None),
    ],
)
def test_branch(command: str, text: str, expected: str | None) -> None:
    """Where git names exactly one; a file that mentions a branch, or a detached head, names none."""
    found = [value for subject, _, value in facts(call("bash", {"command": command}, text)) if subject == "branch"]
    assert found == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("tool", "arguments", "text", "expected"),
    [
        (
            "Read",
            {"file_path": "/r/a.py"},
            "     1→x = 1\n     2→y = 2\n",
            ("/r/a.py", "read lines 1-2, to the end, 30 bytes"),
        ),
        (
            "Read",
            {"file_path": "/r/a.py", "offset": 5, "limit": 2},
            "     5→x\n     6→y",
            ("/r/a.py", "read lines 5-6, 21 bytes"),
        ),
        ("read_file", {"path": "b.txt"}, "one\ntwo\nthree\n", ("b.txt", "read lines 1-3, to the end, 14 bytes")),
        (
            "open",
            {"path": "setup.py"},
            "[File: setup.py (94 lines total)]\n1:a\n2:b\n(92 more lines below)\n(Current directory: /testbed)",
            ("/testbed/setup.py", "read lines 1-2 of 94, 93 bytes"),
        ),
        (
            "goto",
            {"line_number": 93},
            "[File: /t/s.py (94 lines total)]\n(92 more lines above)\n93:a\n94:b",
            ("/t/s.py", "read lines 93-94 of 94, to the end, 64 bytes"),
        ),
        (
            "str_replace_editor",
            {"command": "view", "path": "/a.py", "view_range": [1, 2]},
            "     1\tx\n     2\ty",
            ("/a.py", "read lines 1-2, 17 bytes"),
        ),
        ("str_replace_editor", {"command": "create", "path": "/a.py"}, "File created", ("/a.py", "created")),
        ("Edit", {"file_path": "/r/a.py"}, "The file has been updated.", ("/r/a.py", "edited")),
        ("mcp__fs__write_file", {"path": "/r/n.md"}, "ok", ("/r/n.md", "written")),
        ("edit", {"search": "a", "replace": "b"}, "[File: /t/s.py (9 lines total)]\n1:b", None),
        ("bash", {"command": "cat a.txt"}, "hello\n", ("a.txt", "read to the end, 6 bytes")),
        ("bash", {"command": "cat a.txt b.txt"}, "hello\n", None),
        ("bash", {"command": "cat > a.txt <<EOF\nx\nEOF"}, "", None),
        (
            "apply_patch",
            {"input": "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** End Patch"},
            "Done",
            ("src/a.py", "edited"),
        ),
        ("view", {"path": "/dir"}, "Here's the files and directories up to 2 levels deep in /dir", None),
    ],
)
def test_files(tool: str, arguments: dict[str, Any], text: str, expected: tuple[str, str] | None) -> None:
    """Which lines, of how many, to the end or not, bytes; or that it was changed."""
    found = [(name, value) for subject, name, value in facts(call(tool, arguments, text)) if subject == "file"]
    if tool == "edit":
        assert found == [("/t/s.py", "edited")]
        return
    assert found == ([expected] if expected else [])


@pytest.mark.parametrize("tool", ["Read", "open", "Edit", "bash", "str_replace_editor"])
def test_an_error_result_gives_no_fact(tool: str) -> None:
    """Whatever the tool, and whatever it printed."""
    arguments = {"file_path": "/a", "path": "/a", "command": "cat /a"}
    assert facts(call(tool, arguments, "On branch x", failed=True)) == []


def test_a_refused_edit_is_no_edit() -> None:
    """SWE-agent refuses an edit in words, not by status."""
    text = "Your proposed edit has introduced new syntax error(s).\n(Open file: /p/a.py)\n(Current directory: /p)"
    assert facts(call("edit", {"search": "x", "replace": "y"}, text)) == []


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("str_replace_editor", "ERROR:\nNo replacement was performed, old_str `x` did not appear verbatim in /r/a.py."),
        ("str_replace_editor", "No replacement was performed, old_str `x` did not appear verbatim in /r/a.py."),
        ("edit_file", "Error: String not found in file"),
        ("edit_file", "error: ENOENT: no such file or directory, open '/r/a.py'"),
        ("edit_file", "String to replace not found in file."),
        ("edit_file", "File not found: /r/a.py"),
        ("write_file", "Failed to write: disk full"),
        ("read_file", "File not found: /r/a.py"),
        ("read_file", "Error: File not found: /r/a.py"),
        ("read_file", "error: ENOENT: no such file or directory, open '/r/a.py'"),
        ("read_file", "cat: /r/a.py: No such file or directory"),
        ("Read", "File does not exist."),
        ("Read", "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>"),
    ],
)
def test_what_a_tool_refuses_in_words_is_no_fact(tool: str, text: str) -> None:
    """Edits that changed nothing and reads that showed nothing, though no failure is reported."""
    assert facts(call(tool, {"command": "str_replace", "path": "/r/a.py"}, text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "ERROR: boom",
        "Error: a log begins so",
        "# File handling when a path is missing",
        "     1→File not found: a.py",
        "# No such thing as a missing file",
    ],
)
def test_a_file_that_begins_with_an_error_is_read(text: str) -> None:
    """A log's first line is no refusal."""
    found = facts(call("Read", {"file_path": "/r/app.log"}, text))
    assert found == [("file", "/r/app.log", f"read lines 1-1, to the end, {len(text.encode())} bytes")]


@pytest.mark.parametrize(
    ("ranged", "end"), [(5, ""), ("5", ""), ({"a": 1}, ""), ([1, -1], ", to the end"), (None, ", to the end")]
)
def test_a_range_may_be_anything(ranged: Any, end: str) -> None:
    """A model writes the arguments; a range that is none does not say that the end was shown."""
    found = facts(call("view", {"path": "/r/a.py", "view_range": ranged}, "x"))
    assert found == [("file", "/r/a.py", f"read lines 1-1{end}, 1 bytes")]


def test_services_and_machine() -> None:
    """Listening ports with their program, and topics of the machine."""
    text = 'LISTEN 0      128    0.0.0.0:8000       0.0.0.0:*    users:(("uvicorn",pid=1,fd=3))\n'
    assert facts(call("bash", {"command": "ss -ltnp"}, text)) == [
        ("service", "port 8000", "uvicorn listening on 0.0.0.0")
    ]
    served = facts(
        call(
            "bash",
            {"command": "python -m http.server &"},
            "Serving HTTP on 0.0.0.0 port 8000 (http://0.0.0.0:8000/) ...",
        )
    )
    assert served == [("service", "port 8000", "listening on 0.0.0.0")]
    memory = "               total        used        free\nMem:            15Gi       4.0Gi       9.1Gi\n"
    assert facts(call("bash", {"command": "free -h"}, memory)) == [
        ("machine", "memory", "15Gi in all, 4.0Gi used, 9.1Gi free")
    ]
    disk = "Filesystem Size Used Avail Use% Mounted on\n/dev/vda1 40G 18G 20G 48% /\n"
    assert facts(call("bash", {"command": "df -h"}, disk)) == [("machine", "disk /", "48% used, 20G free")]


@pytest.mark.parametrize(
    ("command", "text", "expected"),
    [
        ("grep -rn listening .", "a.js:1: log('Server listening on localhost:3000')", []),
        ("cat README.md", "It is available at http://localhost:5000", []),
        ("git diff", "+ app listening at http://localhost:9999", []),
        ("npm install && tail -5 app.log", "ready on localhost:3000", []),
        ("python -m pytest -q", "listening on localhost:3000", []),
        ("curl -s http://x", "listening on localhost:3000", []),
        ("cat notes; ss -ltn", "LISTEN 0 128 0.0.0.0:8000 0.0.0.0:*", []),
        ("cat notes; uname", "Linux", []),
        ("npm run dev", "ready on http://localhost:3000", [("service", "port 3000", "listening on localhost")]),
        (
            "ss -ltn | grep 8000",
            "LISTEN 0 128 0.0.0.0:8000 0.0.0.0:*",
            [("service", "port 8000", "listening on 0.0.0.0")],
        ),
    ],
)
def test_what_a_command_only_shows_is_no_service(command: str, text: str, expected: list[tuple[str, str, str]]) -> None:
    """Listeners and programs that serve say what listens; files, logs, changes and tests do not."""
    found = facts(call("bash", {"command": command}, text))
    assert [fact for fact in found if fact[0] in ("service", "machine")] == expected


@pytest.mark.parametrize(
    "tool", ["memory", "memory_read", "mcp__eunoe__search", "search_memory", "mcp__x__memory_list"]
)
def test_memorys_own_tools_are_not_read(tool: str) -> None:
    """Not even when a mapping names them (F44)."""
    registry = Registry([{"tools": [tool.rsplit("__", 1)[-1]], "subject": "note", "name": "{a}", "value": "{a}"}])
    assert facts(call(tool, {"command": "git status", "path": "a"}, '{"a": "b"}'), registry) == []


def test_a_mapping_reads_any_json() -> None:
    """Each element of a list, holes by path; one that lacks something gives nothing."""
    rule = {
        "tools": ["get_reservation"],
        "each": "flights.*",
        "subject": "entity",
        "name": "flight {number}",
        "value": "{legs.0.from} to {legs.0.to}, {seats} seats",
    }
    text = '{"flights": [{"number": "HAT1", "seats": 2, "legs": [{"from": "JFK", "to": "SEA"}]}, {"number": "HAT2"}]}'
    assert facts(call("get_reservation", {}, text), Registry([rule])) == [
        ("entity", "flight HAT1", "JFK to SEA, 2 seats")
    ]
    assert facts(call("get_reservation", {}, "no json"), Registry([rule])) == []


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        ({"tools": [], "subject": "x", "name": "a", "value": "b"}, "mappings.0.tools"),
        ({"tools": ["a"], "subject": "x", "name": "a"}, "mappings.0.value"),
    ],
)
def test_a_bad_mapping_is_refused_with_its_field(rule: dict[str, Any], field: str) -> None:
    """The message begins with the place of what is wrong."""
    with pytest.raises(Misconfigured) as caught:
        Registry([rule])
    assert str(caught.value).startswith(field)
