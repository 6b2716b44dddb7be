"""Sentences of a text: nothing of it is lost, in any script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eunoe.summarising import sentences


@given(st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from("aB. \n\r\"'()!?。-\t"))))
def test_the_sentences_of_a_text_are_the_text(text: str) -> None:
    """Joined they are the text, and none of them is empty."""
    found = sentences.of(text)

    assert "".join(found) == text
    assert all(found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ask Dr. Lind at 5 p.m. today. Then go!", ["Ask Dr. Lind at 5 p.m. today. ", "Then go!"]),
        ("See docs/a.md and v1.2.3. Done.", ["See docs/a.md and v1.2.3. ", "Done."]),
        ("他说好。我们走吧！真的？", ["他说好。", "我们走吧！", "真的？"]),  # noqa: RUF001
        ("यह है। वह है।", ["यह है। ", "वह है।"]),
        ("كيف حالك؟ أنا بخير.", ["كيف حالك؟ ", "أنا بخير."]),
        ("Где это? Здесь. Да!", ["Где это? ", "Здесь. ", "Да!"]),
        ("", []),
    ],
)
def test_sentences_end_as_their_script_ends_them(text: str, expected: list[str]) -> None:
    """Abbreviations, versions and names of files end none."""
    assert sentences.of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\ntwo", ["one\n", "two"]),
        ("Ask Dr.\nLind.", ["Ask Dr.\n", "Lind."]),
        ("one\r\ntwo\u2028three", ["one\r\n", "two\u2028", "three"]),
        ("one\n\n---\n\ntwo", ["one\n\n---\n\n", "two"]),
        ("\n\none", ["\n\none"]),
        ("3. Third. 4. Fourth.", ["3. Third. ", "4. Fourth."]),
        ("1 + 1 = 2.", ["1 + 1 = 2."]),
        ("   ", ["   "]),
    ],
)
def test_a_line_ends_a_sentence_and_what_has_no_letter_is_none(text: str, expected: list[str]) -> None:
    """Numbers of items go with their item, rules and blank lines with what is before them."""
    assert sentences.of(text) == expected
