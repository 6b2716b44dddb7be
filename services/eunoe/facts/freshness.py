"""Waiting until documents reflect a write, and saying how far they do."""

from __future__ import annotations

from eunoe.facts.projector import Projector
from eunoe.runtime import aside
from eunoe.runtime.doors import Store
from eunoe.runtime.tasks import each
from eunoe.schemas import subjects
from eunoe.schemas.context import Watermark


class Freshness:
    """A position is reflected when its chain is applied up to it; a thread, when the end of its chain is, too."""

    def __init__(self, store: Store, projector: Projector) -> None:
        self._store = store
        self._projector = projector

    async def wait(self, after: Watermark, wait: float, thread: str = "") -> Watermark:
        """Wait ``wait`` seconds at most for what ``after`` names, and say what is reflected then.

        A field of the answer that is below the one asked for says that this layer is not that fresh.
        """
        reached = await self._reached(after, thread)

        async def enough() -> bool:
            nonlocal reached
            reached = await self._reached(after, thread)
            return _enough(reached, after)

        if not _enough(reached, after):
            await aside.until(enough, wait)
        return reached

    async def _reached(self, after: Watermark, thread: str) -> Watermark:
        """What is reflected: the buckets are looked at after the log, so that they hold what it says at least."""
        found = {"log": await self._log(after.log, thread)}

        async def look(scope: str) -> None:
            found[scope] = await self._store.bucket(scope).revision()

        await each(subjects.BUCKETS, look, len(subjects.BUCKETS))
        return Watermark(**found)

    async def _log(self, position: int, thread: str) -> int:
        """``position`` once it is reflected, else how far what is behind has come; 0 for one that is not there."""
        thread_chain = [subjects.thread_chain(thread)] if thread else []
        if not position:
            return max(
                [(await self._projector.reached(chain, fresh=True))[0].position for chain in thread_chain] or [0]
            )
        stored = (await self._store.log.get([position]))[0]
        if stored is None:
            return 0
        chains = {subjects.chain_of(stored.subject), *thread_chain}
        return min([await self._settled(chain, position) for chain in sorted(chains)])

    async def _settled(self, chain: str, position: int) -> int:
        """``position`` when no record of the chain up to it is still to come, else where the chain is."""
        reached, _ = await self._projector.reached(chain, fresh=True)
        if reached.position >= position:
            return position
        found = await self._store.log.last([subjects.chain_filter(self._store.space, chain)])
        last = max((message.seq for message in found.messages), default=0)
        return position if reached.position >= last else reached.position


def _enough(reached: Watermark, after: Watermark) -> bool:
    return (
        reached.log >= after.log
        and reached.permanent >= after.permanent
        and reached.session >= after.session
        and reached.thread >= after.thread
    )
