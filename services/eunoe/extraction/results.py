"""What tools put around the output of a command: its exit status, and whether it ended. Pure."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Any

import msgspec

from eunoe.extraction.calls import Call

_AROUND = r"(?:(?:Chunk ID|Wall time|Original token count|Total output lines)\b[^\n]*\n){0,5}"
_ALL = r"(?P<output>.*)"
_BELOW = rf"\nOutput:[^\S\n]*\n?{_ALL}"
_FORMS = tuple(  # how results are built, one pattern each; where it begins and ends is fixed, so that no output is one
    re.compile(pattern, re.DOTALL)
    for pattern in (
        rf"Exit [Cc]ode:? (?P<status>-?\d+)[^\S\n]*(?:\n{_AROUND}(?:Output:[^\S\n]*(?:\n|\Z))?{_ALL}|\Z)",
        rf"{_AROUND}Process exited with code (?P<status>-?\d+)[^\S\n]*\n?{_AROUND}(?:Output:[^\S\n]*\n?{_ALL}|\Z)",
        rf"Command executed in terminal[^\n]*\. Exit code: (?P<status>-?\d+)[^\S\n]*(?:{_BELOW}|\s*\Z)",
        rf"Command executed(?: successfully \(exit code (?P<status>\d+)\))?\.(?:{_BELOW}|\s*\Z)",
        rf"<returncode>(?P<status>-?\d+)</returncode>\s*(?:<output>\n?{_ALL}</output>\s*|\Z)",
        r"Command: .*?\nDirectory: [^\n]*\n(?:Output|Stdout): (?P<output>.*?)\n(?:Stderr: .*?\n)?Error: .*?"
        r"\nExit Code: (?P<status>-?\d+|\(none\))\nSignal: [^\n]*\n.*",
        r"Output: (?P<output>.*?)(?:\nError: [^\n]*)?(?:\nExit Code: (?P<status>-?\d+))?"
        r"(?:\nSignal: (?P<signal>[^\n]*))?(?:\nBackground PIDs: [^\n]*)?\nProcess Group PGID: \d+\s*",
        r"(?P<output>.*?)(?<![^\n])\[?(?:The )?[Cc]ommand (?:completed|finished|exited) with exit code "
        r"(?P<status>-?\d+)\.?\]?\s*(?:(?<![^\n])\[[^\n]*\]\s*){0,4}",
    )
)
_PROMPT = re.compile(
    r"(?:^\(Open file: [^\n]*\)\n)?^\(Current directory: [^\n]*\)\s*(?:bash-\$)?\s*\Z"
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
    for form in _FORMS:
        if found := form.fullmatch(text):
            return Printed(_plain(found["output"] or ""), _status(found))
    return Printed(_plain(text))


def _status(found: re.Match[str]) -> int | None:
    """The status that a form names; one that names failures alone says with its silence that there was none."""
    groups = found.groupdict()
    said = groups["status"]
    if said is None:
        return 0 if "signal" in groups and groups["signal"] is None else None
    return int(said) if said.lstrip("-").isdigit() else None


def _plain(text: str) -> str:
    text = _PROMPT.sub("", text)
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
