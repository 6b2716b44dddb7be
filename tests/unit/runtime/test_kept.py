"""What is left of a record when events of it are erased."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from recipes import recipe

from eunoe.runtime import kept
from eunoe.runtime.doors import Stored
from eunoe.schemas import records
from eunoe.schemas.events import (
    Attachment,
    ContextComposed,
    Erased,
    Event,
    Extracted,
    FactRecorded,
    Prompt,
    RecordKept,
    Response,
    ToolCall,
    ToolResult,
    TurnAborted,
    TurnOpened,
)
from eunoe.schemas.facts import Assertion, Identity, Source
from eunoe.schemas.records import GENESIS, Header

SECRET = "hunter2-xyzzy"
IDENTITY = Identity(scope="thread", owner="t", subject="file", name=SECRET)
EVENTS: tuple[Event, ...] = (
    TurnOpened(turn=1, key="k", agent="a", session="s"),
    Prompt(turn=1, entry=1, content=SECRET, at=5, attachments=(Attachment(media_type="x", size=1, digest=SECRET),)),
    Response(turn=1, entry=2, content=SECRET, thinking=SECRET, model="m"),
    ToolCall(turn=1, entry=3, call="c", tool="sh", content=SECRET),
    ToolResult(turn=1, entry=4, call="c", content=SECRET, exit_status=3, status="failed"),
    TurnAborted(turn=1, reason=SECRET),
    Extracted(turn=1, ordinal=1, failed=(SECRET,)),
    FactRecorded(fact=Assertion(identity=IDENTITY, value=SECRET, source=Source(kind="tool"), at=1)),
    ContextComposed(recipe=recipe(request=SECRET)),
)  # fmt: skip
BLANK: tuple[Event, ...] = (
    Erased(kind="turn.opened"),
    Prompt(turn=1, entry=1, at=5, erased=True),
    Response(turn=1, entry=2, model="m", erased=True),
    ToolCall(turn=1, entry=3, call="c", tool="sh", erased=True),
    ToolResult(turn=1, entry=4, call="c", status="failed", erased=True),
    TurnAborted(turn=1, reason="[erased]"),
    Extracted(turn=1, ordinal=1, failed=("[erased]",)),
    Erased(kind="fact.recorded"),
    Erased(kind="context.composed"),
)


def stored() -> Stored:
    header = Header(
        v=1, space="s", chain="thread.t", record=7, prev=GENESIS, time=9, role="person", principal="ada", producer="p",
        n=1, request="", digests=(),
    )  # fmt: skip
    return Stored("eunoe.s.thread.t.log", 42, records.seal(header, EVENTS)[0], 9)


def again(message: Stored, *gone: int) -> Stored:
    """The message that stands for one without these events, after what is left of it went through a record."""
    data = msgspec.json.encode(kept.keep(message, gone))
    return kept.restored(msgspec.json.decode(data, type=RecordKept))


def test_an_erased_event_says_nothing_and_keeps_its_place() -> None:
    """Numbers, pairs of calls and results, who and when stay; no word of it does."""
    assert tuple(kept.blank(event) for event in EVENTS) == BLANK
    assert SECRET.encode() not in again(stored(), *range(1, len(EVENTS))).data


@given(st.sets(st.integers(0, len(EVENTS) - 1)))
def test_what_is_left_is_what_it_was(gone: set[int]) -> None:
    """Header, hash, digests and every surviving event with its salt, byte for byte, at the old place."""
    before = stored()

    after = again(before, *gone)

    old, new = records.open_wire(before.data), records.open_wire(after.data)
    assert (after.subject, after.seq, after.time) == (before.subject, before.seq, before.time)
    assert (bytes(new.header), new.hash) == (bytes(old.header), old.hash)
    header = records.open_header(new.header)
    for index, (salt, raw) in enumerate(zip(new.salts, new.events, strict=True)):
        if index in gone:
            assert salt == ""
        else:
            assert (salt, bytes(raw)) == (old.salts[index], bytes(old.events[index]))
            assert records.digest_event(salt, bytes(raw)) == header.digests[index]


@given(st.sets(st.integers(0, len(EVENTS) - 1)), st.sets(st.integers(0, len(EVENTS) - 1)))
def test_erasing_in_two_steps_is_erasing_at_once(first: set[int], second: set[int]) -> None:
    """The second time from what is left of the first."""
    message = stored()

    assert again(again(message, *first), *second) == again(message, *first | second)
