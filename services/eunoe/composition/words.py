"""The words by which facts, records and requests are found to bear on each other. Pure."""

from __future__ import annotations

import re

WORD_LENGTH = 3  # characters of the shortest word that counts

_WORD = re.compile(rf"\w{{{WORD_LENGTH},}}")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}")


def words(text: str) -> frozenset[str]:
    """The words of a text that can tell one thing from another; of scripts without spaces, pairs of characters."""
    found = frozenset(_WORD.findall(text.casefold()))
    if text.isascii():
        return found
    return found.union(run[at : at + 2] for run in _UNSPACED.findall(text) for at in range(len(run) - 1))
