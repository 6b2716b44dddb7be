"""A thread in short: the fold of its records into its `ThreadState`, bounded. Pure."""

from __future__ import annotations

import heapq

import msgspec

from eunoe.facts import efforts, summaries, undistilled
from eunoe.facts.values import cut, one_line
from eunoe.schemas import blobs, limits, records, subjects
from eunoe.schemas.errors import Damaged
from eunoe.schemas.events import (
    Distilled,
    EntryBase,
    Event,
    Extracted,
    FactApproved,
    FactMoved,
    FactRecorded,
    MemoryEvent,
    Prompt,
    Reviewed,
    TurnAborted,
    TurnOpened,
)
from eunoe.schemas.facts import Mark
from eunoe.schemas.records import Record
from eunoe.schemas.requests import ThreadState

_WORKERS = "worker/"  # how the producers of workers begin


def new(thread: str) -> ThreadState:
    return ThreadState(v=limits.SCHEMA_VERSION, thread=thread)


def fold(state: ThreadState, record: Record) -> ThreadState:
    """The state after one more record; raises `Damaged` unless it is a later one of the same chain.

    Records between the two that are gone from the log count for nothing but what the header says of them.
    """
    header = record.header
    if header.record <= state.record or subjects.chain_thread(header.chain) != state.thread:
        raise Damaged(f"record {header.record} of {header.chain} does not follow record {state.record}")
    times = [_time(event, header.time) for event in record.events if not isinstance(event, MemoryEvent)]
    producer = records.producer_key(header.caller, header.producer)
    summary = summaries.taken(record, state.summary_at, state.summarised)
    return msgspec.structs.replace(
        state,
        position=record.position,
        record=header.record,
        entries=header.entries,
        turns=header.turns,
        committed=header.committed,
        aborted=state.aborted + _count(record, TurnAborted),
        extracted=max([state.extracted, *(event.ordinal for event in record.events if isinstance(event, Extracted))]),
        distilled=max([state.distilled, *(event.last for event in _distilled(record))]),
        distilled_at=header.time if any(not event.again for event in _distilled(record)) else state.distilled_at,
        summarised=summary[1].last if summary else state.summarised,
        summary_at=record.position if summary else state.summary_at,
        reviewed=max([state.reviewed, *(event.last for event in record.events if isinstance(event, Reviewed))]),
        facts=state.facts + sum(isinstance(event, FactRecorded | FactApproved | FactMoved) for event in record.events),
        bytes=state.bytes + sum(_size(event) for event in record.events),
        first=min([time for time in (state.first, *times) if time], default=0),
        last=max([state.last, *times]),
        changed=header.time,
        title=state.title or _title(record),
        agents=_newest(state.agents, [e.agent for e in record.events if isinstance(e, TurnOpened)]),
        sessions=_newest(state.sessions, [e.session for e in record.events if isinstance(e, TurnOpened)]),
        open=tuple(sorted(turn.turn for turn in header.open.values())),
        failed=_failed(state.failed, record),
        undistilled=undistilled.fold(state.undistilled, _distilled(record)),
        set_aside=state.set_aside + sum(len(e.set_aside) for e in record.events if isinstance(e, Distilled | Reviewed)),
        effort=efforts.total(efforts.of(record.events), state.effort),
        producers=_kept({**state.producers, producer: (header.n, header.record, record.position)}),
    )


def follow(mark: Mark, record: Record) -> Mark:
    """The mark of a book after one more record."""
    header = record.header
    producer = records.producer_key(header.caller, header.producer)
    return msgspec.structs.replace(
        mark,
        record=header.record,
        position=record.position,
        producers=_kept({**mark.producers, producer: (header.n, header.record, record.position)}),
    )


def _kept(producers: dict[str, tuple[int, int, int]]) -> dict[str, tuple[int, int, int]]:
    """The producers that a chain remembers: every worker's, and of the others those that wrote last.

    Each call of the command line and each key of an edit is a producer of its own, so a chain has as many as it was
    written to. A forgotten one that comes again counts as new. What it sends under number 1 is then logged once more,
    under the same ids, so that no fact changes whose document still keeps what was said first under them; under a
    later number it is refused as skipping, and its client goes on as another. An import looks in the chain itself how
    far it came.
    """
    over = len(producers) - limits.PRODUCERS_IN_STATE
    if over <= 0:
        return producers
    others = (key for key in producers if not key.startswith(_WORKERS))
    gone = set(heapq.nsmallest(over, others, key=lambda key: producers[key][1]))
    return {key: done for key, done in producers.items() if key not in gone}


def _time(event: Event, accepted: int) -> int:
    """The transcript's own time, never later than when it was accepted; else that."""
    return min(event.at or accepted, accepted)


def _count(record: Record, kind: type[Event]) -> int:
    return sum(isinstance(event, kind) for event in record.events)


def _distilled(record: Record) -> list[Distilled]:
    return [event for event in record.events if isinstance(event, Distilled)]


def _failed(known: tuple[tuple[int, str], ...], record: Record) -> tuple[tuple[int, str], ...]:
    """The newest turns of whose extraction something failed; one that was extracted again, and whole, is none."""
    for event in record.events:
        if isinstance(event, Extracted) and event.failed:
            known = (*known, (event.ordinal, cut("; ".join(event.failed), limits.VALUE_LENGTH)))
        elif isinstance(event, Extracted):
            known = tuple(one for one in known if one[0] != event.ordinal)
    return known[-limits.FAILED_IN_STATE :]


def _size(event: Event) -> int:
    return blobs.size_of(event.content, event.blob) if isinstance(event, EntryBase) else 0


def _title(record: Record) -> str:
    prompts = (one_line(_text(event)) for event in record.events if isinstance(event, Prompt))
    return cut(next((text for text in prompts if text), ""), limits.TITLE_LENGTH)


def _text(prompt: Prompt) -> str:
    return prompt.gone or (prompt.blob.head if prompt.blob else prompt.content)


def _newest(known: tuple[str, ...], more: list[str]) -> tuple[str, ...]:
    """Names in order of their last use, the newest `limits.AGENTS_IN_STATE` of them."""
    for name in more:
        if name:
            known = (*(other for other in known if other != name), name)
    return known[-limits.AGENTS_IN_STATE :]
