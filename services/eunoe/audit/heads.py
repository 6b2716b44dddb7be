"""The heads that an audit worker remembers, so that an append costs one publish and no read."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import AbstractAsyncContextManager

import msgspec

from eunoe.runtime.chains import ChainReader, Head
from eunoe.runtime.doors import Store
from eunoe.runtime.locks import Locks
from eunoe.schemas import limits, subjects
from eunoe.schemas.facts import Mark
from eunoe.schemas.requests import ThreadState

_KEPT = 4096  # chains


class Heads:
    """Least recently used heads by chain. A remembered head may be stale: the compare-and-set finds out."""

    def __init__(self, chains: ChainReader, store: Store) -> None:
        self._chains = chains
        self._store = store
        self._heads: OrderedDict[str, Head] = OrderedDict()
        self._locks = Locks[str]()

    def alone(self, chain: str) -> AbstractAsyncContextManager[None]:
        """One append at a time to a chain in this process; others would only lose the race."""
        return self._locks.alone(chain)

    async def get(self, chain: str) -> Head | None:
        """The remembered head, else the one in the log; None for an empty chain."""
        if chain not in self._heads:
            head = await self._chains.head(chain)
            if head is None:
                return None
            self.put(chain, head)
        self._heads.move_to_end(chain)
        return self._heads[chain]

    async def moved(self, chain: str, head: Head | None) -> bool:
        """Whether the chain does not end in ``head`` (any more); its real end is remembered then."""
        now = await self._chains.head(chain, fresh=True)
        if (now.position if now else 0) == (head.position if head else 0):
            return False
        self.forget(chain)
        if now is not None:
            self.put(chain, now)
        return True

    def put(self, chain: str, head: Head) -> None:
        self._heads[chain] = head
        self._heads.move_to_end(chain)
        while len(self._heads) > _KEPT:
            self._heads.popitem(last=False)

    def forget(self, chain: str) -> None:
        self._heads.pop(chain, None)

    async def folded(self, chain: str, head: Head | None) -> ThreadState | Mark | None:
        """The chain's ``state`` document or mark, read only when the head alone may not know every producer."""
        if head is None or (len(head.header.producers) < limits.PRODUCERS_IN_HEAD and not head.header.evicted):
            return None
        thread = subjects.chain_thread(chain)
        if thread:
            entry = await self._store.thread.get(subjects.state_key(thread))
            return msgspec.json.decode(entry.value, type=ThreadState) if entry else None
        bucket, key = subjects.book_mark(chain)
        entry = await self._store.bucket(bucket).get(key)
        return msgspec.json.decode(entry.value, type=Mark) if entry else None
