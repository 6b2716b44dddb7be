"""What is left of a record when events of it are erased. Pure.

A kept record has its old header, hash and digests, and its surviving events with their salts, so that it reads
as it did: an erased entry keeps its place and number without its content, an event that only structures its
thread loses its words, and anything else is `Erased`. An erased event has no salt.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec

from eunoe.runtime.doors import Stored
from eunoe.schemas import records
from eunoe.schemas.distilled_events import Decision, SetAside
from eunoe.schemas.events import (
    Distilled,
    Erased,
    Event,
    Extracted,
    Instructions,
    KeptEvent,
    Prompt,
    RecordKept,
    Response,
    Reviewed,
    SessionEnded,
    SummaryKept,
    ToolCall,
    ToolResult,
    TurnAborted,
)
from eunoe.schemas.records import Wire

_event = msgspec.json.Decoder(Event)
_encode = msgspec.json.encode
_WORDS = "[erased]"
_NOTHING: dict[str, Any] = {"content": "", "blob": None, "attachments": (), "erased": True}


def keep(stored: Stored, erased: Collection[int]) -> RecordKept:
    """What is left of a stored record without the events at these indexes; one that was erased before stays so."""
    wire = records.open_wire(stored.data)
    events = tuple(
        KeptEvent("", msgspec.Raw(_encode(blank(_event.decode(raw))))) if index in erased else KeptEvent(salt, raw)
        for index, (salt, raw) in enumerate(zip(wire.salts, wire.events, strict=True))
    )
    return RecordKept(
        record=records.open_header(wire.header).record,
        position=stored.seq,
        subject=stored.subject,
        hash=wire.hash,
        header=wire.header,
        events=events,
    )


def restored(kept: RecordKept) -> Stored:
    """The message that stands for the old one, at its old place."""
    wire = Wire(
        header=kept.header,
        hash=kept.hash,
        salts=tuple(one.salt for one in kept.events),
        events=tuple(one.event for one in kept.events),
    )
    time = records.open_header(kept.header).time
    return Stored(kept.subject, kept.position, _encode(wire), time)


def blank(event: Event) -> Event:
    """The event without what it says."""
    match event:
        case Response():
            return msgspec.structs.replace(event, **_NOTHING, thinking="")
        case ToolResult():
            return msgspec.structs.replace(event, **_NOTHING, exit_status=None)
        case Instructions() | Prompt() | ToolCall():
            return msgspec.structs.replace(event, **_NOTHING)
        case TurnAborted():
            return msgspec.structs.replace(event, reason=_WORDS)
        case Extracted():
            return msgspec.structs.replace(event, failed=(_WORDS,) if event.failed else ())
        case Distilled():
            return msgspec.structs.replace(event, set_aside=_unsaid(event.set_aside), failed=_unless_none(event.failed))
        case Reviewed():
            return msgspec.structs.replace(
                event,
                set_aside=_unsaid(event.set_aside),
                failed=_unless_none(event.failed),
                decisions=tuple(map(_undecided, event.decisions)),
            )
        case SummaryKept():
            return msgspec.structs.replace(event, reason=_WORDS)
        case SessionEnded():
            return msgspec.structs.replace(event, reason=_WORDS)
        case Erased():
            return event
        case _:
            return Erased(at=event.at, kind=str(event.__struct_config__.tag))


def _unsaid(found: Collection[SetAside]) -> tuple[SetAside, ...]:
    """As many as there were."""
    return (SetAside(text=_WORDS, reason=_WORDS),) * len(found)


def _undecided(made: Decision) -> Decision:
    """What was done to which records stays."""
    return msgspec.structs.replace(made, text=_WORDS, reason=_unless_none(made.reason))


def _unless_none(text: str) -> str:
    return _WORDS if text else ""
