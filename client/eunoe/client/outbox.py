"""Appends on their way: in order, exactly once, one in flight for each chain, and bounded."""

from __future__ import annotations

import logging
import random
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Sequence

import anyio
import anyio.lowlevel
from anyio.abc import TaskGroup

from eunoe.client import batches, delivery
from eunoe.client.gate import Gate
from eunoe.client.journal import Journal
from eunoe.client.lanes import Frozen, Lane, Unit
from eunoe.client.tickets import Receipt, Ticket
from eunoe.runtime.backoff import answer_within
from eunoe.schemas import limits
from eunoe.schemas.errors import Busy, EunoeError, NumberReused, NumberSkipped, WorkerMissing
from eunoe.schemas.events import Event
from eunoe.schemas.requests import AppendReply

logger = logging.getLogger(__name__)

LANES = 4_096  # chains whose place an outbox in memory remembers; a forgotten one goes on as another producer


def new_producer() -> str:
    return f"outbox-{uuid.uuid4().hex}"


class Outbox:
    """The appends of one client. ``delivered`` is called with the receipt of every record written."""

    def __init__(
        self, gate: Gate, group: TaskGroup, delivered: Callable[[Receipt], None], journal: Journal | None = None
    ) -> None:
        self.waiting = 0  # events that are not known to be in the log
        self._bytes = 0
        self._gate = gate
        self._group = group
        self._delivered = delivered
        self._journal = journal
        self._lanes: dict[str, Lane] = {}
        self._tickets: dict[int, Ticket] = {}
        self._outage: dict[str, EunoeError] = {}
        self._running: set[str] = set()
        self._restored: set[str] = set()  # chains whose first append a process before this one may have sent
        self._writing = anyio.Lock()
        self._idle = anyio.Event()
        self._idle.set()

    def statistics(self) -> dict[str, int]:
        return {"waiting": self.waiting, "chains": len(self._lanes), "blocked": len(self._outage)}

    def resume(self) -> None:
        """Go on with what the journal kept from a process before this one."""
        if self._journal is None:
            return
        for chain, kept in self._journal.restored().items():
            lane = self._lanes[chain] = Lane(kept.producer, kept.n, coalesce=False)
            self._restored.add(chain)
            for unit in kept.units.values():
                self._add(lane, unit)
            self._start(chain)

    async def put(self, chain: str, turn: str, events: Sequence[Event]) -> Ticket:
        """Take events of one turn into the outbox.

        Raises `Busy` when it, or its disk, is full, `TooLarge` for content over its limit.
        """
        units = _units(turn, events)
        await self._check_room(len(events), sum(unit.bytes for unit in units))
        if self._journal is not None:
            with anyio.CancelScope(shield=True):
                await self._write_down(self._journal, chain, units)
        return self._take(chain, units)

    async def flush(self, seconds: float) -> int:
        """Wait until everything is delivered, at most ``seconds``; returns how many events are not."""
        with anyio.move_on_after(seconds):
            while self._running:
                await self._idle.wait()
        return self.waiting

    async def _check_room(self, events: int, size: int) -> None:
        over = self.waiting + events > limits.OUTBOX_EVENTS or self._bytes + size > limits.OUTBOX_BYTES
        if self.waiting and over:
            await anyio.lowlevel.checkpoint()  # who tries again at once must not keep it from delivering
            raise Busy(
                f"the outbox holds {self.waiting} events ({self._bytes // limits.KIB} KiB) that no worker took yet; "
                "start the audit worker and try again"
            )

    def _lane(self, chain: str) -> Lane:
        lane = self._lanes.pop(chain, None)
        if lane is None:
            producer = self._journal.producer if self._journal else new_producer()
            lane = Lane(producer, coalesce=self._journal is None)
        self._lanes[chain] = lane
        if len(self._lanes) > LANES and self._journal is None:
            idle = next((one for one in self._lanes if one not in self._running and one != chain), None)
            if idle is not None:
                del self._lanes[idle]
        return lane

    def _add(self, lane: Lane, unit: Unit) -> None:
        lane.put(unit)
        self.waiting += len(unit.events)
        self._bytes += unit.bytes

    def _take(self, chain: str, units: Sequence[Unit]) -> Ticket:
        ticket = Ticket(chain, units)
        lane = self._lane(chain)
        for unit in units:
            self._tickets[id(unit)] = ticket
            self._add(lane, unit)
        if blocked := self._outage.get(chain):
            ticket.notice(blocked)
        self._start(chain)
        return ticket

    async def _write_down(self, journal: Journal, chain: str, units: Sequence[Unit]) -> None:
        async with self._writing:
            await anyio.to_thread.run_sync(journal.put, chain, units)

    def _start(self, chain: str) -> None:
        if chain in self._running:
            return
        if not self._running:
            self._idle = anyio.Event()
        self._running.add(chain)
        self._group.start_soon(self._drain, chain)

    async def _drain(self, chain: str) -> None:
        lane = self._lanes[chain]
        try:
            while (frozen := lane.freeze()) is not None:
                await self._deliver(chain, lane, frozen)
        finally:
            self._running.discard(chain)
            if not self._running:
                self._idle.set()

    async def _deliver(self, chain: str, lane: Lane, frozen: Frozen) -> None:
        try:
            reply = await self._sent(chain, lane, frozen)
        except EunoeError as error:
            if self._forgotten(chain, lane, error):
                lane.thaw()
                await self._renew(chain, lane)
            else:
                await self._refused(chain, lane, error)
            return
        self._outage.pop(chain, None)
        self._restored.discard(chain)
        await self._settle("done", lane.done(), reply)
        self._delivered(Receipt(chain, reply.position, reply.record, reply.hash, reply.origin, reply.turn))

    async def _sent(self, chain: str, lane: Lane, frozen: Frozen) -> AppendReply:
        """Send the same bytes until there is an answer; raises what refuses them for good."""
        attempt = 1
        pieces = deque(piece for unit in frozen.units for piece in unit.pieces)
        while True:
            try:
                while pieces:
                    await self._gate.piece(chain, pieces[0], timeout=answer_within(attempt))
                    pieces.popleft()
                lane.attempts += 1
                return await self._gate.append(chain, frozen.data, timeout=answer_within(attempt))
            except delivery.RETRIED as error:
                self._tell(chain, lane, error)
            attempt += 1
            await anyio.sleep(delivery.wait_before(attempt, random.random()))

    def _tell(self, chain: str, lane: Lane, error: EunoeError) -> None:
        before = self._outage.get(chain)
        if before is None or type(before) is not type(error):
            action = "append_blocked" if isinstance(error, WorkerMissing) else "append_retried"
            logger.warning("an append to %s waits: %s", chain, error, extra={"action": action})
        self._outage[chain] = error
        for ticket in self._tickets_of(lane.units):
            ticket.notice(error)

    def _forgotten(self, chain: str, lane: Lane, error: EunoeError) -> bool:
        """Whether the chain does not remember this producer any more, of which it has the appends before this one.

        An append that was sent before may be among those, and is not sent under another name.
        """
        unknown = isinstance(error, NumberSkipped) and error.detail.get("expected") == 1
        return unknown and lane.attempts == 1 and chain not in self._restored

    async def _refused(self, chain: str, lane: Lane, error: EunoeError) -> None:
        self._outage.pop(chain, None)
        units = lane.refused()
        if not units:
            return
        heard = bool(tickets := self._tickets_of(units)) and all(ticket.awaited for ticket in tickets)
        for ticket in tickets:
            ticket.failed(error)
            units = (*units, *(unit for unit in ticket.units if unit not in units and id(unit) in self._tickets))
        lane.drop(units)
        count = sum(len(unit.events) for unit in units)
        level = logging.INFO if heard else logging.WARNING  # a caller who hears it raised decides what it means
        logger.log(level, "%d events of %s were refused: %s", count, chain, error, extra={"action": "append_refused"})
        await self._settle("refused", units)
        if isinstance(error, NumberReused | NumberSkipped):
            logger.error("producer %s cannot go on: %s", lane.producer, error, extra={"action": "producer_renewed"})
            await self._renew(chain, lane)
        if self._journal is not None:
            await self._sync(self._journal)

    async def _renew(self, chain: str, lane: Lane) -> None:
        lane.renew(new_producer())
        if self._journal is not None:
            async with self._writing:
                await anyio.to_thread.run_sync(self._journal.renew, chain, lane.producer)

    async def _settle(self, how: str, units: Iterable[Unit], reply: AppendReply | None = None) -> None:
        """Units left the outbox: tell those who wait, and the journal."""
        offset = 0
        for unit in units:
            self.waiting -= len(unit.events)
            self._bytes -= unit.bytes
            ticket = self._tickets.pop(id(unit), None)
            if ticket is not None and reply is not None:
                ticket.done(reply, offset, len(unit.events))
            offset += len(unit.events)
            if self._journal is not None:
                with anyio.CancelScope(shield=True):
                    await self._strike(self._journal, unit, how)

    async def _strike(self, journal: Journal, unit: Unit, how: str) -> None:
        async with self._writing:
            await anyio.to_thread.run_sync(journal.strike, unit, how)

    async def _sync(self, journal: Journal) -> None:
        """Wait until the journal has the number of the next append on disk, however long that cannot be written."""
        attempt = 1
        while not await self._synced(journal, attempt):
            attempt += 1
            await anyio.sleep(delivery.wait_before(attempt, random.random()))

    async def _synced(self, journal: Journal, attempt: int) -> bool:
        try:
            async with self._writing:
                await anyio.to_thread.run_sync(journal.sync)
        except Busy as error:
            level = logging.WARNING if attempt == 1 else logging.DEBUG
            logger.log(level, "nothing more is sent: %s", error, extra={"action": "outbox_not_written"})
            return False
        return True

    def _tickets_of(self, units: Iterable[Unit]) -> list[Ticket]:
        found = {id(ticket): ticket for unit in units if (ticket := self._tickets.get(id(unit)))}
        return list(found.values())


def _units(turn: str, events: Sequence[Event]) -> list[Unit]:
    readies = [batches.ready(event) for event in events]
    for note in filter(None, (ready.note for ready in readies)):
        logger.warning("%s", note, extra={"action": "entry_bounded"})
    return [Unit(turn, tuple(batch.events), batch.size, tuple(batch.pieces)) for batch in batches.split(readies)]
