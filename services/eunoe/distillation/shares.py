"""Texts in the room there is for them: each has its share, and a short one leaves its rest to longer ones. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from eunoe.composition import contents

GAP = " […] "  # stands for the middle of a text
_GAP_BYTES = len(GAP.encode())


def fitted(texts: Sequence[str], room: int, most: int) -> list[str]:
    """The texts in ``room`` bytes of UTF-8 together, and in at most ``most`` each."""
    sizes = [len(text.encode()) for text in texts]
    return [cut(text, share) for text, share in zip(texts, shares(sizes, room, most), strict=True)]


def shares(sizes: Sequence[int], room: int, most: int) -> list[int]:
    """How much of ``room`` each of these gets: what it needs, or as much as every other one that needs more."""
    given = [0] * len(sizes)
    by_size = sorted(range(len(sizes)), key=lambda at: sizes[at])
    for done, at in enumerate(by_size):
        given[at] = min(sizes[at], most, max(room, 0) // (len(sizes) - done))
        room -= given[at]
    return given


def cut(text: str, size: int) -> str:
    """``text`` in at most ``size`` bytes: of a longer one its head and its tail, in whole characters."""
    if len(text.encode()) <= size:
        return text
    room = size - _GAP_BYTES
    if room < _GAP_BYTES:
        return contents.cut_bytes(text, size)
    head = contents.cut_bytes(text, room - room // 2)
    return head + GAP + contents.last_bytes(text, room // 2)
