"""Complete history, read from the log: for what documents no longer hold, and for acts that came first.

Only what can matter is read, and only what names the subject, or is an act, is decoded: a fact of a thread is
asserted in its thread alone, and approved or moved from a book besides.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Collection

import msgspec

from eunoe.facts import lenient
from eunoe.facts.acts import act, done, whole
from eunoe.facts.admission import told
from eunoe.facts.kinds import Kinds
from eunoe.facts.lineage import Event
from eunoe.runtime.closing import closing
from eunoe.runtime.doors import Log, Stored
from eunoe.schemas import ids, subjects
from eunoe.schemas.events import (
    FactApproved,
    FactDeleted,
    FactLabelled,
    FactMoved,
    FactPinned,
    FactRecorded,
    FactRetired,
)
from eunoe.schemas.facts import Identity, Indexed
from eunoe.schemas.records import Record

_FILTERS = 64  # chains that one read names; of more of them everything is read

Wanted = Callable[[bytes], bool]
"""A cheap test of a stored record's bytes: false only for one that cannot matter."""


def tag(kind: type[msgspec.Struct]) -> bytes:
    """How an event of this type is found in the bytes of its record."""
    return msgspec.json.encode(kind.__struct_config__.tag)


_ASSERTIONS = tuple(tag(kind) for kind in (FactRecorded, FactApproved, FactMoved))
_ACTS = tuple(tag(kind) for kind in (FactRetired, FactDeleted, FactApproved, FactMoved, FactLabelled, FactPinned))


class History:
    """Reads the fact events of one space from its log."""

    def __init__(self, log: Log, space: str, kinds: Kinds) -> None:
        self._log = log
        self._space = space
        self._kinds = kinds

    async def events(self, identity: Identity) -> list[Event]:
        """Every assertion and act of one identity, in order of the log, where an act follows its target."""
        return (await self.all([identity]))[identity]

    async def all(self, identities: Collection[Identity]) -> dict[Identity, list[Event]]:
        """The same of several, in one pass."""
        wanted = frozenset(identities)
        targets: dict[str, Indexed] = {}
        events: dict[Identity, list[Event]] = defaultdict(list)
        async with closing(self._records(chains(self._space, wanted), _about(wanted))) as records:
            async for record in records:
                for assertion in told(record, self._kinds):
                    if assertion.identity in wanted:
                        targets[assertion.stated.id] = assertion.indexed
                        events[assertion.identity].append(assertion.stated)
                for what in done(record, self._kinds):
                    target = targets.get(what.event.id)
                    if target and (kept := act(what, target)):
                        events[target.identity].append(kept)
                for identity, kept in whole(record):
                    if identity in wanted:
                        events[identity].append(kept)
        return {identity: events[identity] for identity in wanted}

    async def locate(self, facts: Collection[str], before: int) -> dict[str, Indexed]:
        """The assertions with these ids among the records up to position ``before``, by id; the log is read once."""
        found: dict[str, Indexed] = {}
        async with closing(self._stored(subjects.memory_filters(self._space), _asserts)) as log:
            async for stored in log:
                if stored.seq > before or len(found) == len(facts):
                    break
                if _gives(stored, facts) and (record := lenient.read_any(stored)):
                    indexed = (assertion.indexed for assertion in told(record, self._kinds))
                    found.update({one.id: one for one in indexed if one.id in facts})
        return found

    async def _records(self, filters: list[str], wanted: Wanted) -> AsyncGenerator[Record, None]:
        async with closing(self._stored(filters, wanted)) as log:
            async for stored in log:
                record = lenient.read_any(stored)
                if record:
                    yield record

    async def _stored(self, filters: list[str], wanted: Wanted) -> AsyncGenerator[Stored, None]:
        async with closing(self._log.scan(filters)) as log:
            async for stored in log:
                if wanted(stored.data):
                    yield stored


def chains(space: str, identities: Collection[Identity]) -> list[str]:
    """Where facts are spoken of: those of threads in their own chains and in books, others anywhere."""
    if any(identity.scope != "thread" for identity in identities):
        return subjects.memory_filters(space)
    threads = sorted({subjects.thread_chain(identity.owner) for identity in identities})
    if len(threads) > _FILTERS:
        return subjects.memory_filters(space)
    return [*(subjects.chain_subject(space, chain, "memory") for chain in threads), subjects.books_filter(space)]


def _about(identities: Collection[Identity]) -> Wanted:
    """Whether a record names one of these subjects, or does anything to a fact."""
    names = {identity.subject for identity in identities}
    needles = (*(b'"subject":' + msgspec.json.encode(name) for name in sorted(names)), *_ACTS)
    return lambda data: any(needle in data for needle in needles)


def _asserts(data: bytes) -> bool:
    return any(needle in data for needle in _ASSERTIONS)


def _gives(stored: Stored, facts: Collection[str]) -> bool:
    """Whether an event of this record has one of these ids, which follow from where it stands."""
    opened = lenient.header(stored)
    if opened is None:
        return False
    header, count = opened
    return any(ids.fact_id(header.chain, header.origin, index) in facts for index in range(count))
