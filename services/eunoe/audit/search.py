"""What an erasure takes: a target followed through the records of the log. Pure.

Feed a `Search` every record of memory in the log, and every record of the target's thread, in order, until a
pass finds nothing new (`Search.again`). An entry takes the assertions with it that cite it, or cite the call that
it answers: all that an assertion cites was its evidence together. A fact takes all that was asserted under its
identity, what that approves or moves, and what approves or moves it. With an assertion go what was done to it,
and the recipes of contexts that hold its words. What structures a thread stays, without words.

A search that goes on after the erasure began has that as its ``bound``, a position of the log: what was appended
since is new, and goes only when it came from what is erased. Contexts that were composed up to ``stale``, another
position, may be made of facts that held it still: of those every one goes that quotes what others say of a fact.
What was appended behind ``seen``, the end of the log at the first search, that one may not have looked at.
"""

from __future__ import annotations

from collections.abc import Mapping

from eunoe.audit import lost
from eunoe.audit.copies import Copies
from eunoe.audit.found import COPY, Found
from eunoe.audit.lost import Lost
from eunoe.audit.spans import within
from eunoe.facts import lenient
from eunoe.facts.admission import told
from eunoe.facts.kinds import Kinds
from eunoe.facts.lineage import lineage
from eunoe.facts.values import normal
from eunoe.runtime.doors import Stored
from eunoe.schemas import ids, records, subjects
from eunoe.schemas.context import QUOTING
from eunoe.schemas.erasures import ErasureTarget
from eunoe.schemas.events import (
    ConflictRaised,
    ConflictResolved,
    ContextAssessed,
    ContextComposed,
    ContextCondensed,
    ContextCut,
    ContextReferenced,
    ContextRefused,
    DistilledEvent,
    EntryBase,
    Erased,
    Event,
    Extracted,
    FactApproved,
    FactDeleted,
    FactEvent,
    FactMoved,
    FactRetired,
    Instructions,
    MemoryUsed,
    Prompt,
    RecordKept,
    SessionEnded,
    SessionStateSet,
    StatingEvent,
    ToolCall,
    ToolResult,
    TurnAborted,
    TurnCommitted,
)
from eunoe.schemas.facts import Assertion, Identity
from eunoe.schemas.records import Record

Version = tuple[Identity, str, str]
"""What says the same: identity, lineage, and the value as values are compared."""

_ALWAYS = 1 << 62  # a bound above every position


class Search:
    """Follows one target. What it knows only grows, so that passes come to an end."""

    def __init__(
        self, target: ErasureTarget, kinds: Kinds, bound: int = _ALWAYS, stale: int = 0, seen: int = _ALWAYS
    ) -> None:
        self.target = target
        self._bound = bound
        self._stale = stale
        self._seen = min(seen, bound)
        self._old = True
        self._kinds = kinds
        self._chain = subjects.thread_chain(target.thread) if target.thread else ""
        self._book = subjects.book_chain(target.scope, target.owner) if target.scope in ("permanent", "session") else ""
        self._whole = target.whole
        self._identities: set[Identity] = set()
        self._ids: set[str] = {target.fact} if target.fact else set()
        self._back: set[str] = set(self._ids)
        self._gone: set[str] = set()
        self._told: dict[str, Version] = {}
        self._versions: dict[Version, int] = {}
        self._texts: set[str] = set()
        self._evidence: set[int] = set()
        self._taken = Lost(target)
        self._asked: dict[tuple[int, str], set[int]] = {}
        self._copies = Copies()
        self._lost: set[str] = set()  # chains of which something goes, or went
        self._known = -1
        self.found = Found()

    def again(self) -> bool:
        """Whether another pass is needed; a fresh one begins then."""
        sets = (self._identities, self._ids, self._back, self._texts, self._evidence, self._lost)
        known = sum(len(one) for one in sets) + sum(self._versions.values()) + self._taken.size
        if known == self._known:
            return False
        self._known, self.found = known, Found()
        return True

    def see(self, stored: Stored) -> None:
        """Look at one record."""
        record = lenient.read_any(stored)
        if record is None or record.header.chain == subjects.ERASURES:
            return
        self._old = record.position <= self._bound
        if self._copies.note(stored):
            self._lost.add(record.header.chain)
        facts = self._told_in(record)
        gone = {
            index: what
            for index, event in enumerate(record.events)
            if (what := self._what(record, index, event, facts))
        }
        if gone:
            self._lost.add(record.header.chain)
            self.found.take(record, records.open_wire(stored.data), gone)

    def _what(self, record: Record, index: int, event: Event, facts: Mapping[int, Assertion]) -> str:
        """As which count an event goes; empty for one that stays."""
        match event:
            case EntryBase():
                return "entries" if record.header.chain == self._chain and self._entry(event) else ""
            case Erased():
                self._gone.add(ids.fact_id(record.header.chain, record.header.origin, index))
                self._taken.note(record, event)
                return ""
            case _ if isinstance(event, DistilledEvent):
                return self._taken.drawn(record, event, self._ids, old=self._old)
            case _ if isinstance(event, StatingEvent):
                return "facts" if self._assertion(record, index, event, facts.get(index, event.fact)) else ""
            case _ if isinstance(event, FactEvent):
                return "acts" if self._act(record, event) else ""
            case RecordKept():
                return COPY if event.position in self.found.positions or self._copies.more(event) else ""
            case ConflictRaised() | ConflictResolved():
                return "acts" if self._disagreed(event) else ""
            case ContextComposed():
                return "contexts" if self._composed(record, event) else ""
            case ContextAssessed():
                return "contexts" if self._assessed(record, event) else ""
            case _:
                return "other" if self._other(record, event) else ""

    # Entries

    def _entry(self, event: EntryBase) -> bool:
        """Whether an entry of the target's thread goes; what is known of calls and pieces is noted either way."""
        if isinstance(event, ToolCall):
            self._asked.setdefault((event.turn, event.call), set()).add(event.entry)
        goes = self._old and (
            self._whole
            or within(event.entry, self.target.entries)
            or bool(event.turn and within(event.turn, self.target.turns))
        )
        pieces = event.blob.pieces if event.blob else ()
        (self.found.lost if goes else self.found.named).update(pieces)
        if goes:
            self._evidence.add(event.entry)
            self._taken.take(event)
            if isinstance(event, ToolResult):
                self._evidence |= self._asked.get((event.turn, event.call), set())
            if isinstance(event, Prompt | Instructions):
                self._say(event.blob.head if event.blob else event.content)
        return goes

    def _derived(self, fact: Assertion, chain: str) -> bool:
        """Whether something came from what the target takes of its thread."""
        came = fact.provenance
        if not self._chain or (came.thread or subjects.chain_thread(chain)) != self.target.thread:
            return False
        if not self._evidence.isdisjoint(came.entries) or (lost.whole_turn(fact) and came.turn in self._taken.turns):
            return True
        return self._old and (self._whole or within(came.turn, self.target.turns))

    # Facts

    def _told_in(self, record: Record) -> dict[int, Assertion]:
        """The assertions of a record as documents keep them, by index."""
        if not any(isinstance(event, StatingEvent) for event in record.events):
            return {}
        return {one.stated.index: one.stated.fact for one in told(record, self._kinds)}

    def _assertion(self, record: Record, index: int, event: StatingEvent, fact: Assertion) -> bool:
        header = record.header
        own = ids.fact_id(header.chain, header.origin, index)
        version = (fact.identity, lineage(fact.source), normal(fact.value))
        about = event.id if isinstance(event, FactApproved | FactMoved) else ""
        if own in self._back:
            self._reach(fact.identity, version, own, record.position)
        goes = (
            own in self._ids
            or self._derived(event.fact, header.chain)
            or (self._old and self._named(header.chain, fact.identity))
            or self._versions.get(version, 0) > record.position
            or any(one in self._ids or one in self._gone for one in (about, event.fact.cites) if one)
        )
        if goes:
            self._ids.add(own)
            self._told[own] = version
            self._say(event.fact.value, event.fact.content)
            self.found.facts.append(own)
            self.found.sources.update((event.fact.provenance.thread, entry) for entry in event.fact.provenance.entries)
            if self.target.fact:
                self._back.update({about, event.fact.cites} - {""})
        return goes

    def _reach(self, identity: Identity, version: Version, own: str, position: int) -> None:
        """The named fact takes its whole identity; what it was approved or moved from, all that said the same."""
        if own == self.target.fact:
            self._identities.add(identity)
            self.found.anchor = position
        self._versions[version] = self._bound
        self._ids.add(own)

    def _named(self, chain: str, identity: Identity) -> bool:
        """Whether a fact goes for where it stands, or for what it is about."""
        return (self._whole and chain == self._chain) or identity in self._identities or self._owned(identity)

    def _owned(self, identity: Identity) -> bool:
        return bool(self.target.owner) and (identity.scope, identity.owner) == (self.target.scope, self.target.owner)

    def _act(self, record: Record, event: FactEvent) -> bool:
        """An act on what goes. What a delete or a retirement closed goes whole: else what is left would be back."""
        if event.id not in self._ids:  # type: ignore[union-attr]  # those without are assertions, and not asked here
            return False
        if isinstance(event, FactDeleted | FactRetired) and event.id in self._told:
            version = self._told[event.id]
            self._versions[version] = max(record.position, self._versions.get(version, 0))
        return True

    def _disagreed(self, event: ConflictRaised | ConflictResolved) -> bool:
        if self._old and (event.identity in self._identities or self._owned(event.identity)):
            return True
        return any(one in self._ids or one in self._gone for one in event.facts)

    # The rest

    def _composed(self, record: Record, event: ContextComposed) -> bool:
        if self._old and self._whole and record.header.chain == self._chain:
            return True
        recipe, late = event.recipe, record.position > self._seen
        lines = (*recipe.earlier, *recipe.now, *filter(None, [recipe.state]))
        noted = [words for line in lines if (words := line.note.partition(QUOTING)[2])]
        said = [recipe.request, *noted] if recipe.request else noted
        if late and recipe.position <= self._bound and record.header.chain in self._lost:
            return bool(said)  # it was on its way, and the words to look for may be gone by now
        if late and recipe.position <= self._stale and noted:
            return True
        return any(text in held for held in said for text in self._texts)

    def _assessed(self, record: Record, event: ContextAssessed) -> bool:
        """Whether what was decided of a request says what it was, in whatever words: a model wrote them."""
        found = event.assessment
        said = [text for text in (found.intent, found.task, found.objective, found.failure) if text]
        if record.header.chain == self._chain and (event.turn in self._taken.turns or (self._old and self._whole)):
            return bool(said)
        return any(text in held for held in said for text in self._texts)

    def _other(self, record: Record, event: Event) -> bool:
        chain = record.header.chain
        mine = bool(self._chain) and chain == self._chain
        match event:
            case Extracted():
                return mine and bool(event.failed) and event.turn in self._taken.turns
            case TurnCommitted():
                if mine:
                    self._taken.ordinals[event.turn] = event.ordinal
                return False
            case TurnAborted():
                wanted = self._whole or within(event.turn, self.target.turns)
                return mine and self._old and bool(event.reason) and wanted
            case MemoryUsed() | ContextCondensed() | ContextReferenced() | ContextCut() | ContextRefused():
                return mine and self._old and self._whole
            case SessionStateSet():
                return self._old and chain == self._book
            case SessionEnded():
                return self._old and chain == self._book and bool(event.reason)
            case _:
                return False

    def _say(self, *texts: str) -> None:
        self._texts.update(text for text in texts if text.strip())
