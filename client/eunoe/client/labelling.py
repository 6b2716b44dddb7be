"""Labels by name and by number, what of a fact goes along when it is moved, and pins that are there already. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from eunoe.client import stating
from eunoe.client.tickets import Receipt
from eunoe.facts.labels import Labels
from eunoe.schemas.events import Event, FactLabelled, FactPinned
from eunoe.schemas.requests import FactView

_IN_FORCE = ("current", "proposed")  # states of a version that pins belong to


def numbers(names: Iterable[str], declared: Mapping[str, int]) -> tuple[int, ...]:
    """The numbers of labels by name, or as ``#N`` for one without a name; raises `Invalid` for one not declared."""
    labels = Labels(declared)
    return tuple(dict.fromkeys(labels.undeclared(name) for name in names))


def carried(fact: FactView, there: str, labels: tuple[int, ...]) -> list[Event]:
    """The labels and the pin of a fact, put on the one (its id) that takes its place."""
    found: list[Event] = [FactLabelled(id=there, add=labels)] if labels else []
    return [*found, FactPinned(id=there)] if fact.pinned else found


def there(found: FactView, event: Event, key: str) -> Receipt | None:
    """The receipt of the fact itself where ``event`` would pin what is pinned, or unpin what is not; else None.

    What has a key is left to the log, which knows what was done under it.
    """
    if not isinstance(event, FactPinned) or key or found.pinned != event.pinned or found.state not in _IN_FORCE:
        return None
    if event.expected not in (None, found.id):
        return None
    return Receipt(stating.chain_of(found.identity), position=found.position, duplicate=True)
