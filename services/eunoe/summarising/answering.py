"""An updated summary as a model gave it: the text that is kept, or why it is none. Pure."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from eunoe.distillation.scanning import scan
from eunoe.facts import values
from eunoe.models import answers
from eunoe.summarising.capping import capped

NONE = "the model gave no whole summary"
_FENCED = re.compile(r"\A\s*```\w*\n(.*?)\n?```\s*\Z", re.DOTALL)


def text(given: Any, size: int) -> str:
    """A summary in at most ``size`` bytes; raises `ValueError` with the reason where it is no text, says nothing, or
    holds half a character. Control characters that are no space are left out."""
    if given is None:
        raise ValueError(NONE)
    if not isinstance(given, str):
        raise ValueError("the summary is no text")
    if any(unicodedata.category(character) == "Cs" for character in given):
        raise ValueError("the summary holds half a character")
    if values.blank(given):
        raise ValueError("the summary is empty")
    return capped("".join(filter(_shown, given)).strip(), size)


def said(answer: str, size: int) -> str:
    """The summary in an answer that is nothing else: its text, whatever is wrapped around the whole of it (a code
    fence, or an object that has it as ``summary``). Raises `ValueError` as `text` does."""
    if answers.thinking(answer):
        raise ValueError(NONE)
    fenced = _FENCED.match(answer)
    plain = fenced[1] if fenced and "```" not in fenced[1] else answer
    if not plain.lstrip().startswith("{"):
        return text(plain, size)
    return text(scan(plain).summary, size)


def _shown(character: str) -> bool:
    return character in "\n\t" or unicodedata.category(character) != "Cc"
