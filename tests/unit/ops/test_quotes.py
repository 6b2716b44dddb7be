"""What counts as a quote of what came before: each rule, by cases worked out by hand."""

from __future__ import annotations

import pytest

from evaluation.quotes import COMMON_SOURCES, Sources, text_of, tokens

EIGHT = "one two three four five six seven eight"


def sources(*texts: str) -> Sources:
    return Sources({entry: text_of(text) for entry, text in enumerate(texts, 1)})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("user mia_li_3668 flies HAT136 on 2024-05-20", {"mia_li_3668", "HAT136", "2024-05-20"}),
        ("see src/app/fields.py, line 12", {"src/app/fields.py"}),
        ("write to ann@example.org.", {"ann@example.org"}),
        ("it costs 1450 or 99", {"1450"}),
        ("a plain sentence with e.g. nothing in it", set()),
    ],
)
def test_ids_paths_dates_and_long_numbers_are_tokens(text: str, expected: set[str]) -> None:
    assert tokens(text) == expected


def test_a_token_is_quoted_from_every_text_that_has_it() -> None:
    (quote,) = sources("booked HAT136", "nothing", "HAT136 is late").quotes("I changed HAT136.")

    assert (quote.token, quote.sources) == ("HAT136", (1, 3))


def test_what_was_just_given_is_no_quote_of_something_earlier() -> None:
    assert sources("booked HAT136", "HAT136 is late").quotes("I changed HAT136.", given=[2]) == []


def test_a_token_that_many_texts_have_tells_nothing() -> None:
    """At the limit it still does."""
    assert len(sources(*["HAT136"] * COMMON_SOURCES).quotes("HAT136")) == 1
    assert sources(*["HAT136"] * (COMMON_SOURCES + 1)).quotes("HAT136") == []


def test_eight_words_in_a_row_are_a_quote_whatever_their_case_and_punctuation() -> None:
    (quote,) = sources(f"he said: {EIGHT}.").quotes("One, two - three\nfour (five) six seven EIGHT!")

    assert (len(quote.grams), quote.token, quote.sources) == (1, "", (1,))


def test_seven_words_are_none() -> None:
    assert sources(EIGHT).quotes("one two three four five six seven nine") == []


def test_a_longer_run_is_one_quote_of_the_text_that_has_most_of_it() -> None:
    """Ten words are three runs of eight; the text with only the first eight of them is not its source."""
    (quote,) = sources(EIGHT, f"{EIGHT} nine ten").quotes(f"so {EIGHT} nine ten it is")

    assert (len(quote.grams), quote.sources) == (3, (2,))


def test_a_quote_is_within_a_text_that_has_all_of_it() -> None:
    (quote,) = sources(f"{EIGHT} nine ten").quotes(f"{EIGHT} nine ten")

    assert quote.within(text_of(f"well, {EIGHT} nine ten."))
    assert not quote.within(text_of(f"{EIGHT} nine"))
