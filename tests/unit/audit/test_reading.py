"""What was appended is shown again, whole, with what became of its turn."""

from __future__ import annotations

import msgspec
import pytest
from desks import AGENT, NOON, Desk, whole_turn

from eunoe.schemas import blobs, limits, subjects
from eunoe.schemas.errors import Invalid, NotFound
from eunoe.schemas.events import Prompt, Response, ToolCall, ToolResult, TurnAborted, TurnCommitted, TurnOpened
from eunoe.schemas.requests import RecordsReply, RecordsRequest, ShowReply, ShowRequest
from eunoe.schemas.subjects import Address


async def show(desk: Desk, thread: str = "t", **request: int) -> ShowReply:
    address = Address("show", AGENT, subjects.thread_chain(thread))
    data = await desk.worker.handlers()["show"](address, msgspec.json.encode(ShowRequest(**request)))
    return msgspec.json.decode(data, type=ShowReply)


async def test_an_entry_is_shown_whole_with_its_turn(desk: Desk) -> None:
    """The content byte for byte; agent, session and state from the turn, also when records apart hold them."""
    await desk.append(1, TurnOpened(session="run-1"), Prompt(content="look"))
    await desk.append(2, ToolCall(call="c", tool="bash", content='{"command":"ls"}'))
    await desk.append(3, ToolResult(call="c", tool="bash", content="a\x00b\u2028\x1b[0m\n", exit_status=0))
    await desk.append(4, TurnCommitted())

    reply = await show(desk, entry=3)

    (entry,) = reply.entries
    assert entry.content == "a\x00b\u2028\x1b[0m\n"
    assert (entry.kind, entry.turn, entry.state, entry.agent, entry.session) == (
        "tool.result",
        1,
        "committed",
        "builder",
        "run-1",
    )
    assert (entry.tool, entry.call, entry.status, entry.exit_status, entry.time) == ("bash", "c", "ok", 0, NOON)
    assert reply.total == 3


async def test_a_page_of_entries_holds_their_beginnings_and_says_what_is_left(desk: Desk) -> None:
    """Long contents are cut at whole characters; ``more`` says that there are others."""
    for n in range(1, 4):
        await desk.append(n, *whole_turn("é" * 300, "ok"), turn=f"k{n}")

    page = await show(desk, after=1, limit=3, preview=5)

    assert [(entry.entry, entry.content, entry.truncated) for entry in page.entries] == [
        (2, "ok", False),
        (3, "éé", True),
        (4, "ok", False),
    ]
    assert [entry.size for entry in page.entries] == [2, 600, 2]
    assert page.more
    assert not (await show(desk, after=4)).more


async def test_the_state_of_each_turn_is_told_apart(desk: Desk) -> None:
    """Open, committed and aborted turns are shown as such."""
    await desk.append(1, *whole_turn("one"), turn="a")
    await desk.append(2, TurnOpened(), Prompt(content="two"), TurnAborted(reason="no"), turn="b")
    await desk.append(3, TurnOpened(), Prompt(content="three"), turn="c")

    states = [(entry.turn, entry.state) for entry in (await show(desk)).entries]

    assert states == [(1, "committed"), (1, "committed"), (2, "aborted"), (3, "open")]


@pytest.mark.parametrize("turns", [1, 63, 64, 65, 1023, 1025, 1100, 2100])
async def test_any_entry_is_found_however_long_the_thread(desk: Desk, turns: int) -> None:
    """The head's back links and marks reach every record."""
    for n in range(1, turns + 1):
        await desk.append(n, *whole_turn(f"prompt {n}"), turn=f"k{n}")

    for turn in {1, (turns + 1) // 2, max(1, turns - 70), turns}:
        (entry,) = (await show(desk, entry=2 * turn - 1)).entries
        assert entry.content == f"prompt {turn}"
        assert entry.turn == turn


async def test_what_is_not_there_is_named_with_what_there_is(desk: Desk) -> None:
    """An unknown thread or entry: one line, and where to look."""
    await desk.append(1, *whole_turn("hello"))

    with pytest.raises(NotFound, match="there is no thread 'nowhere'; `eunoe threads` lists"):
        await show(desk, thread="nowhere")
    with pytest.raises(NotFound, match="has no entry 3; it has entries 1 to 2"):
        await show(desk, entry=3)


async def test_records_come_in_pages_that_join_to_the_whole_chain(desk: Desk) -> None:
    """Paging by record number gives every record once, in order."""
    for n in range(1, 131):
        await desk.append(n, *whole_turn(f"prompt {n}"), turn=f"k{n}")

    found: list[str] = []
    more = True
    while more:
        request = msgspec.json.encode(RecordsRequest(after=len(found)))
        address = Address("records", AGENT, subjects.thread_chain("t"))
        page = msgspec.json.decode(await desk.worker.handlers()["records"](address, request), type=RecordsReply)
        found += [record.data for record in page.records]
        more = page.more

    stored = [message.data.decode() async for message in desk.store.log.scan()]
    assert found == stored
    assert len(found) == 130


async def upload(desk: Desk, pieces: tuple[bytes, ...], thread: str = "t") -> None:
    address = Address("piece", AGENT, subjects.thread_chain(thread))
    for piece in pieces:
        await desk.worker.handlers()["piece"](address, piece)


async def test_large_content_goes_in_pieces_and_comes_back_whole(desk: Desk) -> None:
    """1 MiB of characters of three bytes, cut anywhere, is given back byte for byte."""
    content = "水" * 350_000
    blob, pieces = blobs.split(content)
    await upload(desk, pieces)
    await desk.append(1, TurnOpened(), Prompt(content="x"), Response(blob=blob), TurnCommitted())

    (entry,) = (await show(desk, entry=2)).entries

    assert len(pieces) == 5
    assert entry.content == content
    assert entry.size == 1_050_000


async def test_a_record_that_names_a_missing_piece_is_refused(desk: Desk) -> None:
    """First the pieces, then the record: never a record whose content is not there."""
    blob, pieces = blobs.split("x" * (limits.INLINE_BYTES + 1))
    await upload(desk, pieces[:1])

    with pytest.raises(Invalid, match=r"is not whole: piece \w{12} is missing; send its pieces again"):
        await desk.append(1, TurnOpened(), Prompt(blob=blob))


async def test_pieces_of_another_thread_do_not_count(desk: Desk) -> None:
    """Pieces are kept apart for each thread, so that erasing one touches no other."""
    blob, pieces = blobs.split("x" * (limits.INLINE_BYTES + 1))
    await upload(desk, pieces, thread="other")

    with pytest.raises(Invalid, match="is not whole"):
        await desk.append(1, TurnOpened(), Prompt(blob=blob))


async def test_a_blob_that_says_something_else_of_its_content_is_refused(desk: Desk) -> None:
    """What stands in the record for the content is what the content is."""
    blob, pieces = blobs.split("line\n" * 60_000)
    await upload(desk, pieces)

    with pytest.raises(Invalid, match="not what its record says"):
        await desk.append(1, TurnOpened(), Prompt(blob=msgspec.structs.replace(blob, head="all is well")))


async def test_a_piece_that_no_record_named_within_a_day_goes_and_a_named_one_stays(desk: Desk) -> None:
    """A sweep erases what an interrupted client left, and nothing else."""
    kept, kept_pieces = blobs.split("k" * (limits.INLINE_BYTES + 1))
    _, left_pieces = blobs.split("l" * (limits.INLINE_BYTES + 1))
    await upload(desk, (*kept_pieces, *left_pieces))
    await desk.append(1, TurnOpened(), Prompt(blob=kept), TurnCommitted())

    desk.clock.advance(seconds=limits.UNNAMED_PIECE_SECONDS - 1)
    await desk.worker.sweep_pieces()
    assert (await desk.store.blobs.info()).count == 4

    desk.clock.advance(seconds=2)
    await desk.worker.sweep_pieces()
    assert (await desk.store.blobs.info()).count == 2
    assert len((await show(desk, entry=1)).entries[0].content) == limits.INLINE_BYTES + 1


async def test_a_page_is_bounded_whatever_is_asked_for(desk: Desk) -> None:
    """Forty entries of 200 KiB with the longest preview: 64 KiB each, until a page has 1 MiB."""
    for n in range(1, 21):
        await desk.append(n, *whole_turn("x" * 200 * 1024, "y" * 200 * 1024), turn=f"k{n}")

    page = await show(desk, limit=1000, preview=10**9)

    assert [len(entry.content) for entry in page.entries] == [65_536] * 16
    assert page.more


@pytest.mark.parametrize("request_", [{"entry": -1}, {"after": -2}, {"limit": -1}, {"preview": -1}])
async def test_negative_numbers_are_refused(desk: Desk, request_: dict[str, int]) -> None:
    """One line, not an endless search."""
    await desk.append(1, *whole_turn("hello"))

    with pytest.raises(Invalid, match="counted from 0"):
        await show(desk, "t", **request_)
    address = Address("records", AGENT, subjects.thread_chain("t"))
    with pytest.raises(Invalid, match="counted from 1"):
        await desk.worker.handlers()["records"](address, msgspec.json.encode(RecordsRequest(after=-2)))


async def test_a_piece_that_is_about_to_go_is_stored_again_when_a_record_names_it(desk: Desk) -> None:
    """An append a moment before the sweep keeps its content: the sweep finds that the piece it meant is another."""
    blob, pieces = blobs.split("k" * (limits.INLINE_BYTES + 1))
    await upload(desk, pieces)
    desk.clock.advance(seconds=limits.UNNAMED_PIECE_SECONDS + 1)

    await desk.append(1, TurnOpened(), Prompt(blob=blob), TurnCommitted())
    await desk.worker.sweep_pieces()

    assert len((await show(desk, entry=1)).entries[0].content) == limits.INLINE_BYTES + 1
    assert (await desk.store.blobs.info()).last == 4
