"""What an append does to its chain: a pure decision from the chain's head and the request.

Invariants, for every chain: records are numbered without gaps; entries and turns likewise; a
producer's appends happen once each and in order; nothing is appended to a turn that is not open.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from eunoe.audit import authority, shapes, turns
from eunoe.runtime import payload
from eunoe.runtime.chains import Head
from eunoe.schemas import ids, limits, records, subjects
from eunoe.schemas.errors import Busy, Invalid, NewerSchema, NumberSkipped
from eunoe.schemas.events import Event, FactEventBase, Instructions, MemoryEvent, SessionStateSet
from eunoe.schemas.facts import Mark
from eunoe.schemas.records import GENESIS, Done, Header, Place
from eunoe.schemas.requests import AppendReply, AppendRequest, ThreadState
from eunoe.schemas.subjects import Caller, Part


@dataclass(frozen=True, slots=True)
class Append:
    """A validated append. ``digest`` is the SHA-256 (hex) of the request's bytes, ``now`` in ms UTC."""

    caller: Caller
    space: str
    chain: str
    request: AppendRequest
    digest: str
    now: int

    @property
    def producer(self) -> str:
        return records.producer_key(self.caller, self.request.producer)

    @property
    def part(self) -> Part:
        return "memory" if isinstance(self.request.events[0], MemoryEvent) else "log"


@dataclass(frozen=True, slots=True)
class Again:
    """The append was done before: its answer is in the producer's record with number ``n``."""

    done: Done


@dataclass(frozen=True, slots=True)
class Write:
    """The append is new: seal this header over these events."""

    header: Header
    events: tuple[Event, ...]


def check(append: Append) -> None:
    """Refuse what no state of the chain could make valid."""
    request = append.request
    if request.v > limits.SCHEMA_VERSION:
        raise NewerSchema(
            f"the append has schema version {request.v}; this audit worker has {limits.SCHEMA_VERSION}. "
            "Upgrade the worker."
        )
    ids.check(request.producer, "producer")
    if request.turn:
        ids.check(request.turn, "turn")
    if request.n < 1:
        raise Invalid("a producer's appends are numbered from 1")
    if not 1 <= len(request.events) <= limits.EVENTS_PER_RECORD:
        raise Invalid(f"an append holds 1 to {limits.EVENTS_PER_RECORD} events, not {len(request.events)}")
    if len({isinstance(event, MemoryEvent) for event in request.events}) > 1:
        raise Invalid("one append is either all of what happened or all of what memory did")
    authority.check(append.caller, append.chain, request)
    for event in request.events:
        shapes.check(event)


def decide(head: Head | None, append: Append, folded: ThreadState | Mark | None = None) -> Again | Write:
    """What to do now that the chain ends in ``head`` (None: it is empty).

    ``folded`` is the thread's ``state`` document (a book's mark) where the head may not know every producer:
    one leaves the list in the head only when that document holds it.
    """
    done = done_of(head, append.producer, folded)
    if done is not None and append.request.n <= done.n:
        return Again(done if done.position or head is None else Done(done.n, done.record, head.position))
    expected = done.n + 1 if done else 1
    if append.request.n != expected:
        raise NumberSkipped(
            f"append {append.request.n} of its producer came before {expected}; send {expected} first",
            expected=expected,
        )
    return _write(head, append, done, folded.record if folded else 0)


def reply(header: Header, position: int, found: str, events: tuple[Event, ...], *, duplicate: bool) -> AppendReply:
    """The answer to the append that wrote this record."""
    numbers = [getattr(event, "turn", 0) for event in events]
    return AppendReply(
        position=position,
        record=header.record,
        hash=found,
        origin=header.origin,
        turn=next((number for number in numbers if number), 0),
        entries=tuple(getattr(event, "entry", 0) for event in events),
        duplicate=duplicate,
    )


def message_id(append: Append) -> str:
    """The ``Nats-Msg-Id``: JetStream's own dedupe ignores the subject, so the key holds it."""
    key = "\x00".join((append.space, append.chain, append.part, append.producer, str(append.request.n)))
    return records.digest_header(key.encode())[:40]


def _write(head: Head | None, append: Append, done: Done | None, folded: int) -> Write:
    before = head.header if head else _empty(append)
    record = before.record + 1
    now = max(append.now, before.time)
    state = turns.State.of(before, record=record, now=now)
    numbered = [state.number(event, append.request.turn, append.caller) for event in append.request.events]
    events = tuple(map(_unconditional, numbered))
    producers, evicted = _producers(head, append, record, folded)
    header = Header(
        v=limits.SCHEMA_VERSION,
        space=append.space,
        chain=append.chain,
        record=record,
        prev=head.hash if head else GENESIS,
        time=now,
        role=append.caller.role,
        principal=append.caller.principal,
        producer=append.request.producer,
        n=append.request.n,
        request=append.digest,
        digests=(),
        before=_position(done, head),
        entries=state.entries,
        turns=state.turns,
        committed=state.committed,
        open=state.open,
        closed=state.closed,
        producers=producers,
        evicted=max(before.evicted, evicted),
        instructed=_instructed(head, record, events),
        back=((head.position, *before.back) if head else ())[: limits.BACK_RECORDS],
        marks=(*before.marks, head.position) if head and before.record % limits.MARK_EVERY == 0 else before.marks,
    )
    return Write(header, events)


def _unconditional(event: Event) -> Event:
    """The event as it is logged: what it was conditional on is decided (`eunoe.audit.conditions`)."""
    if isinstance(event, FactEventBase | SessionStateSet) and event.expected is not None:
        return msgspec.structs.replace(event, expected=None)
    return event


def done_of(head: Head | None, producer: str, folded: ThreadState | Mark | None) -> Done | None:
    """How far a producer is; raises `Busy` while nobody can say (it may have left a list that is being rebuilt)."""
    known = head.header.producers.get(producer) if head else None
    if known is not None or head is None or not head.header.evicted:
        return known
    if folded is None or folded.record < head.header.evicted:
        raise Busy("what is known of this chain's producers is behind; start the facts worker and try again")
    return Done(*folded.producers[producer]) if producer in folded.producers else None


def _producers(head: Head | None, append: Append, record: int, folded: int) -> tuple[dict[str, Done], int]:
    known = dict(head.header.producers) if head else {}
    for key, done in known.items():
        if head and not done.position:
            known[key] = Done(done.n, done.record, head.position)
    known[append.producer] = Done(append.request.n, record, 0)
    over = len(known) - limits.PRODUCERS_IN_HEAD
    if over <= 0:
        return known, 0
    leaving = sorted((key for key in known if known[key].record <= folded), key=lambda key: known[key].record)
    gone = [known.pop(key).record for key in leaving[:over]]
    if len(known) > limits.PRODUCERS_IN_HEAD_MAX:
        raise Busy(
            f"{len(known)} producers wrote to {subjects.chain_name(append.chain)} and its state is behind; "
            "start the facts worker and try again"
        )
    return known, max(gone, default=0)


def _instructed(head: Head | None, record: int, events: tuple[Event, ...]) -> Place | None:
    if any(isinstance(event, Instructions) for event in events):
        return Place(record, 0)
    known = head.header.instructed if head else None
    if known is None or head is None or known.position:
        return known
    return Place(known.record, head.position)


def _position(done: Done | None, head: Head | None) -> int:
    if done is None or head is None:
        return 0
    return done.position or head.position


def _empty(append: Append) -> Header:
    return Header(
        v=limits.SCHEMA_VERSION,
        space=append.space,
        chain=append.chain,
        record=0,
        prev=GENESIS,
        time=0,
        role=append.caller.role,
        principal=append.caller.principal,
        producer=append.request.producer,
        n=0,
        request="",
        digests=(),
    )


def decode(data: bytes) -> AppendRequest:
    """A request's bytes; raises `NewerSchema` or `Invalid` in one line."""
    try:
        return _decoder.decode(data)
    except payload.UNREADABLE as error:
        records.refuse_newer(data)
        raise Invalid(f"the append cannot be read: {error}") from None


_decoder = msgspec.json.Decoder(AppendRequest)
