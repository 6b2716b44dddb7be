"""From the calls of one turn to its facts. Pure: the same turn gives the same facts, in the same order."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field

import msgspec

from eunoe.extraction.calls import Call, Calls
from eunoe.extraction.found import Around, Extractor, Found
from eunoe.extraction.places import prompted, root_of
from eunoe.extraction.registry import Registry
from eunoe.extraction.secrets import body, redact
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
class _Told:
    """What an extractor found in a call, in the form in which it is kept; the name waits for the root.

    ``call`` has neither its text nor its arguments any more: a turn may have any number of calls.
    """

    call: Call
    subject: str
    name: str
    value: str
    content: str
    capped: bool


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
    _told: list[_Told] = field(init=False, default_factory=list)
    _failed: dict[str, str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._calls = Calls(self.turn)

    def feed(self, record: Record) -> None:
        for call in self._calls.feed(record):
            self._said = self._said or prompted(self._calls.prompt) or root_of(call)
            around = Around(self.root or self.known or self._said)
            for extractor in self.registry.readers(call):
                try:
                    found = list(extractor.read(call, around))
                except Exception as error:
                    self._failed[extractor.name] = cut(one_line(f"{type(error).__name__}: {error}"), _REASON)
                else:
                    self._take(call, extractor, found)

    def events(self) -> tuple[Event, ...]:
        """The record of this turn: `Extracted` first, then its facts."""
        known = self.known or self._said or (ABSOLUTE if any(map(self._whole_path, self._told)) else "")
        chosen, dropped = _chosen(list(self._facts(self.root or known)))
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

    def _take(self, call: Call, extractor: Extractor, found: Iterable[Found]) -> None:
        bare = dataclasses.replace(call, text="", arguments={})
        for one in found:
            value = cut(redact(one_line(without_records(one.value)[:_READ])), limit(one.subject))
            if not blank(value):
                name, content = redact(one_line(one.name[:_READ])), self._content(one.content, extractor)
                self._told.append(_Told(bare, one.subject, name, value, content, extractor.capped))

    def _content(self, content: str, extractor: Extractor) -> str:
        """The body, without secrets; none where it is too long, which is said."""
        kept = body(content) if len(content) <= limits.FACT_CONTENT_BYTES else content
        size = len(kept.encode())
        if size <= limits.FACT_CONTENT_BYTES:
            return kept
        self._failed[extractor.name] = f"a body of {size:,} bytes was left out, over {limits.FACT_CONTENT_BYTES:,}"
        return ""

    def _facts(self, root: str) -> Iterator[tuple[Assertion, bool]]:
        """The facts in order, each with whether it is capped; one that says what the turn said last of it is none."""
        last: dict[Identity, Assertion] = {}
        for one in self._told:
            name = self.kinds.name(one.subject, one.name, root)
            fact = self._fact(one, name)
            before = last.get(fact.identity)
            again = before is not None and same(before.value, fact.value) and before.content == fact.content
            if not blank(name) and not again:
                last[fact.identity] = fact
                yield fact, one.capped

    def _whole_path(self, one: _Told) -> bool:
        return self.kinds[one.subject].normaliser == "path" and one.name.startswith("/")

    def _fact(self, one: _Told, name: str) -> Assertion:
        call, kind = one.call, self.kinds[one.subject]
        session = kind.scope == "session" and self._calls.session
        return Assertion(
            identity=Identity(
                scope="session" if session else "thread",
                owner=self._calls.session if session else self.thread,
                subject=one.subject,
                name=name,
                preview=self._calls.preview,
            ),
            value=one.value,
            content=one.content,
            source=Source(kind="tool", principal=call.tool, agent=call.reporter),
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
