"""Events made ready for the log: large content cut off into pieces, and appends that fit a record. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec
from msgspec import structs

from eunoe.schemas import blobs, limits
from eunoe.schemas.errors import Invalid
from eunoe.schemas.events import Attachment, Entry, Event, Response

HEADER_BYTES = 256 * limits.KIB  # bytes of a record left for its header
EVENT_BYTES = 128  # bytes that a record adds for each event (digest, salt)
BATCH_BYTES = limits.RECORD_BYTES - HEADER_BYTES  # bytes of events in one append
ESCAPED_BYTES = 384 * limits.KIB  # bytes of inline content as JSON writes it
THINKING_BYTES = 128 * limits.KIB  # bytes of a reply's thinking as JSON writes it
ATTACHED_BYTES = 256 * limits.KIB  # bytes of base64 of one entry's attachments
CUT_MARK = "\n[… cut: {size:,} bytes of thinking]"

_encoder = msgspec.json.Encoder()


@dataclass(slots=True)
class Batch:
    """The events of one append, and the pieces of large content that go before it."""

    events: list[Event] = field(default_factory=list)
    pieces: list[bytes] = field(default_factory=list)
    size: int = 0

    def takes(self, size: int) -> bool:
        return not self.events or (len(self.events) < limits.EVENTS_PER_RECORD and self.size + size <= BATCH_BYTES)

    def add(self, event: Event, pieces: Iterable[bytes], size: int) -> None:
        self.events.append(event)
        self.pieces.extend(pieces)
        self.size += size


@dataclass(frozen=True, slots=True)
class Ready:
    """One event as it goes into a record, its bytes there, its pieces, and what of it did not fit."""

    event: Event
    size: int
    pieces: tuple[bytes, ...] = ()
    note: str = ""


def ready(event: Event) -> Ready:
    """The event with content over the limit in pieces.

    Raises `TooLarge` over `limits.CONTENT_BYTES`, `Invalid` for text that is not Unicode.
    """
    pieces: tuple[bytes, ...] = ()
    note = ""
    try:
        if isinstance(event, Entry):
            event, note = _bounded(event)
            event, pieces = _cut(event)
        size = len(_encoder.encode(event)) + EVENT_BYTES
    except UnicodeEncodeError:
        raise Invalid("the text holds half of a surrogate pair; it must be valid Unicode") from None
    return Ready(event, size, pieces, note)


def split(items: Iterable[Ready]) -> list[Batch]:
    """The events in order, over as few appends as their sizes allow."""
    batches = [Batch()]
    for item in items:
        if not batches[-1].takes(item.size):
            batches.append(Batch())
        batches[-1].add(item.event, item.pieces, item.size)
    return [batch for batch in batches if batch.events]


def _cut(event: Entry) -> tuple[Entry, tuple[bytes, ...]]:
    """Content goes to pieces over the inline limit, also when JSON's escapes alone make it large."""
    if event.blob is not None or len(event.content) * 6 <= limits.INLINE_BYTES:
        return event, ()
    size = blobs.size_of(event.content, None)
    if size <= limits.INLINE_BYTES and len(_encoder.encode(event.content)) <= ESCAPED_BYTES:
        return event, ()
    blob, pieces = blobs.split(event.content)
    return structs.replace(event, content="", blob=blob), pieces


def _bounded(event: Entry) -> tuple[Entry, str]:
    """The event without what would not fit a record beside its content, and what that is."""
    note = ""
    attachments = _bounded_attachments(event.attachments)
    if attachments != event.attachments:
        event = structs.replace(event, attachments=attachments)
        note = f"attachments over {ATTACHED_BYTES // limits.KIB} KiB are kept by their size and digest only"
    if isinstance(event, Response) and len(_encoder.encode(event.thinking)) > THINKING_BYTES:
        size = len(event.thinking.encode())
        kept = event.thinking[: THINKING_BYTES // 8]
        event = structs.replace(event, thinking=kept + CUT_MARK.format(size=size))
        note = f"thinking of {size:,} bytes was cut"
    return event, note


def _bounded_attachments(found: tuple[Attachment, ...]) -> tuple[Attachment, ...]:
    """Attachments whose bytes are kept as long as they fit; the others keep their size and digest."""
    left = ATTACHED_BYTES
    kept = []
    for item in found:
        left -= len(item.data)
        kept.append(item if left >= 0 else structs.replace(item, data=""))
    return tuple(kept)
