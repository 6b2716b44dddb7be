"""From the calls of one turn to its facts. Pure: the same turn gives the same facts, in the same order."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from eunoe.extraction.calls import Call, Calls
from eunoe.extraction.found import Around, Found
from eunoe.extraction.places import directory_of, prompted
from eunoe.extraction.registry import Registry
from eunoe.extraction.secrets import redact
from eunoe.facts.kinds import Kinds
from eunoe.facts.values import blank, cut, limit, one_line, same
from eunoe.schemas import limits
from eunoe.schemas.events import Event, Extracted, FactRecorded
from eunoe.schemas.facts import Assertion, Identity, Provenance, Source
from eunoe.schemas.labels import without_records
from eunoe.schemas.records import Record

_READ = 4_096  # characters of a name or value that are looked at
_REASON = 200  # characters of the reason why an extractor failed


@dataclass(slots=True)
class Turn:
    """One committed turn on its way to facts: feed it its records in order, then take its `events`."""

    thread: str
    turn: int
    ordinal: int
    registry: Registry
    kinds: Kinds
    root: str = ""
    _calls: Calls = field(init=False)
    _facts: list[tuple[Assertion, bool]] = field(init=False, default_factory=list)
    _failed: dict[str, str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._calls = Calls(self.turn)

    def feed(self, record: Record) -> None:
        for call in self._calls.feed(record):
            self.root = self.root or prompted(self._calls.prompt) or directory_of(call)
            for extractor in self.registry.readers(call):
                try:
                    found = list(extractor.read(call, Around(self.root)))
                except Exception as error:
                    self._failed[extractor.name] = cut(one_line(f"{type(error).__name__}: {error}"), _REASON)
                else:
                    self._keep(call, found, extractor.capped)

    def events(self) -> tuple[Event, ...]:
        """The record of this turn: `Extracted` first, then its facts."""
        chosen, dropped = _chosen(self._facts)
        extracted = Extracted(
            turn=self.turn,
            ordinal=self.ordinal,
            facts=len(chosen),
            dropped=dropped,
            failed=tuple(f"{name}: {reason}" for name, reason in sorted(self._failed.items())),
        )
        return (extracted, *(FactRecorded(fact=fact) for fact in chosen))

    def _keep(self, call: Call, found: Iterable[Found], capped: bool) -> None:
        for one in found:
            fact = self._fact(call, one)
            if fact and not self._repeats(fact):
                self._facts.append((fact, capped))

    def _repeats(self, fact: Assertion) -> bool:
        """Whether the last thing that this turn says of the same identity is the same."""
        before = (known for known, _ in reversed(self._facts) if known.identity == fact.identity)
        last = next(before, None)
        return last is not None and same(last.value, fact.value)

    def _fact(self, call: Call, found: Found) -> Assertion | None:
        kind = self.kinds[found.subject]
        value = cut(redact(one_line(without_records(found.value)[:_READ])), limit(found.subject))
        name = self.kinds.name(found.subject, redact(one_line(found.name[:_READ])), self.root)
        if blank(value) or blank(name):
            return None
        session = kind.scope == "session" and self._calls.session
        return Assertion(
            identity=Identity(
                scope="session" if session else "thread",
                owner=self._calls.session if session else self.thread,
                subject=found.subject,
                name=name,
            ),
            value=value,
            source=Source(kind="tool", principal=call.tool, agent=self._calls.agent),
            at=call.at,
            fact_class=kind.fact_class,
            method="extracted",
            proposal=kind.fact_class == "permanent",
            provenance=Provenance(
                agent=self._calls.agent,
                session=self._calls.session,
                thread=self.thread,
                turn=self.turn,
                entries=(call.entry,),
                positions=(call.position,),
                tool=call.tool,
            ),
        )


def derive(turn: Turn, records: Iterable[Record]) -> tuple[Event, ...]:
    """The events of a turn whose records are at hand."""
    for record in records:
        turn.feed(record)
    return turn.events()


def nothing(turn: int, ordinal: int, reason: str) -> tuple[Event, ...]:
    """The record of a turn whose facts cannot be derived: why, and no facts."""
    return (Extracted(turn=turn, ordinal=ordinal, failed=(cut(one_line(reason), _REASON),)),)


def _chosen(facts: Sequence[tuple[Assertion, bool]]) -> tuple[list[Assertion], int]:
    """At most `limits.FACTS_PER_TURN` capped facts, and how many were dropped.

    What a later fact of the turn superseded goes first, oldest first; then the oldest of the rest.
    """
    newest = {fact.identity: index for index, (fact, _) in enumerate(facts)}
    capped = [index for index, (_, cap) in enumerate(facts) if cap]
    over = max(0, len(capped) - limits.FACTS_PER_TURN)
    superseded = [index for index in capped if newest[facts[index][0].identity] != index]
    standing = [index for index in capped if newest[facts[index][0].identity] == index]
    gone = set(itertools.islice(itertools.chain(superseded, standing), over))
    mapped = [index for index, (_, cap) in enumerate(facts) if not cap]
    gone |= set(mapped[limits.MAPPED_FACTS_PER_TURN :])
    return [fact for index, (fact, _) in enumerate(facts) if index not in gone], len(gone)
