"""Summaries that failed, that killed whoever wrote them, or of which turns were erased: done again by what there is."""

from __future__ import annotations

from pathlib import Path

import pytest
from erasing_desks import SECRET, erase
from summarising_desks import ScriptedSummariser, SummarisingDesk

from eunoe.runtime import dead_letters
from eunoe.runtime.doors import Stored
from eunoe.schemas import limits, subjects
from eunoe.schemas.distilled_events import SummaryKept
from eunoe.schemas.errors import Misconfigured, ModelFailed
from eunoe.schemas.jobs import AgainJob
from eunoe.schemas.requests import DeadLetter

REFUSED = ModelFailed("it would not", reason="refused")


async def killed(desk: SummarisingDesk, job: Stored) -> None:
    """The job is laid aside, as the one that ended whoever had it in hand."""
    desk.clock.advance(seconds=60)
    await dead_letters.write(desk.store, "summarising", job, limits.ATTEMPTS, dead_letters.ENDED, desk.clock.now())
    desk.clock.advance(seconds=60)


async def test_a_replayed_letter_has_its_turns_summarised(desk: SummarisingDesk) -> None:
    """By then a single turn is enough, and one that is in the summary already changes nothing."""
    await desk.said("one", "two", "three")
    asked = ScriptedSummariser(*[REFUSED] * limits.ATTEMPTS)
    worker = desk.summariser(asked)
    await worker.handle(await desk.wanted(3))
    (letter,) = await desk.letters()
    assert worker.statistics()["failed"] == 1

    await worker.again(AgainJob(number=1, letter=letter))
    await worker.again(AgainJob(number=1, letter=letter))

    assert (await desk.summary()).text == "1 2 3"
    assert len(await desk.told()) == 2


async def test_what_fails_again_is_raised(desk: SummarisingDesk) -> None:
    """So that it is laid aside again; the log says no more of it."""
    await desk.said("one", "two", "three")
    worker = desk.summariser(ScriptedSummariser(*[REFUSED] * (limits.ATTEMPTS + 1)))
    await worker.handle(await desk.wanted(3))
    (letter,) = await desk.letters()

    with pytest.raises(ModelFailed):
        await worker.again(AgainJob(number=1, letter=letter))
    assert [type(event) for event in await desk.told()] == [SummaryKept]


async def test_after_a_job_that_killed_its_worker_the_next_one_leaves_the_summary(desk: SummarisingDesk) -> None:
    """Nobody is asked, and why is recorded; the job after that tries again."""
    await desk.said("one", "two", "three")
    await killed(desk, await desk.wanted(3))
    asked = ScriptedSummariser()
    worker = desk.summariser(asked)

    await worker.handle(await desk.wanted(3))
    assert asked.batches == []
    assert (await desk.summary()).kept == dead_letters.ENDED

    await worker.handle(await desk.wanted(3))
    assert (await desk.summary()).text == "1 2 3"


async def test_a_job_that_killed_its_worker_may_be_dared_by_a_person(desk: SummarisingDesk) -> None:
    """Its letter, replayed, has it done."""
    await desk.said("one", "two", "three")
    await killed(desk, await desk.wanted(3))
    (letter,) = await desk.letters()

    await desk.summariser(ScriptedSummariser()).again(AgainJob(number=1, letter=letter))

    assert (await desk.summary()).text == "1 2 3"


async def test_turns_are_summarised_anew_after_one_of_them_was_erased(desk: SummarisingDesk) -> None:
    """The version before is in force again, and the next one goes on from there without what was erased."""
    await desk.said("Order chairs.", "Paint doors.", "Call Ann.")
    worker = desk.summariser()
    await worker.handle(await desk.wanted(3))
    await desk.said("Ship boxes.", f"The word is {SECRET}.", "Call Bo.")
    await worker.handle(await desk.wanted(6))
    assert SECRET in (await desk.summary()).text

    await erase(desk, thread="t", turns=[[5, 5]])
    await made_again(desk)
    assert [one.last for one in (await desk.summary()).versions] == [3]
    await worker.handle(await desk.wanted(6))

    found = await desk.summary()
    assert found.current
    assert found.text.splitlines()[3:] == ["Turn 4: person: Ship boxes.", "Turn 6: person: Call Bo."]
    assert (found.current.last, found.current.entries) == (6, ((1, 8), (11, 12)))


async def made_again(desk: SummarisingDesk) -> None:
    """The documents as the log tells them now."""
    for key in (subjects.summary_key("t"), subjects.state_key("t")):
        await desk.store.thread.delete(key)
    desk.projector.forget()
    await desk.catch_up()


async def test_where_nobody_summarises_a_letter_is_not_replayed_in_silence(tmp_path: Path) -> None:
    """It is laid aside again, with the setting that has it done."""
    worker = SummarisingDesk(tmp_path, distiller="off", summary="off").summariser()
    letter = DeadLetter(v=1, worker="summarising", reason="", attempts=5, time=1, payload='{"thread":"t"}')

    with pytest.raises(Misconfigured, match="EUNOE_SUMMARY is off"):
        await worker.again(AgainJob(number=1, letter=letter))
