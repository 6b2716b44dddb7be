"""Capping a summary: never over its size, from the middle, and nothing is done twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eunoe.summarising import sentences
from eunoe.summarising.capping import capped

TEXTS = st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from("aB. \n.!?é。")), max_size=200)
SIZES = st.integers(0, 300)
LINES = st.lists(
    st.text(st.sampled_from("abcdé 語x"), min_size=1, max_size=12).map(str.strip).filter(bool), min_size=1, max_size=12
)

FIVE = "We plan a trip. Ann asked for trains. Bo wants a boat. They chose trains. The tickets are bought."


@given(TEXTS, SIZES)
def test_a_capped_text_fits_and_capping_it_again_changes_nothing(text: str, size: int) -> None:
    """Whatever the text is, in bytes of UTF-8 and in whole characters."""
    found = capped(text, size)

    assert len(found.encode()) <= size
    assert capped(found, size) == found


@given(TEXTS, SIZES)
def test_a_text_that_fits_stays_as_it_is(text: str, size: int) -> None:
    """To the last space."""
    if len(text.encode()) <= size:
        assert capped(text, size) == text


@given(LINES, SIZES)
def test_whole_sentences_go_from_the_middle_the_oldest_first(lines: list[str], size: int) -> None:
    """While the first and the newest fit, those two stay, with as many of the newest others as there is room for."""
    found = capped("\n".join(lines), size).split("\n")

    if len("\n".join(lines[:1] + lines[1:][-1:]).encode()) <= size:
        kept = len(found) - 1
        assert found == lines[:1] + lines[len(lines) - kept :]
        more = lines[:1] + lines[max(1, len(lines) - kept - 1) :]
        assert more == found or len("\n".join(more).encode()) > size


@given(LINES, SIZES, SIZES)
def test_a_text_capped_twice_is_the_one_capped_to_the_smaller_size(lines: list[str], size: int, smaller: int) -> None:
    """So long as its sentences are lines, and the larger size holds the first and the newest of them."""
    text = "\n".join(lines)
    smaller, size = sorted((smaller, size))

    if len("\n".join(lines[:1] + lines[1:][-1:]).encode()) <= size:
        assert capped(capped(text, size), smaller) == capped(text, smaller)


@given(TEXTS, st.integers(4, 300))
def test_something_is_left_of_what_says_something(text: str, size: int) -> None:
    """A text that is not blank is never capped to one that is."""
    assert not text.strip() or capped(text, size).strip()


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (98, FIVE),
        (97, FIVE),
        (96, "We plan a trip. Bo wants a boat. They chose trains. The tickets are bought."),
        (75, "We plan a trip. Bo wants a boat. They chose trains. The tickets are bought."),
        (74, "We plan a trip. They chose trains. The tickets are bought."),
        (40, "We plan a trip. The tickets are bought."),
        (39, "We plan a trip. The tickets are bought."),
        (38, "We plan a trip. The tickets are bou…"),
        (33, "We plan a trip. The tickets ar…"),
        (32, "We plan a trip."),
        (8, "We pl…"),
        (3, "We"),
        (0, ""),
    ],
)
def test_what_goes_first(size: int, expected: str) -> None:
    """The second sentence, the third, the fourth; then the ends of the two that are left, and at last the newest."""
    assert capped(FIVE, size) == expected


def test_a_short_first_sentence_leaves_its_room_to_a_long_newest_one_and_the_other_way_round() -> None:
    """Each of two has half of the room, or what the other does not need."""
    assert capped("Short.\n" + "x" * 50, 40) == "Short.\n" + "x" * 30 + "…"
    assert capped("x" * 50 + "\nShort.", 40) == "x" * 30 + "…\nShort."
    assert capped("x" * 50 + "\n" + "y" * 50, 41) == "x" * 17 + "…\n" + "y" * 17 + "…"


def test_characters_are_never_broken() -> None:
    """One that does not fit as a whole is left out."""
    assert capped("語" * 10, 15) == "語語語語…"
    assert capped("語" * 10, 14) == "語語語…"
    assert capped("語" * 10, 2) == ""


def test_a_line_that_names_its_turn_goes_as_a_whole() -> None:
    """However many sentences it has: none of them is left without its turn."""
    text = "Turn 1: We begin.\nTurn 2: See a.md. It is old. Very old.\nTurn 3: Done."

    assert [len(sentences.of(line)) for line in text.splitlines()] == [1, 3, 1]
    assert capped(text, 60) == "Turn 1: We begin.\nTurn 3: Done."


def test_space_at_the_ends_costs_no_sentence() -> None:
    """It goes before anything that is said."""
    assert capped("\n One. Two. Three. \n\n", 17) == "One. Two. Three."
