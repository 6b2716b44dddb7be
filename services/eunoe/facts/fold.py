"""What a document says: versions, heads, the value in force, and who disagrees. Pure.

Rules, by the name that ``rule`` shows: *newer* (another value of the same lineage came later), *rank*
and *newest* (a head of another lineage weighs more, or weighs the same and is newer), *past* and *future*
(it does not hold at the moment that is asked for), and the acts *retired*, *deleted*, *approved* and *moved*.
`eunoe.facts.previews` adds *preview*.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from eunoe.facts.document import members
from eunoe.facts.lineage import WHOLE, Event, Order, lineage_of, order, rank
from eunoe.facts.runs import Run, Version, versions
from eunoe.facts.values import normal, same
from eunoe.schemas.facts import Act, Document, Floor, Identity


@dataclass(frozen=True, slots=True)
class View:
    """A document folded. ``versions`` in order of what began them; ``heads`` strongest first.

    ``current`` is the head in force, None when there is none. ``sources`` are the heads that say the same
    as it, itself first; ``others`` those that say something else, which is a conflict for a kind of one value.
    ``single`` is the kind's; ``acts`` are those the document keeps, in order; ``position`` is the highest in the log
    of anything that counts here.
    """

    identity: Identity
    versions: tuple[Version, ...]
    heads: tuple[Version, ...]
    current: Version | None
    sources: tuple[Version, ...]
    others: tuple[Version, ...]
    single: bool = True
    acts: tuple[Act, ...] = ()
    position: int = 0

    @property
    def conflict(self) -> bool:
        """Whether sources disagree; what a model took a request for contradicts nobody who says it otherwise."""
        if not (self.single and self.others):
            return False
        said = [head.value for head in self.heads if head.first.fact.method != "assessed"]
        return any(not same(value, said[0]) for value in said[1:])

    @property
    def facts(self) -> tuple[tuple[Version, ...], ...]:
        """What is in force: for each fact the heads that say so, strongest first; one where they disagree."""
        found: dict[str, list[Version]] = {}
        for head in self.sources if self.single else self.heads:
            found.setdefault(normal(head.value), []).append(head)
        return tuple(map(tuple, found.values()))


def labels(heads: Iterable[Version]) -> tuple[int, ...]:
    """The labels of a fact: those of all that say it."""
    return tuple(sorted({number for head in heads for number in head.labels}))


def pinned(heads: Iterable[Version]) -> bool:
    """Whether a fact is pinned: as any that says it."""
    return any(head.pinned for head in heads)


def fold(document: Document, *, single: bool = True, valid: int | None = None, recorded: int | None = None) -> View:
    """The view of a document; ``single`` False for kinds whose values stand side by side.

    ``valid`` (ms UTC): what holds at that moment, so that a later assertion replaces an earlier one only for the
    time that it covers; None: whenever it holds. ``recorded`` (ms UTC): what was known at that moment; None: now.
    `document.sufficient` tells whether a bounded document can answer.
    """
    events = [event for event in members(document) if recorded is None or event.recorded <= recorded]
    found = [version for run in _runs(document, events) for version in versions(run, valid)]
    acts = tuple(event for event in events if isinstance(event, Act))
    position = max((one.position for one in (*events, *document.floors.values())), default=0)
    return settle(document.identity, found, acts, single=single, position=position)


def settle(identity: Identity, found: Sequence[Version], acts: tuple[Act, ...], *, single: bool, position: int) -> View:
    """The view of versions that no lineage's own rules, but the other lineages, may take out of force."""
    heads = tuple(sorted((version for version in found if version.in_force), key=_strength, reverse=True))
    current = heads[0] if heads else None
    others = tuple(head for head in heads if current and not same(head.value, current.value))
    outranked = {head.id for head in others} if single else set[str]()
    settled = [_outranked(one, current) if current and one.id in outranked else one for one in found]
    return View(
        identity=identity,
        versions=tuple(sorted(settled, key=lambda version: (order(version.first), version.lineage))),
        heads=heads,
        current=current,
        sources=tuple(head for head in heads if head not in others),
        others=others,
        single=single,
        acts=acts,
        position=position,
    )


def _runs(document: Document, events: Iterable[Event]) -> list[Run]:
    """What the document keeps of each lineage."""
    found: dict[str, list[Event]] = {name: [] for name in document.floors}
    for event in events:
        found.setdefault(lineage_of(event), []).append(event)
    return [Run(name, document.floors.get(name, Floor()), found[name]) for name in sorted(found) if name != WHOLE]


def _outranked(version: Version, by: Version) -> Version:
    rule = "rank" if rank(version.first.fact.source) < rank(by.first.fact.source) else "newest"
    return replace(version, state="superseded", superseded_by=by.id, rule=rule)


def _strength(version: Version) -> tuple[bool, int, Order]:
    """A proposal never stands before what somebody with the authority said."""
    return (not version.first.fact.proposal, rank(version.first.fact.source), version.newest)
