"""Which versions of a folded document a request asks for. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eunoe.facts.fold import View
from eunoe.facts.labels import Labels
from eunoe.facts.runs import Version
from eunoe.facts.wording import every, in_force, shown
from eunoe.schemas.requests import FactsRequest, FactView


@dataclass(frozen=True, slots=True)
class Selection:
    """What a request keeps; ``labels`` are the names that it filters by, as the fleet writes them."""

    request: FactsRequest
    names: Labels
    labels: frozenset[str]

    @classmethod
    def of(cls, request: FactsRequest, names: Labels) -> Selection:
        """Raises `Invalid` for a label that there is not."""
        return cls(request, names, frozenset(names.names(names.undeclared(label) for label in request.labels)))

    def of_view(self, view: View) -> Sequence[FactView]:
        """What is in force, or with ``all`` or ``since`` whatever its state, as far as the filters keep it."""
        since = self.request.since
        if since and view.position <= since:
            return ()
        found = every(view, self.names) if self.request.all or since else in_force(view, self.names)
        changed = {version.id for version in view.versions if _changed(view, version) > since} if since else set[str]()
        return [fact for fact in found if self._keeps(fact) and (not since or fact.id in changed)]

    def instead(self, view: View) -> Sequence[FactView]:
        """What a preview replaces or takes away of a view, where only what is in force was asked for."""
        if self.request.all or self.request.since:
            return ()
        gone = (shown(view, version, self.names) for version in view.versions if version.rule == "preview")
        return [fact for fact in gone if self._keeps(fact)]

    def _keeps(self, fact: FactView) -> bool:
        request = self.request
        if request.agent and fact.identity.scope != "permanent" and fact.agent != request.agent:
            return False
        return (
            self.labels <= set(fact.labels)
            and (fact.pinned or not request.pinned)
            and (fact.state == "proposed" or not request.proposed)
            and (fact.conflict or not request.conflicts)
        )


def _changed(view: View, version: Version) -> int:
    """The position of what changed a version last: of one that its lineage still asserts, anything in its document."""
    if version in view.heads or version.rule in ("rank", "newest"):
        return view.position
    ended = [act.position for act in view.acts if act.id == version.superseded_by]
    ended += [other.first.position for other in view.versions if other.id == version.superseded_by]
    return max(version.newest[1], *(one.position for one in version.said), *ended)
