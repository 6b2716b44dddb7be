"""The words by which facts, records and requests are found to bear on each other. Pure."""

from __future__ import annotations

import re

WORD_LENGTH = 3  # characters of the shortest word that counts wherever it stands

_WORD = re.compile(rf"\w{{{WORD_LENGTH},}}|\w*\d\w*")
_SHORT = re.compile(rf"\b\w{{1,{WORD_LENGTH - 1}}}\b")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}")


def words(text: str) -> frozenset[str]:
    """The words of a text that can tell one thing from another: long ones, and numbers of any length; of scripts
    without spaces, pairs of characters."""
    found = frozenset(_WORD.findall(text.casefold()))
    if text.isascii():
        return found
    return found.union(run[at : at + 2] for run in _UNSPACED.findall(text) for at in range(len(run) - 1))


def of_fact(subject: str, name: str, value: str) -> frozenset[str]:
    """The words of a fact; where a short one is its whole name (``db``), that too."""
    found = words(f"{subject} {name} {value}")
    return found | {name.casefold()} if _SHORT.fullmatch(name) else found


def of_request(text: str) -> frozenset[str]:
    """The words of a request, and the short ones, by which only a fact of that name is found."""
    return words(text).union(_SHORT.findall(text.casefold()))
