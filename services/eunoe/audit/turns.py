"""Turns and entries: how an append's events are numbered, and what a turn's state allows. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from eunoe.schemas import ids, limits
from eunoe.schemas.blobs import size_of
from eunoe.schemas.errors import Busy, Denied, Invalid, TurnNotOpen
from eunoe.schemas.events import (
    Entry,
    Event,
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

_LAST_MS = 253_402_300_799_999  # 9999-12-31T23:59:59.999Z, the last time that prints as a date


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

    @classmethod
    def of(cls, header: Header, *, record: int, now: int) -> State:
        return cls(record, now, header.entries, header.turns, header.committed, dict(header.open), dict(header.closed))

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
            case FactRecorded():
                return self._stated(event, caller)
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
        self.open[key] = OpenTurn(self.turns, self.now, agent, event.session, self.record)
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

    def _stated(self, event: FactRecorded, caller: Caller) -> FactRecorded:
        owner = event.fact.identity.owner
        if caller.role == "agent" and event.fact.identity.scope == "session":
            mine = {turn.session for turn in self.open.values() if turn.agent == caller.principal}
            if owner not in mine:
                raise Denied(f"the agent {caller.principal!r} has no turn open in the session {owner!r}")
        return event

    def _touch(self, key: str, caller: Caller) -> int:
        if not key:
            raise Invalid("what is said or done belongs to a turn; give the key of an open one")
        found = self.open.get(key)
        if found is None:
            closed = self.closed.get(key)
            raise TurnNotOpen(_was(key, closed), state=closed.state if closed else "unknown")
        if caller.role == "agent" and found.agent != caller.principal:
            raise Denied(f"turn {found.turn} is {found.agent or 'nobody'}'s; {caller.principal!r} cannot add to it")
        self.open[key] = OpenTurn(found.turn, self.now, found.agent, found.session, found.record)
        return found.turn


def check_event(event: Event) -> None:
    """Refuse an event that is not valid in any chain: its times, ids and sizes."""
    if not 0 <= event.at <= _LAST_MS:
        raise Invalid(f"the time {event.at} is not in milliseconds between the years 1970 and 9999")
    if isinstance(event, TurnOpened):
        for value, what in ((event.agent, "agent"), (event.session, "session")):
            if value:
                ids.check(value, what)
    if isinstance(event, Entry):
        _check_content(event)


def _check_content(event: Entry) -> None:
    if event.blob is None:
        if size_of(event.content, None) > limits.INLINE_BYTES:
            raise Invalid(f"content over {limits.INLINE_BYTES // limits.KIB} KiB is sent in pieces, not in the record")
        return
    if event.content:
        raise Invalid("an entry has either content or a blob, not both")
    blob = event.blob
    if not 0 < blob.size <= limits.CONTENT_BYTES or len(blob.pieces) != -(-blob.size // limits.PIECE_BYTES):
        raise Invalid(f"a blob of {blob.size} bytes cannot have {len(blob.pieces)} pieces")


def _was(key: str, closed: ClosedTurn | None) -> str:
    if closed is None:
        return f"no turn {key!r} is open in this thread; open one first"
    return f"turn {closed.turn} was {closed.state}, so nothing can be appended to it"
