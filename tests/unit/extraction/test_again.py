"""Turns that were laid aside and are derived again when a person replays their dead letter."""

from __future__ import annotations

from pathlib import Path

import anyio
import msgspec
import pytest
from fact_desks import EXTRACTION, FactDesk
from turns import turn, used

from eunoe.extraction.worker import ExtractionWorker
from eunoe.facts.visibility import Viewer
from eunoe.runtime.doors import Stored
from eunoe.schemas import limits, records, subjects
from eunoe.schemas.events import Extracted
from eunoe.schemas.jobs import AgainJob
from eunoe.schemas.requests import DeadLetter, FactsRequest, ThreadState
from eunoe.schemas.subjects import Caller

pytestmark = pytest.mark.anyio

ADA = Caller("person", "ada")
FAILED = "failed, exit status 1"


@pytest.fixture
def desk(tmp_path: Path) -> FactDesk:
    return FactDesk(tmp_path)


def worker_of(desk: FactDesk) -> ExtractionWorker:
    return ExtractionWorker(desk.store, desk.auditor(EXTRACTION), desk.settings, desk.clock)


async def ran(desk: FactDesk, n: int, status: int) -> Stored:
    """A whole turn, a minute after the one before, that ran pytest with this exit status; the record that holds it."""
    desk.clock.advance(seconds=60)
    events = turn(*used(1, "Bash", {"command": "pytest"}, "", exit_status=status))
    await desk.append(n, *events, turn=f"k{n}")
    return (await desk.stored())[-1]


def letter_of(stored: Stored) -> DeadLetter:
    return DeadLetter(
        v=1, worker="extraction", reason="the worker ended", attempts=5, time=0, subject=stored.subject,
        position=stored.seq, thread="t",
    )  # fmt: skip


async def lay_aside(desk: FactDesk, stored: Stored) -> AgainJob:
    """Write the letter of a record; the job that a replay of it submits."""
    letter = letter_of(stored)
    found = await desk.store.dead.append(subjects.dead("default", "extraction"), msgspec.json.encode(letter))
    return AgainJob(number=found.seq, letter=letter)


async def extracted(desk: FactDesk) -> list[tuple[int, tuple[str, ...], int]]:
    """What the log says of each extraction: ordinal, what failed, and how many facts."""
    found = [records.read(one.seq, one.data) for one in await desk.stored() if one.subject.endswith(".memory")]
    said = [event for record in found for event in record.events if isinstance(event, Extracted)]
    return [(one.ordinal, one.failed, one.facts) for one in said]


async def versions(desk: FactDesk) -> list[tuple[str, str]]:
    """Every version of the thread's one fact, oldest first, and how it stands."""
    await desk.catch_up()
    every = await desk.listed(Viewer(ADA, "t"), FactsRequest(thread="t", all=True))
    return [(fact.value, fact.state) for fact in every]


async def test_a_turn_that_was_given_up_gets_its_facts(desk: FactDesk) -> None:
    """Turn 1 was laid aside, and recorded as failed when turn 2 came; done again, it states its fact, whose time is
    that of its turn, so what turn 2 says stays in force."""
    first, second = await ran(desk, 1, 1), await ran(desk, 2, 0)
    job = await lay_aside(desk, first)
    worker = worker_of(desk)
    await worker.handle(second)
    assert await extracted(desk) == [(1, ("the worker ended",), 0), (2, (), 1)]

    await worker.again(job)

    assert await extracted(desk) == [(1, ("the worker ended",), 0), (2, (), 1), (1, (), 1)]
    assert await versions(desk) == [(FAILED, "superseded"), ("passed", "current")]


async def test_a_turn_that_fails_for_good_leaves_a_letter_by_which_it_is_done_again(
    desk: FactDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After five tries it is recorded as failed, and the letter says where it is and why."""
    first = await ran(desk, 1, 1)
    worker = worker_of(desk)

    def poison(*_: object) -> None:
        raise RuntimeError("cannot be read")

    with monkeypatch.context() as patched:
        patched.setattr("eunoe.extraction.rules.Turn.feed", poison)
        for _ in range(limits.ATTEMPTS - 1):
            with pytest.raises(RuntimeError):
                await worker.handle(first)
        assert (await desk.store.dead.info()).count == 0
        await worker.handle(first)
    (letter,) = [msgspec.json.decode(one.data, type=DeadLetter) async for one in desk.store.dead.scan()]
    assert (letter.position, letter.thread, letter.attempts) == (first.seq, "t", 5)
    assert letter.reason == "RuntimeError: cannot be read"

    await worker.again(AgainJob(number=1, letter=letter))

    assert await extracted(desk) == [(1, ("RuntimeError: cannot be read",), 0), (1, (), 1)]
    assert await versions(desk) == [(FAILED, "current")]
    entry = await desk.store.thread.get(subjects.state_key("t"))
    assert entry is not None
    state = msgspec.json.decode(entry.value, type=ThreadState)
    assert (state.extracted, state.facts, state.failed) == (1, 1, ())
    assert worker.statistics()["failed"] == 0


async def test_a_turn_is_done_again_once_however_often_that_is_asked(desk: FactDesk) -> None:
    """By the same worker, and by another one that starts afterwards."""
    first, second = await ran(desk, 1, 1), await ran(desk, 2, 0)
    job = await lay_aside(desk, first)
    worker = worker_of(desk)
    await worker.handle(second)

    for one in (worker, worker, worker_of(desk)):
        await one.again(job)

    assert [found[0] for found in await extracted(desk)] == [1, 2, 1]


async def test_of_two_workers_one_does_it_again(desk: FactDesk) -> None:
    """Both take the job at the same time; the second finds it done, or its number taken, and looks again."""
    first, second = await ran(desk, 1, 1), await ran(desk, 2, 0)
    job = await lay_aside(desk, first)
    await worker_of(desk).handle(second)

    async with anyio.create_task_group() as tasks:
        for worker in (worker_of(desk), worker_of(desk)):
            tasks.start_soon(worker.again, job)

    assert [found[0] for found in await extracted(desk)] == [1, 2, 1]


async def test_a_turn_that_no_later_turn_gave_up_yet_is_derived_in_its_place(desk: FactDesk) -> None:
    """The letter is still there when the job is taken: it is not the reason to give the turn up."""
    first = await ran(desk, 1, 1)
    job = await lay_aside(desk, first)

    await worker_of(desk).again(job)

    assert await extracted(desk) == [(1, (), 1)]
    assert await versions(desk) == [(FAILED, "current")]


async def test_each_of_several_turns_is_done_again_under_a_number_of_its_own(desk: FactDesk) -> None:
    turns = [await ran(desk, n, status) for n, status in ((1, 1), (2, 0), (3, 1))]
    jobs = [await lay_aside(desk, stored) for stored in turns[:2]]
    worker = worker_of(desk)
    await worker.handle(turns[2])

    for job in reversed(jobs):
        await worker.again(job)

    assert [(ordinal, bool(failed)) for ordinal, failed, _ in await extracted(desk)] == [
        (1, True), (2, True), (3, False), (2, False), (1, False),
    ]  # fmt: skip
    assert await versions(desk) == [(FAILED, "superseded"), ("passed", "superseded"), (FAILED, "current")]


async def test_what_fails_again_changes_nothing(desk: FactDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The failure goes to whoever takes the job, which lays it aside once more; later it may be replayed again."""
    first, second = await ran(desk, 1, 1), await ran(desk, 2, 0)
    job = await lay_aside(desk, first)
    worker = worker_of(desk)
    await worker.handle(second)

    def poison(*_: object) -> None:
        raise RuntimeError("cannot be read")

    with monkeypatch.context() as patched:
        patched.setattr("eunoe.extraction.rules.Turn.feed", poison)
        with pytest.raises(RuntimeError):
            await worker.again(job)
    assert len(await extracted(desk)) == 2

    await worker.again(job)

    assert len(await extracted(desk)) == 3


async def test_a_record_that_is_gone_is_nothing_to_do(desk: FactDesk) -> None:
    job = AgainJob(number=1, letter=letter_of(Stored("eunoe.default.thread.t.log", 99, b"")))

    await worker_of(desk).again(job)

    assert await extracted(desk) == []
