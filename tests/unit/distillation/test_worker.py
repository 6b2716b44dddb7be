"""The worker: every range of turns once, whoever works on it and however often; what fails holds up no later turn."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import anyio
import anyio.lowlevel
import msgspec
import pytest
from desks import whole_turn
from distilling_desks import DISTILLATION, DistillingDesk, Scripted
from fact_desks import EXTRACTION, recorded
from polling import until_found

from eunoe.distillation import progress, trying
from eunoe.runtime.dead_letters import ENDED
from eunoe.runtime.doors import Auditor
from eunoe.schemas import limits, subjects
from eunoe.schemas.distilled_events import Effort
from eunoe.schemas.errors import Busy, Misconfigured, ModelFailed, OutcomeUnknown, WorkerMissing
from eunoe.schemas.events import FactRecorded, Prompt, Response, Summarised, TurnAborted, TurnCommitted, TurnOpened
from eunoe.schemas.jobs import AgainJob
from eunoe.schemas.requests import AppendReply, AppendRequest, DeadLetter, HeadReply, ThreadState


@pytest.fixture
def desk(tmp_path: Path) -> DistillingDesk:
    return DistillingDesk(tmp_path)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits long: neither between attempts nor for a state that is behind."""
    monkeypatch.setattr(trying, "backoff", lambda *_, **__: 0.0)
    monkeypatch.setattr(progress, "BEHIND_SECONDS", 0.02)


async def ranges(desk: DistillingDesk) -> list[tuple[int, int, int]]:
    """First and last ordinal of every range that was distilled, and how many facts came of it."""
    return [(one.first, one.last, one.facts) for one in await desk.distilled()]


async def state(desk: DistillingDesk) -> ThreadState:
    """The thread's state, once all of the log is projected."""
    await desk.catch_up()
    return await desk.state()


async def test_a_job_is_worked_off_in_ranges_of_one_record_each(desk: DistillingDesk) -> None:
    """Fourteen turns are asked for up to the thirteenth: twelve, and one, each with its summary."""
    await desk.said(*(f"note {number}" for number in range(1, 15)))
    distiller = Scripted()

    await desk.distiller(distiller).handle(await desk.asked(13))

    assert await ranges(desk) == [(1, 12, 12), (13, 13, 1)]
    assert [len(task.turns) for task in distiller.tasks] == [12, 1]
    assert [[turn.number for turn in task.after] for task in distiller.tasks] == [[13, 14], [14]]
    first, _ = await desk.memory()
    assert [event.last for event in first if isinstance(event, Summarised)] == [12]


async def test_a_job_that_comes_again_changes_nothing(desk: DistillingDesk) -> None:
    """Also one for fewer turns, and with another worker; no question is asked for them (F26)."""
    await desk.said("one", "two")
    job = await desk.asked(2)
    distiller = Scripted()
    await desk.distiller(distiller).handle(job)
    await desk.catch_up()

    await desk.distiller(distiller).handle(job)
    await desk.distiller(distiller).handle(await desk.asked(1))

    assert await ranges(desk) == [(1, 2, 2)]
    assert len(distiller.tasks) == 1


async def test_of_two_workers_on_one_range_one_has_an_effect(desk: DistillingDesk) -> None:
    """Both are asked while neither is done: one record, and the other drops what it made (F6)."""
    await desk.said("one", "two")
    job = await desk.asked(2)
    both, waiting = anyio.Event(), [0]

    async def meet() -> None:
        waiting[0] += 1
        if waiting[0] == 2:
            both.set()
        await both.wait()

    workers = [desk.distiller(Scripted(meet, model=model)) for model in ("m", "n")]
    async with desk.projecting(), anyio.create_task_group() as tasks:
        for worker in workers:
            tasks.start_soon(worker.handle, job)

    assert await desk.stated() == [("note", "1", "one"), ("note", "2", "two")]
    assert sum(worker.statistics()["raced"] for worker in workers) == 1
    assert sum(worker.statistics()["ranges"] for worker in workers) == 1


async def test_a_worker_whose_state_is_behind_waits_and_guesses_nothing(desk: DistillingDesk) -> None:
    """The record of the first range is not projected: the next job asks nobody anything until it is."""
    await desk.said("one", "two")
    await desk.distiller(Scripted()).handle(await desk.asked(1))
    distiller = Scripted()
    worker = desk.distiller(distiller)

    with pytest.raises(Busy, match="does not reflect yet"):
        await worker.handle(await desk.asked(2))
    assert distiller.tasks == []
    await desk.catch_up()
    await worker.handle(await desk.asked(2))

    assert await ranges(desk) == [(1, 1, 1), (2, 2, 1)]


class Silent:
    """An auditor whose first answer is lost, after the record is stored."""

    def __init__(self, inner: Auditor) -> None:
        self._inner = inner
        self._lost = False

    async def append(self, chain: str, request: AppendRequest) -> AppendReply:
        reply = await self._inner.append(chain, request)
        if not self._lost:
            self._lost = True
            raise OutcomeUnknown
        return reply

    async def head(self, chain: str, producer: str = "") -> HeadReply:
        return await self._inner.head(chain, producer)


async def test_an_append_without_an_answer_is_sent_again_as_it_was(desk: DistillingDesk) -> None:
    """One record, and one question."""
    await desk.said("one")
    distiller = Scripted()
    await desk.distiller(distiller, Silent(desk.auditor(DISTILLATION))).handle(await desk.asked(1))

    assert await ranges(desk) == [(1, 1, 1)]
    assert len(distiller.tasks) == 1


class Away(Silent):
    """Nobody serves appends, the first twenty times."""

    def __init__(self, inner: Auditor) -> None:
        super().__init__(inner)
        self.asked = 0

    async def append(self, chain: str, request: AppendRequest) -> AppendReply:
        self.asked += 1
        if self.asked <= 20:
            raise WorkerMissing("no worker serves append")
        return await self._inner.append(chain, request)


async def test_while_nobody_takes_a_record_no_model_is_asked_again(
    desk: DistillingDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long audit is away: what one question brought waits for it."""
    monkeypatch.setattr("eunoe.distillation.appending.backoff", lambda *_, **__: 0.0)
    await desk.said("one")
    distiller, away = Scripted(), Away(desk.auditor(DISTILLATION))
    await desk.distiller(distiller, away).handle(await desk.asked(1))

    assert (len(distiller.tasks), away.asked) == (1, 21)
    assert await ranges(desk) == [(1, 1, 1)]


async def test_what_one_range_says_is_known_to_the_next(desk: DistillingDesk) -> None:
    """Of a job of two ranges: the second is drawn from once the facts of the first are in the documents."""
    await desk.said(*(f"note {number}" for number in range(1, 14)))
    distiller = Scripted()
    async with desk.projecting():
        await desk.distiller(distiller).handle(await desk.asked(13))

    assert [known.value for known in distiller.tasks[1].known] == [f"note {number}" for number in range(1, 13)]


async def test_turns_without_a_letter_or_digit_ask_nobody(desk: DistillingDesk) -> None:
    """Their range is recorded as done, with nothing; the summary stays as it was (F51)."""
    for n, prompt in enumerate(("...", "?!", "—"), start=1):
        await desk.append(n, TurnOpened(), Prompt(content=prompt), TurnCommitted(), turn=f"e{n}")
    distiller = Scripted()
    await desk.distiller(distiller).handle(await desk.asked(3))

    assert distiller.tasks == []
    assert [type(event).__name__ for events in await desk.memory() for event in events] == ["Distilled"]
    assert (await state(desk)).distilled == 3


async def test_aborted_and_open_turns_are_never_drawn_from(desk: DistillingDesk) -> None:
    """Of four turns one is aborted and one is open."""
    await desk.append(1, *whole_turn("one"), turn="a")
    await desk.append(2, TurnOpened(), Prompt(content="two"), TurnAborted(reason="no"), turn="b")
    await desk.append(3, TurnOpened(), Prompt(content="three"), turn="c")
    await desk.append(4, *whole_turn("four"), turn="d")
    await desk.distiller(Scripted()).handle(await desk.asked(4))

    assert await desk.stated() == [("note", "1", "one"), ("note", "4", "four")]


async def test_a_turn_that_was_committed_late_is_distilled_late(desk: DistillingDesk) -> None:
    """Turn 1 is committed once turns 2 and 3 are distilled: it comes after them, with its own time."""
    await desk.append(1, TurnOpened(), Prompt(content="one"), turn="a")
    await desk.append(2, *whole_turn("two"), turn="b")
    await desk.append(3, *whole_turn("three"), turn="c")
    worker = desk.distiller(Scripted())
    await worker.handle(await desk.asked(3))
    await desk.append(4, Response(content="done"), TurnCommitted(), turn="a")
    await desk.catch_up()
    await worker.handle(await desk.asked(1))

    assert [(one.first, one.last, one.turns) for one in await desk.distilled()] == [
        (1, 2, ((2, 3),)),
        (3, 3, ((1, 1),)),
    ]


async def test_a_preview_keeps_what_is_drawn_from_its_turns(desk: DistillingDesk) -> None:
    """The facts of a turn in a preview have its identities."""
    await desk.append(1, TurnOpened(preview="try"), Prompt(content="one"), TurnCommitted(), turn="a")
    await desk.distiller(Scripted()).handle(await desk.asked(1))

    (events,) = await desk.memory()
    assert [one.fact.identity.preview for one in events if isinstance(one, FactRecorded)] == ["try"]


async def test_what_is_written_while_a_model_thinks_is_all_there(desk: DistillingDesk) -> None:
    """Five facts are stated while the distiller is held; they and the distilled one are in the documents (F11)."""
    await desk.said("one")

    async def write() -> None:
        for number in range(5):
            fact = recorded(f"value {number}", name=f"n{number}", kind="tool", who="pytest")
            await desk.write(subjects.thread_chain("t"), fact, caller=EXTRACTION)

    await desk.distiller(Scripted(write)).handle(await desk.asked(1))
    await desk.catch_up()

    names = [entry.key for entry in (await desk.store.thread.find([subjects.facts_of("t")])).entries]
    assert len(names) == 6


# What fails


async def test_what_fails_five_times_is_laid_aside_and_passed_over(desk: DistillingDesk) -> None:
    """The first twelve turns cannot be read by the model: a letter with the job, a range that says so, and the
    thirteenth turn is distilled; its summary takes up what waits."""
    await desk.said(*(f"note {number}" for number in range(1, 14)))
    wrong = ModelFailed("it answered in verse", reason="unreadable")
    distiller = Scripted(*[wrong] * limits.ATTEMPTS)
    job = await desk.asked(13)
    await desk.distiller(distiller).handle(job)

    assert [(one.first, one.last, one.failed) for one in await desk.distilled()] == [
        (1, 12, "ModelFailed: it answered in verse"),
        (13, 13, ""),
    ]
    (letter,) = await desk.letters()
    assert (letter.worker, letter.thread, letter.position, letter.attempts) == ("distillation", "t", 0, 5)
    assert letter.payload.encode() == job.data
    assert (await state(desk)).undistilled == ((1, 12, "ModelFailed: it answered in verse"),)
    assert len(distiller.tasks[-1].batch.turns) == 13  # type: ignore[union-attr]


async def test_what_failed_attempts_took_is_told_with_what_came_in_the_end(desk: DistillingDesk) -> None:
    """Of two threads one is distilled at the third attempt, and one never: every token is in the log."""
    wasted = Effort(model="m", calls=1, input_tokens=120, output_tokens=15, cost=7, ms=3)
    wrong = ModelFailed("it answered in verse", reason="unreadable", effort=wasted)
    await desk.said("one")
    await desk.said("two", thread="u")
    await desk.distiller(Scripted(wrong, wrong)).handle(await desk.asked(1))
    await desk.distiller(Scripted(*[wrong] * limits.ATTEMPTS)).handle(await desk.asked(1, thread="u"))

    assert [one.effort for one in await desk.distilled()] == [
        Effort(model="m", calls=3, input_tokens=240, output_tokens=30, ms=6),
        Effort(model="m", calls=5, input_tokens=600, output_tokens=75, cost=35, ms=15),
    ]


async def test_what_a_model_said_is_in_no_log(desk: DistillingDesk, caplog: pytest.LogCaptureFixture) -> None:
    """The range and the letter quote it, which erasing reaches; lines of a log are there for ever."""
    said = ModelFailed("the model answered without any facts: 'Dana is ill'", reason="unreadable")
    await desk.said("one")
    worker = desk.distiller(Scripted(*[said] * limits.ATTEMPTS))
    await worker.handle(await desk.asked(1))

    assert "Dana is ill" in (await desk.distilled())[0].failed
    assert "Dana is ill" in (await desk.letters())[0].reason
    assert "Dana" not in caplog.text
    assert caplog.text.count("no answer that can be used (unreadable)") == limits.ATTEMPTS


async def test_a_failure_that_a_probe_contradicts_is_an_attempt(desk: DistillingDesk) -> None:
    """The model answers the probe, so twice a broken connection counts, and the third time is good."""
    await desk.said("one")
    distiller = Scripted(*[ModelFailed("broken", reason="unreachable")] * 2)
    await desk.distiller(distiller).handle(await desk.asked(1))

    assert (await ranges(desk), distiller.probes) == ([(1, 1, 1)], 2)
    assert await desk.letters() == []


async def test_an_outage_is_waited_out_for_ever_and_its_backlog_drains_by_itself(
    desk: DistillingDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten jobs come while nothing answers: none of them fails, all are done once it does, and until then it is said
    since when (F110)."""
    monkeypatch.setattr("eunoe.distillation.outage.waits", lambda: iter([0.0] * 1_000_000))
    distiller = Scripted(*[ModelFailed("no route", reason="unreachable")] * 10)
    distiller.down = True
    worker = desk.distiller(distiller)
    during = worker.statistics()
    for number in range(10):
        await desk.said("one", thread=f"t{number}")
        await desk.asked(1, thread=f"t{number}")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(worker.run)

        async def tried() -> bool:
            return distiller.probes > 50

        await until_found(tried, "the model is asked again and again")
        during = worker.statistics()
        distiller.down = False

        async def drained() -> bool:
            return await desk.store.jobs.waiting() == 0

        await until_found(drained, "every job is done")
        tasks.cancel_scope.cancel()

    assert (during["outage"], during["waiting_since"]) == (1, desk.clock.now())
    assert (worker.statistics()["outage"], worker.statistics()["waiting_since"]) == (0, 0)
    assert len(await desk.stated()) == 10
    assert await desk.letters() == []


async def test_workers_that_are_stopped_while_the_model_is_away_count_for_nothing(
    desk: DistillingDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More workers than a job has attempts take it, wait for the model, and are stopped: it still waits, and the next
    one does it."""
    monkeypatch.setattr("eunoe.distillation.outage.waits", lambda: iter([0.001] * 1_000_000))
    await desk.said("one")
    await desk.asked(1)
    for _ in range(limits.ATTEMPTS + 2):
        distiller = Scripted(ModelFailed("no route", reason="unreachable"))
        distiller.down = True
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(desk.distiller(distiller).run)
            await until_found(partial(asked_often, distiller), "the model is asked again and again")
            tasks.cancel_scope.cancel()
    assert await desk.store.jobs.waiting() == 1
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(desk.distiller(Scripted()).run)

        async def drained() -> bool:
            return await desk.store.jobs.waiting() == 0

        await until_found(drained, "the job is done")
        tasks.cancel_scope.cancel()

    assert await ranges(desk) == [(1, 1, 1)]
    assert await desk.letters() == []


async def asked_often(distiller: Scripted) -> bool:
    return distiller.probes > 2


async def test_a_job_that_killed_its_workers_is_passed_over_with_the_next_one(desk: DistillingDesk) -> None:
    """It was delivered five times: it is laid aside before it runs again, and the next job of the thread goes on
    behind its range (F27)."""
    await desk.said(*(f"note {number}" for number in range(1, 14)))
    job = await desk.asked(12)
    consumer = await desk.store.jobs.consumer("distillation", [subjects.jobs_filter("default", "distil")], ack_wait=1.0)
    for _ in range(limits.ATTEMPTS):
        assert await consumer.fetch(1, 1.0)
        desk.clock.advance(seconds=2)
    distiller = Scripted()
    worker = desk.distiller(distiller)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(worker.run)

        async def laid_aside() -> bool:
            return len(await desk.letters()) == 1

        await until_found(laid_aside, "the job is laid aside")
        assert distiller.tasks == []
        await desk.asked(13)

        async def distilled() -> bool:
            return len(await desk.distilled()) == 2

        await until_found(distilled, "the next job is done")
        tasks.cancel_scope.cancel()

    (letter,) = await desk.letters()
    assert (letter.reason, letter.payload.encode(), letter.thread) == (ENDED, job.data, "t")
    assert [(one.first, one.last, one.failed, one.facts) for one in await desk.distilled()] == [
        (1, 12, ENDED, 0),
        (13, 13, "", 1),
    ]


async def replay(desk: DistillingDesk) -> AgainJob:
    """What asks for the only letter again, and the letter is gone."""
    (stored,) = [stored async for stored in desk.store.dead.scan()]
    await desk.store.dead.erase(stored.seq)
    return AgainJob(number=stored.seq, letter=msgspec.json.decode(stored.data, type=DeadLetter))


async def test_a_failed_range_is_distilled_again_when_its_letter_is_replayed(desk: DistillingDesk) -> None:
    """Once: the range is no failed one any more, and to replay it twice changes nothing."""
    await desk.said("one", "two")
    worker = desk.distiller(Scripted(*[ModelFailed("no", reason="unreadable")] * limits.ATTEMPTS))
    await worker.handle(await desk.asked(2))
    await desk.catch_up()
    job = await replay(desk)

    async with desk.projecting():
        await worker.again(job)
        await worker.again(job)

    assert [(one.first, one.last, one.again, one.facts) for one in await desk.distilled()] == [
        (1, 2, False, 0),
        (1, 2, True, 2),
    ]
    assert (await state(desk)).undistilled == ()


async def test_a_replay_draws_from_every_range_that_failed(
    desk: DistillingDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More of them than a state has reasons of: one letter, or all, and no turn is left out."""
    monkeypatch.setattr(limits, "DISTILLED_TURNS", 2)
    ranges_ = limits.FAILED_IN_STATE + 3
    await desk.said(*(f"note {number}" for number in range(2 * ranges_)))
    worker = desk.distiller(Scripted(*[ModelFailed("no", reason="unreadable")] * limits.ATTEMPTS * ranges_))
    await worker.handle(await desk.asked(2 * ranges_))
    await desk.catch_up()
    stored, *others = [stored async for stored in desk.store.dead.scan()]
    for one in (stored, *others):
        await desk.store.dead.erase(one.seq)

    async with desk.projecting():
        await worker.again(AgainJob(number=stored.seq, letter=msgspec.json.decode(stored.data, type=DeadLetter)))

    assert len(others) == ranges_ - 1
    assert sorted((one.first, one.last) for one in await desk.distilled() if one.again) == [
        (2 * n + 1, 2 * n + 2) for n in range(ranges_)
    ]
    assert (await state(desk)).undistilled == ()


async def test_a_replay_waits_for_a_provider_that_has_no_room(
    desk: DistillingDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More refusals than attempts: none of them is told of as a failure, and the range is drawn from in the end."""
    monkeypatch.setattr("eunoe.distillation.room.backoff", lambda *_, **__: 0.0)
    await desk.said("one")
    unread = [ModelFailed("no", reason="unreadable")] * limits.ATTEMPTS
    full = [ModelFailed("slow down", reason="rate_limited")] * (limits.ATTEMPTS + 1)
    worker = desk.distiller(Scripted(*unread, *full))
    await worker.handle(await desk.asked(1))
    await desk.catch_up()
    job = await replay(desk)

    async with desk.projecting():
        await worker.again(job)

    assert [(one.again, one.facts) for one in await desk.distilled()] == [(False, 0), (True, 1)]


async def test_what_was_laid_aside_before_it_was_tried_is_tried_when_it_is_replayed(desk: DistillingDesk) -> None:
    """No range failed yet, as no later job came: the job itself is done, its letter notwithstanding."""
    await desk.said("one")
    job = await desk.asked(1)
    letter = DeadLetter(
        v=1,
        worker="distillation",
        reason=ENDED,
        attempts=5,
        time=desk.clock.now(),
        subject=job.subject,
        thread="t",
        payload=job.data.decode(),
    )
    subject = subjects.dead("default", "distillation")
    done = await desk.store.dead.append(subject, msgspec.json.encode(letter))
    await desk.distiller(Scripted()).again(AgainJob(number=done.seq, letter=letter))

    assert await ranges(desk) == [(1, 1, 1)]


async def test_without_a_distiller_jobs_are_done_at_once(tmp_path: Path) -> None:
    """Nothing is recorded; once there is one, a later job covers what they asked for."""
    off = DistillingDesk(tmp_path, distiller="off")
    await off.said("one", "two")
    await off.distiller().handle(await off.asked(1))
    assert await off.distilled() == []

    on = DistillingDesk(tmp_path, off.store)
    await on.distiller(Scripted()).handle(await off.asked(2))
    assert await ranges(on) == [(1, 2, 2)]


async def test_by_rules_what_a_person_plainly_says_becomes_a_fact(desk: DistillingDesk) -> None:
    """The default without a model, labelled as what it is."""
    await desk.said("My name is Ada.", "We decided to use Postgres for the billing service.")
    await desk.distiller().handle(await desk.asked(2))

    (distilled,) = await desk.distilled()
    assert (distilled.by, distilled.effort.calls) == ("rules", 0)
    assert distilled.facts > 0


@pytest.mark.parametrize(("kind", "said"), [("distil", "EUNOE_DISTILLER is off"), ("review", "EUNOE_REVIEW__EVERY")])
async def test_what_nobody_does_here_is_not_done_again_in_silence(tmp_path: Path, kind: str, said: str) -> None:
    """It is laid aside again, with the setting that has it done."""
    worker = DistillingDesk(tmp_path, distiller="off").distiller()
    subject = subjects.job("default", kind, "t")
    letter = DeadLetter(v=1, worker="distillation", reason="", attempts=5, time=1, subject=subject, payload="{}")

    with pytest.raises(Misconfigured, match=said):
        await worker.again(AgainJob(number=1, letter=letter))
