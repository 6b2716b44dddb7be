"""The words that can tell one thing from another."""

from __future__ import annotations

from eunoe.composition.words import words


def test_words_of_scripts_without_spaces_are_pairs() -> None:
    """A request in any language finds its facts."""
    assert words("the Port 8080") == {"the", "port", "8080"}
    assert {"日本", "本語"} <= words("日本語")
