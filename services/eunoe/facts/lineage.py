"""Lineages and order: who asserts, how much that weighs, and what comes after what."""

from __future__ import annotations

from eunoe.schemas import ids
from eunoe.schemas.facts import RANK, Act, Floor, Identity, Source, Stated

Order = tuple[int, int, int]
"""(time in ms UTC, position in the log, index in its record)."""

SHARED = "shared"


def lineage(source: Source) -> str:
    """The key of a lineage: class and principal, and for a tool the class alone."""
    if source.kind == "tool":
        return "tool"
    return f"{source.kind}/{ids.encode(source.principal)}"


def rank(source: Source) -> int:
    return RANK[source.kind]


def order(event: Stated | Act) -> Order:
    """Where an assertion or act stands among those of its identity."""
    at = event.fact.at if isinstance(event, Stated) else event.at
    return (at, event.position, event.index)


def lineage_of(event: Stated | Act) -> str:
    return lineage(event.fact.source) if isinstance(event, Stated) else event.lineage


def below(floor: Floor | None, event: Stated | Act) -> bool:
    """Whether an event belongs to what a floor has folded already, where nothing can be added any more."""
    return floor is not None and order(event) <= floor.order


def everyones(identity: Identity) -> bool:
    """Whether a fact is shared by the whole space."""
    return identity.scope == "permanent" and identity.owner == SHARED
