"""From the calls of one turn to its facts. Pure: the same turn gives the same facts, in the same order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field

import msgspec

from eunoe.extraction.calls import Call, Calls
from eunoe.extraction.found import Around, Extractor, Found
from eunoe.extraction.places import prompted, root_of
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
ABSOLUTE = "/"
"""The root of a thread whose files are named by their whole paths."""


@dataclass(frozen=True, slots=True)
class _Read:
    """What an extractor found in a call."""

    call: Call
    found: Found
    extractor: Extractor


@dataclass(slots=True)
class Turn:
    """One committed turn on its way to facts: feed it its records in order, then take its `events`.

    ``root`` is the configured one; ``known`` is the thread's, as the turn before left it. Files are named relative to
    it. The first turn of a thread that says where it works settles it for all later ones; where a turn names a file
    by its whole path before that, the thread stays with whole paths. So a file keeps its name.
    """

    thread: str
    turn: int
    ordinal: int
    registry: Registry
    kinds: Kinds
    root: str = ""
    known: str = ""
    _calls: Calls = field(init=False)
    _said: str = field(init=False, default="")
    _read: list[_Read] = field(init=False, default_factory=list)
    _failed: dict[str, str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._calls = Calls(self.turn)

    def feed(self, record: Record) -> None:
        for call in self._calls.feed(record):
            self._said = self._said or prompted(self._calls.prompt) or root_of(call)
            around = Around(self.root or self.known or self._said)
            for extractor in self.registry.readers(call):
                try:
                    self._read += [_Read(call, found, extractor) for found in extractor.read(call, around)]
                except Exception as error:
                    self._failed[extractor.name] = cut(one_line(f"{type(error).__name__}: {error}"), _REASON)

    def events(self) -> tuple[Event, ...]:
        """The record of this turn: `Extracted` first, then its facts."""
        known = self.known or self._said or (ABSOLUTE if any(map(self._whole_path, self._read)) else "")
        chosen, dropped = _chosen(list(self._told(self.root or known)))
        chosen, bare = _bounded(chosen)
        if bare:
            self._failed["bodies"] = f"{bare} were left out, over {limits.BODIES_PER_TURN:,} bytes in one turn"
        extracted = Extracted(
            turn=self.turn,
            ordinal=self.ordinal,
            facts=len(chosen),
            dropped=dropped,
            failed=tuple(f"{name}: {reason}" for name, reason in sorted(self._failed.items())),
            root=known,
        )
        return (extracted, *(FactRecorded(fact=fact) for fact in chosen))

    def _told(self, root: str) -> Iterator[tuple[Assertion, bool]]:
        """The facts in order, each with whether it is capped; one that says what the turn said last of it is none."""
        last: dict[Identity, Assertion] = {}
        for one in self._read:
            fact = self._fact(one, root)
            before = last.get(fact.identity) if fact else None
            if fact and not (before and same(before.value, fact.value) and before.content == fact.content):
                last[fact.identity] = fact
                yield fact, one.extractor.capped

    def _whole_path(self, one: _Read) -> bool:
        return self.kinds[one.found.subject].normaliser == "path" and one.found.name.startswith("/")

    def _fact(self, one: _Read, root: str) -> Assertion | None:
        call, found = one.call, one.found
        kind = self.kinds[found.subject]
        value = cut(redact(one_line(without_records(found.value)[:_READ])), limit(found.subject))
        name = self.kinds.name(found.subject, redact(one_line(found.name[:_READ])), root)
        if blank(value) or blank(name):
            return None
        session = kind.scope == "session" and self._calls.session
        return Assertion(
            identity=Identity(
                scope="session" if session else "thread",
                owner=self._calls.session if session else self.thread,
                subject=found.subject,
                name=name,
                preview=self._calls.preview,
            ),
            value=value,
            content=self._content(one),
            source=Source(kind="tool", principal=call.tool, agent=call.reporter),
            at=call.at,
            fact_class=kind.fact_class,
            method="extracted",
            proposal=kind.fact_class == "permanent",
            provenance=Provenance(
                agent=self._calls.agent or call.reporter,
                session=self._calls.session,
                thread=self.thread,
                turn=self.turn,
                entries=(call.entry,),
                positions=(call.position,),
                tool=call.tool,
            ),
        )

    def _content(self, one: _Read) -> str:
        """The body; none where it is too long, which is said."""
        size = len(one.found.content.encode())
        if size <= limits.FACT_CONTENT_BYTES:
            return one.found.content
        self._failed[one.extractor.name] = f"a body of {size:,} bytes was left out, over {limits.FACT_CONTENT_BYTES:,}"
        return ""


def derive(turn: Turn, records: Iterable[Record]) -> tuple[Event, ...]:
    """The events of a turn whose records are at hand."""
    for record in records:
        turn.feed(record)
    return turn.events()


def nothing(turn: int, ordinal: int, reason: str, known: str = "") -> tuple[Event, ...]:
    """The record of a turn whose facts cannot be derived: why, and no facts."""
    return (Extracted(turn=turn, ordinal=ordinal, failed=(cut(one_line(reason), _REASON),), root=known),)


def _chosen(facts: Sequence[tuple[Assertion, bool]]) -> tuple[list[Assertion], int]:
    """At most `limits.FACTS_PER_TURN` capped facts and `limits.MAPPED_FACTS_PER_TURN` others; how many were dropped."""
    newest = {fact.identity: index for index, (fact, _) in enumerate(facts)}
    gone: set[int] = set()
    for capped, most in ((True, limits.FACTS_PER_TURN), (False, limits.MAPPED_FACTS_PER_TURN)):
        indices = [index for index, (_, cap) in enumerate(facts) if cap == capped]
        gone |= _over(indices, most, {index for index in indices if newest[facts[index][0].identity] == index})
    return [fact for index, (fact, _) in enumerate(facts) if index not in gone], len(gone)


def _over(indices: Sequence[int], most: int, standing: Set[int]) -> set[int]:
    """Which ones go: what a later fact of the turn superseded first, oldest first; then the oldest of the rest."""
    order = sorted(indices, key=lambda index: (index in standing, index))
    return set(order[: max(0, len(indices) - most)])


def _bounded(facts: Sequence[Assertion]) -> tuple[list[Assertion], int]:
    """The facts with at most `limits.BODIES_PER_TURN` bytes of bodies, the newest ones; how many lost theirs."""
    room, bare = limits.BODIES_PER_TURN, 0
    kept: list[Assertion] = []
    for fact in reversed(facts):
        size = len(msgspec.json.encode(fact.content)) if fact.content else 0
        room -= size
        if size and room < 0:
            fact, bare = msgspec.structs.replace(fact, content=""), bare + 1
        kept.append(fact)
    return kept[::-1], bare
