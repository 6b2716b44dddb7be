"""What is said of an import."""

from __future__ import annotations

from msgspec import structs

from eunoe.cli import importing_view
from eunoe.cli.importing_view import Outcome
from eunoe.client.importing import Problem, Report
from eunoe.client.importing.report import PROBLEMS


def test_a_fresh_file_says_what_was_added() -> None:
    """One thread is named, with its turns and events."""
    found = importing_view.outcome("a.json", Report(threads=["a"], turns=7, events=66, new_events=66))

    assert importing_view.line(found) == "a.json: thread a, 7 turns, 66 events; added"


def test_several_threads_are_counted() -> None:
    """A file of two threads says how many, not which."""
    found = Outcome(file="b.jsonl", threads=("b.1", "b.2"), turns=1, events=2, new_turns=1, new_events=2)

    assert importing_view.line(found) == "b.jsonl: 2 threads, 1 turn, 2 events; added"


def test_a_file_imported_before_says_so() -> None:
    """Nothing appended and something met again: it is here already."""
    found = Outcome(file="a.json", threads=("a",), turns=7, events=66, already=9, here_events=66)

    assert importing_view.line(found) == "a.json: thread a, 7 turns, 66 events; already here, nothing added"


def test_a_file_that_grew_says_what_is_new() -> None:
    """What is new is counted in turns, whatever records hold them; in events where no turn ended."""
    found = Outcome(file="a.json", threads=("a",), turns=3, events=22, new_turns=1, new_events=6, here_events=16)
    facts = Outcome(file="b.json", threads=("b",), turns=3, events=22, new_events=2, here_events=20)

    assert importing_view.line(found) == "a.json: thread a, 3 turns, 22 events; 1 turn new, the rest was here"
    assert importing_view.line(facts) == "b.json: thread b, 3 turns, 22 events; 2 events new, the rest was here"


def test_an_older_copy_and_another_conversation_say_so() -> None:
    """Neither adds anything; only the other conversation is a failure."""
    older = Outcome(file="a.json", threads=("a",), turns=1, events=4, here_events=4, older=("a",))
    other = Outcome(file="a.json", threads=("a",), turns=1, events=4, refused=("a",), problem_count=1)

    assert importing_view.line(older).endswith("; an older copy of what is here, nothing added")
    assert importing_view.line(other) == "a.json: thread a, 1 turn, 4 events; nothing added"
    assert (older.failed, other.failed) == (False, True)


def test_an_agent_given_for_what_is_here_changes_nothing() -> None:
    """What was here keeps its agent and session, and the line says so."""
    found = Outcome(file="a.json", threads=("a",), turns=1, events=4, here_events=4, kept_names=True)

    assert importing_view.line(found) == (
        "a.json: thread a, 1 turn, 4 events; already here, nothing added; "
        "what is here keeps the agent and session it came with"
    )


def test_lines_that_are_no_conversation_are_counted() -> None:
    """Notes of the program that wrote the transcript are left out, and that is said."""
    found = Outcome(file="c.jsonl", threads=("c",), turns=1, events=4, new_turns=1, new_events=4, aside=3)

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


def test_problems_of_one_json_value_name_the_message() -> None:
    """A file on one line, or pretty-printed, has messages to count and no lines that mean anything."""
    report = Report(by_message=True)
    report.problem(Problem(2, "no content"))

    assert list(importing_view.problem_lines(importing_view.outcome("e.json", report))) == [
        "e.json: message 2: no content"
    ]


def test_of_a_file_of_which_nothing_could_be_read_a_few_problems_are_told() -> None:
    """With how many more there are and where; and with the format that it looks like, where that is another one."""
    report = Report()
    for line in range(1, 13):
        report.problem(Problem(line, "not JSON"))
    found = importing_view.outcome("f.json", report)

    told = [f"f.json:{line}: not JSON" for line in range(1, 6)] + ["f.json: 7 more problems; --json lists them"]
    assert list(importing_view.problem_lines(found)) == told
    assert list(importing_view.problem_lines(structs.replace(found, looks_like="openai"))) == [
        *told,
        "f.json: looks like openai; import it with --format openai, or without --format",
    ]
    assert len(list(importing_view.problem_lines(structs.replace(found, turns=1)))) == 12


def test_more_problems_than_are_kept_are_not_said_to_be_listed() -> None:
    """Of so many there are only the first."""
    report = Report()
    for line in range(1, PROBLEMS + 2):
        report.problem(Problem(line, "not JSON"))

    *_, last = importing_view.problem_lines(importing_view.outcome("g.json", report))

    assert last == "g.json: 996 more problems"  # of 1,001


def test_a_file_that_is_refused_whole_says_what_it_looks_like() -> None:
    found = Outcome(file="h.json", error="h.json is not as it was exported", looks_like="openai")

    assert list(importing_view.problem_lines(found)) == []
    assert importing_view.error_line(found) == (
        "h.json is not as it was exported; it looks like openai; import it with --format openai, or without --format"
    )
    assert importing_view.error_line(Outcome(file="i", error="i is empty")) == "i is empty"
