"""The outline: turns that left, named one by one in the earlier block. Pure.

A line is the turn, its entries and the first words that were asked in it, so that whoever reads it knows what there is
to recall. What was asked is read from the log, wherever the recipe says it stands.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec

from eunoe.composition import blocks, contents, marks
from eunoe.composition.contents import Item
from eunoe.composition.turn import Turn
from eunoe.schemas import limits
from eunoe.schemas.context import LeftTurn
from eunoe.schemas.events import Prompt

LOOKED_AT = 4_096  # characters of a prompt that are looked at for its first words


class Asked(msgspec.Struct, frozen=True):
    """The first prompt of a turn as an outline quotes it: its entry, and its first words, or that it was erased."""

    entry: int
    words: str
    erased: bool = False


def asked(prompt: Prompt) -> Asked:
    """What an outline says of a prompt: its first words on one line, which stand in quotes that they cannot end."""
    if prompt.erased:
        return Asked(prompt.entry, prompt.gone, erased=True)
    text = " ".join(contents.text(prompt).lstrip()[:LOOKED_AT].split())
    return Asked(prompt.entry, contents.shortened(text, limits.OUTLINE_LINE_BYTES))


def asked_in(turn: Turn) -> Asked | None:
    """The first prompt of a turn; None where it has none."""
    key = "asked"
    if key not in turn.cache:
        item = _prompt(turn)
        turn.cache[key] = asked(item.event) if item is not None and isinstance(item.event, Prompt) else None
    found: Asked | None = turn.cache[key]
    return found


def left_turn(turn: Turn) -> LeftTurn:
    """A turn as a recipe names it."""
    key = "left"
    found: LeftTurn | None = turn.cache.get(key)
    if found is None:
        item = _prompt(turn)
        entries = (turn.items[0].entry, turn.items[-1].entry) if turn.items else (0, 0)
        found = LeftTurn(turn=turn.number, entries=entries, position=item.position if item else 0)
        turn.cache[key] = found
    return found


def line(left: LeftTurn, found: Asked | None, most: int = limits.OUTLINE_LINE_BYTES) -> str:
    """``turn 3 (entries 8–12): "the first words of its prompt"``, with at most so many bytes of them."""  # noqa: RUF002 (an en dash joins the ends)
    return _Line(left, found).text(most)


def within(turns: Sequence[LeftTurn], prompts: Mapping[int, Asked], size: int) -> tuple[LeftTurn, ...]:
    """The turns that ``size`` bytes of lines name, `limits.OUTLINE_TURNS` at most; in their order, oldest first.

    The oldest with all its words, and of the others as many as there is room for with `limits.OUTLINE_LINE_BYTES_MIN`
    of theirs, from both ends by turns, the newest first: what left long ago was asked for the whole of it.
    """
    return _within(tuple(turns), tuple(prompts.get(one.turn) for one in turns), size)


@lru_cache(maxsize=256)
def _within(turns: Sequence[LeftTurn], found: Sequence[Asked | None], size: int) -> tuple[LeftTurn, ...]:
    if not turns:
        return ()
    room = size - _Line(turns[0], found[0]).bytes(limits.OUTLINE_LINE_BYTES)
    if room < 0:
        return ()
    first, end = 1, len(turns)
    while first < end and first + len(turns) - end < limits.OUTLINE_TURNS:
        newest = len(turns) - end < first
        at = end - 1 if newest else first
        room -= _Line(turns[at], found[at]).bytes(limits.OUTLINE_LINE_BYTES_MIN)
        if room < 0:
            break
        first, end = (first, at) if newest else (first + 1, end)
    return (*turns[:first], *turns[end:])


def lines(turns: Sequence[LeftTurn], prompts: Mapping[int, Asked], size: int) -> list[str]:
    """The lines of turns, in ``size`` bytes where that is enough for them: the oldest has all its words, the others
    have as many as all of them can."""
    return list(_lines(tuple(turns), tuple(prompts.get(one.turn) for one in turns), size))


@lru_cache(maxsize=256)
def _lines(turns: Sequence[LeftTurn], found: Sequence[Asked | None], size: int) -> Sequence[str]:
    """The same are asked for several times for one context, and for the next ones."""
    if not turns:
        return ()
    oldest, *others = map(_Line, turns, found)
    most = limits.OUTLINE_LINE_BYTES
    room = size - oldest.bytes(most)

    def over(words: int) -> bool:
        return sum(one.bytes(words) for one in others) > room

    if over(most):
        fitting = range(limits.OUTLINE_LINE_BYTES_MIN, most)
        most = fitting[max(bisect_left(fitting, True, key=over) - 1, 0)]
    return (oldest.text(limits.OUTLINE_LINE_BYTES), *(one.text(most) for one in others))


def forget() -> None:
    """Keep no words in mind: some of them may have been erased."""
    _within.cache_clear()
    _lines.cache_clear()
    _quoted.cache_clear()


class _Line:
    """One line as far as it does not depend on how many of its words there is room for, which is asked for often."""

    __slots__ = ("_beside", "_plain", "_text", "_words")

    def __init__(self, left: LeftTurn, found: Asked | None) -> None:
        none = "(its prompt is gone)" if left.position else "(it has no prompt)"
        self._words = found.words if found and not found.erased else None
        said = "" if self._words is not None else found.words if found else none
        self._text = f"turn {left.turn}{_entries(*left.entries)}: {said}"
        self._beside = len(self._text.encode()) + 1
        self._plain = self._words is not None and marks.is_own_json(self._words)

    def text(self, most: int) -> str:
        """The line, with at most so many bytes of its words."""
        return self._text if self._words is None else self._text + _quoted(self._words, most)

    def bytes(self, most: int) -> int:
        """Bytes of that with its line feed."""
        if self._words is None:
            return self._beside
        if self._plain:
            return self._beside + min(len(self._words), most) + 2
        return self._beside + len(_quoted(self._words, most).encode())


@lru_cache(maxsize=4_096)
def _quoted(words: str, most: int) -> str:
    """The first of some words, as many as so many bytes hold, in quotes; much the same is asked for at each request."""
    return marks.unbroken(json.dumps(contents.shortened(words, most), ensure_ascii=False))


def _entries(first: int, last: int) -> str:
    if not last:
        return ""
    return f" ({'entry' if first == last else 'entries'} {blocks.ranged(first, last)})"


def _prompt(turn: Turn) -> Item | None:
    return next((item for item in turn.items if isinstance(item.event, Prompt)), None)
