"""How a command ended: its exit status, wherever a tool writes it, and what test runners print. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from eunoe.extraction.calls import Call
from eunoe.extraction.commands import (
    Step,
    backgrounded,
    command_of,
    fails_alone,
    passes_when_zero,
    set_up,
    steps,
    tests,
)
from eunoe.extraction.found import Around, Found

_FIRST = re.compile(r"\AExit [Cc]ode:? (-?\d+)[^\S\n]*(?:\n|\Z)")
_HEADED = re.compile(  # the lines that a tool puts before the output
    r"\A(?:(?:Chunk ID|Wall time|Original token count|Total output lines)\b[^\n]*\n){0,5}"
    r"Process exited with code (-?\d+)[^\S\n]*\n?"
    r"(?:(?:Chunk ID|Wall time|Original token count|Total output lines)\b[^\n]*\n){0,5}(?:Output:|\Z)"
)
_LAST = re.compile(  # the last line, or one before other lines of the tool in brackets
    r"^\[?(?:The )?[Cc]ommand (?:completed|finished|exited) with exit code (-?\d+)\.?\]?\s*(?:^\[[^\n]*\]\s*){0,4}\Z",
    re.MULTILINE,
)
_NOT_SET_UP = re.compile(  # what a shell, or mkdir, says of a step that failed
    r"^(?:\S*\b(?:ba|da|z|k)?sh|\(eval\)|cd|pushd|source|mkdir)[: ][^\n]{0,400}"
    r"(?:no such file or directory|not a directory|permission denied|not found|cannot create|file exists)",
    re.MULTILINE | re.IGNORECASE,
)
_UNFINISHED = re.compile(
    r"^(?:<\w+>)?\[?(?:The )?(?:Command (?:is )?running in (?:the )?background"
    r"|Command was [\w ]*(?:backgrounded|aborted|interrupted)|[Cc]ommand (?:timed out|interrupted|has no new output)"
    r"|Request interrupted by user)",
    re.MULTILINE,
)
_STATUS_OF_FAILURES = frozenset({"Bash"})  # tools (as written) that write an exit status only into an error
_NOT_RUN = frozenset({124, 126, 127, 130, 137, 143})  # timed out, not executable, not found, ended by a signal
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
    wrapped = _wrapped(call.text)
    inside = wrapped.get("metadata") if isinstance(wrapped.get("output"), str) else None
    if isinstance(inside, dict) and type(inside.get("exit_code")) is int:
        return int(inside["exit_code"])
    if call.tool in _STATUS_OF_FAILURES and not call.failed:
        return None
    found = next((match for pattern in (_FIRST, _HEADED, _LAST) if (match := pattern.search(call.text))), None)
    return int(found[1]) if found else None


def unfinished(call: Call) -> bool:
    """Whether a result says that its command still runs, was interrupted, or timed out."""
    return _UNFINISHED.search(call.text) is not None


def output_of(call: Call) -> str:
    """What the command printed, out of the JSON that some tools put around it."""
    inside = _wrapped(call.text).get("output")
    return inside if isinstance(inside, str) else call.text


def succeeded(call: Call) -> bool:
    """Whether a command ran to its end without an error, as far as is known."""
    return not call.failed and exit_of(call) in (0, None)


def _outcome(call: Call, command: str, step: Step, *, alone: bool) -> str:
    status = exit_of(call)
    if unfinished(call) or backgrounded(command, step):
        return ""
    if status == 0 and passes_when_zero(command, step):
        return "passed"
    if status in _NOT_RUN or (status and set_up(command, step) and _NOT_SET_UP.search(output_of(call))):
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
