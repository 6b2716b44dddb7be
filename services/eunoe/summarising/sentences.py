"""The sentences of a text, in any script. Pure.

A line that ends is the end of a sentence too. What has no letter, like the number of an item in a list or a line of
dashes, is no sentence of its own and goes with the next one of its line, else with the one before.
"""

from __future__ import annotations

from sentencex import segment  # type: ignore[import-untyped]  # pyright: ignore[reportAttributeAccessIssue]

_RULES = "en"  # whose abbreviations are known; the marks at which sentences end are those of every script


def of(text: str) -> list[str]:
    """The sentences in order, each with the white space after it: joined they are the text. A text without a letter is
    one, an empty one has none."""
    found: list[str] = []
    held = ""  # what has no letter, and waits for the sentence that it belongs to
    for line in text.splitlines(keepends=True):
        for piece in segment(_RULES, line) if _says(line) else (line,):
            held += piece
            if _says(piece):
                found.append(held)
                held = ""
        if found:
            found[-1] += held
            held = ""
    return [*found, held] if held else found


def _says(piece: str) -> bool:
    return any(character.isalpha() for character in piece)
