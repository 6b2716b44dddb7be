"""What is said of an import."""

from __future__ import annotations

from eunoe.cli import importing_view
from eunoe.cli.importing_view import Outcome
from eunoe.client.importing import Problem, Report


def test_a_fresh_file_says_what_was_added() -> None:
    """One thread is named, with its turns and events."""
    found = importing_view.outcome("a.json", Report(threads=["a"], turns=7, events=66, appended=9))

    assert importing_view.line(found) == "a.json: thread a, 7 turns, 66 events; added"


def test_several_threads_are_counted() -> None:
    """A file of two threads says how many, not which."""
    found = Outcome(file="b.jsonl", threads=("b.1", "b.2"), turns=1, events=2, added=2)

    assert importing_view.line(found) == "b.jsonl: 2 threads, 1 turn, 2 events; added"


def test_a_file_imported_before_says_so() -> None:
    """Nothing appended and something met again: it is here already."""
    found = Outcome(file="a.json", threads=("a",), turns=7, events=66, already=9)

    assert importing_view.line(found) == "a.json: thread a, 7 turns, 66 events; already here, nothing added"


def test_a_file_that_grew_says_what_is_new() -> None:
    """Some records were here, some are added."""
    found = Outcome(file="a.json", threads=("a",), turns=8, events=70, added=1, already=9)

    assert importing_view.line(found) == "a.json: thread a, 8 turns, 70 events; 1 record added, 9 already here"


def test_lines_that_are_no_conversation_are_counted() -> None:
    """Notes of the program that wrote the transcript are left out, and that is said."""
    found = Outcome(file="c.jsonl", threads=("c",), turns=1, events=4, added=1, aside=3)

    assert importing_view.line(found) == (
        "c.jsonl: thread c, 1 turn, 4 events; added; 3 lines beside the conversation left out"
    )


def test_problems_name_file_and_line() -> None:
    """Each told problem is FILE:LINE: reason; those that are not told are counted; escapes are shown."""
    report = Report(
        problem_count=4, problems=[Problem(2, "not JSON"), Problem(9, "no \x1b session", kept=True), Problem(0, "cut")]
    )  # fmt: skip

    assert list(importing_view.problem_lines(importing_view.outcome("d.jsonl", report))) == [
        "d.jsonl:2: not JSON",
        "d.jsonl:9: no \\x1b session (kept)",
        "d.jsonl: cut",
        "d.jsonl: 1 more problem",
    ]
