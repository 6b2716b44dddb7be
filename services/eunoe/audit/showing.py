"""How an entry is shown: its event, its record, and what became of its turn. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from eunoe.schemas.blobs import size_of
from eunoe.schemas.events import (
    Attachment,
    EntryBase,
    Instructions,
    Prompt,
    Response,
    ToolCall,
    ToolResult,
    TurnAborted,
    TurnCommitted,
    TurnOpened,
)
from eunoe.schemas.records import Header, Record
from eunoe.schemas.requests import Shown

State = Literal["open", "committed", "aborted"]
Kind = Literal["instructions", "prompt", "response", "tool.call", "tool.result"]

_KINDS: dict[type[EntryBase], Kind] = {
    Instructions: "instructions",
    Prompt: "prompt",
    Response: "response",
    ToolCall: "tool.call",
    ToolResult: "tool.result",
}


def show(event: EntryBase, record: Record) -> Shown:
    """The entry without what its turn adds (`Turns.finish`); a blob shows its head."""
    return Shown(
        entry=event.entry,
        turn=event.turn,
        kind=_KINDS[type(event)],
        time=event.at or record.header.time,
        content=event.gone or (event.blob.head if event.blob else event.content),
        size=size_of(event.content, event.blob),
        state="open",
        position=record.position,
        tool=event.tool if isinstance(event, ToolCall | ToolResult) else "",
        call=event.call if isinstance(event, ToolCall | ToolResult) else "",
        status=event.status if isinstance(event, ToolResult) else "",
        exit_status=event.exit_status if isinstance(event, ToolResult) else None,
        thinking=event.thinking if isinstance(event, Response) else "",
        model=event.model if isinstance(event, Response) else "",
        truncated=event.blob is not None,
        attachments=tuple(_described(attachment) for attachment in event.attachments),
        erased=event.erased,
    )


def _described(attachment: Attachment) -> str:
    named = f" ({attachment.name})" if attachment.name else ""
    return f"{attachment.media_type}, {attachment.size:,} bytes{named}"


def shorten(shown: Shown, limit: int) -> Shown:
    """The entry with at most ``limit`` bytes of its content."""
    data = shown.content.encode()
    if len(data) <= limit:
        return shown
    return msgspec.structs.replace(shown, content=data[:limit].decode(errors="ignore"), truncated=True)


@dataclass(slots=True)
class Turns:
    """What is known of turns while records are read: who opened each, and how it ended."""

    opened: dict[int, TurnOpened] = field(default_factory=dict)
    ended: dict[int, State] = field(default_factory=dict)

    def see(self, record: Record) -> None:
        for event in record.events:
            match event:
                case TurnOpened():
                    self.opened[event.turn] = event
                case TurnCommitted():
                    self.ended[event.turn] = "committed"
                case TurnAborted():
                    self.ended[event.turn] = "aborted"

    def see_opening(self, record: Record) -> int:
        """Note the turns that this earlier record opened, and say how many were new."""
        found = [event for event in record.events if isinstance(event, TurnOpened) and event.turn not in self.opened]
        self.opened.update({event.turn: event for event in found})
        return len(found)

    def settled(self, entries: Iterable[Shown], head: Header) -> bool:
        """Whether it is known how the turn of every entry ended, or that it is still open."""
        still = {turn.turn for turn in head.open.values()}
        return all(not entry.turn or entry.turn in self.ended or entry.turn in still for entry in entries)

    def finish(self, shown: Shown, head: Header) -> Shown:
        """The entry with its turn's agent, session and state; what belongs to no turn counts as committed."""
        opened = self.opened.get(shown.turn)
        state: State = self.ended.get(shown.turn, "open") if shown.turn else "committed"
        return msgspec.structs.replace(
            shown,
            state=state,
            agent=opened.agent if opened else "",
            session=opened.session if opened else "",
        )


def opened_before(record: Record) -> int:
    """How many of the turns that this record's events belong to were opened by an earlier record."""
    here = {event.turn for event in record.events if isinstance(event, TurnOpened)}
    touched = {turn for event in record.events if (turn := getattr(event, "turn", 0))}
    return len(touched - here)
