"""What an import did, and how far it is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from eunoe.client.importing.model import Problem

PROBLEMS = 1_000  # problems of one file that are reported one by one


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an import is: bytes of the file read, its size, and the turns read."""

    read: int
    size: int
    turns: int


@dataclass(slots=True)
class Report:
    """What an import did. ``turns`` and ``events`` count what the file holds; ``new_turns`` and ``new_events``
    what of it went in now, ``here_events`` what was here.

    ``appended`` are records that went in, ``duplicates`` appends that were in the log already from this very
    file. ``older`` are threads that go on where the file ends, ``refused`` those that hold another
    conversation. ``problems`` are the first `PROBLEMS` of them; ``problem_count`` counts all. ``aside`` counts
    lines of the format that are no part of a conversation. ``by_message``: problems are numbered by message.
    ``kept_names``: an agent or session was given, and what was here keeps those that it came with.
    """

    threads: list[str] = field(default_factory=list)
    turns: int = 0
    events: int = 0
    new_turns: int = 0
    new_events: int = 0
    here_events: int = 0
    appended: int = 0
    duplicates: int = 0
    older: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    problem_count: int = 0
    aside: int = 0
    by_message: bool = False
    kept_names: bool = False

    def problem(self, problem: Problem) -> None:
        self.problem_count += 1
        if self.by_message and problem.line:
            problem = replace(problem, line=0, message=problem.line)
        if len(self.problems) < PROBLEMS:
            self.problems.append(problem)
