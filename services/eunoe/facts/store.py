"""Fact documents in their buckets: applying what the log says of facts, idempotently, and looking facts up."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence

import anyio
import msgspec

from eunoe.facts import document as documents
from eunoe.facts.acts import Done, act, done, whole
from eunoe.facts.admission import Told, told
from eunoe.facts.document import BelowFloor
from eunoe.facts.endings import Endings
from eunoe.facts.history import History
from eunoe.facts.kinds import Kinds
from eunoe.facts.lineage import Event
from eunoe.facts.recent import Place, Recent
from eunoe.facts.session_records import SessionRecords
from eunoe.runtime.doors import Documents, Entry, Store
from eunoe.runtime.tasks import each
from eunoe.schemas import subjects
from eunoe.schemas.errors import Conflict
from eunoe.schemas.facts import Act, Document, Identity, Indexed
from eunoe.schemas.records import Record

logger = logging.getLogger(__name__)

_index = msgspec.json.Decoder(Indexed)
_WIDTH = 16  # documents of one batch that are written at once
_WRITES = 128  # writes in flight: more only wait in the server
_AT_ONCE = 256  # documents read in one round trip


class FactStore:
    """The documents of one space. The same record may be applied any number of times, in any order."""

    def __init__(self, store: Store, kinds: Kinds) -> None:
        self._store = store
        self._kinds = kinds
        self._history = History(store.log, store.space, kinds)
        self._recent = Recent()
        self._endings = Endings(store.session, self._history)
        self._listeners: list[Callable[[Document], None]] = []
        self._writes = anyio.Semaphore(_WRITES, fast_acquire=True)
        self._counts = {"applied": 0, "present": 0, "conflicts": 0, "refolded": 0, "refused": 0}

    def statistics(self) -> Mapping[str, int]:
        return dict(self._counts)

    async def apply(self, *batch: Record) -> None:
        """Put every assertion and act of some records into the documents they belong to, each written once.

        Index and body come before the documents, so that what a document shows can always be looked up.
        """
        stated = [assertion for record in batch for assertion in told(record, self._kinds)]
        changes: dict[Identity, list[Event]] = {}
        for assertion in stated:
            changes.setdefault(assertion.identity, []).append(assertion.stated)
        for record in batch:
            for identity, about in whole(record):
                changes.setdefault(identity, []).append(about)
        acts = [what for record in batch for what in done(record, self._kinds)]
        targets = await self._targets(acts, {assertion.stated.id: assertion.indexed for assertion in stated})
        for what in acts:
            target = targets.get(what.event.id)
            if target is None or target.order[1] > what.position:
                self._refuse(what, "there is no such fact")
            elif kept := act(what, target):
                changes.setdefault(target.identity, []).append(kept)
            else:
                self._refuse(what, "its writer may not do that")
        ending = await self._endings.begin(batch, stated)
        changes = await ending.kept(changes)
        await each(await ending.on_time(stated), self._announce, _WIDTH)
        for some in _in_turn(changes):
            await self._recall(some)
            await each(some, self._change, _WIDTH)
        await ending.finish(changes)

    def listen(self, listener: Callable[[Document], None]) -> None:
        """Have every document told that was changed, or found to be as it should."""
        self._listeners.append(listener)

    def forget(self) -> None:
        """Forget every remembered document, after the buckets were made again."""
        self._recent.clear()
        self.sessions.forget()

    @property
    def sessions(self) -> SessionRecords:
        """The records of sessions."""
        return self._endings.records

    async def document(self, identity: Identity) -> Document | None:
        """The document of an identity as stored; None when nothing was ever said of it."""
        entry = await self._entry(identity)
        return documents.decode(entry.value) if entry else None

    async def complete(self, identity: Identity) -> Document:
        """The document with its whole history, read from the log where the stored one keeps less."""
        stored = await self.document(identity)
        if stored and not stored.floors:
            return stored
        return documents.build(identity, await self._endings.events(identity), bounded=False)

    async def _announce(self, assertion: Told) -> None:
        identity, stated = assertion.identity, assertion.stated
        bucket = self._store.bucket(identity.scope)
        if assertion.content:
            await self._add(bucket, subjects.content_key(identity.owner, stated.id), assertion.content.encode())
        await self._add(bucket, subjects.index_key(stated.id), msgspec.json.encode(assertion.indexed))

    async def _add(self, bucket: Documents, key: str, value: bytes) -> None:
        """Write what is the same whoever writes it, unless it is there."""
        try:
            await self._put(bucket, key, value, 0)
        except Conflict:
            self._counts["present"] += 1

    async def _put(self, bucket: Documents, key: str, value: bytes, expect: int) -> int:
        async with self._writes:
            return await bucket.put(key, value, expect=expect)

    async def _targets(self, acts: Sequence[Done], near: Mapping[str, Indexed]) -> dict[str, Indexed]:
        """What acts are about, by id: in these records, in the index, or, looked for all at once, in the log."""
        known = dict(near)
        wanted = {what.event.id for what in acts}
        for scope in subjects.BUCKETS:
            keys = [subjects.index_key(fact) for fact in sorted(wanted - known.keys())]
            known.update({one.id: one for one in map(_decoded, await self._found(scope, keys))})
        unknown = wanted - known.keys()
        if unknown:
            known.update(await self._history.locate(unknown, max(what.position for what in acts)))
        return known

    async def _found(self, scope: str, keys: Sequence[str]) -> list[Entry]:
        """What is under these keys, in few round trips."""
        found: list[Entry] = []
        for start in range(0, len(keys), _AT_ONCE):
            found += (await self._store.bucket(scope).find(keys[start : start + _AT_ONCE])).entries
        return found

    async def _recall(self, changes: Sequence[tuple[Identity, Sequence[Event]]]) -> None:
        """Read at once what many changes are about, so that none of them reads by itself."""
        if len(changes) < _WIDTH:
            return
        for scope in subjects.BUCKETS:
            keys = [documents.key(identity) for identity, _ in changes if identity.scope == scope]
            missing = [key for key in keys if self._recent.get((scope, key)) is None]
            for entry in await self._found(scope, missing):
                self._recent.keep((scope, entry.key), entry)

    def _refuse(self, what: Done, reason: str) -> None:
        self._counts["refused"] += 1
        logger.info(
            "an act on fact %s was left out: %s",
            what.event.id,
            reason,
            extra={"action": "act_refused", "chain": what.header.chain, "position": what.position},
        )

    async def _entry(self, identity: Identity) -> Entry | None:
        return await self._store.bucket(identity.scope).get(documents.key(identity))

    async def _change(self, change: tuple[Identity, Sequence[Event]]) -> None:
        """Compare-and-set until it holds; a lost race means that somebody else got on."""
        identity, events = change
        place = (identity.scope, documents.key(identity))
        async with self._recent.alone(place):
            while not await self._changed(identity, events, place):
                await anyio.lowlevel.checkpoint()

    async def _changed(self, identity: Identity, events: Sequence[Event], place: Place) -> bool:
        known = self._recent.get(place)
        entry = known or await self._entry(identity)
        before = documents.decode(entry.value) if entry else documents.empty(identity)
        after = await self._with(before, events)
        data = documents.encode(after)
        if entry and entry.value == data:
            self._recent.forget(place)
            self._tell(after)
            return known is None
        try:
            bucket = self._store.bucket(identity.scope)
            revision = await self._put(bucket, place[1], data, entry.revision if entry else 0)
        except Conflict:
            self._counts["conflicts"] += 1
            self._recent.forget(place)
            return False
        self._counts["applied"] += len(events)
        self._recent.keep(place, Entry(place[1], data, revision))
        self._tell(after)
        return True

    def _tell(self, document: Document) -> None:
        for listener in self._listeners:
            listener(document)

    async def _with(self, before: Document, events: Sequence[Event]) -> Document:
        try:
            return documents.add(before, events)
        except BelowFloor:
            self._counts["refolded"] += 1
            return documents.build(before.identity, await self._endings.events(before.identity))


def _in_turn(changes: Mapping[Identity, Sequence[Event]]) -> Iterator[list[tuple[Identity, Sequence[Event]]]]:
    """What is written together: what takes another fact's place, before that one is closed, which is last."""
    for last in (False, True):
        parted = ((about, [event for event in events if _closes(event) == last]) for about, events in changes.items())
        yield [(about, events) for about, events in parted if events]


def _closes(event: Event) -> bool:
    """Whether an event ends a fact that goes on elsewhere."""
    return isinstance(event, Act) and event.kind in ("approved", "moved")


def _decoded(entry: Entry) -> Indexed:
    return _index.decode(entry.value)
