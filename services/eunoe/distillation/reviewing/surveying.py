"""Reading what a review is to be compared with: the records that its agent sees, and what became of those before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import msgspec

from eunoe.distillation.reviewing.records import Known, Part, known
from eunoe.facts.kinds import Kind, Kinds
from eunoe.facts.lineage import author
from eunoe.facts.lookup import Lookup
from eunoe.facts.reading import Reading
from eunoe.facts.viewing import Viewing
from eunoe.facts.visibility import Viewer
from eunoe.runtime.doors import Clock, Store
from eunoe.schemas import limits
from eunoe.schemas.errors import NotFound
from eunoe.schemas.facts import ActKind, Document, Identity
from eunoe.schemas.requests import FactsRequest, FactView
from eunoe.schemas.subjects import Caller

DELETED = "a person deleted it after that was said"


class Survey:
    """Reads the memory records of one space."""

    def __init__(self, store: Store, kinds: Kinds, clock: Clock) -> None:
        self.kinds: Sequence[tuple[str, Kind]] = [(name, kind) for name, kind in kinds.items() if kind.record]
        self._lookup = Lookup(store, kinds, clock)
        self._reading = Reading(store, self._lookup, Viewing(self._lookup, kinds, clock), clock)

    async def seen(self, part: Part) -> list[Known]:
        """The records in force that the agent of these turns sees from there, without their bodies."""
        place = part.place
        viewer = Viewer(Caller("agent", place.agent), part.of.thread, place.session, place.preview)
        request = FactsRequest(
            thread=part.of.thread, session=place.session, preview=place.preview, limit=limits.PAGE_FACTS
        )
        return [known(view, place.agent) for name, _ in self.kinds for view in await self._views(request, name, viewer)]

    async def bodies(self, records: Iterable[Known]) -> list[Known]:
        """The same records with their bodies."""
        return [replace(one, body=await self._body(one)) for one in records]

    async def past(self, part: Part, said: Mapping[Identity, int]) -> tuple[dict[Identity, str], dict[Identity, int]]:
        """Of records that were said at those times (ms UTC), and may have been before: why some are not stated anew,
        and from when on others may hold again, as their agent itself retired them."""
        found = await self._lookup.documents(said)
        barred = {one: DELETED for one, document in found.items() if _last(document, "deleted") >= said[one]}
        whose = author(part.place.source)
        return barred, {one: _last(document, "retired", whose) for one, document in found.items()}

    async def _views(self, request: FactsRequest, kind: str, viewer: Viewer) -> list[FactView]:
        found: list[FactView] = []
        cursor = ""
        while True:
            page = await self._reading.list(_page(request, kind, cursor), viewer)
            found += page.facts
            if not (cursor := page.cursor):
                return found

    async def _body(self, record: Known) -> str:
        if not record.long:
            return ""
        try:
            return await self._lookup.content(record.identity, record.id)
        except NotFound:  # another one who says the same gave it, or it goes just now
            return ""


def _last(document: Document, kind: ActKind, whose: str = "") -> int:
    """When such an act was done last (ms UTC), to what that author said or to anything; 0 for never."""
    found = [act.at for act in document.acts if act.kind == kind and whose in ("", act.author)]
    return max(found, default=0)


def _page(request: FactsRequest, kind: str, cursor: str) -> FactsRequest:
    return msgspec.structs.replace(request, subject=kind, cursor=cursor)
