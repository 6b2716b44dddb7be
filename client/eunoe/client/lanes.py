"""The outbox of one chain as a state machine: what goes into the next append, and what becomes of it. Pure.

A batch is frozen when it is first sent and keeps its number and its bytes until it is done or refused, so
that a retry can never be taken for another append. A refused number is not used up.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

import msgspec

from eunoe.client.batches import BATCH_BYTES
from eunoe.schemas import limits
from eunoe.schemas.events import Event, MemoryEvent
from eunoe.schemas.requests import AppendRequest

_encoder = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """Events that go together: of one turn (its key, empty for none), at most one append's worth."""

    turn: str
    events: tuple[Event, ...]
    size: int
    pieces: tuple[bytes, ...] = ()

    @property
    def bytes(self) -> int:
        return self.size + sum(map(len, self.pieces))

    @property
    def memory(self) -> bool:
        return isinstance(self.events[0], MemoryEvent)


@dataclass(frozen=True, slots=True)
class Frozen:
    """An append as it is sent, each time the same: ``data`` is the request's bytes."""

    n: int
    units: tuple[Unit, ...]
    data: bytes


class Lane:
    """The appends of one chain and producer: one in flight, the rest in order behind it."""

    def __init__(self, producer: str, n: int = 1, *, coalesce: bool = True) -> None:
        self.producer = producer
        self.n = n
        self.attempts = 0  # times that the append in flight was sent
        self._coalesce = coalesce
        self._waiting: deque[Unit] = deque()
        self._alone = 0
        self._frozen: Frozen | None = None

    @property
    def units(self) -> tuple[Unit, ...]:
        """What is not known to be in the log, in order."""
        return (*(self._frozen.units if self._frozen else ()), *self._waiting)

    def put(self, unit: Unit) -> None:
        self._waiting.append(unit)

    def freeze(self) -> Frozen | None:
        """The append to send now: the one that was sent before, or else as much as fits of what waits."""
        if self._frozen is None and self._waiting:
            units = self._take()
            events = tuple(chain.from_iterable(unit.events for unit in units))
            request = AppendRequest(
                v=limits.SCHEMA_VERSION, producer=self.producer, n=self.n, events=events, turn=units[0].turn
            )
            self._frozen = Frozen(self.n, units, _encoder.encode(request))
            self.attempts = 0
        return self._frozen

    def done(self) -> tuple[Unit, ...]:
        """The append in flight is in the log; returns its units."""
        units = self._end()
        self.n += 1
        return units

    def refused(self) -> tuple[Unit, ...]:
        """The append in flight was refused and is not in the log.

        Returns the unit that it held. When there were several, each is tried alone next, so that one
        caller's mistake is not another's, and nothing is returned.
        """
        units = self._end()
        if len(units) == 1:
            return units
        self._waiting.extendleft(reversed(units))
        self._alone = len(units)
        return ()

    def thaw(self) -> None:
        """The append in flight is not in the log, and is to be sent under another number."""
        self._waiting.extendleft(reversed(self._end()))

    def drop(self, units: Iterable[Unit]) -> None:
        """Forget units that wait (what they belong to has failed)."""
        gone = set(map(id, units))
        self._waiting = deque(unit for unit in self._waiting if id(unit) not in gone)

    def renew(self, producer: str) -> None:
        """Go on as another producer, when the numbers of this one cannot be used any more."""
        self.producer, self.n = producer, 1

    def _end(self) -> tuple[Unit, ...]:
        assert self._frozen is not None, "no append is in flight"
        units, self._frozen = self._frozen.units, None
        return units

    def _take(self) -> tuple[Unit, ...]:
        first = self._waiting.popleft()
        taken, size, count = [first], first.size, len(first.events)
        if self._alone or not self._coalesce:
            self._alone = max(0, self._alone - 1)
            return (first,)
        while self._waiting:
            unit = self._waiting[0]
            size, count = size + unit.size, count + len(unit.events)
            fits = size <= BATCH_BYTES and count <= limits.EVENTS_PER_RECORD
            if not fits or unit.turn != first.turn or unit.memory != first.memory:
                break
            taken.append(self._waiting.popleft())
        return tuple(taken)
