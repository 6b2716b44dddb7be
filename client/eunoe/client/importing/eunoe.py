"""Our own export: JSONL with a first line of its own, records as they were stored, and an anchor at the end.

What happened becomes appends again, record by record, with the original turns, order, times, agents and
sessions, and the thread keeps its id; large contents come whole from the pieces before the record that names
them. What people and callers stated is stated again by who imports; `eunoe.client.importing.prepare` says in
whose name. What memory derived (facts, recipes of contexts) is derived again, and facts that come from no
transcript are not: what agents and tools noted, and what was done to facts by their ids (deletions,
retirements). Positions, hashes and receipts are those of the new log. An export is for moving threads and for
proof; a backup is the data folder or a snapshot of the streams.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from typing import Any

from msgspec import structs

from eunoe.client.importing.model import Aside, Item, Problem, Turn
from eunoe.client.importing.source import Parsed, Source, parse
from eunoe.schemas import records, subjects
from eunoe.schemas.errors import EunoeError
from eunoe.schemas.events import (
    Entry,
    FactApproved,
    FactDeleted,
    FactLabelled,
    FactMoved,
    FactPinned,
    FactRecorded,
    FactRetired,
    HappenedEvent,
    SessionEnded,
    SessionStateSet,
    TurnCommitted,
    TurnOpened,
)
from eunoe.schemas.records import Record


def read(source: Source, *, lines: bool = True) -> Iterator[Item]:
    """The records of an export in their order."""
    ended = False
    pieces: dict[str, bytes] = {}
    committed = _committed(source)
    for item in source.values():
        if isinstance(item, Problem):
            yield item
            continue
        ended = ended or (isinstance(item.value, dict) and "anchor" in item.value)
        yield from _line(item, pieces, committed)
    if not ended:
        reason = "the export was cut short (it has no anchor at its end); what is there goes in, the rest is missing"
        yield Problem(0, reason, kept=True)


def _committed(source: Source) -> set[tuple[str, int]]:
    """The turns (chain and number) that were committed, wherever in the file it says so."""
    found: set[tuple[str, int]] = set()
    for _, line in source.lines():
        if isinstance(line, bytes) and b"turn.committed" in line:
            value = parse(line, 0)
            if isinstance(value, Parsed):
                found.update(_commits(value.value))
    return found


def _commits(value: Any) -> Iterator[tuple[str, int]]:
    match value:
        case {"subject": str(subject), "data": str(data)}:
            try:
                chain, record = subjects.chain_of(subject), records.read(0, data.encode())
            except (EunoeError, ValueError):
                return
            yield from ((chain, event.turn) for event in record.events if isinstance(event, TurnCommitted))


def _line(item: Parsed, pieces: dict[str, bytes], committed: set[tuple[str, int]]) -> Iterator[Item]:
    """What one line gives; ``pieces`` holds those that came for the next record."""
    match item.value:
        case {"piece": str(digest), "data": str(data)}:
            yield from _piece(item.line, digest, data, pieces)
        case {"eunoe_export": 1}:
            yield Aside(item.line, "export")
        case {"eunoe_export": version}:
            yield Problem(item.line, f"the export has version {version}; this is Eunoe with version 1. Upgrade it.")
        case {"anchor": _}:
            yield Aside(item.line, "anchor")
        case {"subject": str(subject), "data": str(data)}:
            yield from _record(item, subject, data, pieces, committed)
            pieces.clear()
        case _:
            yield Problem(item.line, "no line of an export: a record or an anchor is wanted")


def _piece(line: int, digest: str, data: str, pieces: dict[str, bytes]) -> Iterator[Item]:
    try:
        found = base64.b64decode(data, validate=True)
    except ValueError:
        found = b""
    if hashlib.sha256(found).hexdigest() != digest:
        yield Problem(line, "a piece of large content does not have its digest: it was changed")
    else:
        pieces[digest] = found


def _record(
    item: Parsed, subject: str, data: str, pieces: dict[str, bytes], committed: set[tuple[str, int]]
) -> Iterator[Item]:
    try:
        record = records.read(_position(item.value), data.encode())
        chain = subjects.chain_of(subject)
    except (EunoeError, IndexError) as error:
        yield Problem(item.line, f"no record: {error}")
        return
    if subject.endswith(".log"):
        yield from _happened(item.line, chain, record, pieces, committed)
    elif record.header.role in ("person", "caller"):
        yield from _stated(item.line, chain, record)
    else:
        yield Aside(item.line, "derived")


def _position(value: dict[str, Any]) -> int:
    found = value.get("position")
    return found if isinstance(found, int) else 0


def _happened(
    line: int, chain: str, record: Record, pieces: dict[str, bytes], committed: set[tuple[str, int]]
) -> Iterator[Item]:
    kept: list[HappenedEvent] = []
    turn = 0
    for event in record.events:
        if not isinstance(event, HappenedEvent):
            continue
        turn = turn or event.turn
        if isinstance(event, Entry) and event.blob and not pieces.keys() >= set(event.blob.pieces):
            reason = f"pieces of a content of {event.blob.size:,} bytes are missing; both its ends went in"
            yield Problem(line, reason, kept=True)
        kept.append(_unnumbered(event, record.header.time, pieces))
    if kept:
        happened = not turn or (chain, turn) in committed
        yield Turn("", str(turn) if turn else "", tuple(kept), line, chain, committed=happened)


def _unnumbered(event: HappenedEvent, accepted: int, pieces: dict[str, bytes]) -> HappenedEvent:
    """The event as a client would send it, at its own time, or when it was accepted."""
    found = structs.replace(event, turn=0, at=event.at or accepted)
    if isinstance(found, TurnOpened):
        return structs.replace(found, key=str(event.turn))
    if isinstance(found, TurnCommitted):
        return structs.replace(found, ordinal=0)
    return _whole(structs.replace(found, entry=0), pieces) if isinstance(found, Entry) else found


def _whole(entry: Entry, pieces: dict[str, bytes]) -> Entry:
    """An entry with its large content; where that is not in the export, what its record kept stands for it."""
    blob = entry.blob
    if blob is None:
        return entry
    if pieces.keys() >= set(blob.pieces):
        data = b"".join(pieces[digest] for digest in blob.pieces)
        return structs.replace(entry, content=data.decode(errors="replace"), blob=None)
    content = f"{blob.head}\n[… {blob.size:,} bytes, kept by the exporting space as {blob.digest} …]\n{blob.tail}"
    return structs.replace(entry, content=content, blob=None)


def _stated(line: int, chain: str, record: Record) -> Iterator[Item]:
    """What a person or a caller stated (an approval or a move states its fact), at the time at which it was accepted
    where it has none of its own; acts that name facts by id cannot be carried."""
    told = [event.fact for event in record.events if isinstance(event, FactRecorded | FactApproved | FactMoved)]
    facts = [structs.replace(fact, at=fact.at or record.header.time, cites="") for fact in told]
    acts = sum(isinstance(event, FactDeleted | FactRetired | FactLabelled | FactPinned) for event in record.events)
    if facts:
        yield Turn("", "", tuple(FactRecorded(at=fact.at, fact=fact) for fact in facts), line, chain)
    if any(isinstance(event, SessionEnded | SessionStateSet) for event in record.events):
        yield Problem(line, "what was said of a session, its state or its end, is of the exporting space; not carried")
    if acts:
        what = "an act on a fact names an id" if acts == 1 else f"{acts} acts on facts name ids"
        yield Problem(line, f"{what} of the exporting log (deleted, retired, labelled or pinned); not carried")
