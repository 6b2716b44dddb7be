"""Turns as a distiller or a summariser is given them, from their words alone."""

from __future__ import annotations

from collections.abc import Sequence

from eunoe.distillation.door import Called, Said, Speaker, Turn

ENTRIES = 10  # entries that a turn takes at most here: those of turn 3 begin at 31


def turn(number: int, *words: str, calls: Sequence[tuple[str, str]] = (), ordinal: int = 0) -> Turn:
    """A turn in which a person and a model spoke in turn, the person first, and tools were called with arguments."""
    first = number * ENTRIES + 1
    speakers: tuple[Speaker, Speaker] = ("person", "model")
    said = [
        Said(first + at, (first + at) * 100, number * 1_000, speakers[at % 2], text)
        for at, text in enumerate(words)
        if text
    ]
    called = [Called(first + len(words) + at, *call) for at, call in enumerate(calls)]
    entries = [one.entry for one in said] + [one.entry for one in called]
    return Turn(
        number=number,
        ordinal=ordinal or number,
        at=number * 1_000,
        said=said,
        called=called,
        entries=(min(entries, default=0), max(entries, default=0)),
    )
