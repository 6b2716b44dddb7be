"""How numbers, sizes, times and texts are said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from eunoe.cli import words


@pytest.mark.parametrize(
    ("bytes_", "said"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 KB"),
        (9949, "9.9 KB"),
        (9950, "10 KB"),
        (999_499, "999 KB"),
        (999_500, "1.0 MB"),
        (64_000_000, "64 MB"),
        (5_000_000_000_000_000, "5000 TB"),
    ],
)
def test_a_size_takes_the_unit_that_keeps_it_short(bytes_: int, said: str) -> None:
    """Sizes have two or three digits, and go over to the next unit where rounding would give four."""
    assert words.size(bytes_) == said


def test_times_are_utc_and_absent_ones_say_nothing() -> None:
    """2026-01-31T09:05:07Z is 1,769,850,307,000 ms; 0 stands for no time."""
    assert words.day(1_769_850_307_000) == "2026-01-31 09:05"
    assert words.moment(1_769_850_307_000) == "2026-01-31 09:05:07Z"
    assert words.day(0) == words.moment(0) == ""


def test_counts_are_words_with_the_right_ending() -> None:
    """One is singular; large numbers are grouped; irregular plurals are given."""
    assert words.count(1, "turn") == "1 turn"
    assert words.count(0, "turn") == "0 turns"
    assert words.count(12_345, "entry", "entries") == "12,345 entries"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("see a/b_c", ["see a/b_c"]),
        ("src/eunoe/words.py", ["src/eunoe/", "words.py"]),
        ("see test_of_words_that_wrap -v", ["see test_of_", "words_that_", "wrap -v"]),
        ("abcdefghijklmno/p", ["abcdefghijkl", "mno/p"]),
        ("a/bcdefghijklmnop", ["a/", "bcdefghijklm", "nop"]),
        ("//////////////", ["////////////", "//"]),
        ("日本語日本語日", ["日本語日本語", "日"]),
        ("", [""]),
    ],
)
def test_a_long_word_is_broken_where_a_name_has_a_joint(text: str, lines: list[str]) -> None:
    """In twelve columns: after a slash or an underscore, at the width where there is none; other words stay whole."""
    assert words.broken(text, 12).split("\n") == lines


@given(st.text("ab/_ 日\n", max_size=60), st.integers(2, 9))
def test_breaking_adds_line_feeds_only_and_every_word_fits(text: str, width: int) -> None:
    """Whatever the text, so that what is copied is what was there."""
    found = words.broken(text, width)

    assert found.replace("\n", "") == text.replace("\n", "")
    assert all(cell_len(word) <= width for word in found.split() if word)


def test_a_long_list_of_names_ends_in_how_many_more() -> None:
    """Three names are shown; the rest are counted."""
    assert words.listed(()) == ""
    assert words.listed(("a", "b", "c")) == "a, b, c"
    assert words.listed(("a", "b", "c", "d", "e")) == "a, b, c and 2 more"


def test_of_many_ranges_the_first_and_the_last_are_said() -> None:
    """Eight are said; of nine, seven and the last."""
    ranges = [(n, n) for n in range(1, 16, 2)]

    assert words.spans(ranges) == "1, 3, 5, 7, 9, 11, 13, 15"
    assert words.spans([*ranges, (20, 25)]) == "1, 3, 5, 7, 9, 11, 13, …, 20-25"
    assert words.spans([]) == ""


def test_a_span_of_one_is_one_number() -> None:
    """A range that begins where it ends is no range."""
    assert words.span(7, 7) == "7"
    assert words.span(7, 9) == "7-9"


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("two\n\tlines", 20, "two lines"),
        ("cut at a space", 5, "cut…"),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("\x1b[31mred", 20, "\\x1b[31mred"),
    ],
)
def test_a_text_on_one_line_fits_its_columns(text: str, width: int, shown: str) -> None:
    """Line ends become spaces, wide characters count two columns, escape sequences are shown and not obeyed."""
    assert words.one_line(text, width) == shown


@given(st.text(), st.integers(min_value=2, max_value=40))
def test_one_line_never_passes_its_width(text: str, width: int) -> None:
    """Whatever the text, its line holds no control character and no more columns than allowed."""
    line = words.one_line(text, width)

    assert cell_len(line) <= width
    assert all(character.isprintable() or not character.isspace() for character in line)
    assert "\n" not in line
    assert "\x1b" not in line
