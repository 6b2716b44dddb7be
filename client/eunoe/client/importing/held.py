"""What a chain holds from others: the records before this import's first one, folded to what can be compared. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from eunoe.schemas import records
from eunoe.schemas.events import (
    Entry,
    Erased,
    Event,
    FactApproved,
    FactMoved,
    FactRecorded,
    ToolCall,
    ToolResult,
    TurnCommitted,
)
from eunoe.schemas.facts import Assertion
from eunoe.schemas.requests import StoredRecord
from eunoe.schemas.subjects import Caller

ERASED = b""  # the key of an entry whose content was erased


@dataclass(slots=True)
class Held:
    """Entries of committed turns (and of no turn) in order, as keys, with their numbers in the thread.

    ``loose`` are the keys of entries of other turns, ``facts`` those of what people and callers stated. What was
    erased may have been any entry (`ERASED`), and any statement of its time; ``loose_erased`` counts such ones among
    the loose, ``facts_erased`` are those times (ms UTC).
    """

    keys: list[bytes] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    loose: set[bytes] = field(default_factory=set)
    facts: set[bytes] = field(default_factory=set)
    loose_erased: int = 0
    facts_erased: set[int] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.keys or self.loose or self.loose_erased or self.facts or self.facts_erased)

    def has_fact(self, fact: Assertion) -> bool:
        """Whether this was stated there, or may be what was erased there: that is not brought in again."""
        return fact.at in self.facts_erased or fact_key(fact) in self.facts

    def of_facts(self) -> Held:
        """The same without its entries."""
        return Held(facts=self.facts, facts_erased=self.facts_erased)

    def has_loose(self, keys: list[bytes]) -> bool:
        """Whether every one of these entries is among the loose ones, or may be one that was erased there."""
        return sum(key not in self.loose and key != ERASED for key in keys) <= self.loose_erased

    def has(self, at: int, key: bytes) -> bool:
        """Whether the entry at that place is this one, or may be: what was erased is not brought in again."""
        return self.keys[at] == key or ERASED in (self.keys[at], key)


class Holding:
    """Folds the records of a chain, in order, until the first one of this import.

    What comes after that one cannot change what the import takes for known, so it is the same each time the
    import is run again. ``forgotten``: the chain does not say how far the import is, for it remembers its newest
    producers only; ``done`` is then the number of the import's last append there.
    """

    def __init__(self, caller: Caller, producer: str, *, forgotten: bool = False) -> None:
        self.done = 0
        self._forgotten = forgotten
        self._own = records.producer_key(caller, producer)
        self._entries: list[tuple[int, int, bytes]] = []
        self._committed = {0}
        self._facts: set[bytes] = set()
        self._facts_erased: set[int] = set()

    def see(self, page: Iterable[StoredRecord]) -> int:
        """Fold records; returns the number of the last one, or 0 when what follows says nothing any more."""
        last = 0
        for stored in page:
            header = records.open_header(records.open_wire(stored.data.encode()).header)
            if records.producer_key(header.caller, header.producer) == self._own:
                self.done = header.n
                if not self._forgotten:
                    return 0
            last = header.record
            if self.done:
                continue
            if stored.subject.endswith(".log") or header.role in ("person", "caller"):
                for event in records.read(stored.position, stored.data.encode()).events:
                    self._event(event, header.time)
        return last

    def held(self) -> Held:
        found = Held(facts=self._facts, facts_erased=self._facts_erased)
        for turn, entry, key in self._entries:
            if turn in self._committed:
                found.keys.append(key)
                found.numbers.append(entry)
            elif key == ERASED:
                found.loose_erased += 1
            else:
                found.loose.add(key)
        return found

    def _event(self, event: Event, accepted: int) -> None:
        if isinstance(event, Entry):
            self._entries.append((event.turn, event.entry, entry_key(event)))
        elif isinstance(event, TurnCommitted):
            self._committed.add(event.turn)
        elif isinstance(event, FactRecorded | FactApproved | FactMoved):
            self._facts.add(fact_key(event.fact, accepted))
        elif isinstance(event, Erased):
            self._facts_erased.add(event.at or accepted)


def entry_key(event: Entry) -> bytes:
    """What makes two entries the same: kind, tool, content and attachments. Times and ids of calls do not count."""
    if event.erased:
        return ERASED
    content = event.blob.digest if event.blob else hashlib.sha256(event.content.encode()).hexdigest()
    tool = event.tool if isinstance(event, ToolCall | ToolResult) else ""
    attached = [found.digest for found in event.attachments]
    return _digest([type(event).__name__, tool, content, *attached])


def fact_key(fact: Assertion, accepted: int = 0) -> bytes:
    """What makes two statements the same: what was stated about what, and when (else when it was accepted).

    Who it was does not count: what is imported is stated by who imports it.
    """
    about, at = fact.identity, fact.at or accepted
    where = [about.scope, about.owner, about.subject, about.name, about.preview]
    return _digest([*where, fact.value, fact.content, str(at)])


def _digest(parts: list[str]) -> bytes:
    return hashlib.sha256(msgspec.json.encode(parts)).digest()[:16]
