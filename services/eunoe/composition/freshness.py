"""Waiting until what a context is made of reflects a write, and saying what does not."""

from __future__ import annotations

from collections.abc import Callable

import anyio
import msgspec

from eunoe.composition.fold import Fold
from eunoe.composition.ready import ready
from eunoe.composition.remembered import Remembered
from eunoe.runtime import aside
from eunoe.runtime.chains import head_of
from eunoe.runtime.doors import Store
from eunoe.schemas import subjects
from eunoe.schemas.context import Watermark
from eunoe.schemas.errors import Busy
from eunoe.schemas.requests import ThreadState

_FIRST_LOOK = 0.001  # seconds until the second look; each further one waits twice as long
_LAST_LOOK = 0.02  # seconds between two looks at most, while little time was waited
_LOOK_SHARE = 0.1  # of the time that was waited: seconds between two looks, so that long waits cost little


class _Reached(msgspec.Struct):
    """How far a chain is applied, as a thread's state and a book's mark say alike."""

    position: int = 0


_reached = msgspec.json.Decoder(_Reached)
_state = msgspec.json.Decoder(ThreadState)


def newer(one: Watermark, other: Watermark) -> Watermark:
    """What reflects both."""
    return Watermark(
        log=max(one.log, other.log),
        permanent=max(one.permanent, other.permanent),
        session=max(one.session, other.session),
        thread=max(one.thread, other.thread),
    )


def reflects(fold: Fold, remembered: Remembered, after: Watermark) -> bool:
    """Whether what was read is as fresh as ``after``, as far as it shows by itself."""
    reached, state = remembered.watermark, remembered.state
    projected = state.position if state else 0
    return (
        fold.upto >= after.log
        and (not after.log or projected >= fold.remembered_up_to(after.log))
        and reached.permanent >= after.permanent
        and reached.session >= after.session
        and reached.thread >= after.thread
    )


class Freshness:
    """``after.log`` is reflected when it can be read, and when what memory did in this thread up to it, and at that
    very position in any other chain, is in the documents; what was only said or done changes no fact by itself."""

    def __init__(self, store: Store, distilling: bool) -> None:
        self._store = store
        self._distilling = distilling

    async def readable(self, fold: Fold, position: int) -> bool:
        """Whether the log can be read up to a position, and what memory did there in another chain is in the
        documents."""
        return fold.upto >= position and (not position or fold.holds(position) or await self._elsewhere(position))

    async def wait(self, thread: str, after: Watermark, wait: float) -> tuple[str, ...]:
        """Wait ``wait`` seconds at most; the layers that are not as fresh as ``after`` then, none when all are."""
        with aside.beside():  # the log may be asked for what it does not reach yet, and answers late
            stale = await self._stale(thread, after)
        since, pause = anyio.current_time(), _FIRST_LOOK
        with aside.waiting(wait):
            while stale:
                await anyio.sleep(max(pause, _LOOK_SHARE * (anyio.current_time() - since)))
                pause = min(2 * pause, _LAST_LOOK)
                stale = await self._stale(thread, after)
        return stale

    async def drawn(self, thread: str, turns: int, wait: float) -> None:
        """Wait until everything is drawn from the committed turns up to an ordinal, ``wait`` seconds at most."""
        await self._state(thread, lambda state: ready(state, self._distilling) >= turns, wait)

    async def extracted(self, thread: str, turns: int, wait: float) -> None:
        """The same for what tools gave in them alone."""
        await self._state(thread, lambda state: state is not None and state.extracted >= turns, wait)

    async def _state(self, thread: str, enough: Callable[[ThreadState | None], bool], wait: float) -> None:
        """Wait until a thread's state is ``enough``, ``wait`` seconds at most."""
        with aside.waiting(wait):
            async with self._store.thread.watch([subjects.state_key(thread)]) as changes:
                async for change in changes:
                    state = _state.decode(change.value) if change.value is not None else None
                    if enough(state):
                        return

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
        memory = subjects.chain_subject(self._store.space, chain, "memory")
        told = next((message for message in found.messages if message.subject == memory), None)
        places = (told.seq, *head_of(told).header.back) if told else ()
        wanted = max((at for at in places if at <= position), default=0)
        if wanted < position and not await self._elsewhere(position):
            return ["facts"]
        return ["facts"] if await self._projected(chain) < wanted else []

    async def _elsewhere(self, position: int) -> bool:
        """Whether the record at a position is applied to the documents, or changes none of them."""
        stored = (await self._store.log.get([position]))[0]
        chain = subjects.chain_of(stored.subject) if stored else ""
        if stored is None or stored.subject == subjects.chain_subject(self._store.space, chain, "log"):
            return True
        return await self._projected(chain) >= position

    async def _projected(self, chain: str) -> int:
        thread = subjects.chain_thread(chain)
        scope, key = ("thread", subjects.state_key(thread)) if thread else subjects.book_mark(chain)
        entry = await self._store.bucket(scope).get(key)
        return _reached.decode(entry.value).position if entry else 0
