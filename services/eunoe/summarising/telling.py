"""Which sentence of a text tells most, in any language. Pure.

Greetings, thanks and courtesies are made of short and common words; what somebody is after, of long words, names and
numbers. That is all that is looked at, so it is a guess, and the same one every time.
"""

from __future__ import annotations

import re

from eunoe.facts import values
from eunoe.summarising import sentences

PROMPT = 7  # weight from which on a sentence of a prompt tells enough: the earliest such one says what is wanted
REPLY = 4  # the same of a reply, which comes to the point sooner than it explains
LEAST = 1  # weight below which a reply says nothing of what came of it: "I will keep that in mind."

_LOOKED_AT = 8_192  # characters of a text that are looked at
_LONG = 5  # letters of a word that counts as a long one
_DENSE = 2  # characters that count as much, where words have no letters of two cases, and often no space between them
_WORD = re.compile(r"\w+(?:[-'’.]\w+)*")  # noqa: RUF001 (the apostrophe of print)
_MARKS = re.compile(r"\A(?:(?:[-*+>•]|#{1,6}|\d{1,3}[.)])\s+)+(?=\S)")  # of an item, a heading or a quotation
_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*$", re.MULTILINE)
_FENCED = re.compile(r"^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)


def sentence(text: str, enough: int, least: int = 0) -> str:
    """The first sentence that weighs ``enough``, else the heaviest; empty where nothing is said, or nothing that weighs
    ``least``.

    It is on one line, without the marks of an item, a heading or a quotation before it. Blocks of code are looked at
    only where there is nothing else.
    """
    text = text.strip()[:_LOOKED_AT]
    found = _all(_FENCED.sub("\n", text)) or _all(_FENCE.sub("", text))
    best = max(found, key=lambda one: min(_weight(one), enough), default="")
    return best if best and _weight(best) >= least else ""


def _all(text: str) -> list[str]:
    lines = (_MARKS.sub("", values.one_line(one)) for one in sentences.of(text))
    return [line for line in lines if any(map(str.isalnum, line))]


def _weight(one: str) -> int:
    """What its words weigh together; the capital of the first one is no name's."""
    words = _WORD.findall(one)
    return sum(map(_of_word, words)) - int(bool(words) and _named(words[0]))


def _of_word(word: str) -> int:
    """One for a long word, another for a name, two for a number; more for a run of characters without cases."""
    if any(character.isdigit() for character in word):
        return 2
    if word.lower() == word.upper():
        return len(word) // _DENSE
    return int(len(word) >= _LONG) + int(_named(word))


def _named(word: str) -> bool:
    return len(word) > 1 and word[0].isupper() and not any(character.isdigit() for character in word)
