"""Which version an assertion is of, when it is named by its id. Pure."""

from __future__ import annotations

from eunoe.facts.fold import View
from eunoe.facts.lineage import Order, lineage, order
from eunoe.facts.runs import Version
from eunoe.schemas.facts import Indexed


def holding(view: View, target: Indexed) -> Version | None:
    """The version that a fact's id is of; of an assertion that was taken back, or that the document does not keep
    any more, the one that its lineage was at, else the first that it came to. None when it has none."""
    named = [one for one in view.versions if any(stated.id == target.id for stated in one.said)]
    if named:
        return named[-1]
    mine = sorted((one for one in view.versions if one.lineage == lineage(target.source)), key=_first)
    before = [one for one in mine if _first(one) <= target.order]
    return next(iter([*reversed(before), *mine]), None)


def _first(version: Version) -> Order:
    return order(version.first)
