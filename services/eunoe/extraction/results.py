"""What tools put around the output of a command: its exit status, and whether it ended. Pure."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from eunoe.extraction.calls import Call

_AROUND = r"(?:(?:Chunk ID|Wall time|Original token count|Total output lines)\b[^\n]*\n){0,5}"
_LABEL = r"(?:Output:[^\S\n]*(?:\n|\Z))?"


@dataclass(frozen=True, slots=True)
class _Form:
    """How a tool builds results: ``head`` stands before the output, at the very beginning, ``tail`` at the very end.

    What is given has to be there. ``asides``: other texts with a label of their own follow the output. ``silent``:
    what did not happen is not named, so without a status and a signal it was 0, and an error may be missing.
    """

    head: re.Pattern[str] | None = None
    tail: re.Pattern[str] | None = None
    asides: bool = False
    silent: bool = False


def _form(head: str = "", tail: str = "", *, asides: bool = False, silent: bool = False) -> _Form:
    return _Form(
        re.compile(rf"\A{head}") if head else None,
        re.compile(rf"^{tail}\s*\Z", re.MULTILINE) if tail else None,
        asides,
        silent,
    )


_PIDS = r"(?:Background PIDs: [^\n]*\n)?Process Group PGID: [^\n]*"
_FORMS = (  # no pattern may go over a text twice: a result is whatever a program printed
    _form(rf"Exit [Cc]ode:? (?P<status>-?\d+)[^\S\n]*(?:\n|\Z){_AROUND}{_LABEL}"),
    _form(rf"{_AROUND}Process exited with code (?P<status>-?\d+)[^\S\n]*(?:\n|\Z){_AROUND}(?:Output:[^\S\n]*\n?|\Z)"),
    _form(rf"Command executed in terminal[^\n]*\. Exit code: (?P<status>-?\d+)[^\S\n]*(?:\n|\Z){_LABEL}"),
    _form(rf"Command executed(?: successfully \(exit code (?P<status>\d+)\))?\.(?:\n|\Z){_LABEL}"),
    _form(r"<returncode>(?P<status>-?\d+)</returncode>\s*<output>\n?", r"</output>"),
    _form(
        r"Command: (?>[\s\S]*?\nDirectory: [^\n]*\n)(?:Output|Stdout): ",
        rf"Exit Code: (?P<status>-?\d+|\(none\))\nSignal: [^\n]*(?:\n{_PIDS})?",
        asides=True,
    ),
    _form(
        r"Output: ",
        rf"(?:Exit Code: (?P<status>-?\d+)\n)?(?:Signal: (?P<signal>[^\n]*)\n)?{_PIDS}",
        asides=True,
        silent=True,
    ),
    _form(
        tail=r"\[?(?:The )?[Cc]ommand (?:completed|finished|exited) with exit code (?P<status>-?\d+)\.?\]?\s*"
        r"(?:^\[[^\n]*\]\s*){0,4}"
    ),
)
_ASIDES = ("\nError: ", "\nStderr: ")  # labels of what follows an output, the last one first
_PROMPT = re.compile(
    r"(?:^\(Open file: [^\n]*\)\n)?^\(Current directory: [^\n]*\)\s*(?:bash-\$\s*)?\Z"
    r"|^\[Current working directory: [^\n]+\]\s*(?:^\[[^\n]*\]\s*){0,4}\Z",
    re.MULTILINE,
)
_UNFINISHED = re.compile(
    r"^(?:<\w+>)?\[?(?:The )?(?:Command (?:is )?running in (?:the )?background"
    r"|Command was [\w ]*(?:backgrounded|aborted|interrupted|cancelled)|Command moved to background"
    r"|[Cc]ommand (?:timed out|interrupted|has no new output|is still running)|Process running with session ID"
    r"|Request interrupted by user)",
    re.MULTILINE,
)
_END = 8_192  # characters at the end of a result in which its tool's own lines are looked for
_SAYS_ONLY_OUTPUT = "(empty)"  # where a tool writes that nothing was printed
_STATUS_OF_FAILURES = frozenset({"Bash"})  # tools (as written) that write an exit status only into an error
_STATUS = ("exit_code", "exitCode", "returncode", "return_code", "exit_status")


@dataclass(frozen=True, slots=True)
class Printed:
    """What a command printed, and its exit status, None where the result does not say it."""

    output: str
    status: int | None = None


def exit_of(call: Call) -> int | None:
    """The exit status of a call's command, None where nothing says it."""
    if call.exit_status is not None:
        return call.exit_status
    if call.tool in _STATUS_OF_FAILURES and not call.failed:
        return None
    return _printed(call.text).status


def output_of(call: Call) -> str:
    """What the command printed, out of what its tool put around it."""
    return _printed(call.text).output


def unfinished(call: Call) -> bool:
    """Whether a result says that its command still runs, was interrupted, or timed out."""
    return _UNFINISHED.search(call.text) is not None


def succeeded(call: Call) -> bool:
    """Whether a command ran to its end without an error, as far as is known."""
    return not call.failed and exit_of(call) in (0, None)


@functools.lru_cache(maxsize=4)  # each extractor reads the same result
def _printed(text: str) -> Printed:
    if text.startswith("{"):
        return _json(text) or Printed(text)
    return next((found for form in _FORMS if (found := _matched(form, text))), Printed(_plain(text)))


def _matched(form: _Form, text: str) -> Printed | None:
    """A result that is built in this form; None for any other."""
    head = form.head.match(text) if form.head else None
    tail = form.tail.search(text, max(head.end() if head else 0, len(text) - _END)) if form.tail else None
    if (form.head and not head) or (form.tail and not tail):
        return None
    output = text[head.end() if head else 0 : tail.start() if tail else len(text)]
    for aside in _ASIDES if form.asides else ():
        before, label, rest = output.rpartition(aside)
        output = before if label and not (form.silent and "\n" in rest.rstrip("\n")) else output
    said = {**(head.groupdict() if head else {}), **(tail.groupdict() if tail else {})}
    return Printed(_plain(output), _status(said, silent=form.silent))


def _status(said: Mapping[str, str | None], *, silent: bool) -> int | None:
    status = said.get("status")
    if status is None:
        return 0 if silent and said.get("signal") is None else None
    return int(status) if status.lstrip("-").isdigit() else None


def _plain(text: str) -> str:
    prompt = _PROMPT.search(text, max(0, len(text) - _END))
    text = text[: prompt.start()] if prompt else text
    return "" if text.strip() == _SAYS_ONLY_OUTPUT else text


def _json(text: str) -> Printed | None:
    """A result as an object with its output, and beside that, or in its metadata, the status."""
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    parts = [found[name] for name in ("output", "stdout", "stderr") if isinstance(found.get(name), str)]
    if not parts:
        return None
    metadata = found.get("metadata")
    return Printed("\n".join(part for part in parts if part), _number(found, metadata))


def _number(*places: Any) -> int | None:
    given = [place.get(name) for place in places if isinstance(place, dict) for name in _STATUS]
    return next((number for number in given if type(number) is int), None)
