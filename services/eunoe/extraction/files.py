"""What was read of a file, and that it was changed. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Any

from eunoe.extraction.calls import Call
from eunoe.extraction.commands import command_of, steps
from eunoe.extraction.found import Around, Found
from eunoe.extraction.outcomes import output_of, succeeded
from eunoe.extraction.places import directory_of

_PATHS = ("file_path", "path", "filepath", "filename", "file", "notebook_path", "target_file", "absolute_path")
_NUMBERED = re.compile(r"^ *(\d{1,9})(?:→|\t)", re.MULTILINE)
_LISTED = re.compile(r"^(\d{1,9}):", re.MULTILINE)
_HEADER = re.compile(r"^\[File: (?P<path>.+) \((?P<total>\d{1,9}) lines total\)\]$", re.MULTILINE)
_OPEN = re.compile(r"^\(Open file: (?P<path>.+)\)$", re.MULTILINE)
_REFUSED = re.compile(  # how tools refuse an edit
    r"\s*(?:<\w+>\s*)?(?:Your (?:proposed )?edit|Text not found|No (?:replacement|match|change)|(?i:error|failed)\b"
    r"|(?i:file|string|text|path)\b[^\n]* (?:not found|(?:does|did|could) not)|No file open|Invalid `)"
)
_UNREAD = re.compile(  # how tools say that they read nothing; a line of a file may say the same, where more follow
    r"\s*(?:No file open|Here's the files and directories|ERROR:\s*\n\s*(?:The path|Invalid `)"
    r"|<system-reminder>[^<]*(?:contents are empty|shorter than the provided offset)"
    r"|(?:<\w+>\s*)?(?:(?i:error):?\s+)?(?:(?:ENOENT|EACCES|EISDIR|ENOTDIR)\b"
    r"|(?:The )?(?i:file|path)\b[^\n]* ?(?:not found|does not exist)|[^\n]{0,300}No such file or directory)[^\n]*\s*\Z)"
)
_PATCHED = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.MULTILINE)
_SHOWN = frozenset({"cat", "bat", "nl"})


def read_read(call: Call, around: Around) -> Iterator[Found]:
    """A file that a tool showed: which lines, of how many, whether to the end, bytes."""
    header = _HEADER.search(call.text)
    path = header["path"] if header else call.argument(*_PATHS)
    if path and not _UNREAD.match(call.text):
        yield Found("file", _placed(path, call), _read(call, int(header["total"]) if header else None))


def read_edited(call: Call, around: Around) -> Iterator[Found]:
    yield from _changed(call, "edited")


def read_written(call: Call, around: Around) -> Iterator[Found]:
    yield from _changed(call, "created" if call.name.startswith("create") else "written")


def read_editor(call: Call, around: Around) -> Iterator[Found]:
    """A tool that views and edits by its ``command`` argument."""
    command = call.argument("command")
    if command == "view":
        yield from read_read(call, around)
    elif command in ("create", "str_replace", "insert", "undo_edit"):
        yield from _changed(call, "created" if command == "create" else "edited")


def read_patch(call: Call, around: Around) -> Iterator[Found]:
    """Every file that a patch names; patches come through a tool of their own or a shell."""
    words = {"Add": "created", "Update": "edited", "Delete": "deleted"}
    text = call.argument("input", "patch", "command", "cmd", "") or "\n".join(call.listed("command", "cmd"))
    for act, path in _PATCHED.findall(text) if succeeded(call) else ():
        yield Found("file", _placed(path.strip(), call), words[act])


def read_shown(call: Call, around: Around) -> Iterator[Found]:
    """A file that a command printed whole, when it printed nothing else."""
    line = steps(command_of(call))
    shown = [step for step in line if step.words[:1] and step.words[0] in _SHOWN]
    rest = [step for step in line if step not in shown and step.words[:1] != ["cd"]]
    if len(shown) != 1 or rest or ">" in shown[0].text or not succeeded(call):
        return
    paths = [word for word in shown[0].words[1:] if not word.startswith("-")]
    if len(paths) == 1 and not set(paths[0]) & set("*?$`"):
        size = len(output_of(call).encode()) if call.whole else call.size
        yield Found("file", _placed(paths[0], call), f"read to the end, {size:,} bytes")


def _changed(call: Call, how: str) -> Iterator[Found]:
    if _REFUSED.match(call.text) or not succeeded(call):
        return
    header = _HEADER.search(call.text) or _OPEN.search(call.text)
    path = call.argument(*_PATHS) or (header["path"] if header else "")
    if path and path != "n/a":
        yield Found("file", _placed(path, call), how)


def _read(call: Call, total: int | None) -> str:
    """``read lines 1-94 of 94, to the end, 3,120 bytes``, as far as the result or the arguments say it."""
    first, last = _range(call)
    below = re.search(r"^\((\d+) more lines? below\)$", call.text, re.MULTILINE)
    end = last == total if total is not None else not below and _to_the_end(call, last - first + 1)
    lines = f"lines {first}-{last}" if last >= first > 0 else "no lines"
    return f"read {lines}{f' of {total}' if total else ''}{', to the end' if end else ''}, {call.size:,} bytes"


def _range(call: Call) -> tuple[int, int]:
    """First and last line shown: as numbered in the result, else counted from where the arguments start."""
    pattern = _LISTED if _HEADER.search(call.text) else _NUMBERED
    numbers = [int(number) for number in pattern.findall(call.text)]
    if numbers and numbers == sorted(set(numbers)) and (not call.whole or _dense(numbers)):
        return numbers[0], numbers[-1]
    first = max(1, _number(call, "offset", "line_number", "start_line", "start"))
    return first, first + call.lines - 1


def _dense(numbers: list[int]) -> bool:
    return numbers[-1] - numbers[0] + 1 == len(numbers)


def _to_the_end(call: Call, shown: int) -> bool:
    limit = _number(call, "limit", "end_line", "max_lines")
    ranged = call.arguments.get("view_range")
    return call.whole and (not limit or shown < limit) and (ranged is None or _endless(ranged))


def _endless(ranged: Any) -> bool:
    """Whether a range of lines, as far as it is one, goes to the end."""
    return isinstance(ranged, list) and ranged[-1:] in ([], [-1])


def _number(call: Call, *names: str) -> int:
    for name in names:
        value = call.arguments.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return 0


def _placed(path: str, call: Call) -> str:
    """An absolute path where the call says where it ran; `eunoe.facts.names` makes it relative to the root."""
    place = directory_of(call)
    return posixpath.join(place, path) if place.startswith("/") else path
