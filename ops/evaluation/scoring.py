"""Whether a context answers a question, without a model. Pure.

An answer is *in the context* when one of its phrases is in its text, once case, punctuation and runs of spaces are
put aside. Else it is *one recall away* when the context itself names, by its number or name, one entry, one turn or one
fact, and the recall of exactly that gives the answer. Naming counts only where the context speaks for the memory:
in its two blocks, and in what stands for something held back. A range (``turns 4-9``) names nothing, since a recall
takes one; the line of a turn names that turn and not the entries that it spans; the line of a fact names what it is
from, and the fact itself; the lines of a summary are what somebody said, and name nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from eunoe.composition.summary import INDENT
from evaluation.story import Question

Standing = Literal["context", "recall", "stale", "lost"]

_WORD = re.compile(r"[^\W_]+")
_BLOCK = re.compile(r'<eunoe-record kind="(?:earlier|now)" id="[^"]*">\n(.*?)\n</eunoe-record>', re.DOTALL)
_INSTEAD = re.compile(  # what stands for an output, for the middle of a text, for rounds, for a copy
    r"\[output of entry \d+ held back[^\n]*|\[… [\d,]+ bytes of entry \d+ held back[^\n]*"
    r"|\[\d+ earlier tool rounds? of this turn[^\n]*|\(showed the person the [^\n]* output, entry \d+\)"
)
_ENTRY = re.compile(r"\bentry (\d+)\b")
_TURN = re.compile(r"\bturn (\d+)\b")
_FACT = re.compile(r"- (?P<what>\S+ .*?): .* — from (?P<source>.*)")
_OUTLINE = re.compile(r"turn \d+\b")


@dataclass(frozen=True)
class Recalled:
    """What a recall of each entry, turn (its entries together) or fact (every version of it) gives."""

    entries: Mapping[int, str] = field(default_factory=dict)
    turns: Mapping[int, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Named:
    """What a context names: entries and turns by their numbers, facts by kind and name."""

    entries: frozenset[int] = frozenset()
    turns: frozenset[int] = frozenset()
    facts: frozenset[str] = frozenset()


def normal(text: str) -> str:
    """Words of letters and digits in lower case, one space around each, so that a phrase is found at whole words."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def holds(text: str, phrases: Sequence[str]) -> bool:
    """Whether a text, made `normal`, has one of the phrases."""
    return any(normal(phrase) in text for phrase in phrases)


def named(texts: Sequence[str]) -> Named:
    """What the texts of a context name where they speak for the memory."""
    lines = [line for text in texts for block in _BLOCK.findall(text) for line in block.split("\n")]
    spoken = [_spoken(line) for line in lines] + [found for text in texts for found in _INSTEAD.findall(text)]
    return Named(
        frozenset(int(number) for text in spoken for number in _ENTRY.findall(text)),
        frozenset(int(number) for text in spoken for number in _TURN.findall(text)),
        frozenset(found["what"] for line in lines if (found := _FACT.match(line))),
    )


def _spoken(line: str) -> str:
    """What the memory itself says in a line of a block, without what it quotes there."""
    if fact := _FACT.match(line):
        return fact["source"]
    outline = _OUTLINE.match(line)
    if outline:
        return outline.group()
    return "" if line.startswith(INDENT) else line


def recalls(found: Named, recalled: Recalled) -> list[str]:
    """The text of each single recall that a context leads to."""
    entries = [recalled.entries[number] for number in sorted(found.entries & recalled.entries.keys())]
    turns = [recalled.turns[number] for number in sorted(found.turns & recalled.turns.keys())]
    return entries + turns + [recalled.facts[name] for name in sorted(found.facts & recalled.facts.keys())]


def standing(question: Question, texts: Sequence[str], recalled: Recalled | None) -> Standing:
    """Where the answer is: ``recalled`` is None where the one who reads the context has no memory tool."""
    text = normal("\n".join(texts))
    if holds(text, question.answers):
        return "context"
    away = recalls(named(texts), recalled) if recalled else []
    if any(holds(normal(one), question.answers) for one in away):
        return "recall"
    return "stale" if holds(text, question.stale) else "lost"


def judged(question: Question, answer: str) -> Standing:
    """What a model's answer is worth: ``context`` for a right one, even beside the old value."""
    text = normal(answer)
    if holds(text, question.answers):
        return "context"
    return "stale" if holds(text, question.stale) else "lost"
