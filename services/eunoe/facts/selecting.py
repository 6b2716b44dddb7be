"""Which versions of a folded document a request asks for. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from eunoe.facts import wording
from eunoe.facts.fold import View
from eunoe.facts.runs import Version
from eunoe.schemas.requests import FactsRequest, FactView


def selected(view: View, request: FactsRequest) -> Sequence[FactView]:
    """What is in force, or with ``all`` or ``since`` whatever its state, as far as the filters keep it."""
    found = wording.every(view) if request.all or request.since else wording.in_force(view)
    changed = {version.id for version in view.versions if _changed(view, version) > request.since}
    return [fact for fact in found if _kept(fact, request) and (not request.since or fact.id in changed)]


def highest(view: View) -> int:
    """The position in the log of the newest event that a view knows of."""
    said = (version.newest[1] for version in view.versions)
    return max((*said, *(act.position for act in view.acts)), default=0)


def _kept(fact: FactView, request: FactsRequest) -> bool:
    if request.agent and fact.identity.scope != "permanent" and fact.agent != request.agent:
        return False
    return (
        set(request.labels) <= set(fact.labels)
        and (fact.pinned or not request.pinned)
        and (fact.state == "proposed" or not request.proposed)
        and (fact.conflict or not request.conflicts)
    )


def _changed(view: View, version: Version) -> int:
    """The position of what changed a version last: of one that its lineage still asserts, anything in its document."""
    if version in view.heads or version.rule in ("rank", "newest"):
        return highest(view)
    ended = [act.position for act in view.acts if act.id == version.superseded_by]
    ended += [other.first.position for other in view.versions if other.id == version.superseded_by]
    return max(version.first.position, version.newest[1], *ended)
