"""The projector: every record of the log, applied in the order of its chain to documents and to the chain's state.

A chain's state is written after the documents that its records changed. So a record up to which the state
reaches is wholly applied, and one that is delivered again costs one read; a record that comes before its
predecessors (another replica has them in hand) brings them along.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Mapping

import msgspec

from eunoe.facts import state as states
from eunoe.facts.store import FactStore
from eunoe.runtime.chains import ChainReader, Head
from eunoe.runtime.doors import Documents, Store, Stored
from eunoe.schemas import ids, limits, records, subjects
from eunoe.schemas.errors import Conflict, Damaged
from eunoe.schemas.facts import Mark
from eunoe.schemas.records import Record
from eunoe.schemas.requests import ThreadState

logger = logging.getLogger(__name__)

Reached = ThreadState | Mark
"""How far a chain is applied: a thread's state, or a book's mark."""

_KEPT = 4096  # chains whose state is remembered
_BATCH = 64  # records read at once


class Projector:
    """Applies stored records. ``apply`` may be called for any record, any number of times, by any replica."""

    def __init__(self, store: Store, facts: FactStore) -> None:
        self._store = store
        self._facts = facts
        self._chains = ChainReader(store.log, store.space)
        self._reached: OrderedDict[str, tuple[Reached, int]] = OrderedDict()
        self._counts = {"records": 0, "repeated": 0, "conflicts": 0, "damaged": 0}

    def statistics(self) -> Mapping[str, int]:
        return dict(self._counts)

    async def apply(self, stored: Stored) -> None:
        """Apply a stored record, and before it those of its chain that are not applied yet."""
        record = self._read(stored)
        chain = record.header.chain
        while True:
            reached, revision = await self.reached(chain)
            if reached.record >= record.header.record:
                self._counts["repeated"] += 1
                return
            after = await self._advance(reached, record)
            if await self._write(chain, after, revision):
                return

    async def reached(self, chain: str, *, fresh: bool = False) -> tuple[Reached, int]:
        """How far a chain is applied, and the revision that says so; ``fresh`` never answers from memory."""
        if fresh or chain not in self._reached:
            bucket, key = self._place(chain)
            entry = await bucket.get(key)
            self._remember(chain, *((_decode(chain, entry.value), entry.revision) if entry else (_none(chain), 0)))
        return self._reached[chain]

    def forget(self) -> None:
        """Forget every remembered state, after the buckets were made again."""
        self._reached.clear()

    async def _advance(self, reached: Reached, record: Record) -> Reached:
        """Apply what is missing up to ``record``, in order, in bounded memory."""
        if reached.record + 1 == record.header.record:
            return await self._step(reached, record)
        head = Head(record.header, record.position, record.hash)
        for first in range(reached.record + 1, record.header.record + 1, _BATCH):
            last = min(first + _BATCH - 1, record.header.record)
            for stored in await self._store.log.get(await self._chains.positions(head, first, last)):
                reached = await self._step(reached, self._read(stored)) if stored else reached
        return reached

    def _read(self, stored: Stored) -> Record:
        """A record; of one whose events cannot be read only the header counts, and those after it go on."""
        try:
            return records.read(stored.seq, stored.data)
        except Damaged as error:
            wire = records.open_wire(stored.data)
            header = records.open_header(wire.header)
            self._counts["damaged"] += 1
            logger.error(
                "position %d is left out of the facts: %s", stored.seq, error, extra={"action": "record_damaged"}
            )
            return Record(position=stored.seq, header=header, hash=wire.hash, events=())

    async def _step(self, reached: Reached, record: Record) -> Reached:
        await self._facts.apply(record)
        self._counts["records"] += 1
        if isinstance(reached, ThreadState):
            return states.fold(reached, record)
        return states.follow(reached, record)

    async def _write(self, chain: str, reached: Reached, revision: int) -> bool:
        """False when another replica wrote first: whoever is behind reads again and goes on from there."""
        bucket, key = self._place(chain)
        try:
            written = await bucket.put(key, msgspec.json.encode(reached, order="deterministic"), expect=revision)
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
        _, scope, owner = chain.split(".")
        return self._store.bucket(scope), subjects.mark_key(ids.decode(owner))


def _none(chain: str) -> Reached:
    thread = subjects.chain_thread(chain)
    return states.new(thread) if thread else Mark(v=limits.SCHEMA_VERSION, chain=chain)


def _decode(chain: str, data: bytes) -> Reached:
    if subjects.chain_thread(chain):
        return msgspec.json.decode(data, type=ThreadState)
    return msgspec.json.decode(data, type=Mark)
