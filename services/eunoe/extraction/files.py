"""What was read of a file, and that it was changed. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Any

from eunoe.extraction.arguments import LIMITS, PATHS, STARTS, number, several
from eunoe.extraction.calls import Call
from eunoe.extraction.commands import command_of, steps
from eunoe.extraction.found import Around, Found, Read
from eunoe.extraction.places import directory_of
from eunoe.extraction.results import output_of, succeeded

_NUMBERED = re.compile(r"^ *(\d{1,9})(?:→|\t| \| )", re.MULTILINE)
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
_SECTIONS = (  # how tools that read several files head each one, what comes after it, and what they put before that
    (r"<file>\s*<path>{0}</path>\s*<content[^>]*>\n?", r"</content>", ""),
    (r"^--- {0} ---\n+", r"^--- [^\n]+ ---$|\Z", "\n\n"),
    (r"(?:\A|^---\n){0}:\n", r"^---$|\Z", "\n"),
)
_DRY = ("dryRun", "dry_run")  # arguments with which nothing is changed
_MANY = 50  # files of one result


def read_read(call: Call, around: Around) -> Iterator[Found]:
    """A file that a tool showed: which lines, of how many, whether to the end, bytes; or several, each whole."""
    header = _HEADER.search(call.text)
    path = header["path"] if header else call.argument(*PATHS)
    if several(call) and not path:
        yield from _sections(call)
    elif path and not _UNREAD.match(call.text):
        yield Found("file", _placed(path, call), _read(call, int(header["total"]) if header else None))


def changed(how: str) -> Read:
    """The reader of tools that change the file they name, in this way."""

    def read(call: Call, around: Around) -> Iterator[Found]:
        yield from _changed(call, how)

    return read


def read_moved(call: Call, around: Around) -> Iterator[Found]:
    """A file that has another name now: what became of both."""
    source, target = call.argument("source", "src", "from"), call.argument("destination", "dest", "to")
    if source and target and not _REFUSED.match(call.text) and succeeded(call):
        yield Found("file", _placed(source, call), f"moved to {target}")
        yield Found("file", _placed(target, call), f"moved from {source}")


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


def _sections(call: Call) -> Iterator[Found]:
    """Each file of a result that shows several whole, where the result heads it; one that failed has no section."""
    for path in several(call)[:_MANY] if call.whole else ():
        for heading, ending, between in _SECTIONS:
            opening = re.search(heading.format(re.escape(path)), call.text, re.MULTILINE)
            closing = re.compile(ending, re.MULTILINE).search(call.text, opening.end()) if opening else None
            if opening and closing:
                text = call.text[opening.end() : closing.start()]
                size = len((text.removesuffix(between) if closing[0] else text).encode())
                yield Found("file", _placed(path, call), f"read to the end, {size:,} bytes")
                break


def _changed(call: Call, how: str) -> Iterator[Found]:
    if _REFUSED.match(call.text) or not succeeded(call) or True in (call.arguments.get(name) for name in _DRY):
        return
    header = _HEADER.search(call.text) or _OPEN.search(call.text)
    path = call.argument(*PATHS) or (header["path"] if header else "")
    if path and path != "n/a":
        yield Found("file", _placed(path, call), how)


def _read(call: Call, total: int | None) -> str:
    """``read lines 1-94 of 94, to the end, 3,120 bytes``, as far as the result or the arguments say it."""
    if number(call, "tail") > 0:
        return f"read the last {_count(call.lines)}, to the end, {call.size:,} bytes"
    first, last = _range(call)
    below = re.search(r"^\((\d+) more lines? below\)$", call.text, re.MULTILINE)
    end = last == total if total is not None else not below and _to_the_end(call, last - first + 1)
    lines = f"lines {first}-{last}" if last >= first > 0 else "no lines"
    return f"read {lines}{f' of {total}' if total else ''}{', to the end' if end else ''}, {call.size:,} bytes"


def _count(lines: int) -> str:
    return f"{lines} line{'' if lines == 1 else 's'}"


def _range(call: Call) -> tuple[int, int]:
    """First and last line shown: as numbered in the result, else counted from where the arguments start."""
    pattern = _LISTED if _HEADER.search(call.text) else _NUMBERED
    numbers = [int(number) for number in pattern.findall(call.text)]
    if numbers and numbers == sorted(set(numbers)) and (not call.whole or _dense(numbers)):
        return numbers[0], numbers[-1]
    first = max(1, number(call, *STARTS))
    return first, first + call.lines - 1


def _dense(numbers: list[int]) -> bool:
    return numbers[-1] - numbers[0] + 1 == len(numbers)


def _to_the_end(call: Call, shown: int) -> bool:
    limit = number(call, *LIMITS)
    ranged = call.arguments.get("view_range")
    return call.whole and (not limit or shown < limit) and (ranged is None or _endless(ranged))


def _endless(ranged: Any) -> bool:
    """Whether a range of lines, as far as it is one, goes to the end."""
    return isinstance(ranged, list) and ranged[-1:] in ([], [-1])


def _placed(path: str, call: Call) -> str:
    """An absolute path where the call says where it ran; `eunoe.facts.names` makes it relative to the root."""
    place = directory_of(call)
    return posixpath.join(place, path) if place.startswith("/") else path
