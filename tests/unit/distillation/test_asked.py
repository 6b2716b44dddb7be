"""The verb ``distil``: a job for whoever takes it, and an answer once it is done or time is up."""

from __future__ import annotations

from pathlib import Path

import anyio
import msgspec
import pytest
from distilling_desks import DistillingDesk, Scripted
from drawn_events import DISTILLATION
from fact_desks import PERSON
from polling import until_found

from eunoe.distillation.worker import DistillationWorker
from eunoe.schemas import subjects
from eunoe.schemas.errors import Denied, Invalid, Misconfigured, ModelFailed, NotFound
from eunoe.schemas.events import Distilled
from eunoe.schemas.jobs import DistilJob
from eunoe.schemas.requests import DistilReply, DistilRequest
from eunoe.schemas.subjects import Address, Caller


@pytest.fixture
def desk(tmp_path: Path) -> DistillingDesk:
    return DistillingDesk(tmp_path)


async def ask(worker: DistillationWorker, caller: Caller = PERSON, thread: str = "t", **fields: object) -> DistilReply:
    request = DistilRequest(**fields)  # type: ignore[arg-type]
    address = Address("distil", caller, subjects.thread_chain(thread) if thread else "")
    data = await worker.handlers()["distil"](address, msgspec.json.encode(request))
    return msgspec.json.decode(data, type=DistilReply)


async def held(desk: DistillingDesk) -> DistilJob | None:
    data = await desk.store.jobs.held(subjects.job(desk.store.space, "distil", "t"))
    return msgspec.json.decode(data, type=DistilJob) if data else None


async def test_who_asks_is_told_what_was_distilled_meanwhile(desk: DistillingDesk) -> None:
    """Two turns are asked for, and a worker and the projector run: both are done, in one record."""
    await desk.said("one", "two", "three")
    worker = desk.distiller(Scripted())
    async with desk.projecting(), anyio.create_task_group() as tasks:
        tasks.start_soon(worker.run)
        reply = await ask(worker, up_to=2, wait=20.0)
        again = await ask(worker, up_to=2)

        assert (reply.state, reply.up_to) == ("done", 2)
        (told,) = reply.distillations
        assert (told.kind, told.turns, told.by, len(told.facts)) == ("distilled", ((1, 2),), "model", 2)
        assert (again.state, again.up_to, again.distillations) == ("nothing", 2, ())
        tasks.cancel_scope.cancel()


async def test_what_is_not_done_in_time_goes_on(desk: DistillingDesk) -> None:
    """Nobody takes the job yet: it waits, for every committed turn."""
    await desk.said("one", "two")
    reply = await ask(desk.distiller(Scripted()), wait=0.0, window=4096)

    assert (reply.state, reply.up_to) == ("waiting", 0)
    assert await held(desk) == DistilJob(thread="t", up_to=2, position=2, window=4096)


async def test_a_job_that_waits_is_not_replaced_by_one_for_less(desk: DistillingDesk) -> None:
    """One up to turn 3 in a larger window waits already: it stays as far-reaching as it was."""
    await desk.said("one", "two", "three")
    await desk.asked(3, window=8192)
    await ask(desk.distiller(Scripted()), up_to=1, wait=0.0, window=1024)

    found = await held(desk)
    assert found is not None
    assert (found.up_to, found.window) == (3, 8192)


async def test_turns_of_which_distilling_failed_are_named(desk: DistillingDesk) -> None:
    """With the reason, also where nothing is left to do."""
    await desk.said("one", "two")
    failed = Distilled(first=1, last=2, turns=((1, 2),), by="model", failed="no answer")
    await desk.write("thread.t", failed, caller=DISTILLATION)
    await desk.catch_up()

    reply = await ask(desk.distiller(Scripted()))

    assert (reply.state, reply.up_to, reply.undistilled) == ("nothing", 2, ((1, 2, "no answer"),))


async def test_while_the_model_is_away_the_answer_says_that_it_waits(
    desk: DistillingDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the job is done once it is back, without being asked for again."""
    monkeypatch.setattr("eunoe.distillation.outage.waits", lambda: iter([0.0] * 1_000_000))
    await desk.said("one")
    distiller = Scripted(ModelFailed("no route", reason="unreachable"))
    distiller.down = True
    worker = desk.distiller(distiller)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(worker.run)
        reply = await ask(worker, wait=0.05)
        distiller.down = False

        async def done() -> bool:
            return len(await desk.distilled()) == 1

        await until_found(done, "it is distilled")
        assert (reply.state, reply.waits) == ("waiting", "the model scripted:m cannot be reached")
        tasks.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("caller", "thread", "fields", "error", "said"),
    [
        (Caller("viewer", "wall"), "t", {}, Denied, "a viewer may not have a thread distilled"),
        (Caller("tool", "x"), "t", {}, Denied, "a tool may not"),
        (PERSON, "", {}, Invalid, "name the thread"),
        (PERSON, "t", {"up_to": -1}, Invalid, "numbered from 1"),
        (PERSON, "t", {"window": 5}, Invalid, "a window has 256 to"),
        (PERSON, "nobody", {}, NotFound, "there is no thread 'nobody'"),
    ],
)
async def test_what_makes_no_sense_is_refused_in_one_line(
    desk: DistillingDesk, caller: Caller, thread: str, fields: dict[str, object], error: type[Exception], said: str
) -> None:
    """And nothing waits because of it."""
    await desk.said("one")
    with pytest.raises(error, match=said):
        await ask(desk.distiller(Scripted()), caller, thread, **fields)
    assert await desk.store.jobs.waiting() == 0


async def test_where_nobody_distils_it_is_said_how_somebody_would(tmp_path: Path) -> None:
    """In one line, with the setting."""
    desk = DistillingDesk(tmp_path, distiller="off")
    with pytest.raises(Misconfigured, match="EUNOE_DISTILLER is off"):
        await ask(desk.distiller())


def test_a_distiller_without_its_model_is_refused_at_the_start(tmp_path: Path) -> None:
    """With both ways out."""
    desk = DistillingDesk(tmp_path, distiller="model")
    with pytest.raises(Misconfigured, match=r"no model is configured; set EUNOE_MODEL .*EUNOE_DISTILLER to rules"):
        desk.distiller()
