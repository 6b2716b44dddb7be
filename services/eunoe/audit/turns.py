"""Turns and entries: how an append's events are numbered, and what a turn's state allows. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Busy, Denied, Invalid, TurnNotOpen
from eunoe.schemas.events import (
    DistilledEvent,
    Entry,
    Event,
    FactMoved,
    FactRecorded,
    Instructions,
    Prompt,
    Response,
    ToolCall,
    ToolResult,
    TurnAborted,
    TurnCommitted,
    TurnOpened,
    Usage,
)
from eunoe.schemas.records import ClosedTurn, Header, OpenTurn
from eunoe.schemas.subjects import Caller


@dataclass(slots=True)
class State:
    """The counters and turns of a chain while the events of one append are numbered."""

    record: int
    now: int
    entries: int
    turns: int
    committed: int
    open: dict[str, OpenTurn]
    closed: dict[str, ClosedTurn]
    thread: bool = True  # whether the chain is a thread's: a book has no turns
    session: str = ""  # the session whose book the chain is

    @classmethod
    def of(cls, header: Header, *, record: int, now: int) -> State:
        thread, session = bool(subjects.chain_thread(header.chain)), subjects.chain_session(header.chain)
        turns, closed = dict(header.open), dict(header.closed)
        return cls(record, now, header.entries, header.turns, header.committed, turns, closed, thread, session)

    def number(self, event: Event, key: str, caller: Caller) -> Event:
        """The event as it is stored, with its numbers; raises when the turn named ``key`` does not allow it."""
        match event:
            case TurnOpened():
                return self._opened(event, key, caller)
            case TurnCommitted():
                self.committed += 1
                return msgspec.structs.replace(
                    event, turn=self._close(key, "committed", caller), ordinal=self.committed
                )
            case TurnAborted():
                return msgspec.structs.replace(event, turn=self._close(key, "aborted", caller))
            case Instructions() | Prompt() | Response() | ToolCall() | ToolResult():
                return self._entry(event, key, caller)
            case Usage():
                return msgspec.structs.replace(event, turn=self._touch(key, caller))
            case FactRecorded() | FactMoved():
                return self._stated(event, key, caller)
            case _ if isinstance(event, DistilledEvent):
                return self._drawn(event)
            case _:
                return event

    def _opened(self, event: TurnOpened, key: str, caller: Caller) -> TurnOpened:
        if not key:
            raise Invalid("a turn needs a key to be opened under")
        if key in self.open:
            raise Invalid(f"the turn {key!r} is open already, as turn {self.open[key].turn}")
        if key in self.closed:
            raise TurnNotOpen(_was(key, self.closed[key]), state=self.closed[key].state)
        if len(self.open) >= limits.OPEN_TURNS:
            raise Busy(f"{len(self.open)} turns are open in this thread, the most at once; commit or abort one")
        agent = event.agent or (caller.principal if caller.role == "agent" else "")
        if caller.role == "agent" and agent != caller.principal:
            raise Denied(f"the agent {caller.principal!r} cannot open a turn as {agent!r}")
        self.turns += 1
        self.open[key] = OpenTurn(self.turns, self.now, agent, event.session, self.record, event.preview)
        return msgspec.structs.replace(event, turn=self.turns, key=key, agent=agent)

    def _close(self, key: str, state: str, caller: Caller) -> int:
        turn = self._touch(key, caller)
        del self.open[key]
        self.closed[key] = ClosedTurn(turn, "committed" if state == "committed" else "aborted")
        while len(self.closed) > limits.CLOSED_TURNS_IN_HEAD:
            del self.closed[next(iter(self.closed))]
        return turn

    def _entry(self, event: Entry, key: str, caller: Caller) -> Entry:
        outside = isinstance(event, Instructions) and key not in self.open
        turn = 0 if outside else self._touch(key, caller)
        self.entries += 1
        return msgspec.structs.replace(event, turn=turn, entry=self.entries)

    def _stated(self, event: FactRecorded | FactMoved, key: str, caller: Caller) -> FactRecorded | FactMoved:
        """A fact that is stated in a turn of a preview is that preview's; an agent states where it takes part."""
        stated_in = self.open.get(key)
        if stated_in and stated_in.preview:
            event = _previewed(event, stated_in)
        identity = event.fact.identity
        mine = [turn for turn in self.open.values() if turn.agent == caller.principal]
        if caller.role == "agent" and isinstance(event, FactRecorded):
            self._came_from(event.fact.provenance.session, {turn.session for turn in mine}, caller)
        if caller.role == "agent" and self.thread:
            if identity.scope == "session" and identity.owner not in {turn.session for turn in mine}:
                raise Denied(f"the agent {caller.principal!r} has no turn open in the session {identity.owner!r}")
            if identity.preview and identity.preview not in {turn.preview for turn in mine}:
                raise Denied(f"the agent {caller.principal!r} has no turn open in the preview {identity.preview!r}")
        return event

    def _drawn(self, event: DistilledEvent) -> DistilledEvent:
        """What is drawn from turns is drawn from such as are committed."""
        if event.last > self.committed:
            raise Invalid(f"it is of a turn of the ordinal {event.last}, and {self.committed} turns are committed here")
        return event

    def _came_from(self, session: str, mine: set[str], caller: Caller) -> None:
        """An agent's own fact comes out of no session but one in which it takes part here."""
        if session and session not in mine | {self.session}:
            raise Denied(f"the agent {caller.principal!r} has no turn open in the session {session!r}")

    def _touch(self, key: str, caller: Caller) -> int:
        if not key:
            raise Invalid("what is said or done belongs to a turn; give the key of an open one")
        found = self.open.get(key)
        if found is None:
            closed = self.closed.get(key)
            raise TurnNotOpen(_was(key, closed), state=closed.state if closed else "unknown")
        if caller.role == "agent" and found.agent != caller.principal:
            raise Denied(f"turn {found.turn} is {found.agent or 'nobody'}'s; {caller.principal!r} cannot add to it")
        self.open[key] = msgspec.structs.replace(found, touched=self.now)
        return found.turn


def _was(key: str, closed: ClosedTurn | None) -> str:
    if closed is None:
        return f"no turn {key!r} is open in this thread; open one first"
    return f"turn {closed.turn} was {closed.state}, so nothing can be appended to it"


def _previewed(event: FactRecorded | FactMoved, turn: OpenTurn) -> FactRecorded | FactMoved:
    identity = event.fact.identity
    if identity.preview not in ("", turn.preview):
        raise Denied(f"turn {turn.turn} is of the preview {turn.preview!r}, so it states nothing in another")
    about = msgspec.structs.replace(identity, preview=turn.preview)
    return msgspec.structs.replace(event, fact=msgspec.structs.replace(event.fact, identity=about))
