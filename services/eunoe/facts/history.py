"""Complete history, read from the log: for what a document no longer holds, and for acts that came first."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection

from eunoe.facts import lenient
from eunoe.facts.acts import act, done, whole
from eunoe.facts.admission import told
from eunoe.facts.kinds import Kinds
from eunoe.facts.lineage import Event
from eunoe.runtime.doors import Log
from eunoe.schemas import subjects
from eunoe.schemas.facts import Identity, Indexed
from eunoe.schemas.records import Record


class History:
    """Reads the fact events of one space from its log."""

    def __init__(self, log: Log, space: str, kinds: Kinds) -> None:
        self._log = log
        self._space = space
        self._kinds = kinds

    async def events(self, identity: Identity) -> list[Event]:
        """Every assertion and act of one identity, in order of the log, where an act follows its target.

        An act stands in whatever chain its writer chose, an approval in a book: so every chain is read.
        """
        found: dict[str, Indexed] = {}
        events: list[Event] = []
        async for record in self._records():
            for assertion in told(record, self._kinds):
                if assertion.identity == identity:
                    found[assertion.stated.id] = assertion.indexed
                    events.append(assertion.stated)
            for what in done(record, self._kinds):
                target = found.get(what.event.id)
                kept = act(what, target) if target else None
                if kept:
                    events.append(kept)
            events.extend(about for named, about in whole(record) if named == identity)
        return events

    async def locate(self, facts: Collection[str], before: int) -> dict[str, Indexed]:
        """The assertions with these ids among the records up to position ``before``, by id; the log is read once."""
        found: dict[str, Indexed] = {}
        async for record in self._records():
            if record.position > before or len(found) == len(facts):
                break
            for assertion in told(record, self._kinds):
                if assertion.stated.id in facts:
                    found[assertion.stated.id] = assertion.indexed
        return found

    async def _records(self) -> AsyncIterator[Record]:
        async for stored in self._log.scan(subjects.memory_filters(self._space)):
            record = lenient.read_any(stored)
            if record:
                yield record
