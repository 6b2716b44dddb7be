"""What can be said of an entry's content without reading all of it: its text, size, lines and time. Pure."""

from __future__ import annotations

import msgspec

from eunoe.composition import marks
from eunoe.schemas.events import Attachment, Entry, Response
from eunoe.schemas.records import Record

ATTACHED_BYTES = 2_048  # bytes of the lines that name an entry's attachments
NAMED_BYTES = 200  # bytes of an attachment's name, and of its media type, in its line


class Item(msgspec.Struct, frozen=True):
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
    """An entry of a record, without what no context ever holds: thinking, and the bytes of what is attached."""
    giver = record.header.principal if record.header.role == "agent" else ""
    return Item(_sendable(event), record.position, event.at or record.header.time, giver)


def _sendable(event: Entry) -> Entry:
    if isinstance(event, Response) and event.thinking:
        event = msgspec.structs.replace(event, thinking="")
    if any(one.data for one in event.attachments):
        bare = tuple(msgspec.structs.replace(one, data="") for one in event.attachments)
        event = msgspec.structs.replace(event, attachments=bare)
    return event


def said(event: Entry) -> str:
    """The words of an entry, as far as its record holds them; of an erased entry, that it was erased."""
    if event.erased:
        return event.gone
    return marks.clean(event.content if event.blob is None else event.blob.head)


def text(event: Entry, way: str = "") -> str:
    """The words of an entry, and one line for each of its attachments, which ends with ``way``, the way to it."""
    lines = attached(event, way)
    return joined(said(event), lines) if lines else said(event)


def joined(words: str, lines: str) -> str:
    """Words with the lines that name what is attached to them."""
    return f"{words}\n{lines}" if words else lines


def tail(event: Entry) -> str:
    """The end of the words as far as the record holds them."""
    return said(event) if event.blob is None else marks.clean(event.blob.tail)


def words_size(event: Entry) -> int:
    """Bytes of UTF-8 of all the words."""
    if event.blob is not None:
        return event.blob.size
    words = said(event)
    return len(words) if words.isascii() else len(words.encode())


def size(event: Entry, way: str = "") -> int:
    """Bytes of UTF-8 of all the words, with the lines that name attachments; never of those themselves."""
    if not event.attachments:
        return words_size(event)
    return words_size(event) + len(attached(event, way).encode()) + 1


def held(event: Entry) -> int:
    """Bytes of an entry as far as its record holds it, for what keeps it in memory."""
    return size(event) if event.blob is None else len(event.blob.head) + len(event.blob.tail)


def lines(event: Entry) -> int:
    return len(event.content.splitlines()) if event.blob is None else event.blob.lines


def attached(event: Entry, way: str = "", room: int = ATTACHED_BYTES) -> str:
    """One line for each attachment while they fit into ``room`` bytes, then one that says how many more there are."""
    found: list[str] = []
    for at, one in enumerate(event.attachments):
        line = f"[attachment {attachment(one)}{way}]"
        room -= len(line.encode()) + 1
        if room < 0:
            more = len(event.attachments) - at
            found.append(f"[{more:,} {'more ' if at else ''}attachment{'s' if more > 1 else ''}{way}]")
            break
        found.append(line)
    return "\n".join(found)


def attachment(one: Attachment) -> str:
    """Name, media type and size of an attachment; what is only linked to has no size."""
    media = shortened(marks.one_line(marks.clean(one.media_type)), NAMED_BYTES)
    what = f"{media}, {one.size:,} bytes" if one.size else media
    return f"{shortened(marks.one_line(marks.clean(one.name)), NAMED_BYTES)}: {what}" if one.name else what


def shortened(value: str, limit: int) -> str:
    """``value``, or as much of its beginning as fits into ``limit`` bytes with an ellipsis."""
    return value if len(value.encode()) <= limit else cut_bytes(value, limit - 3) + "…"


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
