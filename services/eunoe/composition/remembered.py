"""The facts of one request: of its thread, its session and its agent, and what everyone may see."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from eunoe.composition import whole
from eunoe.composition.carried import Carried, carried
from eunoe.composition.following import Following, Reflected
from eunoe.composition.owned import Owned
from eunoe.composition.place import Place
from eunoe.composition.shelf import Facts
from eunoe.composition.summary import Summary
from eunoe.facts import document as documents
from eunoe.facts import sessions
from eunoe.facts.kinds import Kinds
from eunoe.facts.lineage import Event
from eunoe.facts.lookup import Lookup
from eunoe.runtime.doors import Clock, Store
from eunoe.runtime.tasks import task_group
from eunoe.schemas import limits, subjects
from eunoe.schemas.context import Watermark
from eunoe.schemas.facts import Act, Document
from eunoe.schemas.requests import ThreadState

_SHIPPED = Kinds()


@dataclass(frozen=True, slots=True)
class Remembered:
    """Facts in the order in which they are shown, what the session carries, and the running summary; ``state`` is the
    thread's, None where there is none yet. ``watermark`` says what they reflect at least.
    """

    earlier: Facts
    now: Facts
    watermark: Watermark
    state: ThreadState | None = None
    carried: Carried | None = None
    summary: Summary | None = None


class Memory:
    """Reads what is remembered for one request."""

    def __init__(self, store: Store, kinds: Kinds, clock: Clock) -> None:
        self._store = store
        self._kinds = kinds
        self._clock = clock
        self._lookup = Lookup(store, kinds, clock)
        most, full = limits.HELD_FACTS_BYTES // len(subjects.BUCKETS), self._lookup.from_log
        self._thread = Following(store.thread, lambda owner: Owned(owner, kinds, thread=owner), full, most)
        self._session = Following(store.session, lambda owner: Owned(owner, kinds), full, most)
        self._permanent = Following(store.permanent, lambda owner: Owned(owner, kinds), full, most)

    async def run(self) -> None:
        """Follow the buckets until cancelled."""
        async with task_group() as tasks:
            for following in (self._thread, self._session, self._permanent):
                tasks.start_soon(following.run)

    def statistics(self) -> dict[str, int]:
        found = [following.statistics() for following in (self._thread, self._session, self._permanent)]
        return {f"facts_{name}": sum(one[name] for one in found) for name in found[0]}

    @asynccontextmanager
    async def looking(self, thread: str = "", session: str = "") -> AsyncIterator[Callable[[], Awaitable[Watermark]]]:
        """Ask how far the buckets are now, while other things are read: who reads from there on misses nothing that
        was written before. Meanwhile the facts of a thread, and of the session that it seems to be in, are read where
        they are not known yet."""
        wanted = ((self._thread, thread), (self._session, session))
        async with (
            _preparing([(one, owner) for one, owner in wanted if owner and one.lacks(owner)]),
            self._thread.asking() as of_thread,
            self._session.asking() as of_session,
            self._permanent.asking() as of_permanent,
        ):

            async def latest() -> Watermark:
                return Watermark(thread=await of_thread(), session=await of_session(), permanent=await of_permanent())

            yield latest

    async def read(self, place: Place, wanted: Watermark, position: int = 0) -> Remembered:
        """Everything in force now that is seen from a place; what is older than ``wanted``, or than a ``position``
        of the log, is read again as far as it is there."""
        if place.preview:
            return await self._previewed(place)
        now = self._clock.now()
        thread = await self._thread.of(place.thread, wanted.thread, position, now)
        session = await self._session.of(place.session, wanted.session, now=now) if place.session else None
        permanent = [await self._permanent.of(owner, wanted.permanent, now=now) for owner in place.owners["permanent"]]
        lasting = session.owned if session and not sessions.expired(session.owned.session, now) else None
        return Remembered(
            earlier=Facts(thread.owned.facts, *(one.owned.facts for one in permanent)),
            now=Facts(thread.owned.tasks, *([lasting.facts] if lasting else [])),
            watermark=_watermark(thread, session, permanent),
            state=thread.owned.state,
            carried=carried(lasting.session) if lasting else None,
            summary=thread.owned.summary,
        )

    async def before(self, place: Place, turn: int, at: int) -> Remembered:
        """The deterministic facts that order before a turn of the thread, which was opened at ``at`` (ms UTC).

        No summary, and nothing of a session, since that goes with it; by the kinds as they are shipped, whatever is
        configured now.
        """
        found = await self._whole(replace(place, session=""), lambda document: not document.floors)
        kept = tuple(_earlier(document, place.thread, turn, at) for document in found.documents)
        earlier, now = replace(found, documents=kept).facts(place, _SHIPPED, at)
        return Remembered(earlier=earlier, now=now, watermark=Watermark())

    async def _previewed(self, place: Place) -> Remembered:
        now = self._clock.now()
        found = await self._whole(place, lambda document: documents.tells(document, now))
        earlier, here = found.facts(place, self._kinds, now)
        return Remembered(earlier, here, found.watermark, found.state, found.carried(now), found.summary)

    async def _whole(self, place: Place, enough: Callable[[Document], bool]) -> whole.Whole:
        """What a place holds, with their whole history the documents that are not ``enough``."""
        found = await whole.read(self._store, place)
        lacking = [document.identity for document in found.documents if not enough(document)]
        full = await self._lookup.from_log(lacking) if lacking else {}
        return replace(found, documents=tuple(full.get(one.identity, one) for one in found.documents))


@asynccontextmanager
async def _preparing(lacking: Sequence[tuple[Following, str]]) -> AsyncIterator[None]:
    """Have owners read while other things are done; what fails there, fails the whole. They are asked for right after
    what is asked next, which is answered first."""
    if not lacking:
        yield
        return
    async with task_group() as tasks:
        for following, owner in lacking:
            tasks.start_soon(following.prepare, owner)
        yield


def _watermark(thread: Reflected, session: Reflected | None, permanent: list[Reflected]) -> Watermark:
    return Watermark(
        thread=thread.upto,
        session=session.upto if session else 0,
        permanent=min(one.upto for one in permanent),
    )


def _earlier(document: Document, thread: str, turn: int, at: int) -> Document:
    """The document as far as it orders before a turn, without what a model drew from it later."""
    events = [event for event in documents.members(document) if _orders_before(event, thread, turn, at)]
    return documents.build(document.identity, events, bounded=False)


def _orders_before(event: Event, thread: str, turn: int, at: int) -> bool:
    if isinstance(event, Act):
        return event.at < at
    fact, source = event.fact, event.fact.provenance
    if fact.method == "distilled":
        return False
    if source.thread == thread and source.turn and not fact.cites:
        return source.turn < turn
    return fact.at < at  # one that was moved or approved says from where, and was asserted when that was done
