"""The verb ``summarise``: a thread's summary is brought up to date now, for as few turns as wait."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import msgspec
import pytest
from desks import whole_turn
from summarising_desks import ScriptedSummariser, SummarisingDesk

from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Denied, EunoeError, Invalid, Misconfigured, ModelFailed, NotFound
from eunoe.schemas.jobs import SummariseJob
from eunoe.schemas.requests import DistilReply, DistilRequest
from eunoe.schemas.subjects import Address, Caller, Role
from eunoe.summarising.worker import SummarisingWorker

ADA = Caller("person", "ada")
REFUSED = ModelFailed("it would not", reason="refused")


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[SummarisingDesk]:
    desk = SummarisingDesk(tmp_path, distiller="off")
    async with desk.projecting():
        yield desk


@asynccontextmanager
async def running(worker: SummarisingWorker) -> AsyncIterator[None]:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(worker.run)
        yield
        tasks.cancel_scope.cancel()


async def asked(worker: SummarisingWorker, thread: str = "t", caller: Caller = ADA, **fields: object) -> DistilReply:
    request = msgspec.convert(fields, DistilRequest)
    address = Address("summarise", caller, subjects.thread_chain(thread) if thread else "")
    return msgspec.json.decode(
        await worker.handlers()["summarise"](address, msgspec.json.encode(request)), type=DistilReply
    )


async def test_whoever_asks_waits_for_the_summary(desk: SummarisingDesk) -> None:
    """One turn is enough; what is told is what was made meanwhile. Asked again, there is nothing to do."""
    await desk.said("one")
    await desk.catch_up()
    worker = desk.summariser(ScriptedSummariser())

    async with running(worker):
        first = await asked(worker)
        again = await asked(worker)

    assert (first.state, first.up_to) == ("done", 1)
    assert [(one.kind, one.summary, one.turns) for one in first.distillations] == [("summarised", "updated", ((1, 1),))]
    assert (again.state, again.up_to, again.distillations) == ("nothing", 1, ())
    assert (await desk.summary()).text == "1"


async def test_turns_without_words_are_nothing_to_do(desk: SummarisingDesk) -> None:
    """Nobody waits for what will not come; before them there may be something to do."""
    await desk.append(1, *whole_turn("?!", "..."))
    await desk.catch_up()
    worker = desk.summariser(ScriptedSummariser())
    assert (await asked(worker)).state == "nothing"

    await desk.said("two")
    await desk.append(1, *whole_turn("?!", "..."), turn="k9", producer="k9")
    await desk.catch_up()
    async with running(worker):
        done = await asked(worker)

    assert (done.state, done.up_to) == ("done", 2)


async def test_a_summary_that_stays_is_told_with_the_reason(desk: SummarisingDesk) -> None:
    """Nobody waits longer than until that is known."""
    await desk.said("one")
    await desk.catch_up()
    worker = desk.summariser(ScriptedSummariser(*[REFUSED] * limits.ATTEMPTS))

    async with running(worker):
        found = await asked(worker, wait=30.0)

    assert (found.state, found.up_to) == ("waiting", 0)
    assert [(one.summary, one.reason) for one in found.distillations] == [("kept", "ModelFailed: it would not")]


async def test_a_job_asks_for_no_less_than_the_one_in_whose_place_it_comes(desk: SummarisingDesk) -> None:
    """Turns that are to come into the summary anyway are not forgotten over fewer that are wanted now."""
    await desk.said("one", "two", "three", "four")
    await desk.catch_up()
    await desk.wanted(4, window=9_000)

    waiting = await asked(desk.summariser(ScriptedSummariser()), up_to=1, window=8_000, wait=0.0)

    assert (waiting.state, waiting.up_to) == ("waiting", 0)
    held = await desk.store.jobs.held(subjects.job(desk.store.space, "summarise", "t"))
    assert held is not None
    job = msgspec.json.decode(held, type=SummariseJob)
    assert (job.up_to, job.window, job.least) == (4, 9_000, 1)


@pytest.mark.parametrize(
    ("role", "thread", "fields", "error", "said"),
    [
        ("viewer", "t", {}, Denied, "a viewer may not have a thread summarised"),
        ("person", "none", {}, NotFound, "there is no thread 'none'"),
        ("person", "", {}, Invalid, "name the thread that is to be summarised"),
        ("person", "t", {"up_to": -1}, Invalid, "turns are numbered from 1"),
        ("person", "t", {"window": 3}, Invalid, "a window has 256 to"),
    ],
)
async def test_what_makes_no_sense_is_refused(
    desk: SummarisingDesk, role: Role, thread: str, fields: dict[str, object], error: type[EunoeError], said: str
) -> None:
    """In one line that says what is wrong."""
    await desk.said("one")
    worker = desk.summariser(ScriptedSummariser())

    with pytest.raises(error, match=said):
        await asked(worker, thread, Caller(role, "ada"), **fields)


async def test_where_summaries_are_off_nobody_writes_one(tmp_path: Path) -> None:
    """Whoever asks is told which setting it is."""
    desk = SummarisingDesk(tmp_path, summary="off")
    await desk.said("one")

    with pytest.raises(Misconfigured, match="EUNOE_SUMMARY is off"):
        await asked(desk.summariser(ScriptedSummariser()))
