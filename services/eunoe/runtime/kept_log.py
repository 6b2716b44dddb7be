"""The log as everybody reads it: what is left of an erased record stands at the record's old place.

Which records those are, and where what is left of them is, stands in the chain of erasures
(`eunoe.schemas.subjects.ERASURES`). It is read again when a record is missing, and before a scan; a log in which
nothing was ever erased costs a scan two requests more.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field

from eunoe.runtime import kept
from eunoe.runtime.closing import closing
from eunoe.runtime.doors import Appended, Consumer, Log, Snapshot, Stored, StreamInfo
from eunoe.runtime.matching import matches_any
from eunoe.schemas import records, subjects
from eunoe.schemas.erasures import KeptPlace
from eunoe.schemas.events import EraseKept, RecordKept

_TOGETHER = 64  # records of which what is left is read in one round trip
_RECORDS = 16  # newest records with what is left of others that are remembered, of a megabyte or two at most


@dataclass(slots=True)
class Places:
    """Where what is left of erased records is: by the position of each, the position of the record that holds it; and
    by the subject that they had, their positions in order. ``upto`` is how far the chain of erasures was read."""

    at: dict[int, int] = field(default_factory=dict)
    under: dict[str, list[int]] = field(default_factory=dict)
    upto: int = 0

    def take(self, stored: Iterable[Stored]) -> None:
        """Take in further records of the chain of erasures, in order; what is kept later stands for it."""
        for one in stored:
            if one.seq <= self.upto:  # somebody else read it meanwhile
                continue
            for event in records.read(one.seq, one.data).events:
                if isinstance(event, EraseKept):
                    for place in event.places:
                        self._put(place)
            self.upto = one.seq

    def within(self, start: int, filters: Sequence[str]) -> list[int]:
        """Their positions from ``start`` on, in order, under one of the filters (none: all)."""
        found = [held for subject, held in self.under.items() if matches_any(filters, subject)]
        return sorted(at for held in found for at in held[bisect_left(held, start) :])

    def _put(self, place: KeptPlace) -> None:
        fresh = [at for at in place.positions if at not in self.at]
        self.at.update(dict.fromkeys(place.positions, place.at))
        held = self.under.setdefault(place.subject, [])
        held += fresh
        held.sort()


class KeptLog:
    """A `doors.Log` over another one."""

    def __init__(self, log: Log, space: str) -> None:
        self._log = log
        self._chain = subjects.chain_subject(space, subjects.ERASURES, "memory")
        self._places = Places()
        self._read: OrderedDict[int, dict[int, Stored]] = OrderedDict()

    async def append(
        self, subject: str, data: bytes, *, msg_id: str = "", expect: tuple[str, int] | None = None
    ) -> Appended:
        return await self._log.append(subject, data, msg_id=msg_id, expect=expect)

    async def last(self, filters: Sequence[str], *, fence: int = 0) -> Snapshot:
        return await self._log.last(filters, fence=fence)

    async def get(self, seqs: Sequence[int]) -> list[Stored | None]:
        found = await self._log.get(seqs)
        missing = [seq for seq, stored in zip(seqs, found, strict=True) if stored is None]
        if not missing:
            return found
        await self._refreshed()
        if any(seq not in self._places.at for seq in missing):
            await self._refreshed(sure=True)
        left = await self._left(missing)
        return [stored or left.get(seq) for seq, stored in zip(seqs, found, strict=True)]

    async def scan(self, filters: Sequence[str] = (), *, start: int = 1) -> AsyncIterator[Stored]:
        waiting = (await self._refreshed(sure=True)).within(start, filters)
        end = (await self._log.info()).last if waiting else 0
        last = start - 1
        async with closing(self._log.scan(filters, start=start)) as found:
            async for stored in found:
                passed = _passed(waiting, stored.seq)
                if not filters and stored.seq - last - 1 > len(passed):  # others were erased since, or are lost
                    passed = [at for at in (await self._refreshed(sure=True)).within(last + 1, ()) if at < stored.seq]
                async for one in self._filled(passed):
                    yield one
                yield stored
                last = stored.seq
        async for stored in self._filled([at for at in waiting if at <= end]):
            yield stored

    async def follow(self, filters: Sequence[str] = (), *, start: int = 1) -> AsyncIterator[Stored]:
        last = start - 1
        if (await self._refreshed(sure=True)).within(start, filters):
            async with closing(self.scan(filters, start=start)) as scanned:
                async for stored in scanned:
                    last = stored.seq
                    yield stored
        async with closing(self._log.follow(filters, start=last + 1)) as followed:
            async for stored in followed:
                yield stored

    async def info(self, *, gaps: bool = False) -> StreamInfo:
        """As the log's own; an erased record of which something is left is no gap."""
        found = await self._log.info(gaps=gaps)
        if not gaps:
            return found
        places = await self._refreshed(sure=True)
        first = min([found.first, *places.at])
        missing = (*range(first, found.first), *found.gaps)
        return StreamInfo(first, found.last, found.count, tuple(at for at in missing if at not in places.at))

    async def consumer(
        self, durable: str, filters: Sequence[str], *, ack_wait: float = 30.0, max_ack_pending: int = 1024
    ) -> Consumer:
        return await self._log.consumer(durable, filters, ack_wait=ack_wait, max_ack_pending=max_ack_pending)

    async def erase(self, seq: int) -> None:
        await self._log.erase(seq)

    async def _refreshed(self, *, sure: bool = False) -> Places:
        """The places as the chain of erasures says now: as a replica knows it, which may lag, or (``sure``) the leader,
        from which the messages went."""
        found = await self._log.last([self._chain], fence=(await self._log.info()).last if sure else 0)
        end = max((stored.seq for stored in found.messages), default=0)
        if end > self._places.upto:
            async with closing(self._log.scan([self._chain], start=self._places.upto + 1)) as scanned:
                self._places.take([stored async for stored in scanned])
            self._read.clear()
        return self._places

    async def _filled(self, positions: list[int]) -> AsyncIterator[Stored]:
        """What is left of the records at these positions, in order."""
        for start in range(0, len(positions), _TOGETHER):
            run = positions[start : start + _TOGETHER]
            left = await self._left(run)
            for at in run:
                if at in left:
                    yield left[at]

    async def _left(self, positions: Iterable[int]) -> dict[int, Stored]:
        """What is left of records, by their positions, as far as the chain of erasures was read."""
        wanted = {at: self._places.at[at] for at in positions if at in self._places.at}
        held = {holder: self._read[holder] for holder in wanted.values() if holder in self._read}
        unread = sorted(set(wanted.values()) - held.keys())
        for stored in await self.get(unread) if unread else ():
            if stored is not None:
                held[stored.seq] = self._read[stored.seq] = _kept(stored)
        while len(self._read) > _RECORDS:
            self._read.popitem(last=False)
        return {at: held[holder][at] for at, holder in wanted.items() if at in held.get(holder, {})}


def _kept(stored: Stored) -> dict[int, Stored]:
    """What a record holds of others, by their positions."""
    events = records.read(stored.seq, stored.data).events
    return {event.position: kept.restored(event) for event in events if isinstance(event, RecordKept)}


def _passed(waiting: list[int], seq: int) -> list[int]:
    """Those of the positions that wait, in order, that are before a sequence; they and that one wait no longer."""
    count = bisect_left(waiting, seq)
    passed = waiting[:count]
    del waiting[: count + (waiting[count : count + 1] == [seq])]
    return passed
