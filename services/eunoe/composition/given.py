"""Instructions that were given together, of which the newest hold. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from eunoe.composition.contents import Item


def newest(held: Sequence[Item], older: Sequence[Item] = ()) -> tuple[Item, ...]:
    """Of the instructions that hold, oldest first, the newest with those that were given together with them: in the
    same turn, or, of no turn, in the same record. ``older`` are from before all of them."""
    if not held:
        return tuple(older)
    last = held[-1]
    if not last.event.turn:
        return tuple(item for item in held if item.position == last.position)
    before = [item for item in older if item.entry < held[0].entry]
    return tuple(item for item in (*before, *held) if item.event.turn == last.event.turn)


def replaced(lasting: Sequence[Item]) -> frozenset[int]:
    """Of the instructions that hold for good, oldest first, the entries of those in whose place newer ones of the same
    giver hold."""
    kept = {item.giver: item for item in lasting}.values()
    turns, positions = {item.event.turn for item in kept} - {0}, {item.position for item in kept}
    stays = [item.event.turn in turns if item.event.turn else item.position in positions for item in lasting]
    return frozenset(item.entry for item, stay in zip(lasting, stays, strict=True) if not stay)
