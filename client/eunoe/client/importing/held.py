"""What a chain holds from others: the records before this import's first one, folded to what can be compared. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from eunoe.schemas import records
from eunoe.schemas.events import Entry, Event, FactApproved, FactRecorded, ToolCall, ToolResult, TurnCommitted
from eunoe.schemas.facts import Assertion
from eunoe.schemas.requests import StoredRecord
from eunoe.schemas.subjects import Caller


@dataclass(slots=True)
class Held:
    """Entries of committed turns (and of no turn) in order, as keys, with their numbers in the thread.

    ``loose`` are the keys of entries of other turns, ``facts`` those of what people and callers stated.
    """

    keys: list[bytes] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    loose: set[bytes] = field(default_factory=set)
    facts: set[bytes] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.keys or self.loose or self.facts)


class Holding:
    """Folds the records of a chain, in order, until the first one of this import.

    What comes after that one cannot change what the import takes for known, so it is the same each time the
    import is run again.
    """

    def __init__(self, caller: Caller, producer: str) -> None:
        self._own = records.producer_key(caller, producer)
        self._entries: list[tuple[int, int, bytes]] = []
        self._committed = {0}
        self._facts: set[bytes] = set()

    def see(self, page: Iterable[StoredRecord]) -> int:
        """Fold records; returns the number of the last one, or 0 when this import's own records begin."""
        last = 0
        for stored in page:
            header = records.open_header(records.open_wire(stored.data.encode()).header)
            if records.producer_key(header.caller, header.producer) == self._own:
                return 0
            last = header.record
            if stored.subject.endswith(".log") or header.role in ("person", "caller"):
                for event in records.read(stored.position, stored.data.encode()).events:
                    self._event(event)
        return last

    def held(self) -> Held:
        found = Held(facts=self._facts)
        for turn, entry, key in self._entries:
            if turn in self._committed:
                found.keys.append(key)
                found.numbers.append(entry)
            else:
                found.loose.add(key)
        return found

    def _event(self, event: Event) -> None:
        if isinstance(event, Entry):
            self._entries.append((event.turn, event.entry, entry_key(event)))
        elif isinstance(event, TurnCommitted):
            self._committed.add(event.turn)
        elif isinstance(event, FactRecorded | FactApproved):
            self._facts.add(fact_key(event.fact))


def entry_key(event: Entry) -> bytes:
    """What makes two entries the same: kind, tool, content and attachments. Times and ids of calls do not count."""
    content = event.blob.digest if event.blob else hashlib.sha256(event.content.encode()).hexdigest()
    tool = event.tool if isinstance(event, ToolCall | ToolResult) else ""
    attached = [found.digest for found in event.attachments]
    return _digest([type(event).__name__, tool, content, *attached])


def fact_key(fact: Assertion) -> bytes:
    """What makes two statements the same: who stated what about what, and when."""
    about = fact.identity
    who = [fact.source.kind, fact.source.principal]
    return _digest([about.scope, about.owner, about.subject, about.name, *who, fact.value, fact.content, str(fact.at)])


def _digest(parts: list[str]) -> bytes:
    return hashlib.sha256(msgspec.json.encode(parts)).digest()[:16]
