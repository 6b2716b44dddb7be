"""The words of a text without its formatting: line numbers, quote marks, fences, the pipes and rules of a table, white
space. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

FENCE = re.compile(r"[ \t]*(`{3,}(?!.*`)|~{3,})")
_NUMBER = re.compile(r"\s*(\d{1,6})(?:\t|:\s?|\s?[|│→]\s?|\s{2,})")
_RULE = re.compile(r"\s*(?:[|:+=\-][\s|:+=\-]{2,})?\Z")
_ROW = re.compile(r"\s*\|.*\|\s*\Z")
_QUOTE = re.compile(r"\s*(?:>\s?)+")


def words(lines: Iterable[str], *, numbered: bool) -> tuple[str, ...]:
    """The words of lines; ``numbered``: without the numbers that lines begin with."""
    found: list[str] = []
    for line in lines:
        if _RULE.match(line):
            continue
        if numbered:
            line = _NUMBER.sub("", line, count=1) if _NUMBER.match(line) else line
        line = line.replace("|", " ") if _ROW.match(line) else _unquoted(line)
        found += () if FENCE.match(line) else line.split()
    return tuple(found)


def are_numbered(lines: Iterable[str]) -> bool:
    """Whether the lines that say anything are numbered one after the other."""
    found = [_NUMBER.match(line) for line in lines if line.strip()]
    numbers = [int(one[1]) for one in found if one]
    return len(numbers) == len(found) > 0 and numbers == [numbers[0] + at for at in range(len(numbers))]


def _unquoted(line: str) -> str:
    found = _QUOTE.match(line)
    return line[found.end() :] if found else line
