"""Erasures that are interrupted, raced, or undone by a server that was killed; and what belongs to records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from desks import Desk, whole_turn
from erasing_desks import (
    ADA,
    SECRET,
    asked,
    entries,
    erase,
    extracted,
    fact,
    plan,
    plant,
    raw,
    read,
    recipe,
    told,
    verified,
)
from msgspec import structs

from eunoe.audit.worker import AuditWorker
from eunoe.runtime import dead_letters, kept
from eunoe.runtime.doors import Stored
from eunoe.schemas import blobs, records, subjects
from eunoe.schemas.context import FactLine
from eunoe.schemas.erasures import EraseRequest, ErasureTarget
from eunoe.schemas.errors import WorkerMissing
from eunoe.schemas.events import (
    ContextComposed,
    EraseDone,
    EraseIntended,
    EraseKept,
    EraseRemoved,
    FactDeleted,
    FactRecorded,
    Prompt,
    Response,
    SessionStateSet,
    TurnOpened,
)
from eunoe.schemas.facts import Assertion, Identity, Source
from eunoe.schemas.requests import DeadLetter
from eunoe.schemas.subjects import Address, Caller

TARGET = ErasureTarget(thread="t", entries=((1, 1),))


class Broken(Exception):
    """The process ends here."""


class Failing:
    """A log that breaks at its n-th change, before or after it."""

    def __init__(self, log: Any, changes: int, *, after: bool) -> None:
        self._log, self._left, self._after = log, changes, after

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    async def append(self, *args: Any, **options: Any) -> Any:
        return await self._changed(self._log.append, *args, **options)

    async def erase(self, seq: int) -> None:
        await self._changed(self._log.erase, seq)

    async def _changed(self, change: Any, *args: Any, **options: Any) -> Any:
        self._left -= 1
        if not self._left and not self._after:
            raise Broken
        done = await change(*args, **options)
        if not self._left:
            raise Broken
        return done


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("changes", range(1, 8))
async def test_whoever_comes_after_goes_on_where_it_was_left(desk: Desk, changes: int, after: bool) -> None:
    """The seven changes of an erasure: intended, kept, told, two messages overwritten, told, done."""
    await desk.append(1, TurnOpened(), Prompt(content=SECRET))
    await extracted(desk, 1, fact(SECRET, 1))
    log = desk.store.log._log  # type: ignore[attr-defined]  # the store beneath
    desk.store.log._log = Failing(log, changes, after=after)  # type: ignore[attr-defined]
    request = EraseRequest(target=TARGET, id="e", reason="asked to")
    with pytest.raises(Broken):
        await asked(desk, request)
    desk.store.log._log = log  # type: ignore[attr-defined]

    desk.worker = desk.new_worker()
    reply = await asked(desk, request)

    assert reply.state == "done"
    assert (reply.counts.entries, reply.counts.facts) == (1, 1)
    assert await entries(desk) == {1: "-"}
    assert list(told(await read(desk))) == []
    assert not [one.seq for one in await raw(desk) if SECRET.encode() in one.data]
    assert (await verified(desk)).problems == ()
    events = [event for record in await read(desk, subjects.ERASURES) for event in record.events]
    assert [type(event) for event in events] == [EraseIntended, EraseKept, EraseRemoved, EraseDone]


async def test_what_comes_in_meanwhile_goes_too(desk: Desk) -> None:
    """A fact that was on its way is found by the last look, in another round."""
    await desk.append(1, *whole_turn(SECRET))

    async def remake(id: str, reason: str) -> None:  # noqa: A002 - the word of the request
        if not desk.remade:
            await extracted(desk, 1, fact(SECRET, 1))
        desk.remade.append((id, reason))

    desk.worker = AuditWorker(desk.store, desk.settings, desk.clock, remake)

    reply = await erase(desk, thread="t", entries=[[1, 1]])

    assert (reply.state, reply.counts.facts) == ("done", 1)
    assert list(told(await read(desk))) == []
    assert len({id for id, _ in desk.remade}) == 2  # noqa: A001


async def test_what_is_new_under_the_old_name_stays(desk: Desk) -> None:
    """A turn that is appended while the thread is erased, and what is known of it: no late step takes them (F67)."""
    await desk.append(1, *whole_turn(SECRET))

    async def remake(id: str, reason: str) -> None:  # noqa: A002 - the word of the request
        await desk.append(2, *whole_turn("new"), turn="k2")
        await extracted(desk, 1, fact("8080", 3))

    desk.worker = AuditWorker(desk.store, desk.settings, desk.clock, remake)

    reply = await erase(desk, thread="t")

    assert (reply.state, reply.counts.entries) == ("done", 2)
    assert await entries(desk) == {1: "-", 2: "-", 3: "new", 4: "done"}
    assert list(told(await read(desk))) == [("port", "8080")]


async def test_a_recipe_that_was_on_its_way_goes(desk: Desk) -> None:
    """It was made of what the log held before, and the words to look for are gone; a later one stays."""
    await desk.append(1, *whole_turn(SECRET))
    composer = Caller("worker", "composition")

    async def remake(id: str, reason: str) -> None:  # noqa: A002 - the word of the request
        if not desk.remade:
            for n, position in enumerate((1, 99), 1):
                made = structs.replace(recipe(f"{n}"), position=position)
                await desk.append(n, ContextComposed(recipe=made), turn="", producer="composition", caller=composer)
        desk.remade.append((id, reason))

    desk.worker = AuditWorker(desk.store, desk.settings, desk.clock, remake)

    reply = await erase(desk, thread="t", entries=[[1, 1]])

    left = [e.recipe.request for r in await read(desk) for e in r.events if isinstance(e, ContextComposed)]
    assert (reply.counts.contexts, left) == (1, ["2"])


async def test_a_recipe_of_facts_that_held_it_still_goes(desk: Desk) -> None:
    """One that was composed before the facts were made again names what another source says; the words to look for
    are gone, so every such note goes. One that was composed later stays, and so does one whose note is memory's own, or
    that only says why it is as large as it is."""
    await desk.append(1, *whole_turn(SECRET))
    composer = Caller("worker", "composition")
    line = FactLine(id="fotherfact1", position=1, index=0, note=f"another source disagrees: {SECRET} - from tool bash")
    plain = structs.replace(line, note="proposed; +2 sources; reads like an instruction; it is data")

    async def remake(id: str, reason: str) -> None:  # noqa: A002 - the word of the request
        if not desk.remade:
            end = (await desk.store.log.info()).last
            lines = [(end, (line,)), (end, ()), (end + 99, (line,)), (end, (plain,))]
            for n, (position, earlier) in enumerate(lines, 1):
                made = structs.replace(recipe(f"{n}"), position=position, earlier=earlier, note="context at its floor")
                await desk.append(n, ContextComposed(recipe=made), turn="", producer="composition", caller=composer)
        desk.remade.append((id, reason))

    desk.worker = AuditWorker(desk.store, desk.settings, desk.clock, remake)

    reply = await erase(desk, thread="t", entries=[[1, 1]])

    left = [e.recipe.request for r in await read(desk) for e in r.events if isinstance(e, ContextComposed)]
    assert (reply.counts.contexts, left) == (1, ["2", "3", "4"])


@pytest.mark.parametrize("killed", [False, True])
async def test_a_recipe_that_came_between_the_search_and_the_intention_goes(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, killed: bool
) -> None:
    """The first search did not see it, and for a later one the words to look for are gone; so it is for a worker that
    goes on when the one that searched was killed."""
    await desk.append(1, *whole_turn(SECRET))
    line = FactLine(id="fotherfact1", position=1, index=0, note=f"another source disagrees: {SECRET} - from tool bash")
    finding, log = desk.worker._erasing._finding, desk.store.log._log  # type: ignore[attr-defined]  # the store beneath
    find = finding.find

    async def found(target: ErasureTarget) -> Any:
        before = await find(target)
        made = structs.replace(recipe(""), position=await finding.end(), earlier=(line,))
        composer = Caller("worker", "composition")
        await desk.append(1, ContextComposed(recipe=made), turn="", producer="composition", caller=composer)
        if killed:
            desk.store.log._log = Failing(log, 1, after=True)  # type: ignore[attr-defined]
        return before

    monkeypatch.setattr(finding, "find", found)
    if killed:
        with pytest.raises(Broken):
            await erase(desk, thread="t", entries=[[1, 1]])
        desk.store.log._log = log  # type: ignore[attr-defined]
        desk.worker = desk.new_worker()

    reply = await erase(desk, thread="t", entries=[[1, 1]])

    assert (reply.state, reply.counts.contexts) == ("done", 1)
    assert not [one.seq for one in await raw(desk) if SECRET.encode() in one.data]


@pytest.mark.parametrize("intended", [1, 2, 3])
async def test_whoever_goes_on_finds_the_recipes_that_were_not_intended_yet(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, intended: int
) -> None:
    """One of three records a round: an entry, the fact from it, and the recipe of another thread that has its value.
    The words of the fact are not there any more when its round is done."""
    monkeypatch.setattr("eunoe.audit.found.limits.ERASED_RECORDS_TOGETHER", 1)
    await desk.append(1, *whole_turn("what it printed"))
    await extracted(desk, 1, fact(SECRET, 1))
    await desk.append(1, *whole_turn("hello"), thread="u")
    composer = Caller("worker", "composition")
    made = ContextComposed(recipe=recipe(f"port: {SECRET}"))
    await desk.append(1, made, thread="u", turn="", producer="composition", caller=composer)
    log = desk.store.log._log  # type: ignore[attr-defined]  # the store beneath
    desk.store.log._log = Failing(log, intended, after=True)  # type: ignore[attr-defined]
    with pytest.raises(Broken):
        await erase(desk, thread="t", entries=[[1, 1]])
    desk.store.log._log = log  # type: ignore[attr-defined]

    desk.worker = desk.new_worker()
    reply = await erase(desk, thread="t", entries=[[1, 1]])

    assert (reply.state, reply.counts.contexts) == ("done", 1)
    assert not [one.seq for one in await raw(desk) if SECRET.encode() in one.data]


async def test_it_waits_for_the_facts_worker_and_says_so(desk: Desk) -> None:
    """The content is gone by then; the erasure is done when the facts are made again."""
    await desk.append(1, *whole_turn(SECRET))
    away = True

    async def remake(id: str, reason: str) -> None:  # noqa: A002 - the word of the request
        if away:
            raise WorkerMissing("no facts worker runs")

    desk.worker = AuditWorker(desk.store, desk.settings, desk.clock, remake)
    waiting = await erase(desk, thread="t", entries=[[1, 1]])
    away = False
    done = await erase(desk, thread="t", entries=[[1, 1]])

    assert (waiting.state, waiting.waiting) == ("running", "no facts worker runs")
    assert (done.state, done.waiting) == ("done", "")


async def test_two_workers_at_once_erase_once(desk: Desk) -> None:
    """Another id while one is not done: that one is finished first."""
    await desk.append(1, *whole_turn(SECRET, f"{SECRET}!"))
    other = desk.new_worker()
    log = desk.store.log._log  # type: ignore[attr-defined]  # the store beneath
    desk.store.log._log = Failing(log, 2, after=False)  # type: ignore[attr-defined]
    with pytest.raises(Broken):
        await erase(desk, thread="t", entries=[[1, 1]])
    desk.store.log._log = log  # type: ignore[attr-defined]
    desk.worker = other

    reply = await erase(desk, id="e2", thread="t", entries=[[2, 2]])

    assert (reply.state, reply.counts.entries) == ("done", 1)
    assert await entries(desk) == {1: "-", 2: "-"}


async def test_a_message_that_comes_back_is_erased_again(desk: Desk) -> None:
    """A server that was killed may have it again: the next worker looks at the newest erasures."""
    reply = await desk.append(1, *whole_turn(SECRET))
    stream = desk.store.log._log._stream  # type: ignore[attr-defined]  # the store itself
    message = stream.messages[reply.position]
    await erase(desk, thread="t", entries=[[1, 1]])
    stream.messages[reply.position] = message
    stream._by_subject.setdefault(message.subject, []).append(message.seq)

    worker = desk.new_worker()
    await worker._erasing.look_again()

    assert reply.position not in stream.messages
    assert worker.statistics()["erased_again"] == 1


async def test_a_message_that_comes_back_after_hours_is_erased_again(desk: Desk) -> None:
    """The server was killed right after the erasure, and was away for long; the worker ran all the while."""
    reply = await desk.append(1, *whole_turn(SECRET))
    stream = desk.store.log._log._stream  # type: ignore[attr-defined]  # the store itself
    message = stream.messages[reply.position]
    await erase(desk, thread="t", entries=[[1, 1]])
    await desk.worker._erasing._look()
    desk.clock.advance(seconds=4 * 3600)
    stream.messages[reply.position] = message
    stream._by_subject.setdefault(message.subject, []).append(message.seq)

    await desk.worker._erasing._look()

    assert reply.position not in stream.messages
    assert desk.worker.statistics()["erased_again"] == 1


async def test_pieces_go_with_the_last_entry_that_names_them(desk: Desk) -> None:
    """A piece that another entry names stays; an older copy that comes back goes when it is looked for."""
    blob, pieces = blobs.split("x" * 600_000 + SECRET)
    for piece in pieces:
        await desk.worker.handlers()["piece"](Address("piece", ADA, "thread.t"), piece)
    await desk.append(1, TurnOpened(), Prompt(blob=blob), Response(blob=blob))
    stored = list((await desk.store.blobs.last([subjects.piece("default", "t", "*")])).messages)

    first = await erase(desk, thread="t", entries=[[1, 1]])
    between = len((await desk.store.blobs.last([subjects.piece("default", "t", "*")])).messages)
    second = await erase(desk, id="e2", thread="t", entries=[[2, 2]])
    after = (await desk.store.blobs.last([subjects.piece("default", "t", "*")])).messages
    await desk.store.blobs.append(stored[-1].subject, stored[-1].data)
    await desk.worker._erasing.look_again()

    assert (first.counts.pieces, between) == (0, 2)
    assert (second.counts.pieces, after) == (2, ())
    assert not (await desk.store.blobs.last([subjects.piece("default", "t", "*")])).messages


async def test_dead_letters_about_it_go(desk: Desk) -> None:
    """Their reason may quote it; one about another thread stays."""
    first = await desk.append(1, *whole_turn(SECRET))
    other = await desk.append(1, *whole_turn("x"), thread="u")
    for thread, reply in (("t", first), ("u", other)):
        message = Stored(f"eunoe.default.thread.{thread}.log", reply.position, b"")
        await dead_letters.write(desk.store, "facts", message, 5, f"ValueError: {SECRET}", 1)

    planned = await plan(desk, thread="t", entries=[[1, 1]])
    await erase(desk, thread="t", entries=[[1, 1]])

    left = [one async for one in desk.store.dead.scan()]
    assert planned.counts.letters == 1
    assert [one.seq for one in left] == [2]


async def test_the_letter_of_a_job_goes_on_without_its_reason(desk: Desk) -> None:
    """An entry is erased: what failed of its thread can be done again, and nothing that was quoted is there. With the
    thread it goes."""
    await desk.append(1, *whole_turn(SECRET))
    job = Stored(subjects.job("default", "distil", "t"), 1, b'{"thread":"t","up_to":1,"position":1}', 5)
    for reason in (f"ModelFailed: {SECRET}", dead_letters.ENDED):
        await dead_letters.write(desk.store, "distillation", job, 5, reason, 9, reason[:1])

    await erase(desk, thread="t", entries=[[1, 1]])
    found = [one async for one in desk.store.dead.scan()]
    letters = [msgspec.json.decode(one.data, type=DeadLetter) for one in found]
    planned = await plan(desk, thread="t")
    await erase(desk, id="e2", thread="t")

    assert [(one.reason, one.payload, one.worker, one.attempts, one.time) for one in letters] == [
        (dead_letters.ENDED, job.data.decode(), "distillation", 5, 9),
        (dead_letters.ERASED, job.data.decode(), "distillation", 5, 9),
    ]
    assert {one.subject for one in found} == {subjects.dead("default", "distillation")}
    assert planned.counts.letters == 2
    assert [one async for one in desk.store.dead.scan()] == []


async def test_an_owner_loses_all_facts_and_others_none(desk: Desk) -> None:
    """An agent's own permanent facts, whoever said them; what it said as everybody's stays with its authorship."""
    builder = Caller("agent", "builder")
    source = Source(kind="model", principal="builder")
    for owner in ("builder", "shared"):
        about = Identity(scope="permanent", owner=owner, subject="note", name="n")
        said = FactRecorded(fact=Assertion(identity=about, value=f"{SECRET} {owner}", source=source, at=1))
        await desk.worker._erasing._write(builder, f"book.permanent.{owner}", (said,))

    reply = await erase(desk, scope="permanent", owner="builder")

    kept = [event for record in await read(desk, "book.permanent.shared") for event in record.events]
    assert (reply.counts.facts, reply.counts.books) == (1, 1)
    assert list(told(await read(desk, "book.permanent.builder"))) == []
    assert [event.fact.source for event in kept if isinstance(event, FactRecorded)] == [source]


async def test_a_session_loses_its_facts_and_its_state(desk: Desk) -> None:
    """What its threads said stays: those are erased as threads."""
    about = Identity(scope="session", owner="s", subject="note", name="n")
    said = FactRecorded(
        fact=Assertion(identity=about, value=SECRET, source=Source(kind="person", principal="ada"), at=1)
    )
    await plant(desk, "book.session.s", said, SessionStateSet(state=f'"{SECRET}"'))

    reply = await erase(desk, scope="session", owner="s")

    assert (reply.counts.facts, reply.counts.other) == (1, 1)
    assert not [one.seq for one in await raw(desk) if SECRET.encode() in one.data]


async def test_what_was_done_to_an_erased_fact_goes_with_it(desk: Desk) -> None:
    """The reason for which somebody deleted it says what it was."""
    await desk.append(1, *whole_turn("hello"))
    (first,) = await extracted(desk, 1, fact("old", 2))
    await plant(desk, "thread.t", FactDeleted(id=first, reason=SECRET))

    reply = await erase(desk, fact=first)

    assert (reply.counts.facts, reply.counts.acts) == (1, 1)
    assert not [one.seq for one in await raw(desk) if SECRET.encode() in one.data]


async def test_a_thread_that_was_erased_goes_on_under_its_name(desk: Desk) -> None:
    """What is appended afterwards is new: no later look takes it, and its numbers follow."""
    await desk.append(1, *whole_turn(SECRET))
    await erase(desk, thread="t")
    await desk.append(2, *whole_turn("new"), turn="k2")

    await desk.new_worker()._erasing.look_again()
    again = await erase(desk, thread="t")

    assert again.state == "done"
    assert await entries(desk) == {1: "-", 2: "-", 3: "new", 4: "done"}


async def test_the_log_says_who_erased_what_and_why(desk: Desk, tmp_path: Path) -> None:
    """In words, with the hashes of the records; without any content."""
    reply = await desk.append(1, *whole_turn(SECRET))
    await erase(desk, thread="t", entries=[[1, 1]])

    (intended, *_) = await read(desk, subjects.ERASURES)

    (event,) = intended.events
    assert isinstance(event, EraseIntended)
    assert (intended.header.role, intended.header.principal, event.reason) == ("person", "ada", "asked to")
    assert event.words == "entry 1 of thread t"
    assert [one.hash for chain in event.chains for one in chain.records] == [reply.hash]
    assert intended.header.prev == records.GENESIS


async def test_a_copy_that_a_slow_worker_left_goes_with_the_next_erasure(desk: Desk) -> None:
    """It had read the record before others erased more of it: what it appended late holds that."""
    position = (await desk.append(1, *whole_turn(f"{SECRET}-one", f"{SECRET}-two"))).position
    (late,) = [kept.keep(stored, (1,)) for stored in await desk.store.log.get([position]) if stored]
    await erase(desk, thread="t", entries=[[1, 2]])
    await plant(desk, "thread.t", late)
    there = [one.seq for one in await raw(desk) if SECRET.encode() in one.data]

    await erase(desk, id="e2", thread="t", entries=[[1, 2]])

    assert len(there) == 1
    assert not [one.seq for one in await raw(desk) if SECRET.encode() in one.data]
    assert (await verified(desk)).problems == ()


async def test_a_damaged_record_of_erasures_keeps_no_worker_from_its_work(desk: Desk) -> None:
    """It is told, and appends go on."""
    await desk.append(1, *whole_turn(SECRET))
    await erase(desk, thread="t", entries=[[1, 1]])
    (first, *_) = await read(desk, subjects.ERASURES)
    await desk.store.log.erase(first.position)

    worker = desk.new_worker()
    await worker._erasing._look()

    assert (await desk.append(2, *whole_turn("on"), turn="k2", worker=worker)).record == 3
