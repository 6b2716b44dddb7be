"""Answering what people and agents ask of facts: lists, histories, threads; page by page, in constant memory."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from contextlib import aclosing

import msgspec

from eunoe.facts import lenient, wording
from eunoe.facts.store import FactStore, only
from eunoe.facts.visibility import Part, Viewer, parts, visible
from eunoe.runtime.doors import Entry, Store
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Denied, Invalid
from eunoe.schemas.requests import (
    FactReply,
    FactRequest,
    FactsReply,
    FactsRequest,
    FactView,
    ThreadsReply,
    ThreadsRequest,
    ThreadState,
)


class Reading:
    """The read side of one space's facts. What a viewer may not see is not there for it."""

    def __init__(self, store: Store, facts: FactStore) -> None:
        self._store = store
        self._facts = facts

    async def list(self, request: FactsRequest, viewer: Viewer) -> FactsReply:
        """Facts in force, or with ``all`` every version; a cursor where there are more."""
        limit = _limit(request.limit)
        wanted = parts(request, viewer)
        scope, after = _cursor(request.cursor)
        found: dict[tuple[str, str], Sequence[FactView]] = {}
        for bucket in _from([name for name in _ORDER if any(part.scope == name for part in wanted)], scope):
            filters = [_filter(part) for part in wanted if part.scope == bucket]
            async with aclosing(_closable(self._store.bucket(bucket).scan(filters, after=after))) as entries:
                async for entry in entries:
                    if sum(map(len, found.values())) >= limit:
                        return FactsReply(facts=_joined(found.values()), cursor=f"{bucket}:{after}")
                    found[bucket, entry.key] = self._shown(entry, viewer, request)  # one written meanwhile comes twice
                    after = entry.revision
            after = 0
        return FactsReply(facts=_joined(found.values()))

    async def history(self, request: FactRequest, viewer: Viewer) -> FactReply:
        """Every version of a fact, by its id or a beginning that only it has among those the viewer may see."""
        found = await self._facts.matching(request.id)
        fact = only([one for one in found if visible(one.identity, viewer)], request.id)
        view = self._facts.view(await self._facts.complete(fact.identity))
        return FactReply(identity=fact.identity, versions=wording.every(view), conflict=view.conflict)

    async def threads(self, request: ThreadsRequest, viewer: Viewer) -> ThreadsReply:
        """Threads in the order in which they last changed, or turned round."""
        if not viewer.trusted:
            raise Denied(f"{viewer.caller.kind} may not list threads; a person or a viewer may")
        limit = _limit(request.limit)
        _, after = _cursor(request.cursor)
        if request.newest:
            return await self._newest(limit, after)
        found: dict[str, ThreadState] = {}
        async with aclosing(_closable(self._store.thread.scan(["state.*"], after=after))) as entries:
            async for entry in entries:
                if len(found) >= limit:
                    return ThreadsReply(threads=tuple(found.values()), cursor=f"thread:{after}")
                found[entry.key] = msgspec.json.decode(entry.value, type=ThreadState)
                after = entry.revision
        return ThreadsReply(threads=tuple(found.values()))

    async def _newest(self, limit: int, before: int) -> ThreadsReply:
        """The last ``limit`` threads before a revision (0: of all); one pass, and no more kept than a page."""
        kept: dict[str, Entry] = {}
        async with aclosing(_closable(self._store.thread.scan(["state.*"]))) as entries:
            async for entry in entries:
                if before and entry.revision >= before:
                    break
                kept.pop(entry.key, None)
                kept[entry.key] = entry
                if len(kept) > limit + 1:
                    del kept[next(iter(kept))]
        page = list(reversed(kept.values()))[:limit]
        threads = tuple(msgspec.json.decode(entry.value, type=ThreadState) for entry in page)
        return ThreadsReply(threads=threads, cursor=f"thread:{page[-1].revision}" if len(kept) > limit else "")

    def _shown(self, entry: Entry, viewer: Viewer, request: FactsRequest) -> Sequence[FactView]:
        document = lenient.document(entry)
        if document is None or not visible(document.identity, viewer):
            return ()
        view = self._facts.view(document)
        found = wording.every(view) if request.all else wording.in_force(view)
        if not request.agent or document.identity.scope == "permanent":
            return found
        return [fact for fact in found if fact.agent == request.agent]


def _joined(pages: Iterable[Sequence[FactView]]) -> tuple[FactView, ...]:
    return tuple(view for page in pages for view in page)


_ORDER: tuple[subjects.Bucket, ...] = ("thread", "session", "permanent")


def _filter(part: Part) -> str:
    return subjects.facts_of(part.owner) if part.owner else "fact.>"


def _from(buckets: Sequence[subjects.Bucket], scope: str) -> Sequence[subjects.Bucket]:
    """The buckets still to read, from the one that a cursor names."""
    return buckets[buckets.index(_known(scope)) :] if scope in buckets else buckets


def _known(scope: str) -> subjects.Bucket:
    return next(bucket for bucket in _ORDER if bucket == scope)


def _limit(limit: int) -> int:
    if not 1 <= limit <= limits.PAGE_FACTS:
        raise Invalid(f"a page has 1 to {limits.PAGE_FACTS} lines, not {limit}; go on with its cursor")
    return limit


def _cursor(cursor: str) -> tuple[str, int]:
    scope, _, after = cursor.partition(":")
    if cursor and not (scope in _ORDER and after.isascii() and after.isdigit() and len(after) < 20):
        raise Invalid(f"{cursor!r} is no cursor; use the one of the last reply")
    return scope, int(after or 0)


def _closable(entries: AsyncIterator[Entry]) -> AsyncGenerator[Entry, None]:
    """A scan that is closed as soon as its page is full."""

    async def walk() -> AsyncGenerator[Entry, None]:
        async for entry in entries:
            yield entry

    return entries if isinstance(entries, AsyncGenerator) else walk()
