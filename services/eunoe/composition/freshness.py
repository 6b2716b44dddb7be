"""Waiting until what a context is made of reflects a write, and saying what does not."""

from __future__ import annotations

import anyio
import msgspec

from eunoe.runtime.chains import head_of
from eunoe.runtime.doors import Store
from eunoe.schemas import subjects
from eunoe.schemas.context import Watermark
from eunoe.schemas.errors import Busy
from eunoe.schemas.requests import ThreadState

_LOOK_SECONDS = 0.01  # seconds between two looks
LONGEST = 30.0  # seconds that anybody waits

_state = msgspec.json.Decoder(ThreadState)


class Freshness:
    """``after.log`` is reflected when it can be read and, for this thread, when facts were drawn from it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def wait(self, thread: str, after: Watermark, wait: float) -> tuple[str, ...]:
        """Wait ``wait`` seconds at most; the layers that are not as fresh as ``after`` then, none when all are."""
        stale = await self._stale(thread, after)
        with anyio.move_on_after(max(0.0, min(wait, LONGEST))):
            while stale:
                await anyio.sleep(_LOOK_SECONDS)
                stale = await self._stale(thread, after)
        return stale

    async def _stale(self, thread: str, after: Watermark) -> tuple[str, ...]:
        found = await self._log(thread, after.log) if after.log else []
        for scope in subjects.BUCKETS:
            wanted = getattr(after, scope)
            if wanted and await self._store.bucket(scope).revision() < wanted:
                found.append(scope)
        return tuple(found)

    async def _log(self, thread: str, position: int) -> list[str]:
        chain = subjects.thread_chain(thread)
        try:
            found = await self._store.log.last([subjects.chain_filter(self._store.space, chain)], fence=position)
        except Busy:
            return ["log"]
        newest = max(found.messages, key=lambda message: message.seq, default=None)
        if newest is None:
            return []
        head = head_of(newest)
        wanted = max((at for at in (head.position, *head.header.back) if at <= position), default=0)
        return ["facts"] if await self._projected(thread) < wanted else []

    async def _projected(self, thread: str) -> int:
        entry = await self._store.thread.get(subjects.state_key(thread))
        return _state.decode(entry.value).position if entry else 0
