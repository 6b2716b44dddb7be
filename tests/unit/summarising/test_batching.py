"""Which turns a summary is due for, and in how many bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from said import turn

from eunoe.schemas import limits
from eunoe.summarising import batching

NUMBERS = st.integers(0, 200)


@pytest.mark.parametrize(
    ("window", "expected"),
    [(256, 512), (2_560, 512), (2_600, 520), (8_192, 1_636), (81_920, 16_384), (1_000_000, 16_384)],
)
def test_a_summary_has_its_share_of_the_window_within_bounds(window: int, expected: int) -> None:
    """A twentieth of the tokens, four bytes each; 512 bytes at least, 16 KiB at most."""
    assert batching.size(window) == expected


@pytest.mark.parametrize(
    ("covered", "last", "least", "expected"),
    [(0, 2, 3, False), (0, 3, 3, True), (5, 7, 3, False), (5, 8, 3, True), (5, 6, 1, True), (5, 5, 1, False)],
)
def test_a_summary_is_due_for_a_batch_of_turns(covered: int, last: int, least: int, expected: bool) -> None:
    """For so many as are to wait at least, and never for none."""
    assert batching.due(covered, last, least) == expected
    assert not batching.due(last, last, 0)
    assert not batching.due(last, covered, 0)


@given(NUMBERS, NUMBERS)
def test_every_turn_that_waits_is_in_one_piece(covered: int, last: int) -> None:
    """In order, and no piece has more than one update takes."""
    pieces = list(batching.spans(covered, last))

    assert [at for first, end in pieces for at in range(first, end + 1)] == list(range(covered + 1, last + 1))
    assert all(1 <= end - first + 1 <= limits.SUMMARY_BATCH_MAX for first, end in pieces)


@given(st.lists(st.booleans(), max_size=60))
def test_an_update_takes_the_oldest_turns_up_to_as_many_that_say_something(saying: list[bool]) -> None:
    """Those without words among them are taken too; those behind the last with words wait for the next one."""
    turns = [turn(number, "Weigh it." if says else "…") for number, says in enumerate(saying, 1)]
    taken = batching.taken(turns)

    assert list(taken) == turns[: len(taken)]
    assert sum(map(batching.says, taken)) == min(sum(saying), limits.SUMMARY_BATCH_MAX)
    assert not taken or batching.says(taken[-1])


def test_calls_say_something_too() -> None:
    """A turn that only worked is told by what it did."""
    assert batching.says(turn(1, calls=[("read", "{}")]))
    assert not batching.says(turn(1, " ", "?!"))
    assert not batching.says(turn(1))
