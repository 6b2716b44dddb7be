"""What an import did, in lines. Pure."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from eunoe.cli import words
from eunoe.cli.output import clean
from eunoe.client.importing.model import Problem
from eunoe.client.importing.running import Report


class Outcome(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of one file. ``added`` and ``already`` count records; ``error`` says why nothing went in."""

    file: str
    threads: tuple[str, ...] = ()
    turns: int = 0
    events: int = 0
    added: int = 0
    already: int = 0
    aside: int = 0
    problem_count: int = 0
    problems: tuple[Problem, ...] = ()
    error: str = ""

    @property
    def failed(self) -> bool:
        """Whether nothing of the file could be read."""
        return bool(self.error) or (self.problem_count > 0 and not self.turns)


def outcome(file: str, report: Report) -> Outcome:
    return Outcome(
        file=file,
        threads=tuple(sorted(report.threads)),
        turns=report.turns,
        events=report.events,
        added=report.appended,
        already=report.duplicates,
        aside=report.aside,
        problem_count=report.problem_count,
        problems=tuple(report.problems),
    )


def line(found: Outcome) -> str:
    """One line a file: what it held, and whether that was here already."""
    parts = [_held(found)]
    if found.added == 0:
        parts.append("already here, nothing added" if found.already else "nothing added")
    elif found.already:
        parts.append(f"{words.count(found.added, 'record')} added, {found.already:,} already here")
    else:
        parts.append("added")
    if found.aside:
        parts.append(f"{words.count(found.aside, 'line')} beside the conversation left out")
    return f"{clean(found.file)}: {'; '.join(parts)}"


def problem_lines(found: Outcome) -> Iterator[str]:
    """``FILE:LINE: reason`` for each problem that is told, and how many are not."""
    for problem in found.problems:
        kept = " (kept)" if problem.kept else ""
        where = f"{clean(found.file)}:{problem.line}" if problem.line else clean(found.file)
        yield f"{where}: {clean(problem.reason)}{kept}"
    if (more := found.problem_count - len(found.problems)) > 0:
        yield f"{clean(found.file)}: {words.count(more, 'more problem')}"


def _held(found: Outcome) -> str:
    counted = (words.count(found.turns, "turn"), words.count(found.events, "event"))
    if len(found.threads) == 1:
        return f"thread {clean(found.threads[0])}, {', '.join(counted)}"
    return f"{words.count(len(found.threads), 'thread')}, {', '.join(counted)}"
