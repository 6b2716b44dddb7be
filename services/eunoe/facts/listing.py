"""The documents that a list is made of, in the order of `eunoe.facts.pages`, in few round trips and little memory."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from eunoe.facts import pages
from eunoe.facts.pages import ORDER, Cursor
from eunoe.facts.visibility import Part
from eunoe.runtime.closing import closing
from eunoe.runtime.doors import Entry, Found, Store
from eunoe.runtime.tasks import each
from eunoe.schemas import subjects
from eunoe.schemas.requests import FactsRequest
from eunoe.schemas.subjects import Bucket

_AHEAD = 2_048  # documents of a grouped list that grew too long for one answer, that are looked at for one page

Filters = Mapping[Bucket, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Placed:
    """A document as it is stored, and in which bucket."""

    bucket: Bucket
    entry: Entry


@dataclass(frozen=True, slots=True)
class Listing:
    """What there is to list after a cursor. ``rest``: there may be more behind the last of these documents.

    ``sessions`` are the records of the sessions whose facts are asked for, None where they were not read.
    """

    documents: AsyncGenerator[Placed, None]
    grouped: bool
    sessions: Sequence[Entry] | None = None
    rest: bool = False

    def cursor(self, last: Placed) -> str:
        """What goes on after this document."""
        if self.grouped:
            return str(Cursor(last.bucket, key=last.entry.key))
        return str(Cursor(last.bucket, revision=last.entry.revision))


class Listings:
    """Reads the documents of one space."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def of(self, parts: Sequence[Part], request: FactsRequest, cursor: Cursor | None) -> Listing:
        """The documents of these parts after a cursor: grouped where one round trip a bucket answers, and where the
        cursor is of such a list."""
        filters = _filters(parts, request)
        if cursor is None or cursor.key:
            found = await self._few(filters, parts)
            if found is not None:
                return _grouped(found, cursor)
        if cursor and cursor.key:
            return await self._ahead(filters, cursor)
        if cursor:
            pages.check(cursor, await self._store.bucket(cursor.bucket).revision())
        return Listing(self._scanned(filters, cursor), grouped=False)

    async def _few(self, filters: Filters, parts: Sequence[Part]) -> list[Placed] | None:
        """Everything that matches, and the records of the sessions; None where it is too much for one answer."""
        answers: dict[Bucket, Found | None] = {}
        owners = sorted({part.owner for part in parts if part.scope == "session"})
        sessions = [subjects.session_key(owner) if owner else subjects.sessions_filter() for owner in owners]

        async def read(bucket: Bucket) -> None:
            wanted = [*filters[bucket], *(sessions if bucket == "session" else ())]
            answers[bucket] = await self._store.bucket(bucket).few(wanted)

        await each(list(filters), read, len(ORDER))
        found: list[Placed] = []
        for bucket in filters:
            answer = answers[bucket]
            if answer is None:
                return None
            found += [Placed(bucket, entry) for entry in answer.entries]
        return found

    async def _scanned(self, filters: Filters, cursor: Cursor | None) -> AsyncGenerator[Placed, None]:
        first = ORDER.index(cursor.bucket) if cursor else 0
        for bucket in ORDER[first:]:
            if bucket in filters:
                after = cursor.revision if cursor and cursor.bucket == bucket else 0
                scan = self._store.bucket(bucket).scan(filters[bucket], after=after)
                async with closing(scan) as entries:
                    async for entry in entries:
                        yield Placed(bucket, entry)

    async def _ahead(self, filters: Filters, cursor: Cursor) -> Listing:
        """The documents next to a cursor, found by looking at all there are."""
        kept: dict[tuple[Bucket, str], Placed] = {}
        after, rest = pages.place(cursor.bucket, cursor.key), False
        async with closing(self._scanned(filters, None)) as found:
            async for one in found:
                if _place(one) > after:
                    kept[one.bucket, one.entry.key] = one
                if len(kept) > 2 * _AHEAD:
                    kept, rest = _first(kept.values()), True
        return Listing(
            _each(_first(kept.values()).values()),
            grouped=True,
            rest=rest or len(kept) > _AHEAD,
        )


def _grouped(found: Sequence[Placed], cursor: Cursor | None) -> Listing:
    facts = sorted((one for one in found if subjects.is_fact_key(one.entry.key)), key=_place)
    after = pages.place(cursor.bucket, cursor.key) if cursor else None
    return Listing(
        _each([one for one in facts if after is None or _place(one) > after]),
        grouped=True,
        sessions=[one.entry for one in found if not subjects.is_fact_key(one.entry.key)],
    )


async def _each(documents: Iterable[Placed]) -> AsyncGenerator[Placed, None]:
    for one in documents:
        yield one


def _first(found: Iterable[Placed]) -> dict[tuple[Bucket, str], Placed]:
    return {(one.bucket, one.entry.key): one for one in islice(sorted(found, key=_place), _AHEAD)}


def _place(one: Placed) -> pages.Place:
    return pages.place(one.bucket, one.entry.key)


def _filters(parts: Sequence[Part], request: FactsRequest) -> dict[Bucket, list[str]]:
    """The keys of these parts, by bucket: what is live, and what belongs to the preview that is asked for."""
    found: dict[Bucket, list[str]] = {}
    for part in parts:
        keys = found.setdefault(part.scope, [])
        if not request.own:
            keys.append(subjects.facts_of(part.owner, request.subject))
        if request.preview:
            keys.append(subjects.previews_of(request.preview, part.owner, request.subject))
    return found
