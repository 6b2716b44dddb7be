"""One fact as a model gave it, checked against what it was asked: a fact of its turn, or why it is none. Pure.

Taken as text is a number too, as it was written; a turn may be a number in quotes. Everything else of another type is
wrong: ``true`` or a list says nothing that could be kept as it was said. Space and line breaks are one space.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from eunoe.distillation.door import Item, Said, Speaker, Task, Turn
from eunoe.distillation.scanning import NO_OBJECT
from eunoe.facts import values

FIELDS = ("subject", "name", "value", "speaker", "turn")
SPEAKERS: Mapping[str, Speaker] = {
    "person": "person",
    "user": "person",
    "human": "person",
    "model": "model",
    "assistant": "model",
    "agent": "model",
    "ai": "model",
}
_SAID: Mapping[Speaker, str] = {"person": "the person", "model": "the model"}
_DIGITS = re.compile(r"\d{1,16}", re.ASCII)
_WORDS = re.compile(r"\w+")


class Malformed(Exception):
    """Why something is no fact at all: a field is missing, or is of another type."""


class Unfit(Exception):
    """Why a fact is none of those that were asked for."""


class Checker:
    """Checks the facts of one answer."""

    def __init__(self, task: Task) -> None:
        self._kinds = {kind.subject.casefold(): kind.subject for kind in task.kinds}
        self._turns = {turn.number: turn for turn in task.turns}
        self._after = task.after

    def fact(self, value: Any) -> Item:
        """A value of JSON as a fact; raises `Malformed` or `Unfit`."""
        if not isinstance(value, dict):
            raise Malformed(NO_OBJECT)
        if missing := next((name for name in FIELDS if value.get(name) is None), ""):
            raise Malformed(f"it has no {missing}")
        subject, name, said, speaker = (_text(field, value[field]) for field in FIELDS[:-1])
        turn = self._turn(value["turn"])
        by = SPEAKERS.get(speaker.casefold())
        if by is None:
            raise Unfit(f"its speaker is {_quoted(speaker)}, which is neither the person nor the model")
        if subject.casefold() not in self._kinds:
            raise Unfit(f"there is no kind {_quoted(subject)} to distil")
        entries, at = _tied(said, by, turn, self._after)
        return Item(self._kinds[subject.casefold()], name, said, by, turn.number, entries, at)

    def _turn(self, given: Any) -> Turn:
        if not isinstance(given, str) or not _DIGITS.fullmatch(given.strip()):
            raise Malformed("its turn is no number")
        if (found := self._turns.get(int(given))) is None:
            raise Unfit(f"turn {int(given)} is none of those that were asked about")
        return found


def _text(name: str, given: Any) -> str:
    if not isinstance(given, str):
        raise Malformed(f"its {name} is no text")
    for character in given:
        category = unicodedata.category(character)
        if category == "Cs":
            raise Unfit(f"its {name} holds half a character, U+{ord(character):04X}")
        if category == "Cc" and not character.isspace():
            raise Unfit(f"its {name} holds the control character U+{ord(character):04X}")
    if values.blank(given):
        raise Unfit(f"its {name} is empty")
    return values.one_line(given)


def _tied(value: str, by: Speaker, turn: Turn, after: Sequence[Turn]) -> tuple[tuple[int, ...], int]:
    """The entries of a turn that a value was said in, and when: the newest one that has all its words, else every one
    of that speaker. What only a later prompt has was said there: it is drawn with that turn, and erased with it."""
    said = [one for one in turn.said if one.speaker == by]
    if not said:
        raise Unfit(f"{_SAID[by]} said nothing in turn {turn.number}")
    if not any(_holds(one, value) for one in turn.said):
        for later in after:
            if any(_holds(one, value) for one in later.said):
                raise Unfit(f"it was said in turn {later.number}, which is not asked about yet")
    holding = [one for one in said if _holds(one, value)][-1:] or said
    return tuple(one.entry for one in holding), holding[0].at if len(holding) == 1 else 0


def _holds(said: Said, value: str) -> bool:
    text, wanted = values.normal(said.text), values.normal(value)
    words = _words(wanted)
    return words <= _words(text) if words else wanted in text


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(text))


def _quoted(text: str) -> str:
    return f'"{values.cut(text, 60)}"'
