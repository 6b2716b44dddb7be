"""How a command ended: its exit status, wherever a tool writes it, and what test runners print. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from eunoe.extraction.calls import Call
from eunoe.extraction.commands import Step, command_of, fails_alone, passes_when_zero, steps, tests
from eunoe.extraction.found import Around, Found

_EXITS = (
    re.compile(r"^\[?(?:The )?[Cc]ommand (?:completed|finished|exited) with exit code (-?\d+)\.?\]?", re.MULTILINE),
    re.compile(r"^Process exited with code (-?\d+)", re.MULTILINE),
    re.compile(r"^Exit [Cc]ode:? (-?\d+)", re.MULTILINE),
)
_STATUS_IS_EXIT = frozenset({"Bash"})  # tools (as written) that report every exit status but 0 as an error
_NOT_RUN = frozenset({126, 127})  # the shell's own: not executable, not found
_FAILED = re.compile(
    r"^=* ?(?:\d+ \w+, ){0,8}\d+ (?:failed|errors?)\b.{0,200}? in [\d.:]+ ?s"
    r"|^FAILED \((?:failures|errors)="
    r"|^(?:--- )?FAIL\b|^test result: FAILED|^Tests:\s+\d+ failed|^\[?(?:ERROR|INFO)?\]? ?BUILD FAIL(?:ED|URE)"
    r"|^g?make(?:\[\d+\])?: \*\*\* |^error: could not compile",
    re.MULTILINE,
)
_PASSED = re.compile(
    r"^=* ?(?:\d+ \w+, ){0,8}\d+ passed\b.{0,200}? in [\d.:]+ ?s"
    r"|^Ran \d+ tests? in [\d.]+s\n+OK\b"
    r"|^ok\s+\S+\s+(?:[\d.]+s|\(cached\))|^PASS$|^test result: ok|^Tests:\s+\d+ passed|^\[?(?:INFO)?\]? ?BUILD SUCCESS",
    re.MULTILINE,
)


def read(call: Call, around: Around) -> Iterator[Found]:
    """The outcome of each test or build command of a call, where its exit status or its output tells it."""
    command = command_of(call)
    testing = [step for step in steps(command) if tests(step)]
    for step in testing:
        outcome = _outcome(call, command, step, alone=len(testing) == 1)
        if outcome:
            yield Found("tests", step.text, outcome)


def exit_of(call: Call) -> int | None:
    """The exit status of a call's command, None where nothing says it."""
    if call.exit_status is not None:
        return call.exit_status
    inside = _wrapped(call.text).get("metadata")
    if isinstance(inside, dict) and isinstance(inside.get("exit_code"), int):
        return int(inside["exit_code"])
    for pattern in _EXITS:
        found = pattern.findall(call.text)
        if found:
            return int(found[-1])
    return 0 if call.tool in _STATUS_IS_EXIT and not call.failed else None


def output_of(call: Call) -> str:
    """What the command printed, out of the JSON that some tools put around it."""
    inside = _wrapped(call.text).get("output")
    return inside if isinstance(inside, str) else call.text


def succeeded(call: Call) -> bool:
    """Whether a command ran to its end without an error, as far as is known."""
    return not call.failed and exit_of(call) in (0, None)


def _outcome(call: Call, command: str, step: Step, *, alone: bool) -> str:
    status = exit_of(call)
    if status == 0 and passes_when_zero(command, step):
        return "passed"
    if status in _NOT_RUN:
        return ""
    if status and fails_alone(command, step):
        return f"failed, exit status {status}"
    return _printed(output_of(call)) if alone else ""


def _printed(text: str) -> str:
    if _FAILED.search(text):
        return "failed"
    return "passed" if _PASSED.search(text) else ""


def _wrapped(text: str) -> dict[str, Any]:
    if not text.startswith("{"):
        return {}
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
