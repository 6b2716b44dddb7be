"""Lineages and order: who asserts, how much that weighs, and what comes after what."""

from __future__ import annotations

from eunoe.schemas import ids
from eunoe.schemas.facts import RANK, Act, Floor, Identity, Source, Stated

Order = tuple[int, int, int]
"""(time in ms UTC, position in the log, index in its record)."""

Event = Stated | Act
"""What a document is a set of."""

SHARED = "shared"
WHOLE = ""  # the lineage of what is done to an identity as a whole


def lineage(source: Source) -> str:
    """The key of a lineage: class and principal; tools share one, and one for what agents appended of them."""
    if source.kind == "tool":
        return "tool/agents" if source.agent else "tool"
    return f"{source.kind}/{ids.encode(source.principal)}"


def author(source: Source) -> str:
    """The key of who may take an assertion back: class, principal, and for a tool the agent that appended it."""
    who = f"{source.kind}/{ids.encode(source.principal)}"
    return f"{who}/{ids.encode(source.agent)}" if source.kind == "tool" and source.agent else who


def rank(source: Source) -> int:
    """What a source weighs: person, caller, tool, tool through an agent, model."""
    return 2 * RANK[source.kind] - (source.kind == "tool" and bool(source.agent))


def order(event: Event) -> Order:
    """Where an assertion or act stands among those of its identity."""
    at = event.fact.at if isinstance(event, Stated) else event.at
    return (at, event.position, event.index)


def lineage_of(event: Event) -> str:
    return lineage(event.fact.source) if isinstance(event, Stated) else event.lineage


def below(floor: Floor | None, event: Event) -> bool:
    """Whether an event belongs to what a floor has folded already, where nothing can be added any more."""
    return floor is not None and order(event) <= floor.order


def everyones(identity: Identity) -> bool:
    """Whether a fact is shared by the whole space."""
    return identity.scope == "permanent" and identity.owner == SHARED
