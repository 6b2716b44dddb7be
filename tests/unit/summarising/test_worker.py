"""The worker that summarises apart: batch by batch, each in one record; what fails leaves the summary as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import whole_turn
from distilling_desks import DISTILLATION
from summarising_desks import ScriptedSummariser, SummarisingDesk

from eunoe.schemas import limits
from eunoe.schemas.distilled_events import Effort, Summarised, SummaryKept
from eunoe.schemas.errors import ModelFailed
from eunoe.schemas.events import Prompt, Response, TurnAborted, TurnCommitted, TurnOpened

OTHER = DISTILLATION
AWAY = ModelFailed("nobody is there", reason="unreachable")


async def test_three_turns_are_summarised_whether_they_are_distilled_or_not(desk: SummarisingDesk) -> None:
    """By rules, up to the turn of the job and not beyond it."""
    await desk.said("Order forty chairs.", "Paint the hall.", "Call Ann.", "Call Bo.")
    worker = desk.summariser()

    await worker.handle(await desk.wanted(3))

    assert await desk.told() == [
        Summarised(
            text="Turn 1: person: Order forty chairs.\nTurn 2: person: Paint the hall.\nTurn 3: person: Call Ann.",
            last=3,
            turns=((1, 3),),
            entries=((1, 6),),
            by="rules",
        )
    ]
    assert worker.statistics()["updates"] == 1


async def test_fewer_turns_than_a_batch_wait(desk: SummarisingDesk) -> None:
    """Unless the job says that fewer will do; a job for a thread that is not there does nothing."""
    await desk.said("Order forty chairs.", "Paint the hall.")
    worker = desk.summariser()

    await worker.handle(await desk.wanted(2), await desk.wanted(2, thread="none"))
    assert await desk.told() == []

    await worker.handle(await desk.wanted(2, least=1))
    assert [event.last for event in await desk.told()] == [2]


async def test_an_update_goes_on_from_the_summary_in_force(desk: SummarisingDesk) -> None:
    """A job that comes twice changes nothing; each version covers all turns up to its last one."""
    await desk.said("one", "two", "three")
    asked = ScriptedSummariser()
    worker = desk.summariser(asked)
    await worker.handle(await desk.wanted(3))
    await worker.handle(await desk.wanted(3))
    await desk.said("four", "five", "six")

    await worker.handle(await desk.wanted(6))

    found = await desk.summary()
    assert found.text == "1 2 3\n4 5 6"
    assert [(one.version, one.last) for one in found.versions] == [(1, 3), (2, 6)]
    assert found.current
    assert found.current.turns == ((1, 6),)
    assert found.current.entries == ((1, 12),)
    assert [batch.text for batch in asked.batches] == ["", "1 2 3"]
    assert worker.statistics()["raced"] == 0


async def test_a_long_thread_is_summarised_in_batches(desk: SummarisingDesk) -> None:
    """Each of as many turns as one takes, until too few are left for another."""
    await desk.said(*(f"note {number}" for number in range(1, limits.SUMMARY_BATCH_MAX + 6)))
    asked = ScriptedSummariser()

    await desk.summariser(asked).handle(await desk.wanted(limits.SUMMARY_BATCH_MAX + 2))
    assert [len(batch.turns) for batch in asked.batches] == [24]

    await desk.summariser(asked).handle(await desk.wanted(limits.SUMMARY_BATCH_MAX + 5))
    assert [len(batch.turns) for batch in asked.batches] == [24, 5]
    assert [event.last for event in await desk.told()] == [24, 29]


async def test_the_size_is_that_of_the_window_of_the_job(desk: SummarisingDesk) -> None:
    """Else of the configured one."""
    await desk.said("one", "two", "three")
    asked = ScriptedSummariser(AWAY, AWAY)
    worker = desk.summariser(asked)

    await worker.handle(await desk.wanted(3, window=81_920))
    assert {batch.size for batch in asked.batches} == {16_384}

    await desk.said("four")
    await worker.handle(await desk.wanted(4, least=1))
    assert asked.batches[-1].size == 1_636


async def test_a_window_in_which_nothing_was_said_leaves_the_summary_as_it_is(desk: SummarisingDesk) -> None:
    """Nobody is asked and nothing is recorded; those turns come with the next ones that say something."""
    await desk.said("one", "two", "three")
    asked = ScriptedSummariser()
    worker = desk.summariser(asked)
    await worker.handle(await desk.wanted(3))
    for number in range(4, 4 + limits.SUMMARY_BATCH_MAX + 2):
        await desk.append(1, *whole_turn("?!", "..."), turn=f"e{number}", producer=f"e{number}")
    await worker.handle(await desk.wanted(29))

    assert [event.last for event in await desk.told()] == [3]
    assert (await desk.summary()).text == "1 2 3"

    await desk.said("thirty")
    await worker.handle(await desk.wanted(30))

    assert [[turn.number for turn in batch.turns] for batch in asked.batches] == [[1, 2, 3], [30]]
    current = (await desk.summary()).current
    assert current
    assert (current.last, current.turns) == (30, ((1, 30),))


async def test_what_fails_for_good_leaves_the_text_and_the_turns(desk: SummarisingDesk) -> None:
    """After as many attempts as there are: a dead letter with the job, then the reason in the log, with what they took.
    The turns come with the next batch."""
    await desk.said("one", "two", "three")
    asked = ScriptedSummariser()
    worker = desk.summariser(asked)
    await worker.handle(await desk.wanted(3))
    await desk.said("four", "five", "six")
    wasted = Effort(model="m", calls=1, output_tokens=9)
    asked.script.extend([ModelFailed("it would not", reason="refused", effort=wasted)] * limits.ATTEMPTS)
    job = await desk.wanted(6)

    await worker.handle(job)

    found = await desk.summary()
    assert found.text == "1 2 3"
    assert found.kept == "ModelFailed: it would not"
    took = Effort(model="m", calls=5, output_tokens=45)
    assert (await desk.told())[-1] == SummaryKept(last=6, by="model", reason="ModelFailed: it would not", effort=took)
    (letter,) = await desk.letters()
    assert (letter.worker, letter.thread, letter.attempts) == ("summarising", "t", 5)
    assert letter.payload.encode() == job.data

    await desk.said("seven")
    await worker.handle(await desk.wanted(7))
    assert (await desk.summary()).text == "1 2 3\n4 5 6 7"
    assert (await desk.summary()).kept == ""


async def test_an_empty_answer_leaves_the_summary_at_once(desk: SummarisingDesk) -> None:
    """It is an answer, so nothing is asked again, and no letter is written."""
    await desk.said("one", "two", "three")
    worker = desk.summariser(ScriptedSummariser(" \n"))

    await worker.handle(await desk.wanted(3))

    assert [type(event) for event in await desk.told()] == [SummaryKept]
    assert await desk.letters() == []


async def test_an_outage_of_the_model_is_waited_out(desk: SummarisingDesk) -> None:
    """However long it lasts it counts as no attempt."""
    await desk.said("one", "two", "three")
    asked = ScriptedSummariser(AWAY)
    asked.down = 40
    worker = desk.summariser(asked)

    await worker.handle(await desk.wanted(3))

    assert (await desk.summary()).text == "1 2 3"
    assert await desk.letters() == []
    assert worker.statistics()["outage"] == 0


async def test_of_two_that_summarise_at_once_one_is_taken(desk: SummarisingDesk) -> None:
    """The other worker's is dropped before it is written, for its number is used; it then has nothing left to do."""
    await desk.said("one", "two", "three")
    job = await desk.wanted(3)
    first = desk.summariser(ScriptedSummariser("from the first"))

    async def overtaken() -> None:
        await first.handle(job)

    second = desk.summariser(ScriptedSummariser(overtaken))
    await second.handle(job)

    assert [event.text for event in await desk.told() if isinstance(event, Summarised)] == ["from the first"]
    assert second.statistics()["raced"] == 1
    assert (await desk.summary()).text == "from the first"


async def test_a_summary_that_goes_on_from_an_older_one_is_not_taken(
    desk: SummarisingDesk, caplog: pytest.LogCaptureFixture
) -> None:
    """One that was written together with facts meanwhile is in force; this worker sees that, tells it in its log, and
    goes on from it."""
    caplog.set_level("INFO", logger="eunoe")
    await desk.said("one", "two", "three", "four", "five", "six")

    async def together() -> None:
        event = Summarised(text="by the other", last=3, turns=((1, 3),), entries=((1, 6),), by="rules")
        await desk.write("thread.t", event, caller=OTHER)

    asked = ScriptedSummariser(together)
    worker = desk.summariser(asked)
    await worker.handle(await desk.wanted(6))

    assert [batch.text for batch in asked.batches] == ["", "by the other"]
    assert (await desk.summary()).text == "by the other\n4 5 6"
    assert worker.statistics()["raced"] == 1
    assert "another summary was taken first" in caplog.text


async def test_aborted_turns_are_not_in_a_summary(desk: SummarisingDesk) -> None:
    """They are counted by no ordinal, and their numbers are not among those that it covers."""
    await desk.said("one")
    aborted = (TurnOpened(), Prompt(content="two"), Response(content="no"), TurnAborted(reason="a mistake"))
    await desk.append(1, *aborted, turn="a", producer="a")
    await desk.said("three", "four")

    await desk.summariser(ScriptedSummariser()).handle(await desk.wanted(4))

    current = (await desk.summary()).current
    assert current
    assert (current.last, current.turns, current.entries) == (3, ((1, 1), (3, 4)), ((1, 2), (5, 8)))


async def test_a_turn_that_is_open_still_is_left_for_later(desk: SummarisingDesk) -> None:
    """Its ordinal is that of its commit, so a later turn may come into the summary before it."""
    await desk.append(1, TurnOpened(), Prompt(content="one"), turn="open", producer="open")
    await desk.said("two", "three", "four")
    asked = ScriptedSummariser()
    worker = desk.summariser(asked)
    await worker.handle(await desk.wanted(4))
    await desk.append(2, Response(content="at last"), TurnCommitted(), turn="open", producer="open")

    await worker.handle(await desk.wanted(4, least=1))

    assert (await desk.summary()).text == "2 3 4\n1"
    current = (await desk.summary()).current
    assert current
    assert (current.last, current.turns) == (4, ((1, 4),))


async def test_nothing_is_done_where_summaries_are_off(tmp_path: Path) -> None:
    """A job is done at once: a later one covers what it asked for."""
    desk = SummarisingDesk(tmp_path, summary="off")
    await desk.said("one", "two", "three")

    await desk.summariser(ScriptedSummariser()).handle(await desk.wanted(3))

    assert await desk.told() == []
