"""The words that can tell one thing from another."""

from __future__ import annotations

import pytest

from eunoe.composition.words import of_fact, of_request, words


def test_words_of_scripts_without_spaces_are_pairs() -> None:
    """A request in any language finds its facts."""
    assert words("the Port 8080") == {"the", "port", "8080"}
    assert {"日本", "本語"} <= words("日本語")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("building 23 on S3, v2", {"building", "23", "s3", "v2"}),
        ("a db is up to 7", {"7"}),
        ("file_1 x-9 ٣", {"file_1", "9", "٣"}),
    ],
)
def test_numbers_tell_things_apart_however_short_they_are(text: str, found: set[str]) -> None:
    """Other words of two characters and less stand in everything that people say."""
    assert words(text) == found


def test_a_short_word_finds_what_is_called_so_and_nothing_else() -> None:
    """``db`` finds the fact of that name, and neither a name that begins with it nor a value that holds it."""
    request = of_request("What is the DB?")

    assert "db" in request & of_fact("decision", "db", "PostgreSQL")
    assert not request & of_fact("decision", "db host", "db is at a")
    assert not request & of_fact("entity", "service", "db")
