"""Sessions as memory keeps them: what records say of one, folded into its `SessionRecord`. Pure.

`merge` is commutative, associative and idempotent, so a session's record depends on the set of its writes alone.
Times are rounded down to the minute, so that a session that is written to all the time changes its record
once a minute. What a worker derived of a turn is as old as what it was derived from.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Literal

import msgspec

from eunoe.facts.document import build, members
from eunoe.facts.lineage import WHOLE, Event, Order, order
from eunoe.schemas import ids, limits, subjects
from eunoe.schemas.events import FactEvent, SessionEnded, SessionStateSet, TurnOpened
from eunoe.schemas.facts import Act, Assertion, Document, SessionRecord
from eunoe.schemas.records import Record

Status = Literal["unknown", "open", "expired", "ended"]

NEVER: Order = (0, 0, 0)  # the order of what did not happen
_MINUTE = 60_000  # milliseconds
_LIFE = limits.SESSION_SECONDS * 1_000  # milliseconds


def new(session: str) -> SessionRecord:
    return SessionRecord(v=limits.SCHEMA_VERSION, session=session)


def merge(one: SessionRecord, other: SessionRecord) -> SessionRecord:
    """What both say of a session together."""
    changed = max(one.changed, other.changed)
    end = max(one, other, key=lambda record: record.ended)
    carried = max(one, other, key=lambda record: record.state_order)
    if carried.state_order <= end.ended:
        carried = new(one.session)
    return SessionRecord(
        v=one.v,
        session=one.session,
        started=min((time for time in (one.started, other.started) if time), default=0),
        changed=changed,
        expires_at=changed + _LIFE if changed else 0,
        ended=end.ended,
        ended_by=end.ended_by,
        reason=end.reason,
        state=carried.state,
        state_id=carried.state_id,
        state_order=carried.state_order,
        state_by=carried.state_by,
        agents=_names(one.agents, other.agents),
        threads=_names(one.threads, other.threads),
    )


def said(record: Record, told: Iterable[Assertion] = ()) -> dict[str, SessionRecord]:
    """What one record says of each session that it touches; ``told`` are the facts that it adds.

    A turn that it only closes does not count: the record before it touched that one.
    """
    found: dict[str, SessionRecord] = {}
    for one in (*_turns(record), *_facts(record, told), *_book(record)):
        found[one.session] = merge(found[one.session], one) if one.session in found else one
    return found


def together(records: Iterable[SessionRecord]) -> SessionRecord | None:
    """Everything that is said of one session, None for nothing."""
    found = list(records)
    return reduce(merge, found) if found else None


def expired(record: SessionRecord | None, now: int) -> bool:
    """Whether a session's last write is so long ago at ``now`` (ms UTC) that its facts are not shown any more."""
    return record is not None and 0 < record.expires_at <= now


def survives(event: Event, end: Order) -> bool:
    """Whether an event is after the end of its session; an act on what was before goes with it."""
    return order(event) > end and (not isinstance(event, Act) or event.lineage == WHOLE or event.order > end)


def remaining(events: Iterable[Event], end: Order) -> list[Event]:
    """What of a document's events an end leaves."""
    return [event for event in events if survives(event, end)]


def left(document: Document, end: Order) -> Document:
    """The document without what is from before an end, as far as it keeps events apart."""
    if any(floor.order > end for floor in document.floors.values()):
        return document
    events = members(document)
    kept = remaining(events, end)
    return document if len(kept) == len(events) and not document.floors else build(document.identity, kept)


def lasting(record: SessionRecord) -> bool:
    """Whether a session is still to be ended: something was written to it after its last end, if any."""
    return bool(record.changed) and record.changed >= _minute(record.ended[0])


def status(record: SessionRecord | None, now: int, facts: int = 0) -> Status:
    """How a session stands; one that was written to within the minute of its end shows it by what it holds."""
    if record is None:
        return "unknown"
    if record.ended > NEVER and record.changed <= _minute(record.ended[0]) and not (facts or record.state_id):
        return "ended"
    return "expired" if expired(record, now) else "open"


def _turns(record: Record) -> Iterable[SessionRecord]:
    """The sessions of the turns that a record opens or adds to."""
    header, thread = record.header, subjects.chain_thread(record.header.chain)
    opened = [(event.session, event.agent) for event in record.events if isinstance(event, TurnOpened)]
    added = [(turn.session, turn.agent) for turn in header.open.values() if turn.touched == header.time]
    return [_touch(session, header.time, agent, thread) for session, agent in (*opened, *added) if session]


def _facts(record: Record, told: Iterable[Assertion]) -> Iterable[SessionRecord]:
    header, thread = record.header, subjects.chain_thread(record.header.chain)
    for fact in told:
        if fact.identity.scope == "session":
            changed = min(fact.at, header.time) if header.role == "worker" else header.time
            touched = _touch(fact.identity.owner, header.time, _agent(record), thread)
            yield msgspec.structs.replace(touched, changed=_minute(changed), expires_at=_minute(changed) + _LIFE)


def _book(record: Record) -> Iterable[SessionRecord]:
    """What stands in the session's own book; that it ended is no write of it, nor is what a worker noted."""
    session = _owner(record)
    if not session:
        return
    for index, event in enumerate(record.events):
        if isinstance(event, SessionEnded):
            yield _ended(session, record, event, index)
        elif isinstance(event, SessionStateSet):
            yield _carries(session, record, event, index)
        elif isinstance(event, FactEvent):
            yield _touch(session, record.header.time, _agent(record), "")


def _ended(session: str, record: Record, event: SessionEnded, index: int) -> SessionRecord:
    """An end holds from the time that its event names, at most from when it was accepted."""
    at = min(event.at or record.header.time, record.header.time)
    return msgspec.structs.replace(
        new(session), ended=(at, record.position, index), ended_by=_by(record), reason=event.reason
    )


def _carries(session: str, record: Record, event: SessionStateSet, index: int) -> SessionRecord:
    return msgspec.structs.replace(
        _touch(session, record.header.time, _agent(record), ""),
        state=event.state,
        state_id=ids.fact_id(record.header.chain, record.header.origin, index),
        state_order=(record.header.time, record.position, index),
        state_by=_by(record),
    )


def _touch(session: str, time: int, agent: str, thread: str) -> SessionRecord:
    return SessionRecord(
        v=limits.SCHEMA_VERSION,
        session=session,
        started=_minute(time),
        changed=_minute(time),
        expires_at=_minute(time) + _LIFE,
        agents=(agent,) if agent else (),
        threads=(thread,) if thread else (),
    )


def _owner(record: Record) -> str:
    """The session whose book this record is in, empty for any other chain."""
    kind, _, rest = record.header.chain.partition(".")
    scope, _, owner = rest.partition(".")
    return ids.decode(owner) if (kind, scope) == ("book", "session") else ""


def _agent(record: Record) -> str:
    return record.header.principal if record.header.role == "agent" else ""


def _by(record: Record) -> str:
    return f"{record.header.role} {record.header.principal}"


def _minute(time: int) -> int:
    return time - time % _MINUTE


def _names(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """The first `limits.NAMES_IN_SESSION` names in alphabetical order: a bound that any order of arrival reaches."""
    return tuple(sorted({*one, *other})[: limits.NAMES_IN_SESSION])
