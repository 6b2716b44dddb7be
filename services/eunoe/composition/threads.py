"""Folded threads, kept from request to request: what is read again is only what is new."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio

from eunoe.composition import older, outline, summary
from eunoe.composition.fold import Fold, Turn
from eunoe.composition.left import LOOKED_AT
from eunoe.composition.losses import lost
from eunoe.composition.profiles import Profile, profile
from eunoe.composition.second_level import SecondLevel
from eunoe.composition.walking import Walker
from eunoe.runtime.chains import ChainReader, Head, head_of
from eunoe.runtime.doors import Store, Stored
from eunoe.schemas import limits, records, subjects
from eunoe.schemas.context import Recipe
from eunoe.schemas.errors import Busy, Damaged
from eunoe.schemas.events import ContextComposed
from eunoe.schemas.records import Record

logger = logging.getLogger(__name__)

LEAST_READ = 8  # records that are read at once; fewer take as long


@dataclass(slots=True)
class _Held:
    fold: Fold
    lock: anyio.Lock = field(default_factory=lambda: anyio.Lock(fast_acquire=True))


class Threads:
    """An LRU of folds of one space. One request at a time works on a thread; others wait their turn."""

    def __init__(self, store: Store, second: SecondLevel) -> None:
        self._store = store
        self._second = second
        self._walker = Walker(store.log, ChainReader(store.log, store.space))
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._counts = {"folded_warm": 0, "folded_cold": 0, "records_read": 0, "records_lost": 0}

    def statistics(self) -> dict[str, int]:
        return {**self._counts, "folded_threads": len(self._held), **self._second.statistics()}

    @asynccontextmanager
    async def using(self, chain: str) -> AsyncIterator[Fold]:
        """The fold of a chain, up to date with its end and alone in use; its ``header`` is None for an empty one."""
        held = self._held.setdefault(chain, _Held(Fold(chain)))
        self._held.move_to_end(chain)
        async with held.lock:
            await self.refresh(held.fold)
            try:
                yield held.fold
            finally:
                self._tidy(held.fold)
                self._second.changed(held.fold)

    async def refresh(self, fold: Fold) -> None:
        """Take in what was appended since: one read when nothing was. What is not folded yet goes on from a copy."""
        newest = await self._newest(fold)
        if newest is None:
            return
        if fold.header is None:
            await self._resume(fold, newest)
        self._counts["folded_warm" if fold.header else "folded_cold"] += 1
        if not _is_head(newest, fold):
            await self._take(fold, newest)

    async def _resume(self, fold: Fold, newest: Stored) -> None:
        """Become the copy of this thread in the second level, where it has one that the log goes on from."""
        copy = await self._second.load(fold.chain, fold.erasures)
        if copy is None or copy.position > newest.seq:
            return
        if copy.position == newest.seq and copy.hash != records.open_wire(newest.data).hash:
            return
        copy.upto = fold.upto
        fold.restart(copy)

    async def _take(self, fold: Fold, newest: Stored) -> None:
        found = [*await self._between(fold, head_of(newest)), records.read(newest.seq, newest.data)]
        self._counts["records_read"] += len(found)
        if not _continues(fold, found[0]):
            _rewind(fold)
            del found[:-1]
        for record in found:
            fold.add(record)

    async def _between(self, fold: Fold, head: Head) -> list[Record]:
        """The records after those that are folded and before the head; where not all can be read, the thread is folded
        anew from its head, which passes over what is lost."""
        wanted = head.header.record - 1 - fold.record if fold.header else 0
        try:
            found = await self._walker.between(head, fold.record + 1, head.header.record - 1) if wanted else []
        except Damaged as damage:
            logger.warning("%s", damage, extra={"action": "records_lost"})
            found = []
        if len(found) < wanted:
            fold.restart(_unfolded(fold))
            return []
        return found

    async def reach(self, fold: Fold, enough: Callable[[], bool], likely: Callable[[], int] | None = None) -> None:
        """Fold further back until there is enough, or the thread begins. ``likely`` is how many records more that
        takes, as far as can be told, 0 where it cannot: of those that are near, no more are read."""
        if fold.trimmed and not enough():
            await self._again(fold)
        while not fold.complete and fold.header is not None and not enough():
            await self.further(fold, likely() if likely else 0)

    async def further(self, fold: Fold, likely: int = 0) -> None:
        """Fold the records just before the oldest one folded, all that it names, or as many as are ``likely`` to do.

        One that is missing or cannot be read is passed over, and `Fold.lost` says which; where not one of all that it
        names can be read, what came before them is out of reach.
        """
        back = fold.back[: max(likely, LEAST_READ)] if likely else fold.back
        numbers = range(fold.oldest - 1, fold.oldest - 1 - len(back), -1)
        places = dict(zip(numbers, await self._store.log.get(back), strict=True))
        found = older.read(places, fold.recipes)
        if not found and len(back) < len(fold.back):
            await self.further(fold)
            return
        self._note_lost(fold, set(numbers if found else range(1, fold.oldest)) - found.keys())
        for record in found.values():
            fold.add(record)
        if not found:
            fold.begin()
        self._counts["records_read"] += len(found)

    async def last_of(self, fold: Fold, turn: Turn, wanted: Profile) -> Recipe | None:
        """The last recipe of an open turn in a profile. A fold has one of each profile, which may be that of another
        turn since; then the turn's own is looked for in the records since its opening."""
        known, header = fold.recipes.get(wanted), fold.header
        if known is not None and known.recipe.turn == turn.number:
            return known.recipe
        opened = header.open.get(turn.key) if header else None
        if header is None or opened is None:
            return None
        async for record in self._walker.backward(Head(header, fold.position, fold.hash), header.record):
            for event in record.events:
                if isinstance(event, ContextComposed) and _is_of(event.recipe, turn, wanted):
                    return event.recipe
            if record.header.record <= opened.record:
                break
        return None

    def _note_lost(self, fold: Fold, numbers: set[int]) -> None:
        new = numbers - fold.lost
        if not new:
            return
        fold.lost |= new
        self._counts["records_lost"] += len(new)
        logger.error("%s: %s", subjects.chain_name(fold.chain), lost(new), extra={"action": "records_lost"})

    async def _again(self, fold: Fold) -> None:
        """Start over from the log: a fold that forgot turns cannot be continued backwards, nor can a copy of it. It
        ends where it did, since whoever works with it has read everything else up to there."""
        fresh = _unfolded(fold)
        newest = (await self._store.log.get([fold.position]))[0] or await self._newest(fresh)
        if newest is not None:
            self._counts["folded_cold"] += 1
            await self._take(fresh, newest)
        fold.restart(fresh)

    async def _newest(self, fold: Fold) -> Stored | None:
        """The end of the chain, at least as far as it was seen before; a log that lost its end is folded anew."""
        erasures = subjects.chain_subject(self._store.space, subjects.ERASURES, "memory")
        filters = [subjects.chain_filter(self._store.space, fold.chain), erasures]
        try:
            found = await self._store.log.last(filters, fence=fold.position)
        except Busy:
            if (await self._store.log.info()).last >= fold.position:
                raise
            _rewind(fold)
            fold.upto = 0
            found = await self._store.log.last(filters)
        self._forget_erased(fold, max((one.seq for one in found.messages if one.subject == erasures), default=0))
        own = [message for message in found.messages if message.subject != erasures]
        newest = max(own, key=lambda message: message.seq, default=None)
        if newest is not None:
            fold.upto = max(found.upto, newest.seq)
        return newest

    def _forget_erased(self, fold: Fold, erasures: int) -> None:
        """After a step of any erasure the thread is read anew: what is folded may hold what was erased."""
        if erasures != fold.erasures:
            outline.forget()
            summary.forget()
            fold.restart(Fold(fold.chain))
            fold.erasures = erasures

    def _tidy(self, fold: Fold) -> None:
        if fold.size > limits.FOLDED_THREAD_BYTES and fold.recipes:
            oldest = min(composed.recipe.first_turn for composed in fold.recipes.values())
            fold.trim(oldest - LOOKED_AT)
        total = sum(held.fold.size for held in self._held.values())
        for chain in list(self._held):
            held = self._held[chain]
            if len(self._held) <= limits.FOLDED_THREADS and total <= limits.FOLDED_BYTES:
                return
            if held.fold is not fold and not held.lock.statistics().tasks_waiting and not held.lock.locked():
                total -= held.fold.size
                del self._held[chain]
                self._second.forgotten(chain)


def _is_head(newest: Stored, fold: Fold) -> bool:
    """Whether the fold ends with that record; its hash is told from its bytes, as this is asked at every request."""
    return newest.seq == fold.position and fold.hash.encode() in newest.data


def _continues(fold: Fold, record: Record) -> bool:
    """Whether a record goes on where the fold ends."""
    return not fold.header or (record.header.record == fold.record + 1 and record.header.prev == fold.hash)


def _rewind(fold: Fold) -> None:
    """Have nothing folded any more: the log lost its end, and went on otherwise."""
    logger.warning("%s is not what it was", fold.chain, extra={"action": "log_rewound"})
    fold.restart(_unfolded(fold))


def _is_of(recipe: Recipe, turn: Turn, wanted: Profile) -> bool:
    return recipe.turn == turn.number and profile(recipe) == wanted


def _unfolded(fold: Fold) -> Fold:
    """The same thread, of which nothing is folded."""
    fresh = Fold(fold.chain)
    fresh.upto, fresh.erasures = fold.upto, fold.erasures
    return fresh
