"""Words by which a request goes on with what came before it, by language. Pure.

Another language is one more entry: its words are looked for in every request, since nobody says which language that
is in. A language without spaces gives its words as they stand in a text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from eunoe.composition.assessing.naming import Said

POINTING_WORDS = 12  # words of a request in which a word that points back has it follow up


@dataclass(frozen=True, slots=True)
class FollowUps:
    """``opening`` words begin what goes on; ``pointing`` ones stand for something that was there before."""

    opening: tuple[str, ...]
    pointing: tuple[str, ...]


LANGUAGES: Mapping[str, FollowUps] = {
    "en": FollowUps(
        opening=(
            *("again", "also", "and", "but", "continue", "go on", "how about", "next", "no", "now", "once more", "or"),
            *("same", "so", "still", "then", "what about", "yes"),
        ),
        pointing=(
            *("it", "its", "that", "them", "these", "they", "this", "those", "as before", "the same", "the rest"),
            *("the other one", "the others", "the first one", "the last one", "the previous one"),
        ),
    ),
}


def follows_up(said: Said) -> bool:
    """Whether a request goes on with what came before it."""
    if any(said.begins(word) for language in LANGUAGES.values() for word in language.opening):
        return True
    return said.length <= POINTING_WORDS and any(
        said.holds(word) for language in LANGUAGES.values() for word in language.pointing
    )
