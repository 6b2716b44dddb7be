"""How alike two records are, and whether they say the same. Pure.

Likeness ranks: it is of characters, so two records that contradict each other in one word are very much alike. What
counts as the same is therefore told by words: none that tells anything may differ, or stand elsewhere.
"""

from __future__ import annotations

from rapidfuzz import fuzz

from eunoe.facts.values import normal

NEAR = 85  # likeness (0 to 100) from which on two records may say the same
_EDGES = ".,;:!?\"'`()[]{}\u201c\u201d\u2018\u2019\u00ab\u00bb\u2026\u3002\u3001\uff0c"
_EMPTY = frozenset({"a", "an", "the"})
_ENDINGS = ("s", "es")
_STEM = 3  # characters of a word that may have one of those endings, at least
_COMPARED = 1_000  # characters of two texts whose likeness is counted


def likeness(left: str, right: str) -> int:
    """How alike two texts are, from 0 to 100 (equal but for case and space): the share of characters, among those of
    both, that stand in both in the same order."""
    return round(fuzz.ratio(normal(left)[:_COMPARED], normal(right)[:_COMPARED]))


def near(left: str, right: str) -> bool:
    """Whether one text says no more than the other: they are as alike as `NEAR`, and have the same words in the same
    order, whatever their case, edges, plurals and articles."""
    if likeness(left, right) < NEAR:
        return False
    ours, theirs = _words(left), _words(right)
    return len(ours) == len(theirs) and all(map(_same, ours, theirs))


def _words(text: str) -> list[str]:
    words = (word.strip(_EDGES) for word in normal(text).split())
    return [word for word in words if word and word not in _EMPTY]


def _same(left: str, right: str) -> bool:
    shorter, longer = sorted((left, right), key=len)
    return left == right or (
        shorter.isalpha()
        and len(shorter) >= _STEM
        and longer[len(shorter) :] in _ENDINGS
        and longer.startswith(shorter)
    )
