"""What no chain could make valid: an event's times, ids, names and sizes. Pure."""

from __future__ import annotations

import msgspec

from eunoe.facts.acts import ActEvent
from eunoe.facts.stating_rules import check_labels, check_reason
from eunoe.runtime import payload
from eunoe.schemas import ids, limits
from eunoe.schemas.blobs import size_of
from eunoe.schemas.errors import Invalid
from eunoe.schemas.events import (
    Entry,
    Event,
    FactDeleted,
    FactLabelled,
    FactMoved,
    FactRetired,
    SessionEnded,
    SessionStateSet,
    TurnOpened,
)

_FACT_ID = 11  # characters of a fact's id


def check(event: Event) -> None:
    """Refuse an event that is not valid in any chain; raises `Invalid`."""
    if not 0 <= event.at <= limits.LAST_MOMENT:
        raise Invalid(f"the time {event.at} is not in milliseconds between the years 1970 and 9999")
    if isinstance(event, TurnOpened):
        for value, what in ((event.agent, "agent"), (event.session, "session"), (event.preview, "preview")):
            if value:
                ids.check(value, what)
    if isinstance(event, Entry):
        _check_content(event)
    if isinstance(event, ActEvent):
        _check_id(event.id)
    if isinstance(event, FactRetired | FactDeleted | FactMoved | SessionEnded):
        check_reason(event.reason)
    if isinstance(event, FactLabelled):
        _check_labels(event)
    if isinstance(event, SessionStateSet):
        _check_state(event.state)


def _check_content(event: Entry) -> None:
    if event.erased and (event.content or event.blob or event.attachments):
        raise Invalid("an entry that was erased (in the store from which it comes) has no content")
    if event.blob is None:
        if size_of(event.content, None) > limits.INLINE_BYTES:
            raise Invalid(f"content over {limits.INLINE_BYTES // limits.KIB} KiB is sent in pieces, not in the record")
        return
    if event.content:
        raise Invalid("an entry has either content or a blob, not both")
    blob = event.blob
    if not 0 < blob.size <= limits.CONTENT_BYTES or len(blob.pieces) != -(-blob.size // limits.PIECE_BYTES):
        raise Invalid(f"a blob of {blob.size} bytes cannot have {len(blob.pieces)} pieces")


def _check_id(fact: str) -> None:
    if len(fact) != _FACT_ID or not fact.isascii() or not fact.isalnum():
        raise Invalid(f"{fact[: _FACT_ID * 2]!r} is no fact's id; `eunoe facts` shows the id of each")


def _check_labels(event: FactLabelled) -> None:
    if not (event.add or event.remove):
        raise Invalid("no label is named; say which to put on or take off")
    check_labels(*event.add)
    check_labels(*event.remove)
    both = sorted(set(event.add) & set(event.remove))
    if both:
        raise Invalid(f"label {both[0]} is to be put on and taken off at once; say one of them")


def _check_state(state: str) -> None:
    size = len(state.encode())
    if size > limits.SESSION_STATE_BYTES:
        raise Invalid(f"the state of a session is {size:,} bytes; the limit is {limits.SESSION_STATE_BYTES:,}")
    try:
        msgspec.json.decode(state)
    except payload.UNREADABLE as error:
        raise Invalid(f"the state of a session is JSON, and this is none: {error}") from None
