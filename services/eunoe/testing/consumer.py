"""A durable consumer in memory: deliveries, acknowledgements, and what comes again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import anyio

from eunoe.runtime.doors import Clock, Delivery, Stored
from eunoe.runtime.matching import matches_any
from eunoe.testing.stream import MemoryStream

POLL_SECONDS = 0.02  # seconds between two looks at the clock while something may come due


@dataclass
class Standing:
    """Where a durable consumer stands; outlives the objects that read it.

    ``held`` is what was delivered and not acknowledged: the time (ms) at which it comes again.
    """

    filters: tuple[str, ...]
    ack_wait: float
    max_ack_pending: int
    next_seq: int = 1
    held: dict[int, int] = field(default_factory=dict)
    attempts: dict[int, int] = field(default_factory=dict)


class MemoryConsumer:
    """A `doors.Consumer`. ``queue``: an acknowledged message leaves the stream, as in a work queue."""

    def __init__(self, stream: MemoryStream, standing: Standing, clock: Clock, *, queue: bool = False) -> None:
        self._stream = stream
        self._standing = standing
        self._clock = clock
        self._queue = queue

    async def fetch(self, batch: int, wait: float) -> Sequence[Delivery]:
        found: list[Delivery] = []
        with anyio.move_on_after(wait):
            while not (found := self._take(batch)):
                await self._news()
        return found

    async def pending(self) -> tuple[int, int]:
        waiting = sum(
            1
            for seq in range(self._standing.next_seq, self._stream.last_seq + 1)
            if (message := self._stream.messages.get(seq)) and matches_any(self._standing.filters, message.subject)
        )
        return waiting, sum(seq in self._stream.messages for seq in self._standing.held)

    async def close(self) -> None:
        """A fetch that was cut off waits for nothing here."""

    def acknowledge(self, seq: int) -> None:
        self._standing.held.pop(seq, None)
        self._standing.attempts.pop(seq, None)
        if self._queue:
            self._stream.remove(seq)
        self._stream.tell()

    def hold(self, seq: int, seconds: float) -> None:
        """Let a delivered message come again in ``seconds``."""
        if seq in self._standing.held:
            self._standing.held[seq] = self._clock.now() + round(seconds * 1000)
            self._stream.tell()

    def extend(self, seq: int) -> None:
        self.hold(seq, self._standing.ack_wait)

    async def _news(self) -> None:
        if not self._standing.held:
            await self._stream.changed()
            return
        with anyio.move_on_after(POLL_SECONDS):
            await self._stream.changed()

    def _take(self, batch: int) -> list[Delivery]:
        now, taken = self._clock.now(), list[Delivery]()
        for seq in [seq for seq in self._standing.held if seq not in self._stream.messages]:
            self.acknowledge(seq)
        for seq in sorted(seq for seq, when in self._standing.held.items() if when <= now)[:batch]:
            taken.append(self._deliver(self._stream.messages[seq]))
        while len(taken) < batch and len(self._standing.held) < self._standing.max_ack_pending:
            message = self._stream.next(self._standing.next_seq, self._standing.filters)
            if message is None:
                break
            self._standing.next_seq = message.seq + 1
            taken.append(self._deliver(message))
        return taken

    def _deliver(self, message: Stored) -> Delivery:
        standing = self._standing
        standing.attempts[message.seq] = standing.attempts.get(message.seq, 0) + 1
        standing.held[message.seq] = self._clock.now() + round(standing.ack_wait * 1000)
        return MemoryDelivery(message, standing.attempts[message.seq], self)


@dataclass(frozen=True, slots=True)
class MemoryDelivery:
    """A `doors.Delivery`."""

    message: Stored
    attempts: int
    consumer: MemoryConsumer

    async def ack(self) -> None:
        self.consumer.acknowledge(self.message.seq)

    async def nak(self, delay: float = 0.0) -> None:
        self.consumer.hold(self.message.seq, delay)

    async def in_progress(self) -> None:
        self.consumer.extend(self.message.seq)

    async def term(self) -> None:
        self.consumer.acknowledge(self.message.seq)
