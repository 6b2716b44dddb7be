"""The second level of folded threads: a copy of each in a cache that all replicas share, so that any starts warm.

A copy is a shortcut to a state that the log once had, never a truth of its own: whoever takes it goes on from there
with the records that came since, the first of which names the hash that the copy reaches to.
"""

from __future__ import annotations

import logging

import anyio

from eunoe.composition import packed
from eunoe.composition.fold import Fold
from eunoe.runtime.doors import Cache
from eunoe.schemas import limits

logger = logging.getLogger(__name__)

SAVE_SECONDS = 1.0  # seconds between two times that what changed is put there

_Known = tuple[int, int]  # the newest record of a fold, and its oldest


class SecondLevel:
    """Copies of folds, put into a cache behind the requests' backs."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._changed: dict[str, Fold] = {}
        self._saved: dict[str, _Known] = {}
        self._wake = anyio.Event()

    def statistics(self) -> dict[str, int]:
        return self._cache.statistics()

    async def load(self, chain: str, erasures: int) -> Fold | None:
        """A copy of a chain's fold, made since the newest step of any erasure; None where there is none."""
        data = await self._cache.get(_key(chain))
        fold = packed.unpack(data, chain) if data is not None else None
        if fold is None or fold.erasures != erasures:
            return None
        self._saved[chain] = _known(fold)
        return fold

    def changed(self, fold: Fold) -> None:
        """Put a copy there soon, if it tells anything new."""
        if fold.header is None or fold.size > limits.CACHED_THREAD_BYTES or self._saved.get(fold.chain) == _known(fold):
            return
        self._changed[fold.chain] = fold
        self._wake.set()

    def forgotten(self, chain: str) -> None:
        """The fold is not held any more, so what was put there of it need not be known either."""
        self._saved.pop(chain, None)

    async def run(self) -> None:
        """Put what changed until cancelled."""
        while True:
            await self._wake.wait()
            self._wake = anyio.Event()
            await self.flush()
            await anyio.sleep(SAVE_SECONDS)

    async def flush(self) -> None:
        """Put all that changed now."""
        while self._changed:
            chain, fold = self._changed.popitem()
            if fold.header is not None:
                known, data = _known(fold), packed.pack(fold)
                await self._cache.put(_key(chain), data)
                self._saved[chain] = known

    async def close(self) -> None:
        await self.flush()
        await self._cache.close()


def _key(chain: str) -> str:
    return f"fold:{chain}"


def _known(fold: Fold) -> _Known:
    return fold.record, fold.oldest
