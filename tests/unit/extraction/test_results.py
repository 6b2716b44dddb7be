"""Exit status and output, out of what each tool puts around them; and which commands test or build."""

from __future__ import annotations

import pytest
from extracting import facts_of
from turns import call

from eunoe.extraction import runners
from eunoe.extraction.commands import steps
from eunoe.extraction.results import exit_of, output_of, unfinished
from eunoe.extraction.secrets import redact

OPENHANDS = (
    "\n[The command completed with exit code 3.]\n[Current working directory: /w]\n[Command finished with exit code 3]"
)
GEMINI = "Error: (none)\nExit Code: 3\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 7"


@pytest.mark.parametrize(
    ("text", "status", "output"),
    [
        ("main\n", None, "main\n"),
        ("Exit code: 0\nmain\n", 0, "main\n"),
        ("Exit code 1\nboom", 1, "boom"),
        ("Exit code: 0", 0, ""),
        ("Exit code: 0\nWall time: 0.1 seconds\nTotal output lines: 1\nOutput:\nmain", 0, "main"),
        ("Chunk ID: a\nWall time: 1.0\nProcess exited with code 4\nOriginal token count: 1\nOutput:\nmain", 4, "main"),
        ("Process exited with code 0\n", 0, ""),
        (f"main{OPENHANDS}", 3, "main\n"),
        ("main\n(Open file: n/a)\n(Current directory: /t)\nbash-$", None, "main\n"),
        ("main\n[Current working directory: /w]", None, "main\n"),
        (f"Command: x\nDirectory: (root)\nStdout: main\nStderr: warned\n{GEMINI}", 3, "main"),
        ("Command: x\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: (none)\nSignal: 9\n", None, ""),
        ("Output: main\nProcess Group PGID: 7", 0, "main\n"),
        ("Output: main\nError: no\nExit Code: 3\nProcess Group PGID: 7", 3, "main"),
        ("Output: main\nSignal: 9\nProcess Group PGID: 7", None, "main\n"),
        ("Output: main\nError: its own\nmore\nProcess Group PGID: 7", 0, "main\nError: its own\nmore\n"),
        ("Output: main", None, "Output: main"),
        ("Command executed in terminal within working directory '/w'. Exit code: 3\nOutput:\nmain", 3, "main"),
        ("Command executed.\nOutput:\nmain", None, "main"),
        ("Command executed successfully (exit code 0).\nOutput:\nmain", 0, "main"),
        ("<returncode>3</returncode>\n<output>\nmain\n</output>", 3, "main\n"),
        ('{"output": "main\\n", "metadata": {"exit_code": 3, "duration_seconds": 0.1}}', 3, "main\n"),
        ('{"stdout": "main", "stderr": "warned", "returncode": 3}', 3, "main\nwarned"),
        ('{"exit_code": 3}', None, '{"exit_code": 3}'),
        ('{"stdout": "main", "exit_code": true}', None, "main"),
        ("main\nExit code: 0", None, "main\nExit code: 0"),
        ("main\n[Command finished with exit code 3]\nmore", None, "main\n[Command finished with exit code 3]\nmore"),
    ],
)
def test_what_stands_around_an_output(text: str, status: int | None, output: str) -> None:
    """In the forms of the agents that are widely used; what a program prints about others is output."""
    one = call("shell", {"command": "x"}, text)
    assert (exit_of(one), output_of(one)) == (status, output)


LINES = 8_000


@pytest.mark.parametrize(
    "text",
    [
        "Command: x\n" + "Directory: x\nOutput: y\nError: z\nExit Code: 0\n" * LINES + "end",
        "Output: " + "\nError: x\nExit Code: 1\nSignal: 9\nBackground PIDs: 7\n" * LINES + "end",
        "Command finished with exit code 1\n" * LINES + "end",
        "(Current directory: /w)" + "\n" * 10 * LINES + "end",
        "(Open file: a)\n(Current directory: /w)\n" * LINES + "end",
        "\n" * 10 * LINES + "end",
        " " * 10 * LINES + "end",
        "=" * 10 * LINES + "end",
        "1 a, " * LINES + "end",
        "--- a ---\n" + "\n" * 10 * LINES + "end",
        "password" + " " * 10 * LINES + "end",
        "[File: a (1 lines total)]\n" + "1:" * LINES,
        "HTTP/1.1 " * LINES,
        "{" + '"output":{' * LINES,
    ],
)
@pytest.mark.parametrize("tool", ["bash", "read_file", "fetch"])
def test_no_result_takes_a_long_time(tool: str, text: str) -> None:
    """Results of 80,000 characters and more that repeat what the patterns look for: a pattern that went over such a
    text again for each of its lines would not end before the test is given up."""
    arguments = {"command": "pytest; git status; ss; curl localhost:1", "paths": ["a"], "url": "localhost:1"}
    facts_of(call(tool, arguments, text))
    redact(text)


@pytest.mark.parametrize(
    ("command", "text", "expected"),
    [
        ("git branch --show-current", "Exit code: 0\nrelease-2\n", [("branch", "", "release-2")]),
        ("git rev-parse --abbrev-ref HEAD", "Exit code: 0\ntopic", [("branch", "", "topic")]),
        ("uname -sr", "Exit code: 0\nLinux 6.1", [("machine", "system", "Linux 6.1")]),
        ("nproc", "Exit code: 0\n8\n", [("machine", "processors", "8")]),
        ("ls; uname", "setup.py\nLinux", []),
        (
            "git branch --show-current",
            f"main{OPENHANDS.replace('3', '0')}",
            [("workdir", "", "/w"), ("branch", "", "main")],
        ),
    ],
)
def test_an_answer_is_read_without_what_stands_around_it(
    command: str, text: str, expected: list[tuple[str, str, str]]
) -> None:
    """A status line is neither a branch nor the name of a system, and nor is what another program printed."""
    assert facts_of(call("bash", {"command": command}, text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Command is still running in the user's terminal.\nOutput:\n..",
        "Command was cancelled by user before it could complete.",
        "Wall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n3 passed in 0.1s",
        "Command moved to background (PID: 7).",
    ],
)
def test_a_command_that_did_not_end_is_unfinished(text: str) -> None:
    """Whatever it printed so far."""
    assert unfinished(call("shell", {"command": "pytest"}, text))
    assert facts_of(call("shell", {"command": "pytest"}, text)) == []


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q",
        "python -m pytest tests",
        "python3.12 -W error -m unittest discover",
        "tox -e py312",
        "nox -s tests",
        "python manage.py test shop",
        "go vet ./...",
        "go build ./...",
        "cargo clippy --all-targets",
        "cargo check",
        "npm t",
        "npm run test:unit",
        "npm run build",
        "npm run-script lint",
        "pnpm test",
        "pnpm run typecheck",
        "yarn test:e2e",
        "yarn build",
        "bun test",
        "bun run build",
        "npx jest --ci",
        "npx --yes vitest run",
        "./mvnw -q verify",
        "./gradlew :app:test",
        "cmake --build build",
        "ctest --output-on-failure",
        "dotnet test",
        "bazel test //...",
        "bundle exec rspec",
        "mypy src",
        "ruff check .",
        "npx eslint .",
        "npx tsc --noEmit",
        "make lint",
        "coverage run --branch -m pytest -q",
        "bin/rails test",
        "deno test --allow-read",
        "pre-commit run --all-files",
    ],
)
def test_a_command_that_tests_or_builds(command: str) -> None:
    """The runners of the common languages, and the checkers that stand beside them."""
    assert [runners.tests(step) for step in steps(command)] == [True]


@pytest.mark.parametrize(
    "command",
    [
        "pip install pytest",
        "python -m http.server",
        "python setup.py",
        "python",
        "go run .",
        "cargo run",
        "npm ci",
        "npm run dev",
        "npm start",
        "yarn add vitest",
        "yarn",
        "pnpm install",
        "bun run dev",
        "ruff format .",
        "mvn clean",
        "cmake -S . -B build",
        "make install-deps",
    ],
)
def test_a_command_that_does_not(command: str) -> None:
    """Installs, servers and plain programs."""
    assert [runners.tests(step) for step in steps(command)] == [False]


@pytest.mark.parametrize(
    ("command", "text", "expected"),
    [
        ("pytest", "2 failed, 1 passed in 0.12s", "failed"),
        ("pytest", "=== 1 error in 0.12s ===", "failed"),
        ("python -m unittest", "Ran 3 tests in 0.001s\n\nOK (skipped=1)", "passed"),
        ("go test ./...", "ok  \texample.org/a\t0.01s\nFAIL\texample.org/b\t0.02s", "failed"),
        ("go test ./...", "ok  \texample.org/a\t(cached)", "passed"),
        ("cargo test", "test result: ok. 3 passed; 0 failed; 0 ignored", "passed"),
        ("npx jest", "Tests:       1 failed, 2 passed, 3 total", "failed"),
        ("npx vitest run", " Test Files  1 passed (1)\n      Tests  3 passed (3)", "passed"),
        ("npx vitest run", "      Tests  1 failed | 2 passed (3)", "failed"),
        ("npx mocha", "  3 passing (12ms)\n  1 failing\n", "failed"),
        ("mvn test", "[INFO] BUILD SUCCESS", "passed"),
        ("./gradlew build", "BUILD FAILED in 3s", "failed"),
        ("make", "make: *** [Makefile:3: test] Error 2", "failed"),
        ("ctest", "67% tests passed, 1 tests failed out of 3", "failed"),
        ("ctest", "100% tests passed, 0 tests failed out of 3", "passed"),
        ("dotnet test", "Passed!  - Failed:     0, Passed:     3, Skipped:     0", "passed"),
        ("bazel test //...", "Executed 1 out of 2 tests: 1 test passes and 1 fails locally.", "failed"),
        ("bazel build //...", "INFO: Build completed successfully, 3 total actions", "passed"),
        ("rspec", "10 examples, 2 failures", "failed"),
        ("rspec", "10 examples, 0 failures, 1 pending", "passed"),
        ("mypy .", "Success: no issues found in 3 source files", "passed"),
        ("mypy .", "Found 2 errors in 1 file (checked 3 source files)", "failed"),
        ("ruff check", "All checks passed!", "passed"),
        ("npx tsc", "src/a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.", "failed"),
        ("npx eslint .", "\u2716 3 problems (1 error, 2 warnings)", "failed"),
        ("npx eslint .", "\u2716 2 problems (0 errors, 2 warnings)", None),
        ("tox", "  py312: OK (3.21 seconds)\n  congratulations :) (3.30 seconds)", "passed"),
        ("make test", "it looks fine", None),
    ],
)
def test_what_runners_print(command: str, text: str, expected: str | None) -> None:
    """Their own summaries, where nothing says an exit status; else nothing is said."""
    assert facts_of(call("bash", {"command": command}, text)) == ([("tests", command, expected)] if expected else [])
