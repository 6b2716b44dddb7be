"""Reviews where something goes wrong: two workers, deliveries that come again, models that fail, and what kills."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import anyio.lowlevel
import msgspec
import pytest
from desks import AGENT
from fact_desks import PERSON, recorded
from model_server import Reply
from polling import until
from reviewing_desks import ReviewingDesk, item, reviewing

from eunoe.audit.worker import AuditWorker
from eunoe.distillation import outage, trying
from eunoe.facts.distilled import distillation
from eunoe.facts.visibility import Viewer
from eunoe.runtime import dead_letters
from eunoe.schemas import limits
from eunoe.schemas.jobs import AgainJob, ReviewJob
from eunoe.schemas.subjects import Caller

RULE = "Ada wants a failing test before a fix"


@pytest.fixture
async def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ReviewingDesk]:
    """A desk on which nobody waits before trying again."""

    async def at_once(_: float, __: anyio.Event) -> None:
        await anyio.lowlevel.checkpoint()

    for module in (trying, outage):
        monkeypatch.setattr(module, "pause", at_once)
    async with reviewing(tmp_path) as made:
        yield made


async def test_two_workers_with_one_job_have_one_effect(desk: ReviewingDesk) -> None:
    """Both ask, and are answered differently; the one that comes second drops what it made, and counts it as raced."""
    await desk.said("Write tests first.", session="s")
    gate = threading.Event()
    desk.server.replies[:] = [Reply(json.dumps([item(text, 1)]), gate=gate) for text in (RULE, "Ada writes tests")]
    job = await desk.asked(1)
    async with desk.reviewer() as one, desk.reviewer() as other, anyio.create_task_group() as tasks:
        tasks.start_soon(one.handle, job)
        tasks.start_soon(other.handle, job)
        await until(lambda: desk.server.held == 2, "both ask the model")
        gate.set()
    counts = [worker.statistics() for worker in (one, other)]
    assert len(await desk.recorded()) == len(await desk.kept()) == 1
    assert sorted((count["reviews_ranges"], count["reviews_raced"]) for count in counts) == [(0, 1), (1, 0)]


async def test_a_job_that_comes_again_changes_nothing(desk: ReviewingDesk) -> None:
    """Its turns are reviewed: no model is asked, by the same worker or by another."""
    await desk.said("Write tests first.", session="s")
    desk.answers(item(RULE, 1))
    job = await desk.asked(1)
    for _ in range(2):
        async with desk.reviewer() as worker:
            await worker.handle(job)
            await worker.handle(job)
    assert len(desk.server.asked) == len(await desk.recorded()) == 1


async def test_what_was_written_while_the_model_was_asked_counts(desk: ReviewingDesk) -> None:
    """The same is stated meanwhile, elsewhere: the candidate is skipped for it."""
    await desk.said("Write tests first.", session="s")
    gate = threading.Event()
    desk.server.replies[:] = [Reply(json.dumps([item(RULE, 1)]), gate=gate)]
    job = await desk.asked(1)
    async with desk.reviewer() as worker, anyio.create_task_group() as tasks:
        tasks.start_soon(worker.handle, job)
        await until(lambda: desk.server.held == 1, "the model is asked")
        stated = recorded(RULE, subject="guidance", name="r", scope="session", owner="s")
        await desk.plant("book.session.s", stated, caller=AGENT)
        await desk.catch_up()
        gate.set()
    (review,) = await desk.reviews()
    (record,) = await desk.kept()
    assert [(one.action, one.about) for one in review.decisions] == [("skipped", record.id)]


async def test_an_answer_that_cannot_be_used_is_tried_five_times_and_laid_aside(
    desk: ReviewingDesk, caplog: pytest.LogCaptureFixture
) -> None:
    """Then the turns are passed over with the reason and what that took, and later ones go on. No log quotes it."""
    await desk.said("Write tests first.", session="s")
    desk.server.replies[:] = [Reply("I would keep nothing.")]

    review = await desk.reviewed()

    assert len(desk.server.asked) == limits.ATTEMPTS
    assert (review.first, review.last, review.decisions) == (1, 1, ())
    assert review.failed == "ModelFailed: the model answered no list: 'I would keep nothing.'"
    assert (review.effort.calls, review.effort.output_tokens) == (5, 75)
    (letter,) = await desk.letters()
    assert (letter.worker, letter.thread, letter.attempts) == ("distillation", "t", limits.ATTEMPTS)
    assert msgspec.json.decode(letter.payload, type=ReviewJob) == ReviewJob(thread="t", ordinal=1)
    assert "keep nothing" not in caplog.text
    await desk.said("Tests first!", session="s")
    desk.answers(item(RULE, 2))
    assert [one.action for one in (await desk.reviewed(2)).decisions] == ["added"]


async def test_of_two_agents_the_one_whose_review_fails_costs_the_other_nothing(desk: ReviewingDesk) -> None:
    """Both are in one record: one with its record, which is asked for once, one with the reason."""
    await desk.said("Write tests first.", session="s")
    await desk.said("Look at the logs.", session="s", caller=Caller("agent", "scout"))
    desk.answers(item(RULE, 1))
    desk.server.when["Look at the logs"] = "No."

    await desk.reviewed(2)

    builder, scout = await desk.reviews()
    assert (builder.agent, [one.action for one in builder.decisions], builder.failed) == ("builder", ["added"], "")
    assert (scout.agent, scout.failed) == ("scout", "ModelFailed: the model answered no list: 'No.'")
    assert (len(await desk.recorded()), desk.server.count("Write tests first")) == (1, 1)
    told = [distillation(record, "", desk.kinds, Viewer(PERSON)) for record in await desk.records()]
    (shown,) = [one for one in told if one]
    assert (shown.kind, shown.turns, len(shown.facts)) == ("reviewed", ((1, 1), (2, 2)), 1)
    assert shown.failed == "scout: ModelFailed: the model answered no list: 'No.'"


async def test_while_its_model_is_away_the_worker_says_so(desk: ReviewingDesk) -> None:
    """Though nobody distils by that model."""
    await desk.said("Write tests first.", session="s")
    desk.server.replies[:] = [Reply(status=503, message="away")]
    job = await desk.asked(1)
    async with desk.reviewer() as worker, anyio.create_task_group() as tasks:
        tasks.start_soon(worker.handle, job)
        await until(lambda: worker.statistics()["outage"] == 1, "it says that it waits")
        assert worker.statistics()["waiting_since"] == desk.clock.now()
        desk.server.replies[:] = [Reply(json.dumps([item(RULE, 1)]))]

    assert (worker.statistics()["outage"], worker.statistics()["waiting_since"]) == (0, 0)


async def test_an_outage_is_waited_out_and_is_no_attempt(desk: ReviewingDesk) -> None:
    """The model's server fails more often than anything is tried, probes too; then it answers, and nothing was lost."""
    await desk.said("Write tests first.", session="s")
    away = Reply(status=503, message="away")
    desk.server.replies[:] = [*[away] * 40, Reply("yes"), Reply(json.dumps([item(RULE, 1)]))]

    review = await desk.reviewed()

    assert (review.failed, [one.action for one in review.decisions]) == ("", ["added"])
    assert await desk.letters() == []


async def test_a_failure_while_the_model_answers_others_is_an_attempt(desk: ReviewingDesk) -> None:
    """Its server fails with these turns alone, and answers the probe."""
    await desk.said("Write tests first.", session="s")
    desk.server.replies[:] = [Reply("yes")]
    desk.server.when["Write tests first"] = Reply(status=503, message="too hard")

    review = await desk.reviewed()

    assert review.failed.startswith("ModelFailed: the model's API fails (503)")
    assert len(await desk.letters()) == 1


async def test_turns_whose_job_killed_the_worker_are_passed_over(desk: ReviewingDesk) -> None:
    """A letter says so: the next job of the thread does not ask about them, and goes on with what comes after."""
    for number in range(13):
        await desk.said(f"Remark {number}", session="s")
    job = await desk.asked(12)
    desk.clock.advance(seconds=1)
    await dead_letters.write(desk.store, "distillation", job, limits.ATTEMPTS, dead_letters.ENDED, desk.clock.now())
    desk.answers(item(RULE, 13))
    async with desk.reviewer() as worker:
        await worker.handle(await desk.asked(13))
    first, second = await desk.reviews()
    assert (first.first, first.last, first.failed) == (1, 12, dead_letters.ENDED)
    assert (second.first, second.last, len(second.decisions)) == (13, 13, 1)
    assert desk.server.count("Remark 3") == 0


async def test_jobs_where_reviews_are_off_are_done_at_once(desk: ReviewingDesk) -> None:
    """They were asked for before; a later job covers their turns, should reviews be on again."""
    await desk.said("Write tests first.", session="s")
    async with desk.reviewer(every="off") as worker:
        await worker.handle(await desk.asked(1))
    assert (await desk.recorded(), desk.server.asked) == ([], [])


async def test_a_thread_of_no_agent_is_reviewed_and_keeps_nothing(desk: ReviewingDesk) -> None:
    """A program's own turns are nobody's records; they are not looked at again."""
    await desk.said("Write tests first.", session="s", caller=Caller("caller", "app"))

    review = await desk.reviewed()

    assert (review.agent, review.last, review.failed, desk.server.asked) == ("", 1, "", [])


async def test_a_failed_review_is_done_again_when_its_letter_is_replayed(desk: ReviewingDesk) -> None:
    """Of two agents the one that failed alone, and once; what came after it stays as it is."""
    await desk.said("Write tests first.", session="s")
    await desk.said("Look at the logs.", session="s", caller=Caller("agent", "scout"))
    desk.answers(item(RULE, 1))
    desk.server.when["Look at the logs"] = "No."
    await desk.reviewed(2)
    await desk.said("Be brief.", session="s")
    desk.answers()
    await desk.reviewed(3)
    (letter,) = await desk.letters()
    desk.server.when["Look at the logs"] = json.dumps([item("Logs are read first", 2)])
    async with desk.reviewer() as worker:
        for _ in range(2):
            await worker.again(AgainJob(number=1, letter=letter))
    assert [(one.agent, one.first, one.last, bool(one.failed)) for one in await desk.reviews()] == [
        ("builder", 1, 2, False),
        ("scout", 1, 2, True),
        ("builder", 3, 3, False),
        ("scout", 1, 2, False),
    ]
    assert [(one.value, one.source.principal) for one in await desk.kept()] == [
        (RULE, "builder"),
        ("Logs are read first", "scout"),
    ]
    assert desk.server.count("Write tests first") == 1


async def test_turns_that_were_committed_since_are_done_again_with_those_of_the_job(desk: ReviewingDesk) -> None:
    """The job was for one turn, and what failed were two: both are reviewed once its letter is replayed."""
    await desk.said("Write tests first.", session="s")
    job = await desk.asked(1)
    await desk.said("Look at the logs.", session="s")
    await desk.catch_up()
    desk.server.replies[:] = [Reply("No.")]
    async with desk.reviewer() as worker:
        await worker.handle(job)
        (letter,) = await desk.letters()
        desk.answers(item(RULE, 1))
        await worker.again(AgainJob(number=1, letter=letter))
    assert [(one.first, one.last, bool(one.failed)) for one in await desk.reviews()] == [(1, 2, True), (1, 2, False)]
    assert [one.value for one in await desk.kept()] == [RULE]


async def test_turns_that_did_not_kill_are_reviewed(desk: ReviewingDesk) -> None:
    """The job that killed was for one turn: the next one passes over that one, and asks about the other."""
    await desk.said("Write tests first.", session="s")
    job = await desk.asked(1)
    desk.clock.advance(seconds=1)
    await dead_letters.write(desk.store, "distillation", job, limits.ATTEMPTS, dead_letters.ENDED, desk.clock.now())
    await desk.said("Look at the logs.", session="s")
    desk.answers(item(RULE, 2))
    async with desk.reviewer() as worker:
        await worker.handle(await desk.asked(2))
    assert [(one.first, one.last, bool(one.failed)) for one in await desk.reviews()] == [(1, 1, True), (2, 2, False)]


async def test_records_that_audit_refuses_hold_up_no_later_turn(desk: ReviewingDesk) -> None:
    """Its configuration lets the agent keep none, the reviewing worker's does: it is laid aside, with that reason."""
    await desk.said("Write tests first.")
    desk.answers(item(RULE, 1))
    settings = desk.settings.model_copy(update={"permanent_agents": ("scout",)})
    desk.worker = AuditWorker(desk.store, settings, desk.clock, desk.remake)

    review = await desk.reviewed(1, every="turn", scope="agent")

    assert review.failed.startswith("Denied: ")
    assert "permanent_agents" in review.failed
    assert (len(desk.server.asked), len(await desk.letters()), await desk.kept()) == (1, 1, [])
