"""What can be said of an entry's content without reading all of it: its text, size, lines and time. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from eunoe.composition import marks
from eunoe.schemas.events import Attachment, Entry
from eunoe.schemas.records import Record


@dataclass(frozen=True, slots=True)
class Item:
    """An entry in its thread: its event, the position of its record in the log, and its time (ms UTC).

    ``giver`` is the agent that appended it, empty when somebody else did.
    """

    event: Entry
    position: int
    time: int
    giver: str = ""

    @property
    def entry(self) -> int:
        return self.event.entry


def item_of(event: Entry, record: Record) -> Item:
    """An entry of a record."""
    giver = record.header.principal if record.header.role == "agent" else ""
    return Item(event, record.position, event.at or record.header.time, giver)


def text(event: Entry) -> str:
    """The content as far as the record holds it, with a line for every attachment; of an erased entry, that it was."""
    if event.erased:
        return event.gone
    inside = event.content if event.blob is None else event.blob.head
    if not event.attachments:
        return marks.clean(inside)
    lines = [attachment(one) for one in event.attachments]
    return "\n".join([marks.clean(inside), *lines] if inside else lines)


def tail(event: Entry) -> str:
    """The end of the content as far as the record holds it."""
    return text(event) if event.blob is None else marks.clean(event.blob.tail)


def size(event: Entry) -> int:
    """Bytes of UTF-8 of the whole content."""
    return len(text(event).encode()) if event.blob is None else event.blob.size


def lines(event: Entry) -> int:
    return len(event.content.splitlines()) if event.blob is None else event.blob.lines


def attachment(one: Attachment) -> str:
    name = f" {marks.one_line(one.name)}" if one.name else ""
    return f"[attachment{name}: {one.media_type}, {one.size} bytes]"


def cut_bytes(value: str, limit: int) -> str:
    """The longest beginning of at most ``limit`` bytes that ends on a whole character."""
    data = value.encode()
    return value if len(data) <= limit else data[: max(limit, 0)].decode(errors="ignore")


def last_bytes(value: str, limit: int) -> str:
    """The longest end of at most ``limit`` bytes that begins on a whole character."""
    data = value.encode()
    if len(data) <= limit:
        return value
    end = data[len(data) - max(limit, 0) :]
    start = next((at for at, byte in enumerate(end) if byte & 0xC0 != 0x80), len(end))
    return end[start:].decode(errors="ignore")
