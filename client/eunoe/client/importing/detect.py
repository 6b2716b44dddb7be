"""Which format a file holds, told from its content."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from eunoe.client.importing.model import FORMATS, Format, Problem
from eunoe.client.importing.source import Parsed, Source
from eunoe.schemas.errors import Invalid

LINES_LOOKED_AT = 64  # lines of a file that are read to tell its format


@dataclass(frozen=True, slots=True)
class Shape:
    """A format, and whether each line of the file is a value of its own."""

    format: Format
    lines: bool


def detect(path: str | Path) -> Format:
    """The format of a file; raises `Invalid`, in one line, for what is no transcript."""
    return inspect(Source(Path(path))).format


def other(path: str | Path, expected: Format) -> Format | None:
    """The format that a file looks like where it is not the expected one; None where that cannot be told."""
    try:
        found = detect(path)
    except Invalid:
        return None
    return found if found != expected else None


def inspect(source: Source, expected: Format | None = None) -> Shape:
    """The shape of a file. ``expected`` says which format it is, so that only its arrangement is looked at."""
    first = list(islice(source.values(), LINES_LOOKED_AT))
    if not first:
        raise Invalid(f"{source.path} is empty")
    found = expected or _first_known(first)
    if isinstance(first[0], Parsed):
        return Shape(_known(source, found), lines=len(first) > 1)
    return _whole_or_lines(source, first, expected, found)


def _whole_or_lines(
    source: Source, first: list[Parsed | Problem], expected: Format | None, found: Format | None
) -> Shape:
    """The shape of a file whose first line is no JSON by itself: one value on many lines, or a bad first line."""
    whole = source.whole()
    if isinstance(whole, Parsed):
        return Shape(_known(source, expected or classify(whole.value)), lines=False)
    if found and any(isinstance(item, Parsed) for item in first):
        return Shape(found, lines=True)
    raise Invalid(f"{source.path} is no transcript: line {whole.line} is {whole.reason}")


def _first_known(items: list[Parsed | Problem]) -> Format | None:
    for item in items:
        if isinstance(item, Parsed) and (found := classify(item.value)):
            return found
    return None


def _known(source: Source, found: Format | None) -> Format:
    if found is None:
        raise Invalid(f"{source.path} holds JSON of no format known here; the formats are {', '.join(FORMATS)}")
    return found


def classify(value: Any) -> Format | None:
    """The format that one JSON value (a line, or a whole file) belongs to."""
    if isinstance(value, list):
        return "openai" if value and _is_run(value[0]) else None
    if not isinstance(value, dict):
        return None
    return next((name for name, says_so in _SIGNS.items() if says_so(value)), None)


def _is_run(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and _is_run(value[0])
    return isinstance(value, dict) and _is_openai(value)


def _is_openai(value: dict[str, Any]) -> bool:
    return isinstance(value.get("messages"), list) or isinstance(value.get("role"), str)


def _is_claude_code(value: dict[str, Any]) -> bool:
    named = isinstance(value.get("type"), str) and "role" not in value
    return named and any(key in value for key in ("sessionId", "message", "leafUuid", "summary"))


def _is_swe_agent(value: dict[str, Any]) -> bool:
    return any(isinstance(value.get(key), list) for key in ("trajectory", "history"))


_SIGNS: dict[Format, Callable[[dict[str, Any]], bool]] = {
    "eunoe": lambda value: "eunoe_export" in value,
    "swe_agent": _is_swe_agent,
    "claude_code": _is_claude_code,
    "openai": _is_openai,
}
