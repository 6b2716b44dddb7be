"""Labels by name and by number, and what of a fact goes along when it is moved. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from eunoe.facts.labels import Labels
from eunoe.schemas.events import Event, FactLabelled, FactPinned
from eunoe.schemas.requests import FactView


def numbers(names: Iterable[str], declared: Mapping[str, int]) -> tuple[int, ...]:
    """The numbers of labels by name, or as ``#N`` for one without a name; raises `Invalid` for one not declared."""
    labels = Labels(declared)
    return tuple(dict.fromkeys(labels.undeclared(name) for name in names))


def carried(fact: FactView, there: str, labels: tuple[int, ...]) -> list[Event]:
    """The labels and the pin of a fact, put on the one (its id) that takes its place."""
    found: list[Event] = [FactLabelled(id=there, add=labels)] if labels else []
    return [*found, FactPinned(id=there)] if fact.pinned else found
