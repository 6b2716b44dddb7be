"""Calls and whole turns through the extractors, without a log."""

from __future__ import annotations

import msgspec
from turns import turn

from eunoe.extraction.calls import Call
from eunoe.extraction.found import Around
from eunoe.extraction.registry import Registry
from eunoe.extraction.rules import Turn, derive
from eunoe.facts.kinds import Kinds
from eunoe.schemas.events import Event, Extracted, FactRecorded
from eunoe.schemas.facts import Assertion
from eunoe.schemas.records import Header, Record
from eunoe.schemas.subjects import Caller

AGENT = Caller("agent", "a")


def facts_of(one: Call, registry: Registry | None = None, root: str = "") -> list[tuple[str, str, str]]:
    """(subject, name, value) of every fact of a call, as the extractors give them."""
    return [
        (found.subject, found.name, found.value)
        for extractor in (registry or Registry()).readers(one)
        for found in extractor.read(one, Around(root))
    ]


def records_of(events: tuple[Event, ...], time: int = 5_000, by: Caller = AGENT) -> list[Record]:
    """The events in one record of turn 1, entries numbered as audit does."""
    numbered, entry = [], 0
    for event in events:
        if "entry" in event.__struct_fields__:
            entry += 1
            event = msgspec.structs.replace(event, entry=entry, turn=1)
        elif "turn" in event.__struct_fields__:
            event = msgspec.structs.replace(event, turn=1)
        numbered.append(event)
    header = Header(
        v=1,
        space="test",
        chain="thread.t",
        record=3,
        prev="",
        time=time,
        role=by.role,
        principal=by.principal,
        producer="p",
        n=1,
        request="",
        digests=(),
    )
    return [Record(position=30, header=header, hash="", events=tuple(numbered))]


def derived(
    *events: Event,
    registry: Registry | None = None,
    prompt: str = "go on",
    session: str = "",
    kinds: Kinds | None = None,
    root: str = "",
    known: str = "",
    by: Caller = AGENT,
) -> tuple[Extracted, list[Assertion]]:
    """A turn with these events in one record, by this caller: its `Extracted`, and its facts."""
    made = Turn("t", 1, 7, registry or Registry(), kinds or Kinds(), root, known)
    extracted, *facts = derive(made, records_of(turn(*events, prompt=prompt, session=session), by=by))
    assert isinstance(extracted, Extracted)
    return extracted, [event.fact for event in facts if isinstance(event, FactRecorded)]
