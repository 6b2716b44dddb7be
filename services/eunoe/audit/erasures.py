"""Erasures as their chain tells them: what is intended, how far it is, and what is said of it. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from msgspec import structs

from eunoe.facts import stating_rules
from eunoe.schemas import ids, limits, records, subjects
from eunoe.schemas.erasures import EraseReply, ErasureCounts, ErasureTarget
from eunoe.schemas.errors import Invalid
from eunoe.schemas.events import EraseDone, EraseIntended, EraseKept, EraseRemoved, RecordKept
from eunoe.schemas.records import Record
from eunoe.schemas.subjects import Caller

_Step = EraseIntended | EraseKept | EraseRemoved | EraseDone

OUT_OF_REACH = (
    "backups and snapshots of the store, and blocks of the disk that its files had before",
    "the store's own files where the server encrypts them: it deletes there, and overwrites nothing",
    "files that were exported, and spaces into which they were imported",
    "what model providers were sent",
    "outbox files of clients that run or did not end well, and programs' own memory",
)


@dataclass(slots=True)
class Round:
    """Some of the records of an erasure: intended, then kept, then removed (their messages are overwritten)."""

    intended: EraseIntended
    time: int
    kept: bool = False
    removed: bool = False

    @property
    def positions(self) -> dict[int, tuple[int, ...]]:
        """The positions of its records, with the indexes of the events that go."""
        return {one.position: one.events for chain in self.intended.chains for one in chain.records}


@dataclass(slots=True)
class Erasure:
    """One erasure by its id. ``by`` is the person who wants it, ``sought`` the position at which the log ended when it
    was first looked through, ``began`` that of its first step, ``newest`` that of its newest, ``time`` when that was
    (ms UTC)."""

    id: str
    by: Caller
    target: ErasureTarget
    reason: str
    sought: int = 0
    began: int = 0
    newest: int = 0
    time: int = 0
    rounds: list[Round] = field(default_factory=list)
    done: EraseDone | None = None

    @property
    def counts(self) -> ErasureCounts:
        total = ErasureCounts()
        for one in self.rounds:
            total = total + one.intended.counts
        return total

    @property
    def chains(self) -> set[str]:
        """The chains whose records it takes."""
        return {one.chain for part in self.rounds for one in part.intended.chains}

    def lighten(self) -> None:
        """Forget which records it took: of one that is done long since only what is said of it is asked for."""
        for one in self.rounds:
            one.intended = structs.replace(one.intended, chains=(), pieces=())

    def reply(self, position: int, removed: int, waiting: str = "") -> EraseReply:
        facts = [fact for one in self.rounds for fact in one.intended.facts]
        return EraseReply(
            state="done" if self.done else "running",
            counts=self.counts,
            words=self.target.words,
            removed=self.counts.records if self.done else removed,
            id=self.id,
            facts=tuple(facts[: limits.ERASED_FACTS_SHOWN]),
            out_of_reach=OUT_OF_REACH,
            waiting="" if self.done else waiting,
            position=position,
        )


@dataclass(slots=True)
class Book:
    """All erasures of a space, oldest first, up to a record of their chain: its number, hash and ``position``.

    Which records they took it knows of those that are watched: what is not done, and the newest, of which the server
    may lose a removal.
    """

    erasures: dict[str, Erasure] = field(default_factory=dict)
    record: int = 0
    hash: str = records.GENESIS
    position: int = 0
    _watched: deque[Erasure] = field(default_factory=deque)

    def see(self, record: Record) -> None:
        """Take in the next record of the chain."""
        self.record, self.hash, self.position = record.header.record, record.hash, record.position
        for event in record.events:
            if isinstance(event, EraseIntended):
                self._intended(event, record)
            if isinstance(event, _Step) and event.id in self.erasures:
                self._step(self.erasures[event.id], event, record)
        self._lighten(record.header.time - limits.UNSYNCED_SECONDS * 1000)

    def pending(self) -> Iterator[Erasure]:
        """Those that are not done, oldest first."""
        return (erasure for erasure in self.erasures.values() if not erasure.done)

    def watched(self, since: int = 0) -> list[Erasure]:
        """Those that are looked at again, oldest first, of which a step was told since then (ms UTC)."""
        return [one for one in self._watched if one.time >= since]

    def _step(self, erasure: Erasure, event: _Step, record: Record) -> None:
        erasure.newest, erasure.time = record.position, record.header.time
        if isinstance(event, EraseDone):
            erasure.done = event
        elif isinstance(event, EraseKept | EraseRemoved):
            found = erasure.rounds[event.round - 1]
            found.kept, found.removed = True, isinstance(event, EraseRemoved)

    def _lighten(self, synced: int) -> None:
        """Watch no longer what is done, is none of the newest, and was removed before ``synced`` (ms UTC)."""
        while len(self._watched) > limits.ERASURES_WATCHED and self._watched[0].done:
            if self._watched[0].time >= synced:
                return
            self._watched.popleft().lighten()

    def _intended(self, event: EraseIntended, record: Record) -> None:
        erasure = self.erasures.get(event.id)
        if erasure is None:
            sought, began = event.sought or record.position, record.position
            erasure = Erasure(event.id, record.header.caller, event.target, event.reason, sought, began)
            self.erasures[event.id] = erasure
            self._watched.append(erasure)
        erasure.rounds.append(Round(event, record.header.time))
        erasure.done = None  # something of it came late


def check(target: ErasureTarget) -> None:
    """Raise `Invalid` unless the target names one thing that can be erased."""
    if [bool(target.fact), bool(target.thread), bool(target.owner)].count(True) != 1:
        raise Invalid("name one thing to erase: a fact, a thread (or entries or turns of it), or an owner of facts")
    if target.fact:
        ids.check(target.fact, "fact")
    if target.thread:
        ids.check(target.thread, "thread")
    if target.owner:
        subjects.home_chain(target.scope, ids.check(target.owner, "owner"))
    if bool(target.owner) != bool(target.scope) or (target.scope == "thread"):
        raise Invalid("an owner's facts are named by scope and owner: permanent or session, and whose")
    for first, last in (*target.entries, *target.turns):
        if not target.thread or not 1 <= first <= last:
            raise Invalid("entries and turns are ranges of numbers from 1, in a thread")


def check_reason(reason: str) -> None:
    """Raise `Invalid` unless it is a reason of one line within its limit."""
    if not reason.strip():
        raise Invalid("an erasure needs a reason, which stays in the log: say why, without what is to be erased")
    stating_rules.check_reason(reason)


def batched(kept: Iterable[RecordKept]) -> Iterator[list[RecordKept]]:
    """Kept records of one chain in appends: as many together as make a record of about the usual limit."""
    batch: list[RecordKept] = []
    size = 0
    for one in kept:
        own = len(bytes(one.header)) + sum(len(bytes(event.event)) + len(event.salt) for event in one.events)
        if batch and (size + own > limits.RECORD_BYTES // 2 or len(batch) == limits.EVENTS_PER_RECORD):
            yield batch
            batch, size = [], 0
        batch.append(one)
        size += own
    if batch:
        yield batch
