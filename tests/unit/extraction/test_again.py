"""Turns that were laid aside and are derived again when a person replays their dead letter."""

from __future__ import annotations

import anyio
import msgspec
import pytest
from extraction_desks import ExtractionDesk, poisoned

from eunoe.facts.visibility import Viewer
from eunoe.runtime.doors import Stored
from eunoe.schemas import limits, subjects
from eunoe.schemas.events import Extracted
from eunoe.schemas.jobs import AgainJob
from eunoe.schemas.requests import DeadLetter, FactsRequest
from eunoe.schemas.subjects import Caller

pytestmark = pytest.mark.anyio

ADA = Caller("person", "ada")
FAILED = "failed, exit status 1"


async def ran(desk: ExtractionDesk, n: int, status: int) -> Stored:
    """A whole turn, a minute after the one before, that ran pytest with this exit status; the record that holds it."""
    desk.clock.advance(seconds=60)
    return await desk.ran(n, status)


def letter_of(stored: Stored) -> DeadLetter:
    return DeadLetter(
        v=1, worker="extraction", reason="the worker ended", attempts=5, time=0, subject=stored.subject,
        position=stored.seq, thread="t",
    )  # fmt: skip


async def lay_aside(desk: ExtractionDesk, stored: Stored) -> AgainJob:
    """Write the letter of a record; the job that a replay of it submits."""
    letter = letter_of(stored)
    found = await desk.store.dead.append(subjects.dead("default", "extraction"), msgspec.json.encode(letter))
    return AgainJob(number=found.seq, letter=letter)


async def extracted(desk: ExtractionDesk) -> list[tuple[int, tuple[str, ...], int]]:
    """What the log says of each extraction: ordinal, what failed, and how many facts."""
    said = [event for events in await desk.extractions() for event in events if isinstance(event, Extracted)]
    return [(one.ordinal, one.failed, one.facts) for one in said]


async def versions(desk: ExtractionDesk) -> list[tuple[str, str]]:
    """Every version of the thread's one fact, oldest first, and how it stands."""
    await desk.catch_up()
    every = await desk.listed(Viewer(ADA, "t"), FactsRequest(thread="t", all=True))
    return [(fact.value, fact.state) for fact in every]


async def test_a_turn_that_was_given_up_gets_its_facts(desk: ExtractionDesk) -> None:
    """Turn 1 was laid aside, and recorded as failed when turn 2 came; done again, it states its fact, whose time is
    that of its turn, so what turn 2 says stays in force."""
    first, second = await ran(desk, 1, 1), await ran(desk, 2, 0)
    job = await lay_aside(desk, first)
    worker = desk.extractor()
    await worker.handle(second)
    assert await extracted(desk) == [(1, ("the worker ended",), 0), (2, (), 1)]

    await worker.again(job)

    assert await extracted(desk) == [(1, ("the worker ended",), 0), (2, (), 1), (1, (), 1)]
    assert await versions(desk) == [(FAILED, "superseded"), ("passed", "current")]


async def test_a_turn_that_fails_for_good_leaves_a_letter_by_which_it_is_done_again(desk: ExtractionDesk) -> None:
    """After five tries it is recorded as failed, and the letter says where it is and why."""
    first = await ran(desk, 1, 1)
    worker = desk.extractor()

    with poisoned():
        for _ in range(limits.ATTEMPTS - 1):
            with pytest.raises(RuntimeError):
                await worker.handle(first)
        assert (await desk.store.dead.info()).count == 0
        await worker.handle(first)
    (letter,) = await desk.letters()
    assert (letter.position, letter.thread, letter.attempts) == (first.seq, "t", 5)
    assert letter.reason == "RuntimeError: cannot be read"

    await worker.again(AgainJob(number=1, letter=letter))

    assert await extracted(desk) == [(1, ("RuntimeError: cannot be read",), 0), (1, (), 1)]
    assert await versions(desk) == [(FAILED, "current")]
    state = await desk.state()
    assert (state.extracted, state.facts, state.failed) == (1, 1, ())
    assert worker.statistics()["failed"] == 0


async def test_a_turn_is_done_again_once_however_often_that_is_asked(desk: ExtractionDesk) -> None:
    """By the same worker, and by another one that starts afterwards."""
    first, second = await ran(desk, 1, 1), await ran(desk, 2, 0)
    job = await lay_aside(desk, first)
    worker = desk.extractor()
    await worker.handle(second)

    for one in (worker, worker, desk.extractor()):
        await one.again(job)

    assert [found[0] for found in await extracted(desk)] == [1, 2, 1]


async def test_of_two_workers_one_does_it_again(desk: ExtractionDesk) -> None:
    """Both take the job at the same time; the second finds it done, or its number taken, and looks again."""
    first, second = await ran(desk, 1, 1), await ran(desk, 2, 0)
    job = await lay_aside(desk, first)
    await desk.extractor().handle(second)

    async with anyio.create_task_group() as tasks:
        for worker in (desk.extractor(), desk.extractor()):
            tasks.start_soon(worker.again, job)

    assert [found[0] for found in await extracted(desk)] == [1, 2, 1]


async def test_a_turn_that_no_later_turn_gave_up_yet_is_derived_in_its_place(desk: ExtractionDesk) -> None:
    """The letter is still there when the job is taken: it is not the reason to give the turn up."""
    first = await ran(desk, 1, 1)
    job = await lay_aside(desk, first)

    await desk.extractor().again(job)

    assert await extracted(desk) == [(1, (), 1)]
    assert await versions(desk) == [(FAILED, "current")]


async def test_each_of_several_turns_is_done_again_under_a_number_of_its_own(desk: ExtractionDesk) -> None:
    turns = [await ran(desk, n, status) for n, status in ((1, 1), (2, 0), (3, 1))]
    jobs = [await lay_aside(desk, stored) for stored in turns[:2]]
    worker = desk.extractor()
    await worker.handle(turns[2])

    for job in reversed(jobs):
        await worker.again(job)

    assert [(ordinal, bool(failed)) for ordinal, failed, _ in await extracted(desk)] == [
        (1, True), (2, True), (3, False), (2, False), (1, False),
    ]  # fmt: skip
    assert await versions(desk) == [(FAILED, "superseded"), ("passed", "superseded"), (FAILED, "current")]


async def test_what_fails_again_changes_nothing(desk: ExtractionDesk) -> None:
    """The failure goes to whoever takes the job, which lays it aside once more; later it may be replayed again."""
    first, second = await ran(desk, 1, 1), await ran(desk, 2, 0)
    job = await lay_aside(desk, first)
    worker = desk.extractor()
    await worker.handle(second)

    with poisoned(), pytest.raises(RuntimeError):
        await worker.again(job)
    assert len(await extracted(desk)) == 2

    await worker.again(job)

    assert len(await extracted(desk)) == 3


async def test_a_record_that_is_gone_is_nothing_to_do(desk: ExtractionDesk) -> None:
    job = AgainJob(number=1, letter=letter_of(Stored("eunoe.default.thread.t.log", 99, b"")))

    await desk.extractor().again(job)

    assert await extracted(desk) == []
