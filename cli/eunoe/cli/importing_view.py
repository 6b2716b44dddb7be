"""What an import did, in lines. Pure."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from eunoe.cli import words
from eunoe.cli.output import clean
from eunoe.client.importing.model import Format, Problem
from eunoe.client.importing.report import Report

FEW = 5  # problems that are told of a file of which nothing could be read: the others are mostly the same


class Outcome(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of one file. ``error`` says why nothing went in, ``missing`` that there is no such file.

    ``turns`` and ``events`` count what the file holds, ``new_turns`` and ``new_events`` what of it went in now,
    ``here_events`` what was here.
    ``added`` and ``already`` count records. ``older`` are threads that go on where the file ends, ``refused``
    those that hold another conversation. ``kept_names``: what was here keeps its agent and session. ``looks_like``:
    nothing could be read in the format that was given, and the file looks like one of that other format.
    """

    file: str
    threads: tuple[str, ...] = ()
    turns: int = 0
    events: int = 0
    new_turns: int = 0
    new_events: int = 0
    here_events: int = 0
    added: int = 0
    already: int = 0
    older: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    kept_names: bool = False
    aside: int = 0
    problem_count: int = 0
    problems: tuple[Problem, ...] = ()
    error: str = ""
    looks_like: Format | None = None
    missing: bool = False

    @property
    def failed(self) -> bool:
        """Whether nothing of the file could be read, or a thread did not take it."""
        return bool(self.error or self.refused) or (self.problem_count > 0 and not self.turns)


def outcome(file: str, report: Report) -> Outcome:
    return Outcome(
        file=file,
        threads=tuple(sorted(report.threads)),
        turns=report.turns,
        events=report.events,
        new_turns=report.new_turns,
        new_events=report.new_events,
        here_events=report.here_events,
        added=report.appended,
        already=report.duplicates,
        older=tuple(sorted(report.older)),
        refused=tuple(sorted(report.refused)),
        kept_names=report.kept_names,
        aside=report.aside,
        problem_count=report.problem_count,
        problems=tuple(report.problems),
    )


def line(found: Outcome) -> str:
    """One line a file: what it held, and whether that was here already."""
    parts = [_held(found), _went_in(found)]
    if found.kept_names:
        parts.append("what is here keeps the agent and session it came with")
    if found.aside:
        parts.append(f"{words.count(found.aside, 'line')} beside the conversation left out")
    return f"{clean(found.file)}: {'; '.join(parts)}"


def problem_lines(found: Outcome) -> Iterator[str]:
    """``FILE:LINE: reason`` (``FILE: message N: reason`` in one JSON value) for each told problem; how many are not.

    Of a file of which nothing could be read a few are told, and what it looks like instead.
    """
    told = found.problems if found.turns else found.problems[:FEW]
    for problem in told:
        kept = " (kept)" if problem.kept else ""
        where = f"{clean(found.file)}:{problem.line}" if problem.line else clean(found.file)
        place = f"message {problem.message}: " if problem.message else ""
        yield f"{where}: {place}{clean(problem.reason)}{kept}"
    if (more := found.problem_count - len(told)) > 0:
        where = "; --json lists them" if len(told) < len(found.problems) == found.problem_count else ""
        yield f"{clean(found.file)}: {words.count(more, 'more problem')}{where}"
    if found.looks_like and not found.error:
        yield f"{clean(found.file)}: {looks(found.looks_like)}"


def error_line(found: Outcome) -> str:
    """Why nothing of a file went in, and what it looks like instead."""
    return f"{clean(found.error)}{f'; it {looks(found.looks_like)}' if found.looks_like else ''}"


def looks(format: Format) -> str:  # noqa: A002 - the word of the command line
    return f"looks like {format}; import it with --format {format}, or without --format"


def _went_in(found: Outcome) -> str:
    """What of the file was new, in turns and events, whatever an import before left undone."""
    if found.new_events and not found.here_events:
        return "added"
    if found.new_events:
        new = words.count(found.new_turns, "turn") if found.new_turns else words.count(found.new_events, "event")
        return f"{new} new, the rest was here"
    if not found.here_events:
        return "nothing added"
    return f"{'an older copy of what is here' if found.older else 'already here'}, nothing added"


def _held(found: Outcome) -> str:
    counted = (words.count(found.turns, "turn"), words.count(found.events, "event"))
    if len(found.threads) == 1:
        return f"thread {clean(found.threads[0])}, {', '.join(counted)}"
    return f"{words.count(len(found.threads), 'thread')}, {', '.join(counted)}"
