"""Exact counters: vocabularies that the extra ``tokens`` brings inside its wheel."""

from __future__ import annotations

import functools
import importlib
import importlib.util
from typing import Any

EXTRA = "eunoe[tokens]"
NAMES = ("cl100k_base", "llama3", "o200k_base", "qwen3")


class VocabularyCounter:
    """Counts as the vocabulary called ``name`` does. Safe to share between threads."""

    def __init__(self, name: str, encoding: Any) -> None:
        self._name = name
        self._encoding = encoding

    @property
    def name(self) -> str:
        return self._name

    def count(self, data: bytes) -> int:
        """Tokens of UTF-8 text; what is not valid counts as the replacement character. Names of special tokens in it
        are text like any other, as for a provider that is sent them as content."""
        return int(self._encoding.count(data.decode("utf-8", "replace")))


def installed() -> tuple[str, ...]:
    """The names of the vocabularies that are there, in order."""
    return NAMES if importlib.util.find_spec("quicktok") else ()


@functools.cache
def load(name: str) -> VocabularyCounter:
    """The counter of a vocabulary that is installed. The first time takes a third of a second and 80 MB for the
    largest one, so each is loaded when a request needs it. The library keeps the interpreter to itself meanwhile, so
    that nothing would be gained by a thread of its own."""
    library: Any = importlib.import_module("quicktok")
    return VocabularyCounter(name, library.Tokenizer(name, ""))
