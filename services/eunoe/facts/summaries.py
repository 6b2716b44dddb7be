"""A thread's running summary: the fold of what its records say of it, bounded. Pure.

A `Summarised` is taken where it goes on from the summary that is in force, and goes further; of two that go on from the
same one, the first. The version in force is the last one taken. An erased one counts for nothing, nor do those that
went on from it: the version before them is in force again, and the next one goes on from there.
"""

from __future__ import annotations

import msgspec

from eunoe.facts.values import cut
from eunoe.schemas import limits
from eunoe.schemas.events import Summarised, SummaryKept
from eunoe.schemas.records import Record
from eunoe.schemas.requests import SummaryDocument, SummaryVersion


def empty(thread: str) -> SummaryDocument:
    return SummaryDocument(v=limits.SCHEMA_VERSION, thread=thread)


def tells(record: Record) -> bool:
    """Whether a record says anything of the summary."""
    return any(isinstance(event, Summarised | SummaryKept) for event in record.events)


def taken(record: Record, position: int, last: int) -> tuple[int, Summarised] | None:
    """The event (with its index) by which a record goes on from the summary at ``position``, which covers the turns up
    to the ordinal ``last`` (0 and 0: there is none yet)."""
    if record.header.role != "worker" or record.position <= position:
        return None
    for index, event in enumerate(record.events):
        if isinstance(event, Summarised) and event.before == position and event.last > last:
            return index, event
    return None


def fold(document: SummaryDocument, record: Record) -> SummaryDocument:
    """The summary after one more record of its thread; one that it has seen already changes nothing.

    Records come in order from wherever it has come, or from before that.
    """
    current = document.current
    found = taken(record, current.position, current.last) if current else taken(record, 0, 0)
    if found:
        document = _with(document, *found, record)
    for event in record.events:
        if isinstance(event, SummaryKept) and record.position > highest(document):
            document = msgspec.structs.replace(
                document, kept=cut(event.reason, limits.REASON_LENGTH), kept_at=record.position
            )
    return document


def highest(document: SummaryDocument) -> int:
    """The position of the newest record that it tells of; 0 for none."""
    return max(document.current.position if document.current else 0, document.kept_at)


def version(number: int, index: int, event: Summarised, record: Record) -> SummaryVersion:
    """A version as its event tells it, without its text."""
    return SummaryVersion(
        version=number,
        position=record.position,
        index=index,
        last=event.last,
        turns=event.turns,
        entries=event.entries,
        at=record.header.time,
        by=event.by,
        model=event.effort.model,
        bytes=len(event.text.encode()),
    )


def _with(document: SummaryDocument, index: int, event: Summarised, record: Record) -> SummaryDocument:
    before = document.current
    fresh = version(before.version + 1 if before else 1, index, event, record)
    older = (msgspec.structs.replace(one, turns=(), entries=()) for one in document.versions)
    return msgspec.structs.replace(
        document, text=event.text, versions=(*older, fresh)[-limits.SUMMARY_VERSIONS :], kept="", kept_at=0
    )
