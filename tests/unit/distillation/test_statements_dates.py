"""Words for a time that is so far from now say beside them which one that is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stating import SUNDAY

from eunoe.distillation.statements.dates import dated
from eunoe.distillation.statements.english.dates import DATES
from eunoe.schemas import limits


@pytest.mark.parametrize(
    ("words", "meaning"),
    [
        ("yesterday", "2023-05-06"),
        ("the day before yesterday", "2023-05-05"),
        ("tomorrow", "2023-05-08"),
        ("tonight", "2023-05-07"),
        ("last night", "2023-05-06"),
        ("last Saturday", "2023-05-06"),
        ("last Sunday", "2023-04-30"),
        ("next Sunday", "2023-05-14"),
        ("next Mon", "2023-05-08"),
        ("this Friday", "2023-05-05"),
        ("last week", "week of 2023-04-24"),
        ("next weekend", "weekend of 2023-05-13"),
        ("last month", "2023-04"),
        ("next year", "2024"),
        ("last May", "2022-05"),
        ("last April", "2023-04"),
        ("next April", "2024-04"),
        ("two days ago", "2023-05-05"),
        ("two weeks ago", "week of 2023-04-17"),
        ("6 months ago", "2022-11"),
        ("ten years ago", "2013"),
    ],
)
def test_a_time_is_told_by_the_moment_it_was_said(words: str, meaning: str) -> None:
    """Said on Sunday, the 7th of May 2023."""
    assert dated(f"We met {words}", SUNDAY, DATES) == (f"We met {words} ({meaning})", meaning)


@pytest.mark.parametrize("words", ["yesterday's paper", "a few weeks ago", "the last of May", "on Friday", "in 2020"])
def test_what_is_no_such_time_stays_as_it_is(words: str) -> None:
    assert dated(words, SUNDAY, DATES) == (words, "")


def test_without_a_moment_nothing_is_told() -> None:
    assert dated("yesterday", 0, DATES) == ("yesterday", "")


@given(st.integers(0, limits.LAST_MOMENT), st.sampled_from(["999 years ago", "next year", "tomorrow", "next week"]))
def test_no_moment_is_too_early_or_too_late(said: int, words: str) -> None:
    """Where the calendar ends, words stay alone."""
    text, _ = dated(words, said, DATES)

    assert text.startswith(words)
