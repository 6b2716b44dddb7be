"""The budget of pins: how many tokens the pinned facts of one owner may have together. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from eunoe.facts.fold import View, pinned
from eunoe.schemas import limits
from eunoe.schemas.errors import DoesNotFit
from eunoe.schemas.events import Event, FactPinned
from eunoe.schemas.facts import Identity, Indexed

_LISTED = 20  # pins listed when one more does not fit

Shelf = tuple[str, str, str]
"""Scope, owner and preview of facts whose pins share one budget."""


def shelf(identity: Identity) -> Shelf:
    return (identity.scope, identity.owner, identity.preview)


def wanted(asked: Iterable[Event], targets: Mapping[str, Indexed]) -> set[Shelf]:
    """Where an append pins more."""
    return {shelf(targets[event.id].identity) for event in asked if isinstance(event, FactPinned) and event.pinned}


def held(views: Iterable[View]) -> dict[str, int]:
    """The tokens of each fact in force that is pinned, by id."""
    facts = [heads for view in views for heads in view.facts if pinned(heads)]
    return {heads[0].id: tokens(heads[0].value) for heads in facts}


def tokens(value: str) -> int:
    """What a pinned value counts for."""
    return -(-len(value.encode()) // limits.BYTES_PER_TOKEN)


def check(about: Shelf, facts: Mapping[str, int], before: int, budget: int) -> None:
    """Refuse pinned ``facts`` (tokens by id) of more tokens than ``budget``, unless they are no more than ``before``.

    Raises `DoesNotFit`, which says by how much and names them.
    """
    total = sum(facts.values())
    if total <= max(budget, before):
        return
    where = f" in the preview {about[2]!r}" if about[2] else ""
    largest = sorted(facts, key=lambda fact: (-facts[fact], fact))
    listed = ", ".join(f"{fact} ({facts[fact]})" for fact in largest[:_LISTED])
    more = f" and {len(largest) - _LISTED} more" if len(largest) > _LISTED else ""
    raise DoesNotFit(
        f"the pins of {about[0]} {about[1]!r}{where} would be {total:,} tokens, {total - budget:,} over the limit of "
        f"{budget:,}; unpin some, or put several into one: {listed}{more}",
        over=total - budget,
        pins=dict(facts),
    )
