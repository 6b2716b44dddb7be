"""Moments as people write them: with a time zone or a date alone, and every other text refused by name."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eunoe.facts.times import moment, read, said, stamp
from eunoe.schemas import limits
from eunoe.schemas.errors import Invalid

DAY = 86_400_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970-01-01", 0),
        ("1970-01-02", DAY),
        ("1970-01-02T00:00:00Z", DAY),
        ("1970-01-02t00:00z", DAY),
        (" 1970-01-02 01:00:00+01:00 ", DAY),
        ("1970-01-01T23:30:00-00:30", DAY),
        ("1970-01-02+02:00", DAY - 2 * 3_600_000),
        ("1970-01-01T00:00:00.5Z", 500),
        ("1970-01-01T00:00:00.1239Z", 123),
        ("2024-02-29", 1_709_164_800_000),
        ("9999-12-31T23:59:59.999Z", limits.LAST_MOMENT),
    ],
)
def test_a_moment_is_read_with_its_offset(text: str, expected: int) -> None:
    """A date alone is its midnight in UTC; what is finer than a millisecond is cut, never rounded up."""
    assert moment(text) == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("2026-01-31T09:05:00", "time zone"),
        ("2026-01-31 09:05", "time zone"),
        ("2026-02-30", "no moment"),
        ("2025-02-29", "no moment"),
        ("0000-01-01", "no moment"),
        ("2026-13-01", "no moment"),
        ("2026-01-31T25:00:00Z", "no moment"),
        ("2026-01-31T09:05:60Z", "no moment"),
        ("2026-01-31T09:05:00+25:00", "no moment"),
        ("275760-09-13", "no moment"),
        ("1969-12-31T23:59:59Z", "1970 to 9999"),
        ("1970-01-01T00:00:00+00:01", "1970 to 9999"),
        ("9999-12-31T23:59:59-00:01", "1970 to 9999"),
        ("yesterday", "no moment"),
        ("", "no moment"),
        ("20260131", "no moment"),
        ("2026-W05-6", "no moment"),
        ("٢٠٢٦-01-31", "no moment"),
        ("1769850300", "no moment"),
    ],
)
def test_what_is_no_moment_is_refused_by_name(text: str, says: str) -> None:
    """The message holds the text, what is wrong with it, and how a moment is written where the form is wrong."""
    with pytest.raises(Invalid) as caught:
        moment(text)
    assert repr(text) in str(caught.value)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("0000-01-01", "year 0000; years are 0001 to 9999"),
        ("2026-13-01", "month 13; months are 01 to 12"),
        ("2026-00-01", "month 00; months are 01 to 12"),
        ("2026-02-30", "day 30 in 2026-02; its days are 01 to 28"),
        ("2024-02-30", "day 30 in 2024-02; its days are 01 to 29"),
        ("2026-01-00", "day 00 in 2026-01; its days are 01 to 31"),
        ("2026-01-31T24:00Z", "hour 24; hours are 00 to 23"),
        ("2026-01-31T24:00:00Z", "hour 24; hours are 00 to 23"),
        ("2026-01-31T09:60Z", "minute 60; minutes are 00 to 59"),
        ("2026-12-31T23:59:60Z", "second 60; seconds are 00 to 59"),
        ("2026-01-01T00:00:00+25:00", "offset +25:00; offsets are -23:59 to +23:59"),
        ("2026-01-01T00:00:00-24:00", "offset -24:00; offsets are -23:59 to +23:59"),
        ("2026-01-01T00:00:00+02:60", "offset +02:60; offsets are -23:59 to +23:59"),
    ],
)
def test_what_there_is_not_in_a_moment_is_named(text: str, wrong: str) -> None:
    """The part that is out of its range, and the range; a leap second and an hour 24 are none either."""
    with pytest.raises(Invalid) as caught:
        moment(text)
    assert str(caught.value) == f"{text!r} is no moment: there is no {wrong}"


@given(st.from_regex(r"[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-6][0-9][+-][0-2][0-9]:[0-6][0-9]\Z"))
def test_any_numbers_are_read_or_refused(text: str) -> None:
    """Nothing but a moment or an `Invalid` comes of them."""
    with suppress(Invalid):
        assert 0 <= moment(text) <= limits.LAST_MOMENT


@given(st.integers(0, limits.LAST_MOMENT), st.integers(-limits.ZONE_MINUTES, limits.ZONE_MINUTES))
@example(limits.LAST_MOMENT, limits.ZONE_MINUTES)
@example(0, -limits.ZONE_MINUTES)
def test_what_is_said_is_read_back(at: int, offset: int) -> None:
    """To the millisecond, over the whole range, in any offset."""
    assert moment(said(at, offset)) == at


def test_a_moment_is_said_in_the_offset_in_which_it_was_given() -> None:
    """A midnight there is a date with its offset."""
    at = moment("2026-05-12T09:30:00+02:00")
    assert [said(at), said(at, 120), said(at, -570)] == [
        "2026-05-12 07:30:00Z",
        "2026-05-12 09:30:00+02:00",
        "2026-05-11 22:00:00-09:30",
    ]
    assert said(moment("2026-05-12+02:00"), 120) == "2026-05-12+02:00"
    assert read("2026-05-12T09:30:00.5+02:00").utcoffset() == timedelta(hours=2)


def test_a_moment_is_said_as_short_as_it_is() -> None:
    """A midnight as its date, whole seconds without a fraction."""
    assert [said(0), said(1000), said(1001)] == ["1970-01-01", "1970-01-01 00:00:01Z", "1970-01-01 00:00:01.001Z"]


def test_when_something_was_done_is_said_to_the_second() -> None:
    """Also at midnight; what is finer is cut."""
    assert [stamp(0), stamp(1999)] == ["1970-01-01 00:00:00Z", "1970-01-01 00:00:01Z"]
