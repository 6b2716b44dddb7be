"""The facts of one request, read from their buckets: thread, then session, then permanent.

Permanent facts are held in memory by a watch; until it has caught up they are read like the others.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from eunoe.composition import known
from eunoe.composition.known import Known
from eunoe.facts import document as documents
from eunoe.facts.fold import fold
from eunoe.facts.kinds import Kinds
from eunoe.facts.lineage import SHARED
from eunoe.facts.visibility import Viewer, visible
from eunoe.runtime.doors import Change, Entry, Found, Store
from eunoe.schemas import subjects
from eunoe.schemas.context import Watermark
from eunoe.schemas.facts import Act, Document, Stated
from eunoe.schemas.requests import ThreadState
from eunoe.schemas.subjects import Caller

logger = logging.getLogger(__name__)

_state = msgspec.json.Decoder(ThreadState)
_KEPT = 4096  # documents of threads and sessions whose facts are kept folded


@dataclass(frozen=True, slots=True)
class Place:
    """Where a request comes from: its facts are those that this agent may see there."""

    thread: str
    session: str
    agent: str

    @property
    def viewer(self) -> Viewer:
        return Viewer(Caller("agent", self.agent), self.thread, self.session)


@dataclass(frozen=True, slots=True)
class Remembered:
    """Facts in the order in which they are shown; ``state`` is the thread's, None where there is none yet."""

    earlier: tuple[Known, ...]
    now: tuple[Known, ...]
    watermark: Watermark
    state: ThreadState | None = None


class Permanent:
    """Every permanent fact of the space, by owner, as the watch brought it."""

    def __init__(self, store: Store, kinds: Kinds) -> None:
        self._store = store
        self._kinds = kinds
        self._facts: dict[str, dict[str, tuple[Known, ...]]] = {}
        self._owners: dict[str, str] = {}
        self._sorted: dict[tuple[str, ...], tuple[Known, ...]] = {}
        self._upto = 0
        self.ready = False

    async def run(self) -> None:
        """Follow the bucket until cancelled."""
        target = await self._store.permanent.revision()
        self.ready = target == 0
        async with self._store.permanent.watch() as changes:
            async for change in changes:
                self.apply(change)
                self.ready = self.ready or change.revision >= target

    def apply(self, change: Change) -> None:
        """Take in one change of the bucket."""
        self._upto = max(self._upto, change.revision)
        if not subjects.is_fact_key(change.key):
            return
        self._sorted.clear()
        owner = self._owners.pop(change.key, "")
        self._facts.get(owner, {}).pop(change.key, None)
        if change.value is not None:
            document = documents.decode(change.value)
            self._owners[change.key] = document.identity.owner
            self._facts.setdefault(document.identity.owner, {})[change.key] = lines(document, self._kinds, "")

    async def of(self, agent: str, after: int) -> tuple[tuple[Known, ...], int]:
        """What everyone may see and what is the agent's own, in order; and the revision that this reflects."""
        owners = tuple(dict.fromkeys((SHARED, agent)))
        if self.ready and self._upto >= after:
            found = self._sorted.get(owners)
            if found is None:
                facts = [one for owner in owners for held in self._facts.get(owner, {}).values() for one in held]
                found = self._sorted[owners] = known.ordered(facts)
            return found, self._upto
        read = await self._store.permanent.find([subjects.facts_of(owner) for owner in owners if owner])
        facts = [one for entry in read.entries for one in lines(documents.decode(entry.value), self._kinds, "")]
        return known.ordered(facts), read.upto


class Memory:
    """Reads what is remembered for one request."""

    def __init__(self, store: Store, kinds: Kinds) -> None:
        self._store = store
        self._kinds = kinds
        self.permanent = Permanent(store, kinds)
        self._kept: dict[tuple[str, int, str], tuple[Known, ...]] = {}

    async def read(self, place: Place, after: Watermark) -> Remembered:
        """Everything in force that is seen from a place."""
        owner = place.thread
        thread = await self._store.thread.find([subjects.facts_of(owner), subjects.state_key(owner)])
        session = await self._session(place.session)
        permanent, upto = await self.permanent.of(place.agent, after.permanent)
        own = self._facts(thread.entries, place)
        other = self._facts(session.entries, place)
        return Remembered(
            earlier=known.ordered([*permanent, *(fact for fact in own if not fact.task)]),
            now=known.ordered([*(fact for fact in own if fact.task), *other]),
            watermark=Watermark(thread=thread.upto, session=session.upto, permanent=upto),
            state=_state_of(thread.entries, owner),
        )

    async def before(self, place: Place, turn: int, at: int) -> Remembered:
        """The deterministic facts that order before a turn of the thread, which was opened at ``at`` (ms UTC)."""
        own = await self._store.thread.find([subjects.facts_of(place.thread)])
        session = await self._session(place.session)
        shared = await self._store.permanent.find(
            [subjects.facts_of(owner) for owner in (SHARED, place.agent) if owner]
        )
        entries = (*own.entries, *session.entries, *shared.entries)
        earlier = [_earlier(documents.decode(entry.value), place.thread, turn, at) for entry in entries]
        seen = [document for document in earlier if visible(document.identity, place.viewer)]
        facts = [fact for document in seen for fact in lines(document, self._kinds, place.thread)]
        sessions = {document.identity for document in seen if document.identity.scope == "session"}
        moment = [fact for fact in facts if fact.task or fact.identity in sessions]
        return Remembered(
            earlier=known.ordered(fact for fact in facts if fact not in moment),
            now=known.ordered(moment),
            watermark=Watermark(),
        )

    async def _session(self, session: str) -> Found:
        if not session:
            return Found((), 0)
        return await self._store.session.find([subjects.facts_of(session)])

    def _facts(self, entries: Iterable[Entry], place: Place) -> list[Known]:
        return [fact for entry in entries if subjects.is_fact_key(entry.key) for fact in self._lines(entry, place)]

    def _lines(self, entry: Entry, place: Place) -> tuple[Known, ...]:
        key = (entry.key, entry.revision, place.thread)
        found = self._kept.get(key)
        if found is None:
            document = documents.decode(entry.value)
            found = lines(document, self._kinds, place.thread) if visible(document.identity, place.viewer) else ()
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            self._kept[key] = found
        return found


def lines(document: Document, kinds: Kinds, thread: str) -> tuple[Known, ...]:
    """The facts in force of one document, as seen from a thread."""
    view = fold(document, single=kinds[document.identity.subject].single)
    return known.known(view, thread)


def _earlier(document: Document, thread: str, turn: int, at: int) -> Document:
    """The document as far as it orders before a turn, without what a model drew from it later."""
    events = [event for event in documents.members(document) if _orders_before(event, thread, turn, at)]
    return documents.build(document.identity, events)


def _orders_before(event: Stated | Act, thread: str, turn: int, at: int) -> bool:
    if isinstance(event, Act):
        return event.at < at
    source = event.fact.provenance
    if event.fact.method == "distilled":
        return False
    return source.turn < turn if source.thread == thread and source.turn else event.fact.at < at


def _state_of(entries: Iterable[Entry], thread: str) -> ThreadState | None:
    key = subjects.state_key(thread)
    return next((_state.decode(entry.value) for entry in entries if entry.key == key), None)
