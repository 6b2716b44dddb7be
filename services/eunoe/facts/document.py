"""The document of a fact: the set of its assertions and acts, bounded, with equal bytes for equal sets.

Of each lineage the newest events stay: at most `limits.INLINE_ASSERTIONS` assertions, or
`limits.INLINE_DATED` where one of them ever said from when or until when it holds, and
`limits.INLINE_ACTS` acts. What is older is folded into the lineage's `Floor`, in order, by the same
steps as the fold that reads the document: so a document depends on its set alone. An event that arrives
at or below a floor cannot be told from one that was folded already, and the first with a time of its own
asks for more than is left above it: they are not added, and `BelowFloor` asks for the whole set, which is
in the log.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from eunoe.facts.floor import advance, dated
from eunoe.facts.lineage import Event, Order, below, lineage_of, order
from eunoe.facts.runs import holds
from eunoe.schemas import limits, subjects
from eunoe.schemas.facts import Act, ActKind, Document, Floor, Identity, Stated

_decoder = msgspec.json.Decoder(Document)
_encoder = msgspec.json.Encoder(order="deterministic")


class BelowFloor(Exception):
    """An event is older than what its document keeps: the document must be made from the whole set."""


def empty(identity: Identity) -> Document:
    return Document(v=limits.SCHEMA_VERSION, identity=identity)


def key(identity: Identity) -> str:
    """Where the document of an identity is kept, in the bucket of its scope."""
    return subjects.fact_key(identity.owner, identity.subject, identity.name, identity.preview)


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
    if any(_unplaceable(document.floors.get(lineage_of(event)), event, present) for event in new):
        raise BelowFloor
    return _windowed(document, [*present, *new], bounded=True)


def build(identity: Identity, events: Iterable[Event], *, bounded: bool = True) -> Document:
    """The document of a whole set; ``bounded`` False keeps all of it, for showing complete history."""
    return _windowed(empty(identity), list(events), bounded=bounded)


def members(document: Document) -> list[Event]:
    """The assertions and acts that a document keeps, in order."""
    found: list[Event] = [*document.assertions, *document.acts]
    return sorted(found, key=_place)


def newest(document: Document, *kinds: ActKind) -> Act | None:
    """The last act of these kinds that a document keeps."""
    return max((act for act in document.acts if act.kind in kinds), key=order, default=None)


def sufficient(document: Document, *, recorded: int | None = None) -> bool:
    """Whether a document tells what its whole set would, now or (``recorded``) as it was known at a moment.

    What left it can be missing only there, or where some of it holds for a time: another moment may ask for it.
    """
    return all(recorded is None and not floor.dated for floor in document.floors.values())


def tells(document: Document, valid: int) -> bool:
    """Whether a document tells what is in force at a moment (ms UTC).

    What left it can matter only where some of it holds for a time, and nothing that was said or done later decides.
    """
    return all(not floor.dated or _decides(document, name, valid) for name, floor in document.floors.items())


def _decides(document: Document, name: str, valid: int) -> bool:
    kept = [stated for stated in document.assertions if lineage_of(stated) == name]
    kept += [one.first for one in document.floors[name].supporters.values()]
    deleted = any(act.kind == "deleted" and act.lineage == name for act in document.acts)
    return deleted or any(holds(stated.fact, valid) for stated in kept)


def changes_at(document: Document, now: int) -> int:
    """When a document says something else next because of time alone (ms UTC), 0 for never."""
    folded = [one.first for floor in document.floors.values() for one in floor.supporters.values()]
    facts = [stated.fact for stated in (*document.assertions, *folded)]
    moments = [moment for fact in facts for moment in (fact.valid_from, fact.valid_to) if moment is not None]
    return min((moment for moment in moments if moment > now), default=0)


def _unplaceable(floor: Floor | None, event: Event, present: Iterable[Event]) -> bool:
    if floor is None or not dated(event) or below(floor, event):
        return below(floor, event)
    return not floor.dated and not any(dated(one) and lineage_of(one) == lineage_of(event) for one in present)


def _key(event: Event) -> tuple[str, str]:
    return (type(event).__name__, event.id)


def _place(event: Event) -> tuple[Order, bool]:
    return (order(event), isinstance(event, Stated))


def _once(events: Iterable[Event]) -> Iterable[Event]:
    """Each event once: of what was logged again under the same id, what came first."""
    found: dict[tuple[str, str], Event] = {}
    for event in events:
        found.setdefault(_key(event), event)
    return found.values()


def _windowed(document: Document, events: list[Event], *, bounded: bool) -> Document:
    lineages: dict[str, list[Event]] = {}
    for event in _once(sorted(events, key=_place)):
        lineages.setdefault(lineage_of(event), []).append(event)
    floors = dict(document.floors)
    kept: list[Event] = []
    for name, run in lineages.items():
        start = _first_kept(run, floors.get(name)) if bounded else 0
        for event in run[:start]:
            floors[name] = advance(floors.get(name, Floor()), event)
        kept.extend(run[start:])
    kept.sort(key=_place)
    return msgspec.structs.replace(
        document,
        assertions=tuple(event for event in kept if isinstance(event, Stated)),
        acts=tuple(event for event in kept if isinstance(event, Act)),
        floors=dict(sorted(floors.items())),
    )


def _first_kept(run: list[Event], floor: Floor | None) -> int:
    """The index of the oldest member that stays: the longest run up to the newest that is within the bounds."""
    timed = (floor is not None and floor.dated) or any(map(dated, run))
    most = limits.INLINE_DATED if timed else limits.INLINE_ASSERTIONS
    assertions = acts = 0
    for index in range(len(run) - 1, -1, -1):
        stated = isinstance(run[index], Stated)
        assertions, acts = assertions + stated, acts + (not stated)
        if assertions > most or acts > limits.INLINE_ACTS:
            return index + 1
    return 0


def highest(document: Document) -> int:
    """The highest log position that a document names."""
    found: list[Event | Floor] = [*members(document), *document.floors.values()]
    return max((one.position for one in found), default=0)
