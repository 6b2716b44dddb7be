"""Turns by the order of their commits, with what was said in them, however they lie in the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from desks import NOON, Desk, whole_turn
from extracting import records_of

from eunoe.composition import marks
from eunoe.distillation.door import Turn
from eunoe.distillation.gathering import Gathering
from eunoe.distillation.reading import Reader
from eunoe.runtime.chains import Head
from eunoe.runtime.doors import Log, Stored
from eunoe.schemas import blobs, limits, subjects
from eunoe.schemas.events import (
    Event,
    Extracted,
    Prompt,
    Response,
    ToolCall,
    ToolResult,
    TurnAborted,
    TurnCommitted,
    TurnOpened,
)
from eunoe.schemas.subjects import Caller

EXTRACTION = Caller("worker", "extraction")


async def opened(desk: Desk, thread: str = "t") -> tuple[Reader, Head]:
    reader = Reader(desk.store)
    head = await reader.head(subjects.thread_chain(thread))
    assert head is not None
    return reader, head


async def turns_of(desk: Desk, first: int, last: int) -> list[Turn]:
    reader, head = await opened(desk)
    return await reader.turns(head, first, last)


def words(turn: Turn) -> list[tuple[str, str]]:
    return [(one.speaker, one.text) for one in turn.said]


async def test_a_turn_is_read_with_who_said_what_when(desk: Desk) -> None:
    """Its number, agent, session, preview, calls, and the entries that it has, results among them."""
    await desk.append(
        1,
        TurnOpened(agent="builder", session="s", preview="p", at=NOON - 5_000),
        Prompt(content="Where do we deploy?", at=NOON - 4_000),
        ToolCall(call="1", tool="Bash", content='{"command": "cat deploy.md"}'),
        ToolResult(call="1", content="to Oslo"),
        Response(content="To Oslo."),
        TurnCommitted(),
    )
    (turn,) = await turns_of(desk, 1, 1)
    assert (turn.number, turn.ordinal, turn.at, turn.agent) == (1, 1, NOON - 5_000, "builder")
    assert (turn.session, turn.preview, turn.entries) == ("s", "p", (1, 4))
    assert words(turn) == [("person", "Where do we deploy?"), ("model", "To Oslo.")]
    assert [(one.entry, one.at, one.position) for one in turn.said] == [(1, NOON - 4_000, 1), (4, NOON, 1)]
    assert [(one.entry, one.tool, one.arguments) for one in turn.called] == [
        (2, "Bash", '{"command": "cat deploy.md"}')
    ]


async def test_turns_come_in_the_order_of_their_commits(desk: Desk) -> None:
    """Turn 1 is open while 2 and 3 happen, piece by piece: it is the second that is committed, and has its own
    words alone."""
    await desk.append(1, TurnOpened(), Prompt(content="one"), turn="a", producer="x")
    await desk.append(1, *whole_turn("two"), turn="b", producer="y")
    await desk.append(2, Response(content="first part"), turn="a", producer="x")
    await desk.append(2, TurnOpened(), Prompt(content="three"), turn="c", producer="y")
    await desk.append(3, Response(content="second part"), TurnCommitted(), turn="a", producer="x")
    await desk.append(3, Response(content="end"), TurnCommitted(), turn="c", producer="y")
    found = await turns_of(desk, 1, 3)
    assert [(turn.ordinal, turn.number, turn.entries) for turn in found] == [
        (1, 2, (2, 3)),
        (2, 1, (1, 6)),
        (3, 3, (5, 7)),
    ]
    assert words(found[1]) == [("person", "one"), ("model", "first part"), ("model", "second part")]
    assert [turn.number for turn in await turns_of(desk, 2, 2)] == [1]


async def test_no_more_is_given_than_there_is(desk: Desk) -> None:
    """Ordinals over the last, an open turn and an aborted one."""
    await desk.append(1, *whole_turn("one"), turn="a")
    await desk.append(2, TurnOpened(), Prompt(content="no"), TurnAborted(reason="stop"), turn="b")
    await desk.append(3, TurnOpened(), Prompt(content="open"), turn="c")
    assert [turn.number for turn in await turns_of(desk, 1, 9)] == [1]
    assert await turns_of(desk, 2, 9) == []


async def test_what_memory_wrote_and_secrets_are_not_read(desk: Desk) -> None:
    """A labelled record in a prompt goes, what looks like a token is replaced, also in a call's arguments."""
    quoted = marks.label("facts", "- task: old")
    await desk.append(
        1,
        TurnOpened(),
        Prompt(content=f"We use {quoted} ghp_abcdefghijklmnop0123 now"),
        ToolCall(call="1", tool="Bash", content='{"command": "login --password hunter22"}'),
        TurnCommitted(),
    )
    (turn,) = await turns_of(desk, 1, 1)
    assert words(turn) == [("person", "We use  [redacted] now")]
    assert "hunter22" not in turn.called[0].arguments


async def test_large_content_is_read_by_its_head_and_tail(desk: Desk) -> None:
    """A record of memory that lies across what is left out is left out as far as it goes."""
    inside = marks.label("facts", "x" * limits.INLINE_BYTES)
    blob, pieces = blobs.split(f"Head.\n{inside}\nTail says 42.")
    for piece in pieces:
        address = subjects.Address("piece", Caller("agent", "builder"), subjects.thread_chain("t"))
        await desk.worker.handlers()["piece"](address, piece)
    await desk.append(1, TurnOpened(), Prompt(blob=blob), TurnCommitted())
    (turn,) = await turns_of(desk, 1, 1)
    assert words(turn) == [("person", "Head.\n\n…\n\nTail says 42.")]


async def test_entries_that_say_nothing_are_left_out(desk: Desk) -> None:
    """An empty reply between two calls is nobody's word."""
    await desk.append(1, TurnOpened(), Prompt(content="go"), Response(content="  "), TurnCommitted())
    (turn,) = await turns_of(desk, 1, 1)
    assert words(turn) == [("person", "go")]
    assert turn.entries == (1, 2)


class Counted:
    """A log that counts what is read of it by position."""

    def __init__(self, inner: Log) -> None:
        self._inner = inner
        self.read = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def get(self, seqs: Sequence[int]) -> list[Stored | None]:
        self.read += len(seqs)
        return await self._inner.get(seqs)


async def test_a_long_thread_is_read_where_the_turns_are(desk: Desk) -> None:
    """Of 700 turns with memory's records between them, twelve in the middle: their 24 records, the way to them, and
    far from all 1,400."""
    for number in range(1, 701):
        await desk.append(number, *whole_turn(f"prompt {number}"), turn=f"k{number}")
        await remembered(desk, number)
    counted = Counted(desk.store.log)
    desk.store = replace(desk.store, log=counted)
    reader, head = await opened(desk)
    found = await reader.turns(head, 350, 361)
    assert [words(turn)[0] for turn in found] == [("person", f"prompt {number}") for number in range(350, 362)]
    assert counted.read < 200


def test_what_was_erased_says_nothing_and_is_named() -> None:
    """Of four entries the first and the third were erased: the turn says which of those between it does not have."""
    erased = Response(erased=True)
    events = (Prompt(erased=True), Response(content="a"), erased, Response(content="b"))
    (record,) = records_of((TurnOpened(), *events, TurnCommitted(ordinal=1)))
    gathering = Gathering(1, 1)
    gathering.take(record)
    (turn,) = gathering.turns()
    assert (words(turn), turn.entries, turn.others) == ([("model", "a"), ("model", "b")], (2, 4), (3,))


async def test_lost_records_are_passed_over(desk: Desk) -> None:
    """Of turn 2 the opening record is gone, of turn 3 the commit: 2 is there without its prompt, 3 is not."""
    await desk.append(1, *whole_turn("one"), turn="a")
    await desk.append(2, TurnOpened(), Prompt(content="two"), turn="b")
    await desk.append(3, Response(content="two, too"), TurnCommitted(), turn="b")
    await desk.append(4, TurnOpened(), Prompt(content="three"), turn="c")
    await desk.append(5, TurnCommitted(), turn="c")
    await desk.append(6, *whole_turn("four"), turn="d")
    await desk.store.log.erase(2)
    await desk.store.log.erase(5)
    found = await turns_of(desk, 1, 4)
    assert [(turn.ordinal, words(turn)[0]) for turn in found] == [
        (1, ("person", "one")),
        (2, ("model", "two, too")),
        (4, ("person", "four")),
    ]
    assert [turn.number for turn in await turns_of(desk, 1, 1)] == [1]


@pytest.mark.parametrize(("up_to", "ordinal"), [(0, 5), (9, 5), (5, 4), (4, 4), (3, 2), (2, 2), (1, 0)])
async def test_the_last_of_the_turns_up_to_a_number_is_found(desk: Desk, up_to: int, ordinal: int) -> None:
    """Committed are 3, 2, 6, 4, 7 in this order; 1 stays open, 5 is aborted: up to turn 4 it is the fourth."""
    n = 0
    for number in range(1, 8):
        n += 1
        await desk.append(n, TurnOpened(), Prompt(content=f"p{number}"), turn=f"k{number}")
        await remembered(desk, number)
    for number, event in ((3, TurnCommitted()), (2, TurnCommitted()), (5, TurnAborted()), (6, TurnCommitted())):
        n += 1
        await desk.append(n, event, turn=f"k{number}")
    for number in (4, 7):
        n += 1
        await desk.append(n, TurnCommitted(), turn=f"k{number}")
    reader, head = await opened(desk)
    assert await reader.ordinal(head, up_to) == ordinal


async def test_the_last_up_to_a_number_is_found_among_turns_of_one_record_each(desk: Desk) -> None:
    """Whole turns one after the other, the way an import writes them."""
    for number in range(1, 6):
        await desk.append(number, *whole_turn(f"p{number}"), turn=f"k{number}")
    reader, head = await opened(desk)
    assert [await reader.ordinal(head, number) for number in range(1, 6)] == [1, 2, 3, 4, 5]


async def remembered(desk: Desk, n: int) -> None:
    """A record of what memory did, between the turns."""
    events: tuple[Event, ...] = (Extracted(turn=n, ordinal=n),)
    await desk.append(n, *events, producer="extraction", turn="", caller=EXTRACTION)
