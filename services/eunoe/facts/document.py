"""The document of a fact: the set of its assertions and acts, bounded, with equal bytes for equal sets.

Of each lineage the newest events stay: at most `limits.INLINE_ASSERTIONS` assertions and
`limits.INLINE_ACTS` acts. What is older is folded into the lineage's `Floor`, in order, by the same
steps as the fold that reads the document: so a document depends on its set alone. An event that arrives
at or below a floor cannot be told from one that was folded already, and is not added: `BelowFloor`
asks for the whole set, which is in the log.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from eunoe.facts.lineage import Order, below, lineage_of, order
from eunoe.facts.values import same
from eunoe.schemas import limits
from eunoe.schemas.facts import Act, Document, Floor, Identity, Stated

Event = Stated | Act

_decoder = msgspec.json.Decoder(Document)
_encoder = msgspec.json.Encoder(order="deterministic")


class BelowFloor(Exception):
    """An event is older than what its document keeps: the document must be made from the whole set."""


def empty(identity: Identity) -> Document:
    return Document(v=limits.SCHEMA_VERSION, identity=identity)


def encode(document: Document) -> bytes:
    """The bytes of a document; equal documents have equal bytes."""
    return _encoder.encode(document)


def decode(data: bytes) -> Document:
    return _decoder.decode(data)


def add(document: Document, events: Iterable[Event]) -> Document:
    """The document with these events too: set union by id. Raises `BelowFloor`."""
    present = members(document)
    known = {_key(event) for event in present}
    new = [event for event in events if _key(event) not in known]
    if not new:
        return document
    if any(below(document.floors.get(lineage_of(event)), event) for event in new):
        raise BelowFloor
    return _windowed(document, [*present, *new], bounded=True)


def build(identity: Identity, events: Iterable[Event], *, bounded: bool = True) -> Document:
    """The document of a whole set; ``bounded`` False keeps all of it, for showing complete history."""
    return _windowed(empty(identity), list(events), bounded=bounded)


def members(document: Document) -> list[Event]:
    """The assertions and acts that a document keeps, in order."""
    found: list[Event] = [*document.assertions, *document.acts]
    return sorted(found, key=order)


def advance(floor: Floor, event: Event) -> Floor:
    """One step of the fold of a lineage: what holds after ``event``, which comes after all before it."""
    if isinstance(event, Stated):
        return _asserted(floor, event)
    if not _ends(floor, event):
        return msgspec.structs.replace(floor, order=order(event))
    return msgspec.structs.replace(floor, order=order(event), closed=event.kind, closed_by=event.id)


def _asserted(floor: Floor, event: Stated) -> Floor:
    supports = floor.head is not None and not floor.closed and same(floor.head.fact.value, event.fact.value)
    return Floor(
        order=order(event),
        count=floor.count + 1,
        versions=floor.versions if supports else floor.versions + 1,
        head=floor.head if supports else event,
        supports=floor.supports + 1 if supports else 1,
        newest=order(event),
    )


def _ends(floor: Floor, act: Act) -> bool:
    """A delete ends whatever is in force; a retirement or an approval only the version of its target."""
    if floor.head is None or floor.closed:
        return False
    return act.kind == "deleted" or act.order >= order(floor.head)


def _key(event: Event) -> tuple[str, str]:
    return (type(event).__name__, event.id)


def _windowed(document: Document, events: list[Event], *, bounded: bool) -> Document:
    unique = {_key(event): event for event in events}
    lineages: dict[str, list[Event]] = {}
    for event in sorted(unique.values(), key=order):
        lineages.setdefault(lineage_of(event), []).append(event)
    floors = dict(document.floors)
    kept: list[Event] = []
    for name, run in lineages.items():
        start = _first_kept(run) if bounded else 0
        for event in run[:start]:
            floors[name] = advance(floors.get(name, Floor()), event)
        kept.extend(run[start:])
    kept.sort(key=order)
    return msgspec.structs.replace(
        document,
        assertions=tuple(event for event in kept if isinstance(event, Stated)),
        acts=tuple(event for event in kept if isinstance(event, Act)),
        floors=dict(sorted(floors.items())),
    )


def _first_kept(run: list[Event]) -> int:
    """The index of the oldest member that stays: the longest run up to the newest that is within the bounds."""
    assertions = acts = 0
    for index in range(len(run) - 1, -1, -1):
        stated = isinstance(run[index], Stated)
        assertions, acts = assertions + stated, acts + (not stated)
        if assertions > limits.INLINE_ASSERTIONS or acts > limits.INLINE_ACTS:
            return index + 1
    return 0


def highest(document: Document) -> int:
    """The highest log position that a document names."""
    orders: list[Order] = [order(event) for event in members(document)]
    orders.extend(floor.order for floor in document.floors.values())
    return max((position for _, position, _ in orders), default=0)
