"""Where facts went: the contexts that showed them, and the facts that cite them or stand in their place."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import anyio
import msgspec

from eunoe.facts import lenient
from eunoe.facts.admission import told
from eunoe.facts.history import Wanted, chains
from eunoe.facts.kinds import Kinds
from eunoe.runtime.closing import closing
from eunoe.runtime.doors import Log
from eunoe.schemas import limits, subjects
from eunoe.schemas.events import FactMoved, MemoryUsed
from eunoe.schemas.facts import Identity, Indexed, Stated
from eunoe.schemas.records import Record
from eunoe.schemas.requests import Use

How = Literal["approval", "copy", "preview"]

_ID = re.compile(rb'"(f[a-z2-7]{10})"')
_FEW = 4  # ids that are looked for one by one
_LOOKS = 4  # looks through the log at once, each with what one read of it holds in memory


@dataclass(frozen=True, slots=True)
class Citing:
    """An assertion that names a fact: it approves it, is its copy in another scope, or takes its place in a preview."""

    how: How
    stated: Stated
    indexed: Indexed


@dataclass(slots=True)
class Trail:
    """Where a fact went. ``uses`` are the newest of ``count``, oldest first."""

    uses: deque[Use]
    count: int = 0
    citing: list[Citing] = field(default_factory=list)

    @classmethod
    def empty(cls, shown: int) -> Trail:
        return cls(deque(maxlen=shown))


@dataclass(frozen=True, slots=True)
class Followed:
    """Facts to follow: the trail that each id belongs to, their identities, and the position of the first of them."""

    trails: Mapping[str, str]
    identities: Collection[Identity]
    start: int


class Trails:
    """Follows facts through the log of one space."""

    def __init__(self, log: Log, space: str, kinds: Kinds) -> None:
        self._log = log
        self._space = space
        self._kinds = kinds
        self._looks = anyio.Semaphore(_LOOKS, fast_acquire=True)

    async def follow(self, facts: Followed, shown: int, thread: str = "") -> tuple[dict[str, Trail], int]:
        """Where facts went, with ``shown`` contexts of a trail at most: one pass over the log from the first on.

        ``thread``: as far as that thread's own records say. After `limits.TRAIL_SECONDS` it ends, and the number is
        the position from which on nothing was read, else 0.
        """
        trails = {name: Trail.empty(shown) for name in facts.trails.values()}
        filters = chains(self._space, facts.identities)
        if thread:
            filters = [subjects.chain_subject(self._space, subjects.thread_chain(thread), "memory")]
        names, end = _names(facts.trails.keys()), anyio.current_time() + limits.TRAIL_SECONDS
        async with self._looks, closing(self._log.scan(filters, start=facts.start)) as log:
            async for stored in log:
                if anyio.current_time() > end:
                    return trails, stored.seq
                record = lenient.read_any(stored) if names(stored.data) else None
                if record:
                    self._take(record, facts, trails)
        return trails, 0

    def _take(self, record: Record, facts: Followed, trails: Mapping[str, Trail]) -> None:
        for use in _uses(record):
            if use.fact in facts.trails:
                trail = trails[facts.trails[use.fact]]
                trail.uses.append(use)
                trail.count += 1
        for assertion in told(record, self._kinds):
            stated = assertion.stated
            for fact in sorted({stated.fact.cites, stated.fact.replaces} & facts.trails.keys()):
                trails[facts.trails[fact]].citing.append(Citing(_how(record, stated, fact), stated, assertion.indexed))


def _uses(record: Record) -> Iterator[Use]:
    thread = subjects.chain_thread(record.header.chain)
    for event in record.events:
        if isinstance(event, MemoryUsed):
            for fact in event.facts:
                yield Use(thread=thread, turn=event.turn, context=event.context, fact=fact)


def _how(record: Record, stated: Stated, fact: str) -> How:
    if stated.fact.replaces == fact:
        return "preview"
    return "copy" if isinstance(record.events[stated.index], FactMoved) else "approval"


def _names(facts: Collection[str]) -> Wanted:
    """Whether a record names one of these facts, told by its bytes."""
    ids = {msgspec.json.encode(fact) for fact in facts}
    if len(ids) <= _FEW:
        return lambda data: any(one in data for one in ids)
    plain = {fact.encode() for fact in facts}
    return lambda data: not plain.isdisjoint(_ID.findall(data))
