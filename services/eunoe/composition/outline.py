"""The outline: turns that left, named one by one in the earlier block. Pure.

A line is the turn, its entries and the first words that were asked in it, so that whoever reads it knows what there is
to recall. What was asked is read from the log, wherever the recipe says it stands.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from eunoe.composition import blocks, contents, marks
from eunoe.composition.contents import Item
from eunoe.composition.fold import Turn
from eunoe.schemas import limits
from eunoe.schemas.context import LeftTurn
from eunoe.schemas.events import Prompt

LOOKED_AT = 4_096  # characters of a prompt that are looked at for its first words


@dataclass(frozen=True, slots=True)
class Asked:
    """The first prompt of a turn as an outline quotes it: its entry, and its first words or that it was erased."""

    entry: int
    words: str
    erased: bool = False


def asked(prompt: Prompt) -> Asked:
    """What an outline says of a prompt: its first words on one line, in quotes that nothing in them can end."""
    if prompt.erased:
        return Asked(prompt.entry, prompt.gone, erased=True)
    text = " ".join(contents.text(prompt).lstrip()[:LOOKED_AT].split())
    words = contents.shortened(text, limits.OUTLINE_LINE_BYTES)
    return Asked(prompt.entry, marks.unbroken(json.dumps(words, ensure_ascii=False)))


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


def line(left: LeftTurn, prompts: Mapping[int, Asked]) -> str:
    """``turn 3 (entries 8–12): "the first words of its prompt"``."""  # noqa: RUF002 (an en dash joins the ends)
    found = prompts.get(left.turn)
    none = "(its prompt is gone)" if left.position else "(it has no prompt)"
    return f"turn {left.turn}{_entries(*left.entries)}: {found.words if found else none}"


def within(turns: Sequence[LeftTurn], prompts: Mapping[int, Asked], size: int) -> tuple[LeftTurn, ...]:
    """The oldest of these turns and as many of the newest as ``size`` bytes of lines hold, `limits.OUTLINE_TURNS` at
    most; in their order, oldest first."""
    if not turns:
        return ()
    oldest, *others = turns
    room = size - _bytes(oldest, prompts)
    if room < 0:
        return ()
    newest: list[LeftTurn] = []
    for turn in reversed(others[-(limits.OUTLINE_TURNS - 1) :]):
        room -= _bytes(turn, prompts)
        if room < 0:
            break
        newest.append(turn)
    return (oldest, *reversed(newest))


def lines(turns: Iterable[LeftTurn], prompts: Mapping[int, Asked]) -> list[str]:
    return [line(turn, prompts) for turn in turns]


def _bytes(left: LeftTurn, prompts: Mapping[int, Asked]) -> int:
    """Bytes of a line with its line feed."""
    return len(line(left, prompts).encode()) + 1


def _entries(first: int, last: int) -> str:
    if not last:
        return ""
    return f" ({'entry' if first == last else 'entries'} {blocks.ranged(first, last)})"


def _prompt(turn: Turn) -> Item | None:
    return next((item for item in turn.items if isinstance(item.event, Prompt)), None)
