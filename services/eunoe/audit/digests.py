"""Whether the events of records are those whose digests their headers hold, or were erased for good reason. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from eunoe.runtime.doors import Stored
from eunoe.schemas import records
from eunoe.schemas.errors import EunoeError
from eunoe.schemas.events import RecordKept
from eunoe.schemas.records import Header, Wire

_MARK = b'"record.kept"'


@dataclass(frozen=True, slots=True)
class Taken:
    """An event without its salt: where it is, and the hash of its record."""

    chain: str
    record: int
    position: int
    hash: str
    index: int


@dataclass(slots=True)
class Digests:
    """Checks events, and keeps in mind those that were taken out until a record of their chain says why."""

    records: int = 0
    _taken: list[Taken] = field(default_factory=list)
    _erased: set[tuple[str, str, int]] = field(default_factory=set)

    def check(self, wire: Wire, header: Header, chain: str, position: int) -> Iterator[str]:
        """What is wrong with the events of a record, one line each."""
        if len(wire.salts) != len(wire.events) or len(header.digests) != len(wire.events):
            yield "it does not hold as many events as its header says"
            return
        self.records += "" in wire.salts
        for index, (salt, raw, digest) in enumerate(zip(wire.salts, wire.events, header.digests, strict=True)):
            if not salt:
                self._taken.append(Taken(chain, header.record, position, wire.hash, index))
                continue
            try:
                found = records.digest_event(salt, bytes(raw))
            except ValueError:
                found = ""
            if found != digest:
                yield f"event {index + 1} does not have its digest: it was changed"

    def note(self, chain: str, stored: Stored) -> None:
        """Take in what a record says of others that lost events."""
        if _MARK not in stored.data:
            return
        try:
            events = records.read(stored.seq, stored.data).events
        except EunoeError:
            return  # which is told where the record itself is checked
        for event in events:
            if isinstance(event, RecordKept):
                gone = (index for index, one in enumerate(event.events) if not one.salt)
                self._erased.update((chain, event.hash, index) for index in gone)

    def unexplained(self) -> Iterator[Taken]:
        """Events that were taken out, and of which no record says that they were erased."""
        return (one for one in self._taken if (one.chain, one.hash, one.index) not in self._erased)
