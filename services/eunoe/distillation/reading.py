"""Reading the turns of a thread by the order of their commits, in few reads: backwards from the commit of the last."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection

from eunoe.distillation.door import Turn
from eunoe.distillation.gathering import Gathering, committed
from eunoe.runtime.chains import ChainReader, Head, head_of
from eunoe.runtime.doors import Store, Stored
from eunoe.schemas import limits, records
from eunoe.schemas.errors import Damaged
from eunoe.schemas.records import Header, Record

FIRST_READ = 8  # records that are read at once while it is not known how far back the turns go
_HAPPENED = ".log"  # how the subject of a record ends that has turns and entries


class Reader:
    """Reads the threads of one space. A record that is missing or cannot be read is passed over, as in a context."""

    def __init__(self, store: Store) -> None:
        self._log = store.log
        self._chains = ChainReader(store.log, store.space)

    async def head(self, chain: str) -> Head | None:
        """The last record of a chain, as the log's leader knows it."""
        return await self._chains.head(chain, fresh=True)

    async def turns(self, head: Head, first: int, last: int) -> list[Turn]:
        """The committed turns with the ordinals ``first`` to ``last``, in that order; raises `NewerSchema`."""
        first, last = max(first, 1), min(last, head.header.committed)
        wanted = Gathering(first, last)
        if first > last:
            return []
        async for stored in self._back(await self._commit(head, last), wanted):
            header = _readable(stored) if wanted.unsure else None
            if header is not None:
                wanted.behind(header)
            _take(wanted, stored)
            if wanted.enough:
                break
        return wanted.turns()

    async def ordinal(self, head: Head, up_to: int) -> int:
        """The highest ordinal of a committed turn with a number up to ``up_to`` (0: any number); 0 for none."""
        if not 0 < up_to < head.header.turns:
            return head.header.committed
        try:
            return await self._ordinal(head, up_to)
        except Damaged:
            async for stored in self._back(head):
                record = _happened(stored)
                if record is not None and (found := committed(record.events, up_to)):
                    return found
            return 0

    async def _ordinal(self, head: Head, up_to: int) -> int:
        """From the record that opened the first later turn: what was committed by then, and what was open and closed
        since."""
        later = await self._chains.first(head, lambda header: header.turns > up_to)
        around = [(await self._chains.record(place)) for place in await self._chains.positions(head, later - 1, later)]
        best = max(committed(record.events, up_to) for record in around)
        if len(around) > 1:
            best = max(best, around[0].header.committed)
        for turn in _open_in([record.header for record in around], up_to):
            best = max(best, await self._closed(head, turn, up_to))
        return best

    async def _closed(self, head: Head, turn: int, up_to: int) -> int:
        """The ordinal of a turn that was open when a later one was opened; 0 where it is open still, or was aborted."""

        def closed(header: Header) -> bool:
            return header.turns > up_to and turn not in _open_in([header], up_to)

        number = await self._chains.first(head, closed)
        if not number:
            return 0
        record = await self._chains.record((await self._chains.positions(head, number, number))[0])
        return committed((event for event in record.events if getattr(event, "turn", 0) == turn), up_to)

    async def _commit(self, head: Head, ordinal: int) -> Head:
        """The record that committed a turn as a head; where the way to it is lost, a later one."""
        try:
            number = await self._chains.first(head, lambda header: header.committed >= ordinal)
            places = await self._chains.positions(head, number, number)
            return head_of((await self._chains.stored(places))[0])
        except Damaged:
            return head

    async def _back(self, head: Head, wanted: Gathering | None = None) -> AsyncIterator[Stored]:
        """The records from a head back to the chain's first that are there, newest first."""
        number, places = head.header.record + 1, (head.position, *head.header.back)
        while places:
            passed: list[Stored] = []
            while places:
                room = _room(number, wanted)
                batch, places = places[:room], places[room:]
                for stored in await self._log.get(batch):
                    number -= 1
                    if stored is not None:
                        passed.append(stored)
                        yield stored
            oldest = next((header for one in reversed(passed) if (header := _readable(one))), None)
            if oldest is not None:
                number, places = oldest.record, oldest.back


def _room(number: int, wanted: Gathering | None) -> int:
    """How many of the records before that number to read at once: to where the turns begin, as far as is known."""
    if wanted is None:
        return limits.BACK_RECORDS
    return max(number - wanted.oldest, 1) if wanted.oldest else FIRST_READ


def _open_in(headers: Collection[Header], up_to: int) -> set[int]:
    """The turns up to that number that are open after any of these records."""
    return {one.turn for header in headers for one in header.open.values() if one.turn <= up_to}


def _readable(stored: Stored) -> Header | None:
    """The whole header of a stored record; None of what cannot be read."""
    try:
        return records.open_header(records.open_wire(stored.data).header)
    except Damaged:
        return None


def _take(wanted: Gathering, stored: Stored) -> None:
    """Take a record in, where it has anything that was said."""
    record = _happened(stored)
    if record is not None:
        wanted.take(record)


def _happened(stored: Stored) -> Record | None:
    """A record of what happened, with little of its header; None of what memory did, and of what cannot be read."""
    if not stored.subject.endswith(_HAPPENED):
        return None
    try:
        return records.read_brief(stored.seq, stored.data, lambda _: True)
    except Damaged:
        return None
