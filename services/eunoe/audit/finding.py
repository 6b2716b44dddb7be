"""Finding everything that an erasure takes, in the log and beside it."""

from __future__ import annotations

from msgspec import structs

from eunoe.audit.erasures import Erasure
from eunoe.audit.found import Found
from eunoe.audit.late import late
from eunoe.audit.removing import Remover
from eunoe.audit.search import Search
from eunoe.facts import lenient
from eunoe.facts.kinds import Kinds
from eunoe.runtime.chains import ChainReader, Head
from eunoe.runtime.closing import closing
from eunoe.runtime.doors import Store
from eunoe.schemas import records, subjects
from eunoe.schemas.erasures import ErasureCounts, ErasureTarget
from eunoe.schemas.errors import NotFound


class Finding:
    """Looks through one space."""

    def __init__(self, store: Store, chains: ChainReader, remover: Remover, kinds: Kinds) -> None:
        self._store = store
        self._chains = chains
        self._remover = remover
        self._kinds = kinds

    async def end(self) -> int:
        """The position of the log's last record."""
        return (await self._store.log.info()).last

    async def check(self, target: ErasureTarget) -> None:
        """Raise `NotFound` for a thread that is not there, and for entries or turns that it does not have."""
        if not target.thread:
            return
        head = await self._head(target.thread)
        for ranges, there, one, many in (
            (target.entries, head.header.entries, "entry", "entries"),
            (target.turns, head.header.turns, "turn", "turns"),
        ):
            for first, _ in ranges:
                if first > there:
                    has = f"{there:,} {one if there == 1 else many}"
                    raise NotFound(f"there is no {one} {first} in the thread {target.thread!r}; it has {has}")

    async def find(self, target: ErasureTarget) -> Found:
        """Everything that a target takes, as the log is now; raises `NotFound` for a thread that is not there."""
        return await self._searched(Search(target, self._kinds))

    async def more(self, erasure: Erasure, stale: int = 0) -> Found:
        """What an erasure takes that began, and is still there: as far as it was there then, and what was missed or
        came from it since, with the contexts that were made of facts up to ``stale``."""
        return await self._searched(Search(erasure.target, self._kinds, erasure.began, stale, erasure.sought))

    async def _searched(self, search: Search) -> Found:
        target = search.target
        filters = subjects.memory_filters(self._store.space)
        if target.thread:
            await self._head(target.thread)
            filters.append(subjects.chain_subject(self._store.space, subjects.thread_chain(target.thread), "log"))
        while search.again():
            async with closing(self._store.log.scan(filters)) as found:
                async for stored in found:
                    search.see(stored)
        return search.found

    async def late(self, erasure: Erasure, start: int, end: int) -> bool:
        """Whether anything that memory did between two positions of the log may come from what an erasure took."""
        entries = await self._entries(erasure)
        async with closing(self._store.log.scan(subjects.memory_filters(self._store.space), start=start)) as found:
            async for stored in found:
                if stored.seq > end:
                    break
                record = lenient.read_any(stored)
                if record is not None and late(record, erasure, entries):
                    return True
        return False

    async def _head(self, thread: str) -> Head:
        head = await self._chains.head(subjects.thread_chain(thread), fresh=True)
        if head is None:
            raise NotFound(f"there is no thread {thread!r}; `eunoe threads` lists what there is")
        return head

    async def _entries(self, erasure: Erasure) -> int:
        """How many entries the thread of an erasure has, as far as it was erased; 0 where it has none."""
        chain = subjects.thread_chain(erasure.target.thread) if erasure.target.thread else ""
        taken = [one.position for part in erasure.rounds for own in part.intended.chains if own.chain == chain
                 for one in own.records]  # fmt: skip
        found = await self._store.log.get([max(taken)]) if taken else []
        return max((records.open_header(records.open_wire(one.data).header).entries for one in found if one), default=0)

    async def measured(self, target: ErasureTarget, found: Found) -> tuple[ErasureCounts, tuple[int, ...]]:
        """What goes, with the pieces and dead letters that go too; and where those pieces are."""
        pieces = await self._remover.pieces(target.thread, found.pieces) if found.pieces else []
        letters = await self._remover.letters(found.positions, target)
        more = sum(len(one.data) for one in (*pieces, *letters))
        counted = found.counted()
        counts = structs.replace(counted, pieces=len(pieces), letters=len(letters), bytes=counted.bytes + more)
        return counts, tuple(piece.seq for piece in pieces)
