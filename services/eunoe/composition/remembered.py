"""The facts of one request: of its thread, its session and its agent, and what everyone may see."""

from __future__ import annotations

from dataclasses import dataclass

from eunoe.composition.following import Following
from eunoe.composition.owned import Owned, lines
from eunoe.composition.shelf import Facts
from eunoe.facts import document as documents
from eunoe.facts.kinds import Kinds
from eunoe.facts.lineage import SHARED
from eunoe.facts.visibility import Viewer, visible
from eunoe.runtime.doors import Store
from eunoe.runtime.tasks import task_group
from eunoe.schemas import limits, subjects
from eunoe.schemas.context import Watermark
from eunoe.schemas.facts import Act, Document, Stated
from eunoe.schemas.requests import ThreadState
from eunoe.schemas.subjects import Caller


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
    """Facts in the order in which they are shown; ``state`` is the thread's, None where there is none yet.

    ``watermark`` says what they reflect at least.
    """

    earlier: Facts
    now: Facts
    watermark: Watermark
    state: ThreadState | None = None


class Memory:
    """Reads what is remembered for one request."""

    def __init__(self, store: Store, kinds: Kinds) -> None:
        self._store = store
        self._kinds = kinds
        most = limits.HELD_FACTS_BYTES // len(subjects.BUCKETS)
        self._thread = Following(store.thread, lambda owner: Owned(owner, kinds, thread=owner), most)
        self._session = Following(store.session, lambda owner: Owned(owner, kinds), most)
        self._permanent = Following(store.permanent, lambda owner: Owned(owner, kinds), most)

    async def run(self) -> None:
        """Follow the buckets until cancelled."""
        async with task_group() as tasks:
            for following in (self._thread, self._session, self._permanent):
                tasks.start_soon(following.run)

    def statistics(self) -> dict[str, int]:
        found = [following.statistics() for following in (self._thread, self._session, self._permanent)]
        return {f"facts_{name}": sum(one[name] for one in found) for name in found[0]}

    async def read(self, place: Place, after: Watermark | None = None, position: int = 0) -> Remembered:
        """Everything in force that is seen from a place; what is older than ``after``, or than a ``position`` of
        the log, is read again as far as it is there."""
        wanted = after or Watermark()
        thread = await self._thread.of(place.thread, wanted.thread, position)
        session = await self._session.of(place.session, wanted.session) if place.session else None
        owners = dict.fromkeys(owner for owner in (SHARED, place.agent) if owner)
        permanent = [await self._permanent.of(owner, wanted.permanent) for owner in owners]
        return Remembered(
            earlier=Facts(thread.owned.facts, *(one.owned.facts for one in permanent)),
            now=Facts(thread.owned.tasks, *([session.owned.facts] if session else [])),
            watermark=Watermark(
                thread=thread.upto,
                session=session.upto if session else 0,
                permanent=min(one.upto for one in permanent),
            ),
            state=thread.owned.state,
        )

    async def before(self, place: Place, turn: int, at: int) -> Remembered:
        """The deterministic facts that order before a turn of the thread, which was opened at ``at`` (ms UTC)."""
        places = [(self._store.thread, place.thread), (self._store.session, place.session)]
        places += [(self._store.permanent, owner) for owner in dict.fromkeys((SHARED, place.agent))]
        found = [await bucket.find([subjects.facts_of(owner)]) for bucket, owner in places if owner]
        earlier = [
            _earlier(documents.decode(entry.value), place.thread, turn, at) for one in found for entry in one.entries
        ]
        seen = [document for document in earlier if visible(document.identity, place.viewer)]
        facts = [(document.identity, fact) for document in seen for fact in lines(document, self._kinds, place.thread)]
        moment = [identity.scope == "session" or fact.task for identity, fact in facts]
        return Remembered(
            earlier=Facts.of(fact for (_, fact), here in zip(facts, moment, strict=True) if not here),
            now=Facts.of(fact for (_, fact), here in zip(facts, moment, strict=True) if here),
            watermark=Watermark(),
        )


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
