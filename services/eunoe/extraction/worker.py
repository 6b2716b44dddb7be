"""The extraction worker: one memory record for every committed turn, in order, exactly once."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Mapping

import msgspec

from eunoe.extraction import extensions
from eunoe.extraction.again import TurnsAgain
from eunoe.extraction.hand import Hand, as_head
from eunoe.extraction.registry import Registry
from eunoe.extraction.reviews import Reviews
from eunoe.extraction.rules import Turn, nothing
from eunoe.facts.kinds import Kinds
from eunoe.runtime import dead_letters
from eunoe.runtime.again import Again, record_of
from eunoe.runtime.chains import ChainReader, Head, head_of
from eunoe.runtime.doors import Auditor, Clock, Handler, Store, Stored
from eunoe.runtime.pump import Pump
from eunoe.runtime.settings import Settings
from eunoe.runtime.tasks import task_group
from eunoe.schemas import limits, records, subjects
from eunoe.schemas.errors import Damaged, EunoeError, NumberReused
from eunoe.schemas.events import Event, Extracted, TurnCommitted, TurnOpened
from eunoe.schemas.jobs import AgainJob
from eunoe.schemas.records import Header, Record
from eunoe.schemas.requests import AppendRequest, DeadLetter
from eunoe.schemas.subjects import Caller

logger = logging.getLogger(__name__)

PRODUCER = "extraction"
_PRODUCED = records.producer_key(Caller("worker", "extraction"), PRODUCER)  # its name in the header of a record
_COMMITTED = b'"turn.committed"'  # what the bytes of a record that commits a turn hold
_TOGETHER = 64  # records of a thread that are handled together
_UNREACHABLE = 3  # exit code of what passes by itself
_KEPT = 4096  # threads, and failing messages, that are remembered


class ExtractionWorker:
    """Serves no verb. ``n`` of its producer is the turn's ordinal, so a turn is extracted once and none is left out."""

    name = "extraction"

    def __init__(self, store: Store, auditor: Auditor, settings: Settings, clock: Clock) -> None:
        self._store = store
        self._auditor = auditor
        self._clock = clock
        self._kinds = Kinds(settings.kinds)
        self._registry = Registry(settings.mappings, settings.tools, extensions.load())
        self._root = settings.root
        self._chains = ChainReader(store.log, store.space)
        self._done: OrderedDict[str, tuple[int, str]] = OrderedDict()
        self._tries: OrderedDict[int, int] = OrderedDict()
        self._pump = Pump(store, self.name, self.handle, key=_chain, clock=clock, together=_TOGETHER, done=self.done)
        self._again = Again(store, self.name, self.again, clock)
        self._reviews = Reviews(store, settings.review)
        self._turns_again = TurnsAgain(auditor, self._chains, self._derived_again)
        self._counts = {"turns": 0, "facts": 0, "dropped": 0, "failed": 0, "repeated": 0}

    def handlers(self) -> Mapping[str, Handler]:
        return {}

    async def run(self) -> None:
        consumer = await self._store.log.consumer(self.name, [subjects.happened_filter(self._store.space)])
        async with task_group() as tasks:
            tasks.start_soon(self._pump.run, consumer)
            tasks.start_soon(self._again.run)

    async def drain(self) -> None:
        """Nothing is kept back: what is not extracted yet is delivered again."""

    def statistics(self) -> Mapping[str, int]:
        return {**self._pump.statistics(), **self._counts, **self._again.statistics(), **self._reviews.statistics()}

    async def handle(self, *batch: Stored) -> None:
        """Extract every turn of a thread that was committed up to the last of these records, and not before."""
        committed = [stored for stored in batch if _COMMITTED in stored.data]
        if not committed:
            return
        head = head_of(max(committed, key=lambda stored: stored.seq))
        done, _ = await self._reached(head.header.chain)
        if done >= head.header.committed:
            self._counts["repeated"] += len(committed)
            return
        await self._reviews.ask(head.header.chain, head.header.committed)
        hand = Hand(batch)
        for ordinal in range(done + 1, head.header.committed + 1):
            await self._one(head, ordinal, hand)

    async def done(self, stored: Stored) -> bool:
        """Whether every turn that was committed up to a record is extracted, by the heads alone."""
        if _COMMITTED not in stored.data:
            return True
        header = head_of(stored).header
        return (await self._auditor.head(header.chain, PRODUCER)).n >= header.committed

    async def again(self, job: AgainJob) -> None:
        """Derive what a record committed that was laid aside, as far as nothing or only a failure came of it so far."""
        stored = await record_of(self._store, job)
        if stored is None:
            return
        await self.handle(stored)
        record = records.read(stored.seq, stored.data)
        for event in record.events:
            if isinstance(event, TurnCommitted):
                done = await self._turns_again.turn(record, event.ordinal)
                self._counts["failed"] = max(0, self._counts["failed"] - done)

    async def _reached(self, chain: str) -> tuple[int, str]:
        """The ordinal of the last turn of this thread that was extracted, and the root that its files have by then."""
        if chain not in self._done:
            done = (await self._auditor.head(chain, PRODUCER)).n
            self._remember(chain, done, await self._root_of(chain, done) if done else "")
        return self._done[chain]

    async def _root_of(self, chain: str, ordinal: int) -> str:
        """The root that the record of an extracted turn settled or passed on; none where it cannot be read."""
        try:
            start = await self._written(chain)
            async for record in self._chains.backward(start, batch=1):
                for event in record.events:
                    if isinstance(event, Extracted) and event.ordinal == ordinal:
                        return event.root
        except Damaged:
            logger.warning("the root of the files is not known any more", extra={"action": "root_lost", "chain": chain})
        return ""

    async def _written(self, chain: str) -> Head:
        """The last record that extraction wrote, as the chain's head names it; that head where it names none."""
        head = await self._chains.head(chain, fresh=True)
        if head is None:
            raise Damaged(f"the records of {chain} are missing; run `eunoe audit verify`")
        done = head.header.producers.get(_PRODUCED)
        return as_head(await self._chains.record(done.position)) if done and done.position else head

    async def _one(self, head: Head, ordinal: int, hand: Hand) -> None:
        """One turn. What fails for good leaves a record that says so, and holds up no later turn."""
        record = hand.committing.get(ordinal)
        place = record.position if record else await self._place(head, ordinal)
        waited = place not in hand.positions
        _, known = await self._reached(head.header.chain)
        try:
            letter = await self._letter(place) if waited else ""
            record = record or await self._chains.record(place)
            events = await self._derived(record, ordinal, letter, hand, known)
        except EunoeError as error:
            if error.exit_code == _UNREACHABLE:
                raise
            events = await self._given_up(head, ordinal, place, error, waited=waited)
        except Exception as error:
            events = await self._given_up(head, ordinal, place, error, waited=waited)
        await self._append(head, ordinal, events)

    async def _derived(self, record: Record, ordinal: int, letter: str, hand: Hand, known: str) -> tuple[Event, ...]:
        """The events of a turn; of one that was laid aside before, that it was (it may kill whoever reads it)."""
        number = _turn(record, ordinal)
        if letter:
            return nothing(number, ordinal, letter, known)
        thread = subjects.chain_thread(record.header.chain)
        turn = Turn(thread, number, ordinal, self._registry, self._kinds, self._root, known)
        first = await self._opening(record, number, hand)
        async for one in self._chains.forward(as_head(record), first, known=hand.records):
            turn.feed(one)
        return turn.events()

    async def _derived_again(self, record: Record, ordinal: int) -> tuple[Event, ...]:
        """The events of a turn, whatever became of it before."""
        root = await self._root_of(record.header.chain, ordinal - 1) if ordinal > 1 else ""
        return await self._derived(record, ordinal, "", Hand(()), root)

    async def _given_up(
        self, head: Head, ordinal: int, place: int, error: Exception, *, waited: bool
    ) -> tuple[Event, ...]:
        """After as many tries as a message has, or when a later turn waits: a record without facts, with the reason,
        and a dead letter before it, so that a person may have the turn done again."""
        tries = self._tries[place] = self._tries.pop(place, 0) + 1
        while len(self._tries) > _KEPT:
            self._tries.popitem(last=False)
        if tries < limits.ATTEMPTS and not waited:
            raise error
        reason = f"{type(error).__name__}: {error}"
        logger.error(
            "turn %d of the committed ones has no facts: %s",
            *(ordinal, reason),
            extra={"action": "extraction_failed", "chain": head.header.chain, "position": place},
        )
        committed = Stored(subjects.chain_subject(self._store.space, head.header.chain, "log"), place, b"")
        await dead_letters.write(self._store, self.name, committed, tries, reason, self._clock.now())
        _, known = await self._reached(head.header.chain)
        return nothing(await self._number(place, ordinal), ordinal, reason, known)

    async def _append(self, head: Head, ordinal: int, events: tuple[Event, ...]) -> None:
        chain = head.header.chain
        request = AppendRequest(v=limits.SCHEMA_VERSION, producer=PRODUCER, n=ordinal, events=events)
        try:
            reply = await self._auditor.append(chain, request)
        except NumberReused:
            logger.info("another worker extracted turn %d first, and differently", ordinal, extra={"action": "raced"})
            self._remember(chain, ordinal, await self._root_of(chain, ordinal))
        else:
            self._count(events, duplicate=reply.duplicate)
            self._remember(chain, ordinal, _extracted(events).root)

    def _count(self, events: tuple[Event, ...], *, duplicate: bool) -> None:
        if duplicate:
            self._counts["repeated"] += 1
            return
        extracted = _extracted(events)
        self._counts["turns"] += 1
        self._counts["facts"] += extracted.facts
        self._counts["dropped"] += extracted.dropped
        self._counts["failed"] += len(extracted.failed)

    def _remember(self, chain: str, ordinal: int, root: str) -> None:
        self._done[chain] = max((ordinal, root), self._done.get(chain, (0, "")))
        self._done.move_to_end(chain)
        while len(self._done) > _KEPT:
            self._done.popitem(last=False)

    async def _place(self, head: Head, ordinal: int) -> int:
        """The position of the record that committed this turn."""

        def committed(header: Header) -> bool:
            return header.committed >= ordinal

        number = await self._chains.first(head, committed)
        return (await self._chains.positions(head, number, number))[0]

    async def _opening(self, record: Record, turn: int, hand: Hand) -> int:
        """The number of the record that opened a turn: in hand, or what the record before its commit says was open."""
        if any(isinstance(event, TurnOpened) and event.turn == turn for event in record.events):
            return record.header.record
        if number := hand.opening(turn):
            return number
        last = record.header.record - 1
        async for before in self._chains.forward(as_head(record), last, last, known=hand.records):
            for one in before.header.open.values():
                if one.turn == turn:
                    return one.record
        raise Damaged(f"turn {turn} of {record.header.chain} was committed and never opened; run `eunoe audit verify`")

    async def _number(self, place: int, ordinal: int) -> int:
        """The number of a turn, 0 when not even the record that committed it can be read."""
        try:
            return _turn(await self._chains.record(place), ordinal)
        except Damaged:
            return 0

    async def _letter(self, place: int) -> str:
        """Why the message at a position was laid aside, empty when it was not."""
        async for stored in self._store.dead.scan([subjects.dead(self._store.space, self.name)]):
            letter = msgspec.json.decode(stored.data, type=DeadLetter)
            if letter.position == place:
                return letter.reason
        return ""


def _extracted(events: tuple[Event, ...]) -> Extracted:
    return next(event for event in events if isinstance(event, Extracted))


def _turn(record: Record, ordinal: int) -> int:
    """The number of the turn that was committed as this one of its thread."""
    return next(one.turn for one in record.events if isinstance(one, TurnCommitted) and one.ordinal == ordinal)


def _chain(stored: Stored) -> str:
    return subjects.chain_of(stored.subject)
