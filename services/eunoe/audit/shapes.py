"""What no chain could make valid: an event's times, ids, names and sizes. Pure."""

from __future__ import annotations

import msgspec

from eunoe.runtime import payload
from eunoe.schemas import ids, limits
from eunoe.schemas.blobs import size_of
from eunoe.schemas.errors import Invalid
from eunoe.schemas.events import (
    Entry,
    Event,
    FactApproved,
    FactDeleted,
    FactLabelled,
    FactMoved,
    FactPinned,
    FactRetired,
    SessionEnded,
    SessionStateSet,
    TurnOpened,
)

Act = FactRetired | FactDeleted | FactApproved | FactMoved | FactLabelled | FactPinned
"""Events that do something to a fact which they name by its id."""

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
    if isinstance(event, Act):
        _check_id(event.id)
    if isinstance(event, FactRetired | FactDeleted | FactMoved | SessionEnded):
        _check_reason(event.reason)
    if isinstance(event, FactLabelled):
        _check_labels(event)
    if isinstance(event, SessionStateSet):
        _check_state(event.state)


def _check_content(event: Entry) -> None:
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


def _check_reason(reason: str) -> None:
    if len(reason) > limits.REASON_LENGTH:
        raise Invalid(f"the reason is {len(reason):,} characters long; the limit is {limits.REASON_LENGTH}")


def _check_labels(event: FactLabelled) -> None:
    named = (*event.add, *event.remove)
    if not named:
        raise Invalid("no label is named; say which to put on or take off")
    if len(named) > 2 * limits.LABELS:
        raise Invalid(f"{len(named):,} labels are named; a fact has at most {limits.LABELS}")
    wrong = next((number for number in named if not 1 <= number <= limits.LABEL_NUMBER), None)
    if wrong is not None:
        raise Invalid(f"{wrong} is no label's number; those are 1 to {limits.LABEL_NUMBER}")
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
