"""Why a fact is known and is what it is: what it came from, what it cites, and which requests it reached."""

from __future__ import annotations

from eunoe.facts import wording
from eunoe.facts.because import because
from eunoe.facts.evidence import Evidences
from eunoe.facts.holding import holding
from eunoe.facts.lineage import order
from eunoe.facts.lookup import Lookup
from eunoe.facts.runs import Version
from eunoe.facts.trails import Followed, Trail, Trails
from eunoe.facts.viewing import Viewing
from eunoe.facts.visibility import Viewer
from eunoe.schemas import limits
from eunoe.schemas.errors import NotFound
from eunoe.schemas.facts import Stated
from eunoe.schemas.requests import FactView, WhyReply, WhyRequest

_SAID = 16  # assertions of one value whose evidence is shown
_CITED = 8  # facts that are shown of a chain of approvals and moves


class Why:
    """Answers ``why`` for one space."""

    def __init__(self, lookup: Lookup, viewing: Viewing, evidences: Evidences, trails: Trails) -> None:
        self._lookup = lookup
        self._viewing = viewing
        self._evidences = evidences
        self._trails = trails

    async def answer(self, request: WhyRequest, viewer: Viewer) -> WhyReply:
        """Everything that is known of the version that an id names; raises what `Lookup.one` does."""
        fact = await self._lookup.one(request.id, viewer)
        document = await self._lookup.whole(fact.identity)
        preview = await self._viewing.preview(request.preview, viewer)
        view = self._viewing.view(document)
        view = preview.over(view) if preview else view
        stated = next((one for one in document.assertions if one.id == fact.id), None)
        version = holding(view, fact)
        if stated is None or version is None:
            raise NotFound(f"nothing is said under {fact.id} any more")
        said = _said(version, stated)
        trail, unread = await self._trail(said, viewer)
        return WhyReply(
            fact=wording.shown(view, version, self._viewing.labels),
            because=because(view, version),
            evidence=tuple([one for assertion in said[:_SAID] for one in await self._evidences.of(assertion, viewer)]),
            cited=tuple(await self._cited(said, viewer)),
            used=tuple(reversed(trail.uses)),
            uses=trail.count,
            unread=unread,
        )

    async def _trail(self, said: list[Stated], viewer: Viewer) -> tuple[Trail, int]:
        """The requests that any of these reached; whoever may not see every thread is told of its own alone."""
        one = said[0].id
        thread = "" if viewer.trusted else viewer.thread
        if not viewer.trusted and not thread:
            return Trail.empty(0), 0
        about = Followed({stated.id: one for stated in said}, {said[0].fact.identity}, min(s.position for s in said))
        trails, unread = await self._trails.follow(about, limits.USES_SHOWN, thread)
        return trails[one], unread

    async def _cited(self, said: list[Stated], viewer: Viewer) -> list[FactView]:
        """What these approve or move, and what that did in its turn, as far as the viewer sees it."""
        wanted = [stated.fact.cites for stated in said if stated.fact.cites]
        found: dict[str, FactView] = {}
        while wanted and len(found) < _CITED:
            there = await self._lookup.every(wanted, viewer)
            wanted = []
            for fact in there.values():
                document = await self._lookup.whole(fact.identity)
                stated = next((one for one in document.assertions if one.id == fact.id), None)
                view = self._viewing.view(document)
                version = holding(view, fact)
                if stated and version and stated.id not in found:
                    found[stated.id] = wording.shown(view, version, self._viewing.labels)
                    wanted += [stated.fact.cites] if stated.fact.cites else []
        return list(found.values())


def _said(version: Version, stated: Stated) -> list[Stated]:
    """The assertion that is asked about, and then the others of its value, the newest first."""
    others = sorted((one for one in version.said if one.id != stated.id), key=order, reverse=True)
    return [stated, *others]
