"""What every `doors.Log` does, in memory and over JetStream."""

from __future__ import annotations

from contextlib import aclosing

import anyio
import pytest

from eunoe.runtime.doors import Store
from eunoe.schemas import limits
from eunoe.schemas.errors import Busy, Conflict, NotFound, TooLarge


def subject(store: Store, thread: str, part: str = "log") -> str:
    return f"eunoe.{store.space}.thread.{thread}.{part}"


def chain(store: Store, thread: str) -> str:
    return f"eunoe.{store.space}.thread.{thread}.>"


async def test_appends_count_up(doors: Store) -> None:
    """Sequences start at 1 and grow by one, whatever the subject."""
    first = await doors.log.append(subject(doors, "a"), b"one")
    second = await doors.log.append(subject(doors, "b"), b"two")

    assert (first.seq, second.seq) == (1, 2)
    assert not first.duplicate


async def test_compare_and_set_covers_all_subjects_of_a_chain(doors: Store) -> None:
    """A write to one subject of a chain is guarded by the last message of any of them."""
    await doors.log.append(subject(doors, "a"), b"1", expect=(chain(doors, "a"), 0))
    await doors.log.append(subject(doors, "a", "memory"), b"2", expect=(chain(doors, "a"), 1))

    with pytest.raises(Conflict) as raised:
        await doors.log.append(subject(doors, "a"), b"3", expect=(chain(doors, "a"), 1))
    assert raised.value.detail == {"last": 2}

    done = await doors.log.append(subject(doors, "a"), b"3", expect=(chain(doors, "a"), 2))
    assert done.seq == 3


async def test_chains_do_not_guard_each_other(doors: Store) -> None:
    """A message of chain `ab` does not count for chain `a`."""
    await doors.log.append(subject(doors, "ab"), b"1")

    done = await doors.log.append(subject(doors, "a"), b"2", expect=(chain(doors, "a"), 0))

    assert done.seq == 2


async def test_a_race_has_one_winner(doors: Store) -> None:
    """Of 32 writers that saw the same end of a chain, one gets through and 31 hear of a conflict."""
    won: list[int] = []
    lost: list[int] = []

    async def write(number: int) -> None:
        try:
            await doors.log.append(subject(doors, "a"), b"%d" % number, expect=(chain(doors, "a"), 0))
        except Conflict:
            lost.append(number)
        else:
            won.append(number)

    async with anyio.create_task_group() as tasks:
        for number in range(32):
            tasks.start_soon(write, number)

    assert (len(won), len(lost)) == (1, 31)
    assert (await doors.log.info()).count == 1


async def test_the_same_id_is_stored_once(doors: Store) -> None:
    """A second message with the same id is acknowledged with the first one's sequence, under any subject."""
    first = await doors.log.append(subject(doors, "a"), b"one", msg_id="x")
    again = await doors.log.append(subject(doors, "b"), b"two", msg_id="x")

    assert (first.seq, first.duplicate) == (1, False)
    assert (again.seq, again.duplicate) == (1, True)
    assert (await doors.log.info()).count == 1


async def test_a_retry_under_compare_and_set_is_a_conflict(doors: Store) -> None:
    """On a single server the comparison comes before duplicates: the retry of a write that was done conflicts."""
    await doors.log.append(subject(doors, "a"), b"one", msg_id="x", expect=(chain(doors, "a"), 0))

    with pytest.raises(Conflict):
        await doors.log.append(subject(doors, "a"), b"one", msg_id="x", expect=(chain(doors, "a"), 0))


async def test_a_message_over_the_limit_is_refused_and_the_door_stays_open(doors: Store) -> None:
    """Too large a message raises TooLarge, and the next append works."""
    with pytest.raises(TooLarge):
        await doors.log.append(subject(doors, "a"), bytes(limits.MAX_PAYLOAD + 1))

    assert (await doors.log.append(subject(doors, "a"), b"small")).seq == 1


async def test_last_gives_the_newest_of_every_subject(doors: Store) -> None:
    """One message for each subject that matches, by sequence, with data and subject; missing ones are absent."""
    for thread, data in (("a", b"1"), ("b", b"2"), ("a", b"3")):
        await doors.log.append(subject(doors, thread), data)

    found = await doors.log.last([chain(doors, "a"), subject(doors, "b"), subject(doors, "c")])

    assert [(one.subject, one.seq, one.data) for one in found.messages] == [
        (subject(doors, "b"), 2, b"2"),
        (subject(doors, "a"), 3, b"3"),
    ]
    assert found.upto == 3


async def test_last_of_nothing_is_empty(doors: Store) -> None:
    """No match, and no filter at all, give nothing and speak up to 0."""
    await doors.log.append(subject(doors, "a"), b"1")

    assert (await doors.log.last([chain(doors, "b")])).messages == ()
    assert (await doors.log.last([chain(doors, "b")])).upto == 0
    assert (await doors.log.last([])).messages == ()


async def test_last_over_more_subjects_than_one_answer_takes(doors: Store) -> None:
    """1,100 subjects match (a direct get answers 1,024): all are found."""
    async with anyio.create_task_group() as tasks:
        for number in range(1100):
            tasks.start_soon(doors.log.append, subject(doors, f"t{number}"), b"x")

    found = await doors.log.last([f"eunoe.{doors.space}.thread.*.log", chain(doors, "t1")])

    assert [one.seq for one in found.messages] == list(range(1, 1101))


async def test_a_fence_beyond_the_end_is_busy(doors: Store) -> None:
    """A read that must reach a sequence nobody wrote yet is refused; one that it reaches is answered."""
    await doors.log.append(subject(doors, "a"), b"1")

    assert (await doors.log.last([chain(doors, "a")], fence=1)).upto == 1
    assert (await doors.log.last([chain(doors, "b")], fence=1)).messages == ()
    with pytest.raises(Busy):
        await doors.log.last([chain(doors, "a")], fence=2)


async def test_get_keeps_the_order_asked(doors: Store) -> None:
    """Messages come in the order asked, None where there is none, each with the server's time."""
    for data in (b"1", b"2", b"3"):
        await doors.log.append(subject(doors, "a"), data)

    found = await doors.log.get([3, 9, 1])

    assert [one.data if one else None for one in found] == [b"3", None, b"1"]
    assert all(one is None or one.time > 1_600_000_000_000 for one in found)


async def test_get_of_many(doors: Store) -> None:
    """Three hundred messages are more than one round of direct gets."""
    for number in range(300):
        await doors.log.append(subject(doors, "a"), b"%d" % number)

    found = await doors.log.get(range(300, 0, -1))

    assert [one.data for one in found if one] == [b"%d" % number for number in reversed(range(300))]


async def test_scan_ends_where_the_log_ended(doors: Store) -> None:
    """A scan gives what matches from its start on, in order, and ends without waiting."""
    for thread in ("a", "b", "a", "b"):
        await doors.log.append(subject(doors, thread), thread.encode())

    everything = [(one.seq, one.subject) async for one in doors.log.scan()]
    some = [one.seq async for one in doors.log.scan([chain(doors, "a")], start=2)]

    assert everything == [(n, subject(doors, t)) for n, t in enumerate("abab", 1)]
    assert some == [3]
    assert [one async for one in doors.log.scan(start=9)] == []
    assert [one async for one in doors.log.scan([chain(doors, "z")])] == []


async def test_scan_of_more_than_one_batch(doors: Store) -> None:
    """A thousand messages come complete and in order."""
    async with anyio.create_task_group() as tasks:
        for number in range(1000):
            tasks.start_soon(doors.log.append, subject(doors, "a"), b"%d" % number)

    assert [one.seq async for one in doors.log.scan()] == list(range(1, 1001))


async def test_follow_goes_on_with_what_comes(doors: Store) -> None:
    """A follower gets what is there, and then each new message."""
    await doors.log.append(subject(doors, "a"), b"1")

    async with aclosing(doors.log.follow([chain(doors, "a")])) as following:  # type: ignore[type-var]
        first = await anext(following)
        await doors.log.append(subject(doors, "b"), b"2")
        await doors.log.append(subject(doors, "a"), b"3")
        second = await anext(following)

    assert (first.data, second.data, second.seq) == (b"1", b"3", 3)


async def test_an_erased_message_leaves_a_gap(doors: Store) -> None:
    """Erasing removes one message, shows as a gap, and does not renumber; erasing nothing is refused."""
    for data in (b"1", b"2", b"3"):
        await doors.log.append(subject(doors, "a"), data)

    await doors.log.erase(2)
    info = await doors.log.info(gaps=True)

    assert (info.first, info.last, info.count, info.gaps) == (1, 3, 2, (2,))
    assert await doors.log.get([2]) == [None]
    assert [one.seq async for one in doors.log.scan()] == [1, 3]
    with pytest.raises(NotFound):
        await doors.log.erase(2)


async def test_erasing_at_the_edges(doors: Store) -> None:
    """The first message moves where the log begins; the last one stays counted, and no sequence comes twice."""
    for data in (b"1", b"2", b"3"):
        await doors.log.append(subject(doors, "a"), data)

    await doors.log.erase(1)
    await doors.log.erase(3)
    info = await doors.log.info(gaps=True)

    assert (info.first, info.last, info.count) == (2, 3, 1)
    assert (await doors.log.last([chain(doors, "a")])).messages[0].seq == 2
    assert (await doors.log.append(subject(doors, "a"), b"4", expect=(chain(doors, "a"), 2))).seq == 4


async def test_an_empty_log_says_so(doors: Store) -> None:
    """Nothing was written: last is 0 and count 0, and a scan is empty."""
    info = await doors.log.info(gaps=True)

    assert (info.last, info.count, info.gaps) == (0, 0, ())
    assert [one async for one in doors.log.scan()] == []


async def test_pieces_replace_themselves(doors: Store) -> None:
    """The same piece stored twice is there once, under its newest sequence."""
    await doors.blobs.append(f"eunoe.{doors.space}.piece.a.d1", b"x")
    again = await doors.blobs.append(f"eunoe.{doors.space}.piece.a.d1", b"x")

    assert again.seq == 2
    assert (await doors.blobs.info()).count == 1


async def test_dead_letters_are_kept(doors: Store) -> None:
    """Dead letters are a log like another."""
    await doors.dead.append(f"eunoe.{doors.space}.dead.extraction", b"why")

    assert [one.data async for one in doors.dead.scan()] == [b"why"]
