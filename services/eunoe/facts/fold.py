"""What a document says: versions, heads, the value in force, and who disagrees. Pure.

Rules, by the name that ``rule`` shows: *newer* (another value of the same lineage came later), *rank*
and *newest* (a head of another lineage weighs more, or weighs the same and is newer), and the acts
*retired*, *deleted* and *approved*.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from eunoe.facts.document import advance, members
from eunoe.facts.lineage import Order, lineage_of, order, rank
from eunoe.facts.values import normal
from eunoe.schemas.facts import Document, Floor, Identity, Stated

State = Literal["current", "superseded", "retired", "deleted", "proposed"]


@dataclass(frozen=True, slots=True)
class Version:
    """One value that a lineage held: ``number`` is its rank there, from 1; ``first`` is the assertion that began it.

    ``supports`` counts the assertions of this value in a row, ``newest`` is the order of the last one.
    """

    lineage: str
    number: int
    first: Stated
    supports: int
    newest: Order
    state: State
    superseded_by: str = ""
    rule: str = ""

    @property
    def id(self) -> str:
        return self.first.id

    @property
    def value(self) -> str:
        return self.first.fact.value

    @property
    def in_force(self) -> bool:
        return self.state in ("current", "proposed")


@dataclass(frozen=True, slots=True)
class View:
    """A document folded. ``versions`` in order of what began them; ``heads`` strongest first.

    ``current`` is the head in force, None when there is none. ``sources`` are the heads that say the same
    as it, itself first; ``others`` those that say something else, which is a conflict for a kind of one value.
    """

    identity: Identity
    versions: tuple[Version, ...]
    heads: tuple[Version, ...]
    current: Version | None
    sources: tuple[Version, ...]
    others: tuple[Version, ...]
    conflict: bool


def fold(document: Document, *, single: bool = True) -> View:
    """The view of a document; ``single`` False for kinds whose values stand side by side."""
    lineages = {lineage_of(event) for event in members(document)} | document.floors.keys()
    versions = [version for name in sorted(lineages) for version in _versions(document, name)]
    heads = sorted((version for version in versions if version.in_force), key=_strength, reverse=True)
    current = heads[0] if heads else None
    sources = tuple(head for head in heads if current and _agrees(head, current))
    others = tuple(head for head in heads if head not in sources)
    outranked = {(other.lineage, other.number) for other in others} if single else set()
    settled = [_outranked(v, current) if current and (v.lineage, v.number) in outranked else v for v in versions]
    return View(
        identity=document.identity,
        versions=tuple(sorted(settled, key=lambda version: (order(version.first), version.lineage))),
        heads=tuple(heads),
        current=current,
        sources=sources,
        others=others,
        conflict=single and bool(others),
    )


def _versions(document: Document, lineage: str) -> list[Version]:
    floor = document.floors.get(lineage, Floor())
    found = [_version(lineage, floor, floor.head)] if floor.head else []
    for event in members(document):
        if lineage_of(event) != lineage:
            continue
        after = advance(floor, event)
        if after.head is None:
            floor = after
            continue
        version = _version(lineage, after, after.head)
        if after.versions > floor.versions:
            found = [*found[:-1], *(_superseded(last, version) for last in found[-1:]), version]
        else:
            found[-1] = version
        floor = after
    return found


def _version(lineage: str, floor: Floor, head: Stated) -> Version:
    state: State = "proposed" if head.fact.proposal else "current"
    if floor.closed == "approved":
        state = "superseded"
    elif floor.closed:
        state = floor.closed
    return Version(
        lineage=lineage,
        number=floor.versions,
        first=head,
        supports=floor.supports,
        newest=floor.newest,
        state=state,
        superseded_by=floor.closed_by,
        rule=floor.closed,
    )


def _superseded(version: Version, by: Version) -> Version:
    if not version.in_force:
        return version
    return replace(version, state="superseded", superseded_by=by.id, rule="newer")


def _outranked(version: Version, by: Version) -> Version:
    rule = "rank" if rank(version.first.fact.source) < rank(by.first.fact.source) else "newest"
    return replace(version, state="superseded", superseded_by=by.id, rule=rule)


def _agrees(left: Version, right: Version) -> bool:
    return normal(left.value) == normal(right.value)


def _strength(version: Version) -> tuple[bool, int, Order]:
    """A proposal never stands before what somebody with the authority said."""
    return (not version.first.fact.proposal, rank(version.first.fact.source), version.newest)
