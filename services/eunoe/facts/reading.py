"""Answering what people and agents ask of facts: lists, page by page in constant memory, and histories."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from eunoe.facts import lenient, pages, wording
from eunoe.facts.holding import holding
from eunoe.facts.listing import Listing, Listings, Placed
from eunoe.facts.lookup import Lookup
from eunoe.facts.previews import Preview, counterpart
from eunoe.facts.runs import Version
from eunoe.facts.selecting import Selection
from eunoe.facts.viewing import Moment, Viewing
from eunoe.facts.visibility import Viewer, parts, seen
from eunoe.runtime.closing import closing
from eunoe.runtime.doors import Clock, Store
from eunoe.schemas.errors import Invalid
from eunoe.schemas.facts import Document, Identity, SessionRecord
from eunoe.schemas.requests import FactReply, FactRequest, FactsReply, FactsRequest, FactView

_TOGETHER = 64  # documents that are folded together at most
_FROM_LOG = 256  # the same where the log may have to be looked through for them
_LOOKED_AT = 16_384  # documents looked at for one page, whatever is left of them

_session = msgspec.json.Decoder(SessionRecord)


class _Kept(NamedTuple):
    """What is shown of a document, and in whose place a preview shows something else or nothing."""

    facts: Sequence[FactView] = ()
    instead: Sequence[FactView] = ()


_NOTHING = _Kept()


@dataclass(slots=True)
class _Page:
    """A page as it fills: of each document what is shown of it, and the last one that was looked at."""

    limit: int
    found: dict[tuple[str, str], _Kept] = field(default_factory=dict)
    damaged: list[str] = field(default_factory=list)
    last: Placed | None = None
    looked: int = 0
    count: int = 0

    @property
    def full(self) -> bool:
        return self.count >= self.limit or self.looked >= _LOOKED_AT

    def add(self, placed: Placed, shown: _Kept | None) -> None:
        """Take in what is shown of a document, None where it cannot be read; one written meanwhile comes twice."""
        self.last = placed
        self.looked += 1
        if shown is None:
            self.damaged.append(placed.entry.key)
            return
        place = (placed.bucket, placed.entry.key)
        self.count += len(shown.facts) - len(self.found.get(place, _NOTHING).facts)
        self.found[place] = shown

    def reply(self, listing: Listing, *, more: bool) -> FactsReply:
        kept = self.found.values()
        return FactsReply(
            facts=tuple(view for shown in kept for view in shown.facts),
            instead=tuple(view for shown in kept for view in shown.instead),
            cursor=listing.cursor(self.last) if more and self.last else "",
            damaged=tuple(self.damaged),
        )


class Reading:
    """The read side of one space's facts. What a viewer may not see is not there for it."""

    def __init__(self, store: Store, lookup: Lookup, viewing: Viewing, clock: Clock) -> None:
        self._listings = Listings(store)
        self._lookup = lookup
        self._viewing = viewing
        self._clock = clock

    async def list(self, request: FactsRequest, viewer: Viewer) -> FactsReply:
        """Facts in force, or with ``all`` every version; a cursor where there are more. A ``limit`` of 0 reads none."""
        if not request.limit:
            return FactsReply(facts=())
        if request.own and not request.preview:
            raise Invalid("what is a preview's own is asked for with its name; name the preview")
        page, cursor = _Page(pages.limit(request.limit)), pages.read(request.cursor)
        selection = Selection.of(request, self._viewing.labels)
        listing = await self._listings.of(parts(request, viewer), request, cursor)
        preview = None if request.own else await self._viewing.preview(request.preview, viewer, _moment(request))
        together = _TOGETHER if request.recorded is None else _FROM_LOG
        async with closing(_windows(listing.documents, min(request.limit, together))) as windows:
            async for window in windows:
                read = [(placed, lenient.document(placed.entry)) for placed in window]
                there = [document for _, document in read if document]
                shown = await self._shown(await self._seen(there, listing, viewer), preview, selection)
                for placed, document in read:
                    if page.full:
                        return page.reply(listing, more=True)
                    page.add(placed, shown.get(document.identity, _NOTHING) if document else None)
        return page.reply(listing, more=listing.rest)

    async def history(self, request: FactRequest, viewer: Viewer) -> FactReply:
        """Every version and act of a fact, by its id or a beginning that only it has among those the viewer sees."""
        fact = await self._lookup.one(request.id, viewer)
        document = await self._lookup.whole(fact.identity)
        preview = await self._viewing.preview(request.preview, viewer, _moment(request))
        view = self._viewing.view(document, _moment(request))
        view = preview.over(view) if preview else view
        version = holding(view, fact)
        return FactReply(
            identity=fact.identity,
            versions=wording.every(view, self._viewing.labels),
            conflict=view.conflict,
            acts=wording.acts(view, self._viewing.labels),
            current=view.current.id if view.current else "",
            named=version.id if version else "",
            content=await self._content(fact.identity, version) if request.content else "",
        )

    async def _content(self, identity: Identity, version: Version | None) -> str:
        """The body of a version: what was said last with one."""
        return await self._lookup.content(identity, version.body) if version and version.body else ""

    async def _seen(self, found: Sequence[Document], listing: Listing, viewer: Viewer) -> Sequence[Document]:
        sessions = await self._sessions(listing, [document.identity for document in found])
        now = self._clock.now()
        return [one for one in found if seen(one.identity, viewer, sessions.get(one.identity.owner), now)]

    async def _shown(
        self, found: Sequence[Document], preview: Preview | None, selection: Selection
    ) -> dict[Identity, _Kept]:
        """What is shown of documents, by identity: of a preview's own only what is not shown in a live one's place,
        or all of it by itself where nothing else is asked for."""
        if selection.request.own:
            own_views = await self._viewing.views(found, _moment(selection.request))
            return {view.identity: _Kept(selection.of_view(view)) for view in own_views}
        live = [one for one in found if not one.identity.preview]
        views = {view.identity: view for view in await self._viewing.views(live, _moment(selection.request))}
        if preview:
            own = {counterpart(one.identity): one.identity for one in found if one.identity.preview}
            taken = (await self._lookup.documents(own)).keys()
            views = {identity: preview.over(view) for identity, view in views.items()}
            views |= {own[view.identity]: view for view in preview.alone(taken) if view.identity in own}
        return {one: _Kept(selection.of_view(view), selection.instead(view)) for one, view in views.items()}

    async def _sessions(self, listing: Listing, identities: Sequence[Identity]) -> dict[str, SessionRecord]:
        if listing.sessions is None:
            return await self._lookup.sessions(identities)
        records = (lenient.entry(entry, _session) for entry in listing.sessions)
        return {record.session: record for record in records if record}


def _moment(request: FactsRequest | FactRequest) -> Moment:
    return Moment(valid=request.valid, recorded=request.recorded)


async def _windows(documents: AsyncIterator[Placed], size: int) -> AsyncGenerator[list[Placed], None]:
    """Documents in their order, several at a time."""
    window: list[Placed] = []
    async with closing(documents) as found:
        async for placed in found:
            window.append(placed)
            if len(window) == size:
                yield window
                window = []
    if window:
        yield window
