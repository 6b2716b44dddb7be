"""The projector: every record of the log, applied in the order of its chain to documents and to the chain's state.

Records of a chain that come together are applied together: each document they change is written once, then the
summary of the thread, and after them the chain's state. So a record up to which the state reaches is wholly
applied, and one that is delivered again costs one read; a record that comes before its predecessors (another
replica has them in hand) brings them along.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence

import anyio
import msgspec

from eunoe.facts import lenient
from eunoe.facts import state as states
from eunoe.facts.store import FactStore
from eunoe.facts.summary_store import SummaryStore
from eunoe.runtime.chains import ChainReader, Head
from eunoe.runtime.doors import Documents, Store, Stored
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Conflict
from eunoe.schemas.facts import Mark
from eunoe.schemas.records import Record
from eunoe.schemas.requests import ThreadState

Reached = ThreadState | Mark
"""How far a chain is applied: a thread's state, or a book's mark."""

_KEPT = 4096  # chains whose state is remembered
_BATCH = 64  # records applied at once
_CATCHING_UP = 4  # chains for which records that were not delivered are in memory at once

_state = msgspec.json.Decoder(ThreadState)
_mark = msgspec.json.Decoder(Mark)
_encoder = msgspec.json.Encoder(order="deterministic")


class Projector:
    """Applies stored records. ``apply`` may be called for any record, any number of times, by any replica."""

    def __init__(self, store: Store, facts: FactStore) -> None:
        self._store = store
        self._facts = facts
        self._summaries = SummaryStore(store)
        self._chains = ChainReader(store.log, store.space)
        self._reached: OrderedDict[str, tuple[Reached, int]] = OrderedDict()
        self._behind = anyio.Semaphore(_CATCHING_UP, fast_acquire=True)
        self._counts = {"records": 0, "repeated": 0, "conflicts": 0, "damaged": 0}

    def statistics(self) -> Mapping[str, int]:
        return {**self._counts, "conflicts": self._counts["conflicts"] + self._summaries.conflicts}

    async def apply(self, *batch: Stored) -> None:
        """Apply stored records of one chain, and before them those of the chain that are not applied yet."""
        delivered = {record.header.record: record for record in map(self._read, batch)}
        chain = subjects.chain_of(batch[0].subject)
        while True:
            reached, revision = await self.reached(chain)
            missing = {number: record for number, record in delivered.items() if number > reached.record}
            if not missing:
                break
            after = await self._advance(reached, missing)
            if await self._write(chain, after, revision):
                break
        self._counts["repeated"] += len(batch) - len(missing)

    async def reached(self, chain: str, *, fresh: bool = False) -> tuple[Reached, int]:
        """How far a chain is applied, and the revision that says so; ``fresh`` never answers from memory."""
        if not fresh and chain in self._reached:
            return self._reached[chain]
        bucket, key = self._place(chain)
        entry = await bucket.get(key)
        found = (_decode(chain, entry.value), entry.revision) if entry else (_none(chain), 0)
        if chain not in self._reached or self._reached[chain][1] < found[1]:  # else it was written while this was read
            self._remember(chain, *found)
        return found

    def forget(self) -> None:
        """Forget every remembered state, after the buckets were made again."""
        self._reached.clear()

    async def _advance(self, reached: Reached, delivered: Mapping[int, Record]) -> Reached:
        """Apply what is missing up to the last of these records, in order, in bounded memory."""
        last = delivered[max(delivered)]
        head = Head(last.header, last.position, last.hash)
        for first in range(reached.record + 1, last.header.record + 1, _BATCH):
            numbers = range(first, min(first + _BATCH, last.header.record + 1))
            if all(number in delivered for number in numbers):
                reached = await self._step(reached, [delivered[number] for number in numbers])
                continue
            async with self._behind:
                reached = await self._step(reached, await self._completed(head, numbers, delivered))
        return reached

    async def _completed(self, head: Head, numbers: range, delivered: Mapping[int, Record]) -> list[Record]:
        """The records with these numbers; those that were not delivered are read, where they are still there."""
        wanted = [number for number in numbers if number not in delivered]
        positions = await self._chains.positions(head, wanted[0], wanted[-1])
        found = await self._store.log.get([positions[number - wanted[0]] for number in wanted])
        read = {number: self._read(stored) for number, stored in zip(wanted, found, strict=True) if stored}
        known = {**delivered, **read}
        return [known[number] for number in numbers if number in known]

    def _read(self, stored: Stored) -> Record:
        """A record; of one whose events cannot be read only the header counts, and those after it go on."""
        record, whole = lenient.read(stored)
        self._counts["damaged"] += not whole
        return record

    async def _step(self, reached: Reached, batch: Sequence[Record]) -> Reached:
        await self._facts.apply(*batch)
        await self._summaries.apply(*batch)
        self._counts["records"] += len(batch)
        for record in batch:
            reached = (
                states.fold(reached, record) if isinstance(reached, ThreadState) else states.follow(reached, record)
            )
        return reached

    async def _write(self, chain: str, reached: Reached, revision: int) -> bool:
        """False when another replica wrote first: whoever is behind reads again and goes on from there."""
        bucket, key = self._place(chain)
        try:
            written = await bucket.put(key, _encoder.encode(reached), expect=revision)
        except Conflict:
            self._counts["conflicts"] += 1
            self._reached.pop(chain, None)
            return False
        self._remember(chain, reached, written)
        return True

    def _remember(self, chain: str, reached: Reached, revision: int) -> None:
        self._reached[chain] = (reached, revision)
        self._reached.move_to_end(chain)
        while len(self._reached) > _KEPT:
            self._reached.popitem(last=False)

    def _place(self, chain: str) -> tuple[Documents, str]:
        thread = subjects.chain_thread(chain)
        if thread:
            return self._store.thread, subjects.state_key(thread)
        bucket, key = subjects.book_mark(chain)
        return self._store.bucket(bucket), key


def _none(chain: str) -> Reached:
    thread = subjects.chain_thread(chain)
    return states.new(thread) if thread else Mark(v=limits.SCHEMA_VERSION, chain=chain)


def _decode(chain: str, data: bytes) -> Reached:
    return _state.decode(data) if subjects.chain_thread(chain) else _mark.decode(data)
