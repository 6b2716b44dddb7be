"""From what a reader yields to appends: named, bounded, and numbered the same way each time. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from msgspec import structs

from eunoe.client import batches
from eunoe.client.batches import Ready
from eunoe.client.importing.model import Aside, Item, Problem, Turn
from eunoe.schemas import ids, subjects
from eunoe.schemas.errors import Invalid, TooLarge
from eunoe.schemas.events import Event, FactRecorded, TurnOpened
from eunoe.schemas.facts import Source
from eunoe.schemas.subjects import Caller

KEY_LENGTH = 12  # characters of the file's digest that begin the keys of its turns


@dataclass(frozen=True, slots=True)
class Naming:
    """How the turns of one file are named in the log. Empty ``agent`` and ``session``: the transcript's own."""

    thread: str
    digest: str
    caller: Caller
    agent: str = ""
    session: str = ""

    def chain(self, turn: Turn) -> str:
        """The chain of a turn; raises `Invalid` when its thread's name cannot be one."""
        if turn.chain:
            return turn.chain
        name = f"{self.thread}.{turn.suffix}" if turn.suffix else self.thread
        return subjects.thread_chain(ids.check(name, "thread"))

    def key(self, turn: Turn) -> str:
        return f"{self.digest[:KEY_LENGTH]}.{turn.key}" if turn.key else ""


@dataclass(frozen=True, slots=True)
class Planned:
    """One turn (of an export: one record of it) for its chain, its events ready for the log."""

    chain: str
    key: str
    line: int
    readies: tuple[Ready, ...]
    opens: bool
    committed: bool = True

    @property
    def facts(self) -> bool:
        """Whether it is no part of the conversation, but what somebody stated."""
        return isinstance(self.readies[0].event, FactRecorded)


def plan(items: Iterable[Item], naming: Naming) -> Iterator[Planned | Problem | Aside]:
    """Every turn as appends. The same file under the same naming gives the same appends."""
    for item in items:
        if isinstance(item, Turn):
            yield from _turn(item, naming)
        else:
            yield item


def _turn(turn: Turn, naming: Naming) -> Iterator[Planned | Problem]:
    try:
        chain = naming.chain(turn)
    except Invalid as error:
        yield Problem(turn.line, str(error))
        return
    readies: list[Ready] = []
    for event in turn.events:
        if isinstance(event, TurnOpened) and not naming.session and (reason := _unusable(event.session)):
            yield Problem(turn.line, f"the turn goes in without its session: {reason}", kept=True)
        try:
            found = batches.ready(_named(event, turn, naming))
        except (TooLarge, Invalid) as error:
            yield Problem(turn.line, f"one {type(event).__name__} of this turn is left out: {error}")
            continue
        readies.append(found)
        if found.note:
            yield Problem(turn.line, found.note, kept=True)
    if readies:
        opens = any(isinstance(event, TurnOpened) for event in turn.events)
        yield Planned(chain, naming.key(turn), turn.line, tuple(readies), opens, turn.committed)


def _named(event: Event, turn: Turn, naming: Naming) -> Event:
    if isinstance(event, TurnOpened):
        agent, session = naming.agent or event.agent, naming.session or event.session
        if _unusable(session):
            session = ""
        return structs.replace(event, key=naming.key(turn), agent=agent, session=session)
    if isinstance(event, FactRecorded):
        return _stated(event, naming.caller)
    return event


def _unusable(session: str) -> str:
    """Why a transcript's own session cannot be one here; empty when it can, or when there is none."""
    try:
        ids.check(session or "none", "session")
    except Invalid as error:
        return str(error)
    return ""


def _stated(event: FactRecorded, caller: Caller) -> FactRecorded:
    """A fact that somebody stated, stated by who imports it; who it was first is in its provenance.

    A person carries a caller's fact in that caller's name, so that it does not rank as the person's own.
    """
    fact = event.fact
    first = fact.source
    if caller.role not in ("person", "caller"):
        raise Invalid(f"a fact that a {first.kind} stated is carried only when a person or a caller imports it")
    if first == Source(kind=caller.role, principal=caller.principal):
        return event
    carried = caller.role == "person" and first.kind == "caller"
    source = first if carried else Source(kind=caller.role, principal=caller.principal)
    detail = "; ".join(filter(None, (fact.provenance.detail, f"stated by {first.kind} {first.principal}, imported")))
    provenance = structs.replace(fact.provenance, detail=detail)
    return structs.replace(event, fact=structs.replace(fact, source=source, provenance=provenance))
