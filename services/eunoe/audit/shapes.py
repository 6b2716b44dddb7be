"""What no chain could make valid: an event's times, ids, names and sizes. Pure."""

from __future__ import annotations

import msgspec

from eunoe.audit import spans
from eunoe.facts.acts import ActEvent
from eunoe.facts.stating_rules import check_labels, check_reason
from eunoe.runtime import payload
from eunoe.schemas import ids, limits
from eunoe.schemas.blobs import size_of
from eunoe.schemas.errors import Invalid
from eunoe.schemas.events import (
    Distilled,
    Entry,
    Event,
    FactDeleted,
    FactLabelled,
    FactMoved,
    FactRetired,
    Reviewed,
    SessionEnded,
    SessionStateSet,
    Summarised,
    SummaryKept,
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
    if isinstance(event, Distilled | Reviewed):
        _check_drawn(event)
    if isinstance(event, Reviewed):
        _check_decisions(event)
    if isinstance(event, SummaryKept) and len(event.reason) > limits.REASON_LENGTH:
        raise Invalid(f"why a summary stays has {limits.REASON_LENGTH} characters at most; shorten it")
    if isinstance(event, Summarised):
        _check_summary(event)


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


def _check_drawn(event: Distilled | Reviewed) -> None:
    if not 1 <= event.first <= event.last <= limits.LAST_NUMBER:
        raise Invalid(f"turns are counted from 1, so there are none from {event.first} to {event.last}")
    if isinstance(event, Reviewed):
        if event.agent:
            ids.check(event.agent, "agent")
    elif event.last - event.first >= limits.DISTILLED_TURNS:
        raise Invalid(f"one distillation is of {limits.DISTILLED_TURNS} turns at most")
    spans.check(event.turns, "turns")
    if len(event.set_aside) > limits.SET_ASIDE:
        raise Invalid(f"{len(event.set_aside)} things are set aside; {limits.SET_ASIDE} are kept at most")
    if len(event.failed) > limits.REASON_LENGTH:
        raise Invalid(f"why nothing came of it has {limits.REASON_LENGTH} characters at most; shorten it")
    if any(max(len(one.text), len(one.reason)) > limits.SET_ASIDE_LENGTH for one in event.set_aside):
        raise Invalid(f"what is set aside, and why, has {limits.SET_ASIDE_LENGTH} characters at most; shorten it")


def _check_decisions(event: Reviewed) -> None:
    if len(event.decisions) > limits.REVIEW_CANDIDATES:
        raise Invalid(f"a review decides about {limits.REVIEW_CANDIDATES} candidates at most")
    for made in event.decisions:
        if max(len(made.text), len(made.reason), len(made.about)) > limits.REASON_LENGTH:
            raise Invalid(f"what a review decided, and why, has {limits.REASON_LENGTH} characters at most; shorten it")
        if len(made.compared) > limits.REVIEW_RECORDS:
            raise Invalid(f"a candidate is compared with {limits.REVIEW_RECORDS} records at most")


def _check_summary(event: Summarised) -> None:
    size = len(event.text.encode())
    if size > limits.SUMMARY_BYTES_MAX:
        raise Invalid(f"a summary has {limits.SUMMARY_BYTES_MAX:,} bytes at most, and this one {size:,}")
    if not 1 <= event.last <= limits.LAST_NUMBER or not 0 <= event.before <= limits.LAST_NUMBER:
        raise Invalid(f"a summary up to turn {event.last} cannot go on from position {event.before}")
    for what, ranges in (("turns", event.turns), ("entries", event.entries)):
        spans.check(ranges, what)
        if len(ranges) > limits.SUMMARY_RANGES:
            raise Invalid(f"a summary names its {what} in {limits.SUMMARY_RANGES} ranges at most, not in {len(ranges)}")
