"""What a request says in words, and which tools it names by them. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from eunoe.composition.words import WORD_LENGTH, words
from eunoe.schemas.requests import ToolDefinition

LOOKED_AT = 32_768  # characters of a request that are looked at
STEM = 4  # letters of a word from which on an ending may follow it: "search" in "searching", "file" in "files"
ENDING = 3  # letters of such an ending
VAGUE = frozenset(
    {"all", "and", "any", "call", "for", "from", "get", "make", "new", "set", "the", "this", "tool", "use", "with"}
)
"""Words in names of tools that tell of no domain."""

_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")


class Said:
    """The words of a request, in any script: what has no spaces is told apart by pairs of characters."""

    def __init__(self, text: str) -> None:
        self._words = _WORD.findall(text[:LOOKED_AT].casefold())

    @cached_property
    def length(self) -> int:
        """How many words it is; every three characters of a script without spaces count as one."""
        return sum(max(-(-len(word) // 3), 1) if _pairs(word) else 1 for word in self._words)

    def has(self, phrase: str) -> bool:
        """Whether every word of a phrase is there, one of `STEM` letters or more with an ending too."""
        wanted = _WORD.findall(phrase.casefold())
        return bool(wanted) and all(map(self._has, wanted))

    def begins(self, phrase: str) -> bool:
        """Whether it begins with the words of a phrase as they stand."""
        wanted = _WORD.findall(phrase.casefold())
        if len(wanted) == 1 and _pairs(wanted[0]):
            return bool(self._words) and self._words[0].startswith(wanted[0])
        return self._at(0, wanted)

    def holds(self, phrase: str) -> bool:
        """Whether the words of a phrase stand in it one after the other as they are."""
        wanted = _WORD.findall(phrase.casefold())
        if len(wanted) == 1 and _pairs(wanted[0]):
            return any(wanted[0] in word for word in self._words)
        return any(self._at(start, wanted) for start in range(len(self._words)))

    def _at(self, start: int, wanted: Sequence[str]) -> bool:
        return bool(wanted) and self._words[start : start + len(wanted)] == wanted

    def _has(self, word: str) -> bool:
        if pairs := _pairs(word):
            return pairs <= self._pairs
        return word in self._whole or (len(word) >= STEM and word in self._stems)

    @cached_property
    def _whole(self) -> frozenset[str]:
        return frozenset(self._words)

    @cached_property
    def _stems(self) -> frozenset[str]:
        """What is left of the words without up to `ENDING` letters: looked up, however many words are asked for."""
        return frozenset(word[: len(word) - ending] for word in self._whole for ending in range(ENDING + 1))

    @cached_property
    def _pairs(self) -> frozenset[str]:
        return frozenset().union(*map(_pairs, self._words))


def named(tool: ToolDefinition, said: Said) -> bool:
    """Whether a request names a tool: by a word of its domain, or by one of its name."""
    return any(map(said.has, (*tool.words, *parts(tool.name))))


def parts(name: str) -> tuple[str, ...]:
    """The words in a tool's name that tell what it is about: ``readFile`` and ``read_file`` have ``read``, ``file``."""
    found = (part.casefold() for part in _PART.findall(name))
    return tuple(part for part in found if part not in VAGUE and (len(part) >= WORD_LENGTH or _pairs(part)))


def _pairs(word: str) -> frozenset[str]:
    """The pairs of characters of a word in a script without spaces; none of another."""
    return frozenset(one for one in words(word) if len(one) < WORD_LENGTH)
