"""Conflicts are logged: each time that sources begin or cease to disagree, once, whoever looks."""

from __future__ import annotations

from pathlib import Path

import anyio
import msgspec
import pytest
from fact_desks import PERSON, FactDesk, recorded, written
from polling import until_found

from eunoe.facts.conflicts import PRODUCER, Conflicts
from eunoe.facts.duty import Shared
from eunoe.runtime.lasting import lasting
from eunoe.schemas import records, subjects
from eunoe.schemas.events import BookEvent, ConflictRaised, ConflictResolved, FactDeleted, FactRecorded
from eunoe.schemas.facts import Identity
from eunoe.schemas.subjects import Caller

BOOK = subjects.book_chain("permanent", "shared")
FACTS = Caller("worker", "facts")
BOB = Caller("person", "bob")
COLOUR = Identity("permanent", "shared", "decision", "colour")


class ConflictDesk(FactDesk):
    """A desk with replicas of the duty, each with a projector of its own."""

    def duty(self) -> tuple[Conflicts, Shared]:
        shared = Shared.of(self.store, self.auditor(FACTS), self.settings, self.clock)
        return Conflicts(shared), shared

    async def says(self, caller: Caller, value: str, name: str = "colour") -> str:
        """A person states a shared decision; the id of it."""
        fact = recorded(
            value, subject="decision", name=name, scope="permanent", owner="shared", kind="person", who=caller.principal
        )
        await self.write(BOOK, fact, caller=caller)
        return written(BOOK, self._numbers[BOOK, caller], caller=caller)

    async def project(self, shared: Shared) -> None:
        for stored in await self.stored():
            await shared.projector.apply(stored)

    async def logged(self) -> list[ConflictRaised | ConflictResolved]:
        found = await self.records()
        assert [one.header.n for one in found if one.header.producer == PRODUCER] == list(
            range(1, sum(one.header.producer == PRODUCER for one in found) + 1)
        )
        events = [event for record in found for event in record.events if isinstance(event, BookEvent)]
        return [event for event in events if isinstance(event, ConflictRaised | ConflictResolved)]


@pytest.fixture
def desk(tmp_path: Path) -> ConflictDesk:
    return ConflictDesk(tmp_path)


async def test_a_conflict_is_raised_once_and_resolved_once(desk: ConflictDesk) -> None:
    """Two persons say different things, then one is deleted: a raise that names both, the newer first, a resolution."""
    duty, shared = desk.duty()
    green = await desk.says(PERSON, "green")
    desk.clock.advance(ms=1)
    blue = await desk.says(BOB, "blue")
    for _ in range(3):
        await desk.project(shared)
        await duty.settle()
    assert await desk.logged() == [ConflictRaised(identity=COLOUR, facts=(blue, green))]

    await desk.write(BOOK, FactDeleted(id=blue), caller=PERSON)
    for _ in range(3):
        await desk.project(shared)
        await duty.settle()
    assert await desk.logged() == [
        ConflictRaised(identity=COLOUR, facts=(blue, green)),
        ConflictResolved(identity=COLOUR, facts=(green,)),
    ]
    assert duty.statistics() == {"conflicts_raised": 1, "conflicts_resolved": 1}


async def test_sources_that_agree_are_no_conflict(desk: ConflictDesk) -> None:
    """The same value of two persons, in other case and spacing: one fact with two sources."""
    duty, shared = desk.duty()
    await desk.says(PERSON, "Deep  green")
    await desk.says(BOB, "deep green")
    await desk.project(shared)
    await duty.settle()

    assert await desk.logged() == []


async def test_a_succession_of_one_source_is_no_conflict(desk: ConflictDesk) -> None:
    """F53: what somebody says after what they said before is history."""
    duty, shared = desk.duty()
    await desk.says(PERSON, "28000")
    await desk.says(PERSON, "32000")
    await desk.project(shared)
    await duty.settle()

    assert await desk.logged() == []


async def test_what_time_alone_makes_a_conflict_is_logged_when_its_moment_comes(desk: ConflictDesk) -> None:
    """One value holds for good, another's for one second of the next hour: raised then, and resolved after it."""
    duty, shared = desk.duty()
    green = await desk.says(PERSON, "green")
    start = desk.clock.now() + 3_600_000
    other = recorded(
        "blue", subject="decision", name="colour", scope="permanent", owner="shared", kind="person", who="bob"
    ).fact
    dated = msgspec.structs.replace(other, valid_from=start, valid_to=start + 1_000)
    await desk.write(BOOK, FactRecorded(fact=dated), caller=BOB)
    blue = written(BOOK, 1, caller=BOB)
    told = []
    for moment in (start - 1, start, start + 999, start + 1_000, start + 2_000):
        desk.clock.set(moment)
        await desk.project(shared)
        await duty.settle()
        told.append(len(await desk.logged()))

    assert told == [0, 1, 1, 2, 2]
    assert await desk.logged() == [
        ConflictRaised(identity=COLOUR, facts=(blue, green)),
        ConflictResolved(identity=COLOUR, facts=(green,)),
    ]


async def test_another_head_among_those_that_disagree_is_raised_again(desk: ConflictDesk) -> None:
    """Who disagrees is part of what is logged."""
    duty, shared = desk.duty()
    first = await desk.says(PERSON, "green")
    desk.clock.advance(ms=1)
    second = await desk.says(BOB, "blue")
    await desk.project(shared)
    await duty.settle()
    desk.clock.advance(ms=1)
    third = await desk.says(BOB, "red")
    await desk.project(shared)
    await duty.settle()

    assert await desk.logged() == [
        ConflictRaised(identity=COLOUR, facts=(second, first)),
        ConflictRaised(identity=COLOUR, facts=(third, first)),
    ]


async def test_replicas_that_look_at_once_log_each_conflict_once(desk: ConflictDesk) -> None:
    """Three replicas see twenty conflicts appear: twenty raises, numbered without gaps."""
    replicas = [desk.duty() for _ in range(3)]
    for number in range(20):
        await desk.says(PERSON, "green", f"n{number}")
        await desk.says(BOB, "blue", f"n{number}")

    async def work(duty: Conflicts, shared: Shared) -> None:
        await desk.project(shared)
        await duty.settle()

    async def follow() -> None:
        """Project what the replicas log, as long as they do."""
        while True:
            for _, shared in replicas:
                await desk.project(shared)
                await anyio.lowlevel.checkpoint()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(follow)
        async with anyio.create_task_group() as working:
            for replica in replicas:
                working.start_soon(work, *replica)
        tasks.cancel_scope.cancel()
    for duty, shared in replicas:
        await desk.project(shared)
        await duty.settle()

    raised = [event for event in await desk.logged() if isinstance(event, ConflictRaised)]
    assert sorted(event.identity.name for event in raised) == sorted(f"n{number}" for number in range(20))
    assert sum(duty.statistics()["conflicts_raised"] for duty, _ in replicas) == 20


async def test_what_a_killed_worker_left_is_found_at_start(desk: ConflictDesk) -> None:
    """The document was written and nobody looked: a new worker's first look logs it, and another's adds nothing."""
    _, killed = desk.duty()
    await desk.says(PERSON, "green")
    await desk.says(BOB, "blue")
    await desk.project(killed)

    for _ in range(2):
        duty, shared = desk.duty()
        await duty.scan()
        await duty.settle()
        await desk.project(shared)

    assert len(await desk.logged()) == 1


async def test_a_worker_looks_at_all_documents_at_start_and_when_they_were_made_again(desk: ConflictDesk) -> None:
    """Its loop logs what was left by one that died, and what is so of the documents of a new generation."""
    _, killed = desk.duty()
    duty, shared = desk.duty()
    await desk.says(PERSON, "green")
    await desk.says(BOB, "blue")
    await desk.project(killed)

    async with anyio.create_task_group() as tasks:
        for what, loop in duty.loops().items():
            tasks.start_soon(lasting, what, loop)
        await until_found(lambda: logged(desk, 1), "the conflict was logged")
        await desk.project(shared)
        await desk.says(PERSON, "round", "shape")
        await desk.says(BOB, "square", "shape")
        await desk.project(killed)
        for call in desk.store.generations.changed:
            call()
        await until_found(lambda: logged(desk, 2), "the other was logged")
        tasks.cancel_scope.cancel()

    assert [event.identity.name for event in await desk.logged()] == ["colour", "shape"]


async def logged(desk: ConflictDesk, count: int) -> bool:
    return len(await desk.logged()) == count


async def test_a_record_delivered_again_to_another_replica_is_looked_at_there(desk: ConflictDesk) -> None:
    """The one that wrote the document died before it looked; the record comes again to one that runs on."""
    duty, shared = desk.duty()
    _, killed = desk.duty()
    await desk.says(PERSON, "green")
    await desk.says(BOB, "blue")
    stored = await desk.stored()
    for one in stored:
        await killed.facts.apply(records.read(one.seq, one.data))

    for one in stored:
        await shared.projector.apply(one)
    await duty.settle()

    assert len(await desk.logged()) == 1


async def test_a_preview_raises_nothing(desk: ConflictDesk) -> None:
    """What differs in a preview is what previews are for."""
    duty, shared = desk.duty()
    for caller, value in ((PERSON, "green"), (BOB, "blue")):
        await desk.write(BOOK, _previewed(value, caller), caller=caller)
    await desk.project(shared)
    await duty.settle()

    assert await desk.logged() == []


def _previewed(value: str, caller: Caller) -> FactRecorded:
    fact = recorded(
        value, subject="decision", name="colour", scope="permanent", owner="shared", kind="person", who=caller.principal
    ).fact
    identity = msgspec.structs.replace(fact.identity, preview="p")
    return FactRecorded(fact=msgspec.structs.replace(fact, identity=identity))
