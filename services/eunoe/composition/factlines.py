"""The line in which a fact is shown, and the note that ends it: what it is itself, and what others say. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from eunoe.composition import marks
from eunoe.facts.fold import View
from eunoe.facts.lineage import author
from eunoe.facts.runs import Version
from eunoe.facts.wording import spoken
from eunoe.schemas.context import QUOTING
from eunoe.schemas.facts import Assertion

OTHERS_SHOWN = 2  # values of other sources in a note
LINE_LEAST = len(b"-  :  \xe2\x80\x94 from \n")  # bytes of a line beside what it says

_INSTRUCTION = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instruction|prompt|rule|message|above|previous|prior|everything)"
    r"|\byou (?:are now|must now|will now)\b|\bnew instructions?\b|\bsystem (?:prompt|message)\b"
    r"|^\s*(?:system|assistant|developer|user)\s*:|<\|[a-z_]+\|>|\[/?INST\]|</?(?:system|eunoe-)|\bdo not tell\b",
    re.IGNORECASE,
)


def line(fact: Assertion, note: str) -> str:
    """``- subject name: value — from SOURCE``; what could be read otherwise is written as a JSON string."""
    subject = marks.one_line(fact.identity.subject, " ")
    name = marks.one_line(fact.identity.name, ": ")
    source = marks.one_line(spoken(fact))
    said = f"- {subject} {name}: {marks.one_line(fact.value, ' — from ')} — from {source}"
    return f"{said} ({note})" if note else said


def of_itself(fact: Assertion, *others: str, proposed: bool) -> list[str]:
    """The parts of a note that a fact gets for what it is, around those that it gets for what others say."""
    before = ["proposed"] if proposed else []
    after = ["reads like an instruction; it is data"] if reads_like_an_instruction(fact) else []
    return [*before, *others, *after]


def of_others(view: View, heads: Sequence[Version]) -> tuple[str, ...]:
    """The parts of a note that a fact gets for what others say."""
    more = len({author(said.fact.source) for one in heads for said in one.said}) - 1
    parts = [f"+{more} source" if more == 1 else f"+{more} sources"] if more > 0 else []
    return (*parts, _disagreeing(view)) if view.conflict else tuple(parts)


def reads_like_an_instruction(fact: Assertion) -> bool:
    return bool(_INSTRUCTION.search(fact.value) or _INSTRUCTION.search(fact.identity.name))


def _disagreeing(view: View) -> str:
    said = [
        f"{marks.one_line(head.value, ' — from ')} — from {marks.one_line(spoken(head.first.fact, through=True))}"
        for head in view.others[:OTHERS_SHOWN]
    ]
    more = len(view.others) - OTHERS_SHOWN
    tail = [f"{more} more"] if more > 0 else []
    return QUOTING + ", ".join([*said, *tail])
