"""Reading a chain: its head, and its records by number, with few round trips and no scan.

A record carries the positions of its previous 64 records and of every 1,024th, so the head alone is
enough to reach any record with gathered gets, also past records that are missing or cannot be read.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from eunoe.runtime.doors import Log, Stored
from eunoe.schemas import limits, records, subjects
from eunoe.schemas.errors import Damaged, NewerSchema
from eunoe.schemas.records import Header, Record


@dataclass(frozen=True, slots=True)
class Head:
    """The last record of a chain: its header, where it is, and its hash."""

    header: Header
    position: int
    hash: str


class ChainReader:
    """Reads the chains of one space from its log."""

    def __init__(self, log: Log, space: str) -> None:
        self._log = log
        self._space = space

    async def head(self, chain: str, *, fresh: bool = False) -> Head | None:
        """The chain's last record, None when it has none. ``fresh``: as the log's leader knows it, not a replica."""
        fence = (await self._log.info()).last if fresh else 0
        found = await self._log.last([subjects.chain_filter(self._space, chain)], fence=fence)
        if not found.messages:
            return None
        newest = max(found.messages, key=lambda message: message.seq)
        return head_of(newest)

    async def record(self, position: int) -> Record:
        """The record at a position of the log; raises `Damaged` when it is not there."""
        return (await self.records([position]))[0]

    async def records(self, positions: Iterable[int]) -> list[Record]:
        """Records by position, in the order asked."""
        return [records.read(stored.seq, stored.data) for stored in await self.stored(positions)]

    async def stored(self, positions: Iterable[int]) -> list[Stored]:
        """Records as stored, by position, in the order asked; raises `Damaged` when one is not there."""
        wanted = list(positions)
        found = await self._log.get(wanted)
        present = [stored for stored in found if stored is not None]
        if len(present) < len(wanted):
            missing = next(at for at, stored in zip(wanted, found, strict=True) if stored is None)
            raise Damaged(f"the record at position {missing} of the log is missing; run `eunoe audit verify`")
        return present

    async def positions(self, head: Head, first: int, last: int) -> list[int]:
        """The positions of records ``first`` to ``last`` of the head's chain, in order."""
        first, last = max(first, 1), min(last, head.header.record)
        if first > last:
            return []
        current, position = await self._start(head, last)
        known = {current.record: position}
        while first not in known:
            known.update(_behind(current))
            lowest = current.record - len(current.back)
            if lowest > first:
                current = await self._oldest([known[number] for number in range(lowest, current.record)])
        return [known[number] for number in range(first, last + 1)]

    async def forward(
        self, head: Head, first: int = 1, last: int = 0, batch: int = 64, known: Mapping[int, Record] | None = None
    ) -> AsyncIterator[Record]:
        """The records ``first`` to ``last`` (0: to the head) of the head's chain, in order, in bounded memory.

        Those in ``known``, by their numbers, are not read.
        """
        end = last or head.header.record
        known = known or {}
        for start in range(first, end + 1, batch):
            numbers = range(start, min(start + batch, end + 1))
            missing = [number for number in numbers if number not in known]
            places = await self.positions(head, missing[0], missing[-1]) if missing else []
            found = await self.records([places[number - missing[0]] for number in missing])
            read = dict(zip(missing, found, strict=True))
            for number in numbers:
                yield known[number] if number in known else read[number]

    async def backward(self, head: Head, last: int = 0, batch: int = 64) -> AsyncIterator[Record]:
        """The records from ``last`` (0: the head) back to the chain's first."""
        end = last or head.header.record
        while end > 0:
            places = await self.positions(head, max(1, end - batch + 1), end)
            for record in reversed(await self.records(places)):
                yield record
            end -= len(places)

    async def first(self, head: Head, reached: Callable[[Header], bool]) -> int:
        """The number of the first record whose header is ``reached`` (monotonic along the chain); 0 for none. Raises
        `Damaged` where that may be one that is missing."""
        if not reached(head.header):
            return 0
        low, high = 1, head.header.record
        for number, position in enumerate(head.header.marks, start=1):
            with suppress(Damaged):
                if reached(await self._header(position)):
                    high = number * limits.MARK_EVERY
                    break
                low = number * limits.MARK_EVERY + 1
        while low < high:
            low, high = await self._halved(head, reached, low, high)
        return low

    async def _halved(self, head: Head, reached: Callable[[Header], bool], low: int, high: int) -> tuple[int, int]:
        """Half of the records, or less, among which the first that is reached is; ``high`` is."""
        middle = (low + high) // 2
        position = (await self.positions(head, middle, middle))[0]
        try:
            return (low, middle) if reached(await self._header(position)) else (middle + 1, high)
        except Damaged:
            after = await self._present(head, range(middle + 1, high))
            if after is not None and not reached(after):
                return after.record + 1, high
            before = await self._present(head, range(middle - 1, low - 1, -1))
            if before is None or not reached(before):
                raise
            return low, before.record

    async def _present(self, head: Head, numbers: range) -> Header | None:
        """The header of the first of these records that can be read, of which ever more are looked at together; None
        where none can."""
        many = 1
        while numbers:
            near, numbers = numbers[:many], numbers[many:]
            places = await self.positions(head, min(near), max(near))
            if found := await self._readable(places[:: near.step]):
                return found
            many = min(2 * many, limits.BACK_RECORDS)
        return None

    async def _start(self, head: Head, last: int) -> tuple[Header, int]:
        if last < head.header.record - len(head.header.back):
            mark = -(-last // limits.MARK_EVERY)
            for position in head.header.marks[mark - 1 :]:
                with suppress(Damaged):
                    return await self._header(position), position
        return head.header, head.position

    async def _oldest(self, positions: Sequence[int]) -> Header:
        """The header of the first of these records that can be read; raises `Damaged` where none can."""
        if found := await self._readable(positions[:1]) or await self._readable(positions[1:]):
            return found
        lost = f"no record of this chain from position {positions[0]} to {positions[-1]} of the log can be read"
        raise Damaged(f"{lost}; run `eunoe audit verify`")

    async def _readable(self, positions: Sequence[int]) -> Header | None:
        """The header of the first of the records at these positions that can be read; None where none can."""
        for stored in await self._log.get(positions):
            with suppress(Damaged):
                if stored is not None:
                    return head_of(stored).header
        return None

    async def _header(self, position: int) -> Header:
        stored = (await self.stored([position]))[0]
        return records.open_header(records.open_wire(stored.data).header)


def head_of(stored: Stored) -> Head:
    """A stored record as the head of its chain; what cannot be read is named with where it is."""
    try:
        wire = records.open_wire(stored.data)
        return Head(records.open_header(wire.header), stored.seq, wire.hash)
    except (Damaged, NewerSchema) as error:
        raise type(error)(f"position {stored.seq} ({stored.subject}): {error}") from None


def _behind(header: Header) -> dict[int, int]:
    return {header.record - 1 - index: position for index, position in enumerate(header.back)}
