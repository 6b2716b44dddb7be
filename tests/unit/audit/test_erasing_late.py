"""What comes in when an erasure is done, and came from what that took: a slow worker had it in hand all the while."""

from __future__ import annotations

import pytest
from desks import Desk, whole_turn
from erasing_desks import SECRET, erase, extracted, fact, raw, read, recipe, told, verified
from msgspec import structs

from eunoe.audit.worker import AuditWorker
from eunoe.schemas import subjects
from eunoe.schemas.events import ContextComposed, EraseIntended
from eunoe.schemas.subjects import Caller


async def test_what_comes_in_when_it_is_done_goes_too(desk: Desk) -> None:
    """A worker had read the entry, waited for somebody, and appends what it made of it when all is erased; a fact from
    an entry that stays is none of it."""
    await desk.append(1, *whole_turn(SECRET, "on 8080"))
    done = await erase(desk, thread="t", entries=[[1, 1]])
    await extracted(desk, 1, fact("8080", 2), fact(SECRET, 1, name="key"))
    worker = desk.worker._erasing

    await worker._look()
    running = await read(desk, subjects.ERASURES)
    await worker._go_on()
    again = await erase(desk, thread="t", entries=[[1, 1]])

    assert (done.state, again.state, again.counts.facts, again.counts.entries) == ("done", "done", 1, 1)
    assert isinstance(running[-1].events[0], EraseIntended)
    assert list(told(await read(desk))) == [("port", "8080")]
    assert not [one.seq for one in await raw(desk) if SECRET.encode() in one.data]
    assert (await verified(desk)).problems == ()


@pytest.mark.parametrize(("thread", "position", "goes"), [("t", 1, True), ("t", 99, False), ("u", 1, False)])
async def test_a_recipe_that_came_when_it_was_done_goes(desk: Desk, thread: str, position: int, goes: bool) -> None:
    """Of the thread that lost something, where it was made of what was there before; no other."""
    for own in ("t", "u"):
        await desk.append(1, *whole_turn(SECRET), thread=own)
    await erase(desk, thread="t", entries=[[1, 1]])
    made = structs.replace(recipe("words"), position=position)
    composer = Caller("worker", "composition")
    await desk.append(1, ContextComposed(recipe=made), thread=thread, turn="", producer="c", caller=composer)

    await desk.worker._erasing._look()
    await desk.worker._erasing._go_on()

    assert (await erase(desk, thread="t", entries=[[1, 1]])).counts.contexts == int(goes)


async def test_a_thread_that_goes_on_is_not_looked_through_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a whole thread was erased, what is known of its new entries is no reason to search the log."""
    await desk.append(1, *whole_turn(SECRET))
    await erase(desk, thread="t")
    await desk.append(2, *whole_turn("new", "on 8080"), turn="k2")
    await extracted(desk, 1, fact("8080", 4))
    searched: list[object] = []

    async def more(*erasure: object) -> None:
        searched.append(erasure)

    monkeypatch.setattr(desk.worker._erasing._finding, "more", more)

    await desk.worker._erasing._look()

    assert searched == []


async def test_a_recipe_of_another_thread_stays(desk: Desk) -> None:
    """A thread to which nothing was said for long has a context composed while another one is erased."""
    for own in ("t", "u"):
        await desk.append(1, *whole_turn(f"{own} {SECRET}"), thread=own)
    composer = Caller("worker", "composition")

    async def remake(id: str, reason: str) -> None:  # noqa: A002 - the word of the request
        made = ContextComposed(recipe=structs.replace(recipe("words"), position=2))
        await desk.append(1, made, thread="u", turn="", producer="c", caller=composer)

    desk.worker = AuditWorker(desk.store, desk.settings, desk.clock, remake)
    reply = await erase(desk, thread="t", entries=[[1, 1]])

    assert (reply.state, reply.counts.contexts) == ("done", 0)
