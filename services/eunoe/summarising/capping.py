"""A summary in so many bytes: sentences from the middle go, the oldest of them first. Pure.

The first sentence says what the thread is about, the newest ones where it stands; both stay. Where these two alone are
too long, each has half of the room, or what the other leaves of it, and ends in a mark. A line that begins with its
turn (``Turn 3: ``) goes or stays as a whole: a sentence from its middle would be of no turn.
"""

from __future__ import annotations

import re

from eunoe.composition import contents
from eunoe.facts.values import MARK
from eunoe.summarising import sentences

_BOTH = 32  # bytes of room for two shortened sentences; in less, only the first one says anything
_LED = re.compile(r"Turn \d+: [^\n]*\Z")


def capped(text: str, size: int) -> str:
    """``text`` in at most ``size`` bytes of UTF-8, as it is where it fits.

    A longer one loses white space at its ends, then whole sentences after the first one, and the end of a sentence only
    where nothing else is left to lose. A text capped to ``a`` bytes and then to ``b`` is the one capped to ``b``, so
    long as each of its sentences is a line and its first and its newest fit into ``a``. It holds no halves of surrogate
    pairs, as no stored text does.
    """
    if _bytes(text) <= size:
        return text
    text = text.strip()
    first, *others = _pieces(text) or [""]
    room = size - _bytes(first)
    newest = _newest(others, room)
    if newest or (not others and room >= 0):
        return first + newest
    return _ends(first, others[-1] if others else "", size)


def _pieces(text: str) -> list[str]:
    """What goes or stays as a whole, in order, each with the white space after it."""
    found: list[str] = []
    for sentence in sentences.of(text):
        if found and _LED.match(found[-1]):
            found[-1] += sentence
        else:
            found.append(sentence)
    return found


def _newest(others: list[str], room: int) -> str:
    """As many of the last sentences as fit."""
    start = len(others)
    while start and (room := room - _bytes(others[start - 1])) >= 0:
        start -= 1
    return "".join(others[start:])


def _ends(first: str, newest: str, size: int) -> str:
    """The beginnings of two sentences, which together are too long."""
    begun = first.rstrip()
    between = first[len(begun) :][-1:] if newest else ""
    room = size - _bytes(between)
    if not newest or room < _BOTH:
        return _shortened(begun, size)
    share = max(room // 2, room - _bytes(begun))
    return _shortened(begun, room - min(_bytes(newest), share)) + between + _shortened(newest, share)


def _shortened(sentence: str, size: int) -> str:
    """A sentence that fits, or its beginning and a mark; too little room for a mark is filled without one."""
    if _bytes(sentence) <= size:
        return sentence
    room = size - len(MARK.encode())
    if room <= 0:
        return contents.cut_bytes(sentence, size).rstrip()
    return contents.cut_bytes(sentence, room).rstrip() + MARK


def _bytes(text: str) -> int:
    return len(text.encode())
