"""A thread without a server: the audit's, extraction's and the facts' own rules, one event after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from eunoe.audit import rules as audit
from eunoe.composition.contents import text
from eunoe.composition.fold import Fold
from eunoe.composition.owned import Owned
from eunoe.composition.shelf import Facts
from eunoe.extraction.registry import Registry
from eunoe.extraction.rules import Turn as Extraction
from eunoe.extraction.rules import derive
from eunoe.facts import document as documents
from eunoe.facts.admission import told
from eunoe.facts.kinds import Kinds
from eunoe.runtime.chains import Head
from eunoe.schemas import limits, subjects
from eunoe.schemas.events import Entry, Event, Extracted, TurnCommitted
from eunoe.schemas.facts import Document, Identity
from eunoe.schemas.records import Record
from eunoe.schemas.requests import AppendRequest
from eunoe.schemas.subjects import Caller
from evaluation.scoring import Recalled

CALLER = Caller("caller", "evaluated")
EXTRACTION = Caller("worker", "extraction")
START = 1_770_000_000_000  # ms UTC, in February 2026
SECOND = 1_000  # ms between two records


@dataclass
class Thread:
    """Records as they would be in the log, folded as composition folds them, with the facts that tools gave.

    The facts of a turn are known from the moment in which it is committed.
    """

    name: str
    kinds: Kinds = field(default_factory=Kinds)
    registry: Registry = field(default_factory=Registry)

    def __post_init__(self) -> None:
        self.fold = Fold(subjects.thread_chain(self.name))
        self.records: list[Record] = []
        self._owned = Owned(self.name, self.kinds, thread=self.name)
        self._documents: dict[Identity, Document] = {}
        self._root = ""
        self._numbers: dict[str, int] = {}
        self.extracted = 0

    @property
    def facts(self) -> Facts:
        return Facts(self._owned.facts)

    @property
    def tasks(self) -> Facts:
        return Facts(self._owned.tasks)

    def append(self, *events: Event, key: str = "") -> None:
        """What happened in the turn of that key (or in none)."""
        record = self._append(CALLER, events, key)
        for event in record.events:
            if isinstance(event, TurnCommitted):
                self._extract(event)

    @property
    def entries(self) -> dict[int, Entry]:
        """Everything that was said, by its number."""
        return {item.entry: item.event for turn in self.fold.turns.values() for item in turn.items}

    def history(self, name: str) -> str:
        """Every version of the facts of that kind and name, a line each."""
        found = [one for identity, one in self._documents.items() if f"{identity.subject} {identity.name}" == name]
        return "\n".join(f"{name}: {stated.fact.value}" for document in found for stated in document.assertions)

    def recalled(self) -> Recalled:
        """What a recall of anything in this thread gives now."""
        entries = {entry: text(event) for entry, event in self.entries.items()}
        turns = {
            number: "\n".join(entries[item.entry] for item in turn.items) for number, turn in self.fold.turns.items()
        }
        names = {f"{identity.subject} {identity.name}" for identity in self._documents}
        return Recalled(entries, turns, {name: self.history(name) for name in names})

    def _append(self, caller: Caller, events: Sequence[Event], key: str) -> Record:
        number = self._numbers[caller.role] = self._numbers.get(caller.role, 0) + 1
        request = AppendRequest(v=limits.SCHEMA_VERSION, producer=caller.role, n=number, events=tuple(events), turn=key)
        at = len(self.records) + 1
        head = Head(self.records[-1].header, self.records[-1].position, "0" * 64) if self.records else None
        append = audit.Append(caller, "default", self.fold.chain, request, "0" * 64, START + SECOND * at)
        found = audit.decide(head, append)
        assert isinstance(found, audit.Write)
        record = Record(position=at, header=found.header, hash="0" * 64, events=found.events)
        self.records.append(record)
        self.fold.add(record)
        return record

    def _extract(self, committed: TurnCommitted) -> None:
        turn = Extraction(self.name, committed.turn, committed.ordinal, self.registry, self.kinds, known=self._root)
        events = derive(turn, [record for record in self.records if _of(record, committed.turn)])
        self._root = next(event.root for event in events if isinstance(event, Extracted))
        self._learn(self._append(EXTRACTION, events, ""))
        self.extracted = committed.ordinal

    def _learn(self, record: Record) -> None:
        """The documents of what a record says, and with them the facts that a context may show."""
        for one in told(record, self.kinds):
            before = self._documents.get(one.identity, documents.empty(one.identity))
            found = self._documents[one.identity] = documents.add(before, [one.stated])
            self._owned.take(documents.key(one.identity), documents.encode(found), record.position)


def _of(record: Record, turn: int) -> bool:
    return any(getattr(event, "turn", 0) == turn for event in record.events)
