"""What is said of erasures while they go on and afterwards, and what of their chain is read for that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anyio
import pytest
from desks import Desk, whole_turn
from erasing_desks import SECRET, asked, entries, erase

from eunoe.audit.found import Found
from eunoe.runtime.doors import Stored
from eunoe.schemas import limits, subjects
from eunoe.schemas.erasures import EraseRequest, ErasureTarget
from eunoe.schemas.errors import Unreachable

WHOLE = ErasureTarget(thread="t")


class Watched:
    """A log that counts the positions that are read, and overwrites no more than some messages."""

    def __init__(self, log: Any, erasing: int = 1 << 30) -> None:
        self._log, self._left, self.read = log, erasing, list[int]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    async def get(self, seqs: Sequence[int]) -> list[Stored | None]:
        self.read += seqs
        found: list[Stored | None] = await self._log.get(seqs)
        return found

    async def erase(self, seq: int) -> None:
        if not self._left:
            raise Unreachable("the store is away")
        self._left -= 1
        await self._log.erase(seq)


def watch(desk: Desk, erasing: int = 1 << 30) -> Watched:
    beneath = desk.store.log
    watched = Watched(beneath._log, erasing)  # type: ignore[attr-defined]  # beneath the door
    beneath._log = watched  # type: ignore[attr-defined]
    return watched


@pytest.mark.parametrize("overwritten", range(6))
async def test_a_running_erasure_says_how_many_records_are_overwritten(desk: Desk, overwritten: int) -> None:
    """By any worker, and also where it was left by another one."""
    for number in range(1, 6):
        await desk.append(number, *whole_turn(SECRET), turn=f"k{number}")
    watched = watch(desk, overwritten)
    request = EraseRequest(target=WHOLE, id="e", reason="asked to")

    began = await asked(desk, request)
    desk.worker = desk.new_worker()
    again = await asked(desk, request)

    state = "running" if overwritten < 5 else "done"
    assert [(reply.state, reply.removed, reply.counts.records) for reply in (began, again)] == [
        (state, overwritten, 5)
    ] * 2
    watched._left = 5
    done = await asked(desk, request)
    assert (done.state, done.removed) == ("done", 5)


async def test_what_was_read_of_the_chain_of_erasures_is_not_read_again(desk: Desk) -> None:
    """However many there were: asking how far one is, and looking whether one waits, reads nothing of the others."""
    for number in range(1, 6):
        await desk.append(number, *whole_turn(SECRET), turn=f"k{number}")
        await erase(desk, id=f"e{number}", thread="t", entries=[[2 * number - 1, 2 * number - 1]])
    watched = watch(desk)

    again = await erase(desk, id="e1", thread="t", entries=[[1, 1]])
    await desk.worker._erasing._go_on()

    assert (again.state, again.counts.entries, watched.read) == ("done", 1, [])


async def test_a_chain_of_erasures_that_lost_its_end_is_read_anew(desk: Desk) -> None:
    """A server that was killed lost the last step: it is done once more, by the worker that knew of it."""
    await desk.append(1, *whole_turn(SECRET))
    await erase(desk, thread="t", entries=[[1, 1]])
    stream = desk.store.log._log._stream  # type: ignore[attr-defined]  # the store itself
    chain = subjects.chain_subject("default", subjects.ERASURES, "memory")
    stream.messages.pop(stream._by_subject[chain].pop())
    stream._ids.clear()

    again = await erase(desk, thread="t", entries=[[1, 1]])
    other = await erase(desk, id="e2", thread="t", entries=[[2, 2]])

    assert (again.state, other.state) == ("done", "done")
    assert len(stream._by_subject[chain]) == 4 + 4
    assert await entries(desk) == {1: "-", 2: "-"}


async def test_of_old_erasures_only_what_is_said_of_them_is_held(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which records they took is held of the newest, and of what the server may not have synced: those are looked at
    again. Of four erasures the second last was five minutes before the last."""
    monkeypatch.setattr(limits, "ERASURES_WATCHED", 1)
    for number in range(1, 5):
        await desk.append(number, *whole_turn(SECRET), turn=f"k{number}")
        await erase(desk, id=f"e{number}", thread="t", entries=[[2 * number - 1, 2 * number - 1]])
        desk.clock.advance(seconds=limits.UNSYNCED_SECONDS / 2 if number == 3 else limits.UNSYNCED_SECONDS + 1)

    book = await desk.worker._erasing._book.read()
    first = await erase(desk, id="e1", thread="t", entries=[[1, 1]])

    held = [sum(len(one.positions) for one in erasure.rounds) for erasure in book.erasures.values()]
    assert held == [0, 0, 1, 1]
    assert (first.state, first.counts.records, first.removed) == ("done", 1, 1)


@pytest.mark.parametrize("wait", [0.0, 5.0])
async def test_what_takes_long_to_find_is_begun_all_the_same(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, wait: float
) -> None:
    """A log so long that it is not looked through while a request waits: the answer comes late, and not in vain."""
    monkeypatch.setattr("eunoe.audit.erasing.SHORTEST_SECONDS", 0.05)
    monkeypatch.setattr("eunoe.audit.erasing.LONGEST_SECONDS", 0.05)
    await desk.append(1, *whole_turn(SECRET))
    finding = desk.worker._erasing._finding
    find = finding.find

    async def slow(target: ErasureTarget) -> Found:
        await anyio.sleep(0.1)
        return await find(target)

    monkeypatch.setattr(finding, "find", slow)
    request = EraseRequest(target=WHOLE, id="e", reason="asked to", wait=wait)

    reply = await asked(desk, request)
    await desk.worker._erasing._go_on()

    assert (reply.state, reply.counts.records) == ("running", 1)
    assert (await asked(desk, request)).state == "done"
