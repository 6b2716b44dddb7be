"""Dead letters as lines."""

from __future__ import annotations

from views import plain

from eunoe.cli import dead_view
from eunoe.schemas.requests import DeadReply, Letter

NINE = 1_769_850_307_000  # 2026-01-31 09:05:07 UTC

JOB = Letter(
    number=7, worker="distillation", reason="ModelFailed: no answer", attempts=5, time=NINE, thread="builder",
    subject="eunoe.default.job.distil.builder", kind="distil",
    input='{"v":1,"thread":"builder","up_to":4,"position":9}',
)  # fmt: skip
RECORD = Letter(
    number=9, worker="facts", reason="ValueError: no", attempts=1, time=NINE, thread="t", position=40,
    input="record 3 of thread t, at position 40: turn.committed (turn 1)",
)  # fmt: skip


def test_letters_are_two_lines_each_and_counted() -> None:
    """What failed, when and where; why; and the ways out."""
    lines = plain(dead_view.listed(DeadReply(letters=(JOB, RECORD), total=12, more=True), 80))

    assert lines == [
        "7 · 2026-01-31 09:05 · distillation (distil) · thread builder",
        "  ModelFailed: no answer",
        "9 · 2026-01-31 09:05 · facts · thread t · position 40",
        "  ValueError: no",
        "more follow: add --after 9",
        "12 dead letters; `eunoe dead show NUMBER` says more, and what to do",
    ]


def test_a_long_reason_is_cut_in_a_list_and_whole_in_a_letter() -> None:
    """At the width of the terminal; nothing in it steers the terminal."""
    long = Letter(number=1, worker="facts", reason="no \x1b[2J" + "x" * 100, attempts=2, time=NINE)

    assert plain(dead_view.listed(DeadReply(letters=(long,), total=1), 80))[1] == "  no \\x1b[2J" + "x" * 67 + "…"
    assert "".join(plain(dead_view.shown(long, 80))).count("x") == 100 + 1  # the one of the escape, too


def test_none_is_said() -> None:
    assert plain(dead_view.listed(DeadReply(), 80)) == ["no dead letters: nothing failed for good"]
    assert plain(dead_view.done((), 80)) == ["no dead letters: nothing failed for good"]


def test_a_letter_of_a_job_shows_the_job_as_it_was_written() -> None:
    assert plain(dead_view.shown(JOB, 80)) == [
        "7 · 2026-01-31 09:05 · distillation (distil) · thread builder",
        "reason: ModelFailed: no answer",
        "5 attempts, laid aside 2026-01-31 09:05:07Z",
        "subject: eunoe.default.job.distil.builder",
        'job: {"v":1,"thread":"builder","up_to":4,"position":9}',
        "`eunoe dead replay 7` does it again, `eunoe dead drop 7` lets go of it",
    ]


def test_a_letter_of_a_record_shows_where_that_is() -> None:
    assert plain(dead_view.shown(RECORD, 80))[2:4] == [
        "1 attempt, laid aside 2026-01-31 09:05:07Z",
        "record: 3 of thread t, at position 40: turn.committed (turn 1)",
    ]


def test_what_became_of_letters_is_a_line_each() -> None:
    replayed = [Letter(number=7, worker="facts", reason="", attempts=1, time=NINE, thread="t", done="replayed")]
    dropped = [Letter(number=7, worker="facts", reason="", attempts=1, time=NINE, thread="t", done="dropped")]

    assert plain(dead_view.done(replayed, 80)) == [
        "replayed 7 · 2026-01-31 09:05 · facts · thread t",
        "their work waits for its workers; what fails again is a letter of a new number",
    ]
    assert plain(dead_view.done(dropped, 80)) == ["dropped 7 · 2026-01-31 09:05 · facts · thread t"]


def test_before_letters_are_dropped_the_first_are_named_and_all_are_counted() -> None:
    """Ten letters, of two workers: eight by name."""
    letters = [
        Letter(number=n, worker="facts" if n < 8 else "audit", reason=f"why {n}", attempts=1, time=NINE)
        for n in range(1, 11)
    ]

    lines = plain(dead_view.to_drop(letters, 80))

    assert lines[:2] == ["1 · 2026-01-31 09:05 · facts", "  why 1"]
    assert lines[16:] == ["and 2 more; 3 of audit, 7 of facts in all"]
