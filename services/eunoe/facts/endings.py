"""What the end of a session takes away: documents that are wholly from before it, with their bodies and ids, and of
the others what is from before it.

An end is written into the session's record before anything is taken away, and whoever adds to a session looks at
that record again after its last write: so one of the two sees the other, and nothing from before an end stays,
whatever comes first. What is from after it is never touched: a document changes by compare-and-set alone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import anyio.lowlevel
import msgspec

from eunoe.facts import document as documents
from eunoe.facts import sessions
from eunoe.facts.admission import Told
from eunoe.facts.history import History
from eunoe.facts.lineage import Event, Order
from eunoe.facts.session_records import SessionRecords
from eunoe.runtime.doors import Documents, Entry
from eunoe.schemas import subjects
from eunoe.schemas.errors import Conflict
from eunoe.schemas.facts import Assertion, Document, Identity, Indexed, Stated
from eunoe.schemas.records import Record

_index = msgspec.json.Decoder(Indexed)


class Endings:
    """The ends of one space's sessions."""

    def __init__(self, bucket: Documents, history: History) -> None:
        self.records = SessionRecords(bucket)
        self._bucket = bucket
        self._history = history

    async def begin(self, batch: Sequence[Record], told: Sequence[Told]) -> Batch:
        """Note what records say of sessions, before anything of them is written."""
        ended: set[str] = set()
        facts: dict[int, list[Assertion]] = {}
        for one in told:
            facts.setdefault(one.stated.position, []).append(one.stated.fact)
        for record in batch:
            said = sessions.said(record, facts.get(record.position, ()))
            await self.records.note(said)
            ended.update(session for session, found in said.items() if found.ended > sessions.NEVER)
        return Batch(self, self._bucket, ended)

    async def events(self, identity: Identity) -> Sequence[Event]:
        """The whole history of an identity, but for what the end of its session took away."""
        events = await self._history.events(identity)
        if identity.scope != "session":
            return events
        return sessions.remaining(events, await self.records.end(identity.owner))

    async def clear(self, session: str) -> None:
        """Take away everything of a session that is from before its end."""
        end = await self.records.end(session)
        swept = False
        async for entry in self._bucket.scan(subjects.every_fact_of(session)):
            swept = await self._clear(entry, end, swept=swept)

    async def remove(self, identity: Identity, ids: Collection[str]) -> None:
        """Take away facts that came too late, by their ids, and what their document has from before the end."""
        for fact in ids:
            await self._remove(subjects.content_key(identity.owner, fact))
            await self._remove(subjects.index_key(fact))
        key = documents.key(identity)
        if entry := await self._bucket.get(key):
            await self._clear(entry, await self.records.end(identity.owner))

    async def _clear(self, entry: Entry, end: Order, *, swept: bool = False) -> bool:
        """Clear one document; whether the ids of the session were ``swept``, as they are where a document folded some.

        Bodies and ids go first: what names them is there until they are gone, whatever comes between.
        """
        found: Entry | None = entry
        while found is not None:
            document = documents.decode(found.value)
            kept = await self._remaining(document, end)
            if kept == document:
                break
            if document.floors and not swept:
                await self._sweep(document.identity.owner, end)
                swept = True
            left = {one.id for one in kept.assertions} if kept else set[str]()
            await self._forget([one for one in document.assertions if one.id not in left])
            if await self._replaced(found, kept):
                break
            found = await self._bucket.get(entry.key)
            await anyio.lowlevel.checkpoint()
        return swept

    async def _remaining(self, document: Document, end: Order) -> Document | None:
        kept = sessions.left(document, end)
        if kept.floors:
            kept = documents.build(document.identity, await self.events(document.identity))
        return kept if kept.assertions or kept.acts else None

    async def _replaced(self, entry: Entry, kept: Document | None) -> bool:
        """False when somebody else wrote first."""
        try:
            if kept is None:
                await self._bucket.delete(entry.key, expect=entry.revision)
            else:
                await self._bucket.put(entry.key, documents.encode(kept), expect=entry.revision)
        except Conflict:
            return False
        return True

    async def _forget(self, gone: Sequence[Stated]) -> None:
        for one in gone:
            if one.has_content:
                await self._remove(subjects.content_key(one.fact.identity.owner, one.id))
            await self._remove(subjects.index_key(one.id))

    async def _sweep(self, session: str, end: Order) -> None:
        """Remove the ids and bodies of every fact of a session from before its end."""
        async for entry in self._bucket.scan([subjects.indexes_filter()]):
            one = _index.decode(entry.value)
            if one.identity.owner == session and one.order <= end:
                await self._remove(subjects.content_key(session, one.id))
                await self._remove(entry.key)

    async def _remove(self, key: str) -> None:
        if await self._bucket.get(key):
            await self._bucket.delete(key)


class Batch:
    """Records that are applied together, on their way past the ends of their sessions."""

    def __init__(self, endings: Endings, bucket: Documents, ended: Collection[str]) -> None:
        self._endings = endings
        self._bucket = bucket
        self._ended = ended
        self._late: dict[Identity, set[str]] = {}

    async def on_time(self, told: Sequence[Told]) -> list[Told]:
        """The assertions that no end took away before they came."""
        return [one for one in told if await self._stays(one.identity, one.stated)]

    async def kept(self, changes: Mapping[Identity, Sequence[Event]]) -> dict[Identity, list[Event]]:
        """What of the changes stays, without documents that would not change."""
        found = {
            identity: [event for event in events if await self._stays(identity, event)]
            for identity, events in changes.items()
        }
        return {identity: events for identity, events in found.items() if events}

    async def finish(self, written: Mapping[Identity, Sequence[Event]]) -> None:
        """Take away what came too late, what was written while its session ended, and what ended."""
        about = [identity for identity in written if identity.scope == "session"]
        fence = await self._bucket.revision() if about else 0
        for session in sorted({identity.owner for identity in about}):
            await self._endings.records.end(session, fence=fence)
        for identity in about:
            for event in written[identity]:
                await self._stays(identity, event)
        for identity, late in self._late.items():
            await self._endings.remove(identity, late)
        for session in sorted(self._ended):
            await self._endings.clear(session)

    async def _stays(self, identity: Identity, event: Event) -> bool:
        if identity.scope != "session" or sessions.survives(event, await self._endings.records.end(identity.owner)):
            return True
        late = self._late.setdefault(identity, set())
        if isinstance(event, Stated):
            late.add(event.id)
        return False
