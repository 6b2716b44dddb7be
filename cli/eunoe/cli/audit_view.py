"""The log as people read it: its records in short, what a check found, and anchors. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec
from rich.text import Text

from eunoe.audit.anchors import Anchor
from eunoe.audit.verify import Verdict, describe
from eunoe.cli import words
from eunoe.cli.output import clean
from eunoe.schemas import subjects
from eunoe.schemas.events import (
    ContextAssessed,
    ContextComposed,
    ContextCondensed,
    ContextCut,
    ContextReferenced,
    ContextRefused,
    EntryBase,
    Erased,
    EraseDone,
    EraseIntended,
    EraseKept,
    EraseRemoved,
    Event,
    Extracted,
    FactApproved,
    FactDeleted,
    FactRecorded,
    FactRetired,
    MemoryUsed,
    Prompt,
    RecordKept,
    Response,
    ToolCall,
    ToolResult,
    TurnAborted,
    TurnCommitted,
    TurnOpened,
)
from eunoe.schemas.records import Record

_QUOTED = 44  # columns of a text that is quoted in a line


class Seen(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A record of the log in short. ``events`` says each one's type, ``error`` why it cannot be read."""

    position: int
    chain: str
    time: int = 0
    record: int = 0
    role: str = ""
    principal: str = ""
    events: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    error: str = ""


def seen(record: Record) -> Seen:
    header = record.header
    return Seen(
        position=record.position,
        chain=header.chain,
        time=header.time,
        record=header.record,
        role=header.role,
        principal=header.principal,
        events=tuple(str(event.__struct_config__.tag) for event in record.events),
        said=tuple(_said(record.events)),
    )


def record_line(found: Seen) -> Text:
    """``   12  2026-01-31 09:05:07Z  thread calc #3  agent builder  turn 1 opened, prompt "…"``, as long as it is."""
    if found.error:
        return Text(
            f"{found.position:>6}  {clean(subjects.chain_name(found.chain))}: {clean(found.error)}", style="red"
        )
    made = Text(f"{found.position:>6}  ", style="dim").append(words.moment(found.time) + "  ", style="dim")
    made.append(clean(f"{subjects.chain_name(found.chain)} #{found.record}  "), style="bold not dim")
    made.append(clean(f"{found.role} {found.principal}  "), style="cyan not dim")
    return made.append(clean(", ".join(found.said)), style="not dim")


def verdict(found: Verdict, what: str) -> Iterator[Text]:
    """Every problem in a line, then what was checked and how it came out."""
    for problem in found.problems:
        yield Text(clean(describe(problem)), style="red", no_wrap=True)
    events = words.count(found.events, "event")
    checked = f"{words.count(found.records, 'record')} in {words.count(found.chains, 'chain')} ({events})"
    against = f"{words.count(found.anchors, 'anchor')} and {words.count(found.receipts, 'receipt')}"
    yield Text(f"checked {clean(what)}: {checked}, to position {found.last}, against {against}")
    if found.rooted:
        when = words.moment(found.rooted.time)
        yield Text(f"the root is that of the anchor of {when}, which covers the log to position {found.rooted.last}")
    if found.erased:
        yield Text(f"{words.count(found.erased, 'record')} {'holds' if found.erased == 1 else 'hold'} erased events")
    if found.fine:
        yield Text("whole: every record follows the one before it, and nothing was changed", style="green")
    else:
        yield Text(f"not whole: {words.count(len(found.problems), 'problem')}", style="bold red")


def anchor(found: Anchor) -> Iterator[Text]:
    yield Text(f"root    {found.root}")
    covers = f"{words.count(found.chains, 'chain')}, the log to position {found.last}"
    yield Text(f"covers  {covers}, at {words.moment(found.time)}")
    told = "`eunoe audit verify --root ROOT` says later whether what it covers was rewritten"
    yield Text(f"Keep the root outside this machine: {told}.", style="dim")


def _said(events: Sequence[Event]) -> Iterator[str]:
    """What the events say, in order; runs of one kind in one word."""
    counts = Counter(type(event) for event in events)
    told: set[type] = set()
    for event in events:
        kind = type(event)
        if kind in told:
            continue
        told.add(kind)
        yield _one(event) if counts[kind] == 1 else f"{counts[kind]} x {event.__struct_config__.tag}"


def _one(event: Event) -> str:
    match event:
        case TurnOpened():
            return f"turn {event.turn} opened" + (f" by {event.agent}" if event.agent else "")
        case TurnCommitted():
            return f"turn {event.turn} committed"
        case TurnAborted():
            return f"turn {event.turn} aborted ({words.one_line(event.reason, _QUOTED)})"
        case EntryBase() if event.erased:
            return f"{event.__struct_config__.tag} {event.gone}"
        case Prompt() | Response():
            return f"{event.__struct_config__.tag} “{words.one_line(event.content, _QUOTED)}”"
        case ToolCall():
            return f"call of {event.tool}"
        case ToolResult():
            status = event.status if event.exit_status is None else f"exit status {event.exit_status}"
            return f"result of {event.tool or 'a tool'} ({status})"
        case _:
            return _memory(event)


def _memory(event: Event) -> str:
    match event:
        case Extracted():
            return f"{words.count(event.facts, 'fact')} from turn {event.turn}"
        case FactRecorded() | FactApproved():
            identity = event.fact.identity
            known = f"{identity.subject} {identity.name}: {event.fact.value}"
            return f"fact “{words.one_line(known, _QUOTED)}”" + (" approved" if isinstance(event, FactApproved) else "")
        case FactRetired() | FactDeleted():
            return f"fact {event.id} {'retired' if isinstance(event, FactRetired) else 'deleted'}"
        case ContextComposed():
            return f"context of turn {event.recipe.turn}, {event.recipe.tokens:,} of {event.recipe.window:,} tokens"
        case MemoryUsed():
            return f"{words.count(len(event.facts), 'fact')} shown to turn {event.turn}"
        case _:
            return _context(event)


def _context(event: Event) -> str:
    match event:
        case ContextCondensed():
            kept = f"{event.turns_after} of {words.count(event.turns_before, 'turn')}"
            return f"context of turn {event.turn} condensed to {event.fill_after:,} tokens, {kept} left in it"
        case ContextReferenced():
            entries = sum(last - first + 1 for first, last in event.entries)
            return f"{words.count(entries, 'output')} shown to turn {event.turn} as references from here on"
        case ContextCut():
            return f"{words.count(len(event.cuts), 'copy', 'copies')} cut from what turn {event.turn} is shown"
        case ContextRefused():
            return f"context {event.context} refused by the provider, which counted {event.tokens:,} tokens"
        case ContextAssessed():
            chosen = words.count(len(event.assessment.tools), "tool")
            return f"request of turn {event.turn} assessed ({event.assessment.method}): {chosen}"
        case _:
            return _erasure(event)


def _erasure(event: Event) -> str:
    match event:
        case Erased():
            return f"{event.kind} (erased)"
        case RecordKept():
            return f"what is left of record {event.record}"
        case EraseIntended():
            return f"erasure {event.id} of {event.words} intended ({words.one_line(event.reason, _QUOTED)})"
        case EraseKept():
            return f"erasure {event.id}: what is left is kept"
        case EraseRemoved():
            return f"erasure {event.id}: removed"
        case EraseDone():
            return f"erasure {event.id} done"
        case _:
            return str(event.__struct_config__.tag)
