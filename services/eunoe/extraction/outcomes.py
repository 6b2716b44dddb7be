"""How tests and builds ended: by the exit status of their command, else by what their runner prints. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from eunoe.extraction.calls import Call
from eunoe.extraction.commands import (
    Step,
    backgrounded,
    command_of,
    fails_alone,
    passes_when_zero,
    set_up,
    steps,
)
from eunoe.extraction.found import Around, Found
from eunoe.extraction.results import exit_of, output_of, unfinished
from eunoe.extraction.runners import tests

_NOT_SET_UP = re.compile(  # what a shell, or mkdir, says of a step that failed
    r"^(?:\S*\b(?:ba|da|z|k)?sh|\(eval\)|cd|pushd|source|mkdir)[: ][^\n]{0,400}"
    r"(?:no such file or directory|not a directory|permission denied|not found|cannot create|file exists)",
    re.MULTILINE | re.IGNORECASE,
)
_NOT_RUN = frozenset({124, 126, 127, 130, 137, 143})  # timed out, not executable, not found, ended by a signal
_FAILED = re.compile(  # at the beginning of a line, which is tried first
    r"^(?:=* ?(?:\d+ \w+, ){0,8}\d+ (?:failed|errors?)\b.{0,200}? in [\d.:]+ ?s"  # pytest
    r"|FAILED \((?:failures|errors|unexpected successes)="  # unittest
    r"|(?:--- )?FAIL\b|test result: FAILED|error: could not compile"  # go, cargo
    r"|Tests:\s+\d+ failed| *Tests +\d+ failed \|| +[1-9]\d* failing$"  # jest, vitest, mocha
    r"|\[?(?:ERROR|INFO)?\]? ?BUILD FAIL(?:ED|URE)"  # Maven, Gradle
    r"|g?make(?:\[\d+\])?: \*\*\* |ninja: build stopped|\d+% tests passed, [1-9]\d* tests? failed out of"  # ctest
    r"|\d+ examples?, [1-9]\d* failures?|FAILURES!$|Failed!  - Failed:|Build FAILED\.$"  # rspec, phpunit, dotnet
    r"|ERROR: Build did NOT complete|Executed \d+ out of \d+ tests?: .*\bfails?\b"  # Bazel
    r"|Found [1-9]\d* errors?\b|\u2716 \d+ problems? \([1-9]"  # mypy, ruff, eslint
    r"|nox > Session \S+ failed| +evaluation failed :\()",  # nox, tox
    re.MULTILINE,
)
_FAILED_INSIDE = re.compile(r"\(\d+,\d+\): error TS\d+: ")  # tsc, after the name of a file
_PASSED = re.compile(
    r"^(?:=* ?(?:\d+ \w+, ){0,8}\d+ passed\b.{0,200}? in [\d.:]+ ?s"
    r"|Ran \d+ tests? in [\d.]+s\n+OK\b"
    r"|ok\s+\S+\s+(?:[\d.]+s|\(cached\))|PASS$|test result: ok"
    r"|Tests:\s+\d+ passed| *Tests +\d+ passed \(\d+\)| +\d+ passing \("
    r"|\[?(?:INFO)?\]? ?BUILD SUCCESS|100% tests passed, 0 tests failed out of"
    r"|\d+ examples?, 0 failures|OK \(\d+ tests?, \d+ assertions?\)|Passed!  - Failed: +0,|Build succeeded\.$"
    r"|INFO: Build completed successfully|Executed \d+ out of \d+ tests?: \d+ tests? pass(?:es)?\.$"
    r"|Success: no issues found in |All checks passed!$"
    r"|nox > Session \S+ was successful| +congratulations :\))",
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
    if _FAILED.search(text) or _FAILED_INSIDE.search(text):
        return "failed"
    return "passed" if _PASSED.search(text) else ""
