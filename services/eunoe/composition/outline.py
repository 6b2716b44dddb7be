"""The outline: turns that left, named one by one in the earlier block. Pure.

A line is the turn, its entries and the first words that were asked in it, so that whoever reads it knows what there is
to recall. What was asked is read from the log, wherever the recipe says it stands.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from eunoe.composition import blocks, contents, marks
from eunoe.composition.contents import Item
from eunoe.composition.fold import Turn
from eunoe.schemas import limits
from eunoe.schemas.context import LeftTurn
from eunoe.schemas.events import Prompt

LOOKED_AT = 4_096  # characters of a prompt that are looked at for its first words


@dataclass(frozen=True, slots=True)
class Asked:
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


def line(left: LeftTurn, prompts: Mapping[int, Asked], most: int = limits.OUTLINE_LINE_BYTES) -> str:
    """``turn 3 (entries 8–12): "the first words of its prompt"``, with at most so many bytes of them."""  # noqa: RUF002 (an en dash joins the ends)
    found = prompts.get(left.turn)
    none = "(its prompt is gone)" if left.position else "(it has no prompt)"
    return f"turn {left.turn}{_entries(*left.entries)}: {_said(found, most) if found else none}"


def within(turns: Sequence[LeftTurn], prompts: Mapping[int, Asked], size: int) -> tuple[LeftTurn, ...]:
    """The turns that ``size`` bytes of lines name, `limits.OUTLINE_TURNS` at most; in their order, oldest first.

    The oldest with all its words, and of the others as many as there is room for with `limits.OUTLINE_LINE_BYTES_MIN`
    of theirs, from both ends by turns, the newest first: what left long ago was asked for the whole of it.
    """
    if not turns:
        return ()
    oldest, *others = turns
    room = size - _bytes(oldest, prompts, limits.OUTLINE_LINE_BYTES)
    if room < 0:
        return ()
    first: list[LeftTurn] = []
    last: list[LeftTurn] = []
    while others and len(first) + len(last) + 1 < limits.OUTLINE_TURNS:
        turn = others.pop(0 if len(last) > len(first) else -1)
        room -= _bytes(turn, prompts, limits.OUTLINE_LINE_BYTES_MIN)
        if room < 0:
            break
        (first if len(last) > len(first) else last).append(turn)
    return (oldest, *first, *reversed(last))


def lines(turns: Sequence[LeftTurn], prompts: Mapping[int, Asked], size: int) -> list[str]:
    """The lines of turns, in ``size`` bytes where that is enough for them: the oldest has all its words, the others
    have as many as all of them can."""
    if not turns:
        return []
    oldest, *others = turns
    room = size - _bytes(oldest, prompts, limits.OUTLINE_LINE_BYTES)

    def over(words: int) -> bool:
        return sum(_bytes(turn, prompts, words) for turn in others) > room

    most = limits.OUTLINE_LINE_BYTES
    if over(most):
        fitting = range(limits.OUTLINE_LINE_BYTES_MIN, most)
        most = fitting[max(bisect_left(fitting, True, key=over) - 1, 0)]
    return [line(oldest, prompts), *(line(turn, prompts, most) for turn in others)]


def _said(found: Asked, most: int) -> str:
    return found.words if found.erased else _quoted(found.words, most)


@lru_cache(maxsize=4_096)
def _quoted(words: str, most: int) -> str:
    """The first of some words, as many as so many bytes hold, in quotes; much the same is asked for at each request."""
    return marks.unbroken(json.dumps(contents.shortened(words, most), ensure_ascii=False))


def _bytes(left: LeftTurn, prompts: Mapping[int, Asked], most: int) -> int:
    """Bytes of a line with its line feed."""
    return len(line(left, prompts, most).encode()) + 1


def _entries(first: int, last: int) -> str:
    if not last:
        return ""
    return f" ({'entry' if first == last else 'entries'} {blocks.ranged(first, last)})"


def _prompt(turn: Turn) -> Item | None:
    return next((item for item in turn.items if isinstance(item.event, Prompt)), None)
