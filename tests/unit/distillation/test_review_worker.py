"""Reviews through the worker, and a model over HTTP: what is kept, replaced, retired and left, and by whom."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from fact_desks import PERSON, recorded
from reviewing_desks import ReviewingDesk, item, retire, reviewing

from eunoe.composition import marks
from eunoe.distillation.worker import DistillationWorker
from eunoe.runtime.review_settings import Messages, Review
from eunoe.runtime.settings import Settings
from eunoe.schemas.distilled_events import Compared, Decision, Effort
from eunoe.schemas.errors import Misconfigured
from eunoe.schemas.events import FactDeleted, FactRecorded, FactRetired
from eunoe.schemas.facts import Source
from eunoe.schemas.subjects import Caller
from eunoe.testing import ManualClock, memory_store

OTHER = Caller("agent", "scout")
TESTS_FIRST = "Ada wants a failing test before a fix"


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[ReviewingDesk]:
    async with reviewing(tmp_path) as made:
        yield made


async def test_a_record_is_added_with_where_it_came_from(desk: ReviewingDesk) -> None:
    """It is the agent's own word, of its session, and tells turn, entries and model; the review tells what it did."""
    await desk.said("A failing test first, please.", session="s")
    desk.answers(item(TESTS_FIRST, 1, content="Each fix begins with one."))

    review = await desk.reviewed()

    (record,) = await desk.kept()
    assert (record.value, record.identity.scope, record.identity.owner) == (TESTS_FIRST, "session", "s")
    assert (record.identity.subject, record.source) == ("guidance", Source(kind="model", principal="builder"))
    assert (record.method, record.state, record.has_content) == ("inferred", "current", True)
    assert (record.turn, record.entries, record.session, record.agent) == (1, (1, 2), "s", "builder")
    assert (review.first, review.last, review.turns, review.agent) == (1, 1, ((1, 1),), "builder")
    assert review.decisions == (Decision(action="added", text=TESTS_FIRST, reason="it was said"),)
    assert review.effort == Effort(
        model="small-model", calls=1, input_tokens=120, output_tokens=15, ms=review.effort.ms, cost=review.effort.cost
    )


async def test_a_near_duplicate_is_skipped_whatever_the_model_says(desk: ReviewingDesk) -> None:
    """It differs in case and a full stop. What it was compared with is told with its likeness."""
    await desk.said("First.", session="s")
    desk.answers(item(TESTS_FIRST, 1))
    await desk.reviewed()
    (record,) = await desk.kept()
    await desk.said("Again.", session="s")
    desk.answers(item(TESTS_FIRST.upper() + ".", 2))

    review = await desk.reviewed(2)

    (decision,) = review.decisions
    assert (decision.action, decision.about, decision.reason) == ("skipped", record.id, "a record says the same")
    # 37 characters, and a full stop: 74 of 75 stand in both
    assert decision.compared == (Compared(id=record.id, likeness=99),)
    assert len(await desk.kept()) == 1
    assert [type(event) for event in (await desk.recorded())[-1]] == [type(review)]


async def test_two_candidates_that_say_the_same_are_one(desk: ReviewingDesk) -> None:
    """Of one answer too."""
    await desk.said("First.", session="s")
    desk.answers(item(TESTS_FIRST, 1), item(TESTS_FIRST + "!", 1))

    review = await desk.reviewed()

    assert [(one.action, one.reason) for one in review.decisions] == [
        ("added", "it was said"),
        ("skipped", "another candidate says the same"),
    ]
    assert len(await desk.kept()) == 1


async def test_a_record_takes_the_place_of_the_agents_own(desk: ReviewingDesk) -> None:
    """The new one is stated and the old one retired in one record; they share few words, and need not."""
    await desk.said("We ship on Tuesdays.", session="s")
    desk.answers(item("The release day is Tuesday", 1, kind="fact"))
    await desk.reviewed()
    (old,) = await desk.kept()
    await desk.said("From now on on Fridays.", session="s")
    desk.answers(item("Shipping moved to Fridays", 2, "replace", kind="fact", id=old.id))

    review = await desk.reviewed(2)

    assert [(one.action, one.about) for one in review.decisions] == [("replaced", old.id)]
    assert [one.value for one in await desk.kept()] == ["Shipping moved to Fridays"]
    events = (await desk.recorded())[-1]
    assert [type(event) for event in events[1:]] == [FactRecorded, FactRetired]
    assert [(one.value, one.state) for one in await desk.kept(all=True)] == [
        ("Shipping moved to Fridays", "current"),
        ("The release day is Tuesday", "retired"),
    ]
    assert f"- {old.id} (yours) fact: The release day is Tuesday" in desk.server.prompt()


async def test_the_agents_own_record_is_retired_and_may_be_said_anew(desk: ReviewingDesk) -> None:
    """A turn that was said before the retirement is reviewed after it, and brings the record back."""
    await desk.said("First.", session="s")
    desk.answers(item(TESTS_FIRST, 1))
    await desk.reviewed()
    (old,) = await desk.kept()
    await desk.said("Never mind.", session="s")
    desk.clock.advance(seconds=60)
    desk.answers(retire(old.id))

    review = await desk.reviewed(2)

    assert review.decisions == (Decision(action="retired", text=TESTS_FIRST, reason="it is over", about=old.id),)
    assert await desk.kept() == []
    await desk.said("Do it after all.", session="s", at=desk.clock.now() - 30_000)
    desk.answers(item(TESTS_FIRST, 3))
    await desk.reviewed(3)
    assert [one.value for one in await desk.kept()] == [TESTS_FIRST]


async def test_what_a_person_deleted_is_not_stated_anew_from_before(desk: ReviewingDesk) -> None:
    """The turn that says it was over by then."""
    await desk.said("First.", session="s")
    desk.answers(item(TESTS_FIRST, 1))
    await desk.reviewed()
    (record,) = await desk.kept()
    await desk.said("Again.", session="s")
    desk.clock.advance(seconds=60)
    await desk.write("book.session.s", FactDeleted(id=record.id), caller=PERSON)
    desk.answers(item(TESTS_FIRST, 2))

    review = await desk.reviewed(2)

    assert [(one.action, one.reason) for one in review.decisions] == [
        ("skipped", "a person deleted it after that was said")
    ]
    assert await desk.kept() == []


async def test_another_agents_and_a_persons_records_are_never_ended(desk: ReviewingDesk) -> None:
    """A candidate that would replace one stands beside it, and one that says the same is skipped."""
    theirs = recorded(
        "Deploy from the main branch", subject="guidance", name="d", scope="session", owner="s", who="scout"
    )
    await desk.plant("book.session.s", theirs, caller=OTHER)
    house = recorded(
        "Reply in German", subject="guidance", name="g", scope="permanent", owner="shared", kind="person", who="ada"
    )
    await desk.write("book.permanent.shared", house, caller=PERSON)
    german, deploy = (await desk.kept())[::-1]
    await desk.said("Hello.", session="s")
    desk.answers(
        item("Deploy from the release branch", 1, "replace", id=deploy.id),
        retire(german.id),
        item("reply in german.", 1),
    )

    review = await desk.reviewed()

    assert [(one.action, one.about) for one in review.decisions] == [("added", ""), ("skipped", german.id)]
    assert review.decisions[0].reason == f"{deploy.id} is not this agent's own record here, and stands beside it"
    assert [one.reason for one in review.set_aside] == [f"{german.id} is not this agent's own record here"]
    assert [one.value for one in await desk.kept()] == [
        "Deploy from the main branch",
        "Deploy from the release branch",
        "Reply in German",
    ]
    assert "(yours)" not in desk.server.prompt().partition("<known>")[2]


async def test_a_record_that_was_not_shown_is_not_ended(desk: ReviewingDesk) -> None:
    """An id that is nobody's: the replacement stands by itself, the retirement is set aside."""
    await desk.said("Hello.", session="s")
    desk.answers(item(TESTS_FIRST, 1, "replace", id="fnosuchrec"), retire("fnosuchrec"))

    review = await desk.reviewed()

    assert [one.action for one in review.decisions] == ["added"]
    assert [one.reason for one in review.set_aside] == ["it names no record that was shown"]


async def test_records_of_the_agent_itself_are_kept_where_it_may_keep_any(desk: ReviewingDesk) -> None:
    """Permanent, under its own name, seen from any session; an agent that may not is refused, and no model is asked."""
    await desk.said("A failing test first, please.")
    desk.answers(item(TESTS_FIRST, 1))

    await desk.reviewed(1, every="turn", scope="agent")

    (record,) = await desk.kept(session="another")
    assert (record.identity.scope, record.identity.owner, record.state) == ("permanent", "builder", "current")
    asked = len(desk.server.asked)
    desk.settings = desk.settings.model_copy(update={"permanent_agents": ("scout",)})
    await desk.said("And another thing.")
    desk.settings = desk.settings.model_copy(update={"review": Review(every="turn", scope="agent")})
    review = await desk.reviewed(2)
    assert review.failed == "`permanent_agents` names no agent like it, so it may keep no permanent records of its own"
    assert len(desk.server.asked) == asked


async def test_an_agent_without_a_session_is_refused_records_of_one(desk: ReviewingDesk) -> None:
    """It is told what to set; the turns are reviewed by then, and no model was asked."""
    await desk.said("A failing test first, please.")

    review = await desk.reviewed()

    assert review.failed == "the agent has no session here to keep records in; set `scope` of `review` to agent"
    assert desk.server.asked == []


async def test_agents_of_one_thread_have_reviews_of_their_own_in_one_record(desk: ReviewingDesk) -> None:
    """Each is asked about its own turns alone, and its records are its own."""
    await desk.said("Write tests first.", session="s")
    await desk.said("Look at the logs.", session="s", caller=OTHER)
    await desk.said("And keep it short.", session="s")
    desk.server.when["Look at the logs"] = '[{"action": "add", "kind": "event", "text": "Logs were read", "turn": 2}]'
    desk.answers(item(TESTS_FIRST, 3))

    await desk.reviewed(3)

    assert [(one.agent, one.first, one.last, one.turns) for one in await desk.reviews()] == [
        ("builder", 1, 3, ((1, 1), (3, 3))),
        ("scout", 1, 3, ((2, 2),)),
    ]
    assert len(await desk.recorded()) == 1
    assert [(one.value, one.source.principal) for one in await desk.kept()] == [
        (TESTS_FIRST, "builder"),
        ("Logs were read", "scout"),
    ]
    assert "Look at the logs" not in desk.server.prompt(0)


async def test_what_a_preview_keeps_stays_in_it(desk: ReviewingDesk) -> None:
    """A record is replaced there alone; live, everything is as it was."""
    await desk.said("We ship on Tuesdays.", session="s")
    desk.answers(item("The release day is Tuesday", 1, kind="fact"), item("Ada approves releases", 1, kind="fact"))
    await desk.reviewed()
    approves, tuesday = await desk.kept()
    await desk.said("Say it were Friday, and nobody approved.", session="s", preview="trial")
    desk.answers(item("The release day is Friday", 2, "replace", kind="fact", id=tuesday.id), retire(approves.id))

    review = await desk.reviewed(2)

    assert [one.action for one in review.decisions] == ["replaced", "retired"]
    assert [one.value for one in await desk.kept(preview="trial")] == ["The release day is Friday"]
    assert [one.value for one in await desk.kept()] == ["Ada approves releases", "The release day is Tuesday"]


async def test_an_aborted_turn_leaves_no_record(desk: ReviewingDesk) -> None:
    """It is neither shown nor counted."""
    await desk.gave_up("Tell nobody.", session="s")
    await desk.said("Write tests first.", session="s")
    desk.answers(item(TESTS_FIRST, 2))

    review = await desk.reviewed()

    assert (review.first, review.last, review.turns) == (1, 1, ((2, 2),))
    assert "Tell nobody" not in desk.server.prompt()


async def test_what_says_nothing_asks_no_model(desk: ReviewingDesk) -> None:
    """No letter and no digit: the turn is reviewed, and that is all."""
    await desk.said("…", "!", session="s")

    review = await desk.reviewed()

    assert (review.decisions, review.failed, desk.server.asked) == ((), "", [])


async def test_memory_is_not_taken_as_new_and_secrets_stay_out(desk: ReviewingDesk) -> None:
    """A labelled record that was pasted is not shown to the model, nor is a key, in either direction."""
    await desk.said(marks.label("earlier", "- decision database: Postgres") + "\npassword: hunter2hunter2", session="s")
    desk.answers(item("The password is hunter2hunter2", 1, kind="fact"))

    await desk.reviewed()

    assert "Postgres" not in desk.server.prompt()
    assert "hunter2" not in desk.server.prompt()
    assert [one.value for one in await desk.kept()] == ["The password is [redacted]"]


async def test_a_fleets_own_prompt_and_model_are_used(desk: ReviewingDesk) -> None:
    """The prompt in the place of the task, before the form of the answer, which stays; the model by its own name."""
    await desk.said("Write tests first.", session="s")
    desk.answers(item(TESTS_FIRST, 1))

    await desk.reviewed(1, every="turn", prompt="Keep house rules only.", model="openai:other")

    system = desk.server.prompt().strip()
    assert system.startswith("Keep house rules only.\nWhat stands between marks")
    assert "You keep the memory records" not in system
    assert "Answer with one JSON list" in system
    assert desk.server.asked[0]["model"] == "other"
    assert "- guidance: How the agent is to work" in system


async def test_a_review_waits_until_enough_was_said(desk: ReviewingDesk) -> None:
    """Three prompts and replies are too few of four; an aborted turn does not count. Then both turns are reviewed."""
    every = Messages(messages=4)
    await desk.said("Write tests first.", session="s")
    await desk.gave_up("Or not?", session="s")
    async with desk.reviewer(every=every) as worker:
        await worker.handle(await desk.asked(1))
        assert (await desk.reviews(), worker.statistics()["reviews_waiting"]) == ([], 1)
        await desk.said("And keep it short.", session="s")
        await worker.handle(await desk.asked(2))
    (review,) = await desk.reviews()
    assert (review.first, review.last) == (1, 2)


async def test_what_was_said_is_counted_over_more_turns_than_a_range_has(desk: ReviewingDesk) -> None:
    """Thirteen turns have 26 prompts and replies."""
    for number in range(13):
        await desk.said(f"Remark {number}", session="s")
    desk.answers()
    for messages, found in ((27, []), (26, [(1, 12), (13, 13)])):
        async with desk.reviewer(every=Messages(messages=messages)) as worker:
            await worker.handle(await desk.asked(13))
        assert [(one.first, one.last) for one in await desk.reviews()] == found


async def test_many_turns_are_reviewed_in_ranges(desk: ReviewingDesk) -> None:
    """Fourteen turns are twelve and two, each range in a record of its own."""
    for number in range(14):
        await desk.said(f"Remark {number}", session="s")
    desk.answers()

    await desk.reviewed(14)

    assert [(one.first, one.last) for one in await desk.reviews()] == [(1, 12), (13, 14)]
    assert len(await desk.recorded()) == len(desk.server.asked) == 2


def test_reviews_without_a_model_are_refused_as_the_worker_starts(tmp_path: Path) -> None:
    """With what to do; where they are off, none is needed."""
    clock = ManualClock(0)
    store = memory_store("default", clock=clock)
    auditor = None
    off = Settings(data=tmp_path, distiller="off")
    DistillationWorker(store, auditor, off, clock)  # type: ignore[arg-type]
    on = off.model_copy(update={"review": Review(every="turn")})
    with pytest.raises(Misconfigured, match=r"no model is configured for them; set EUNOE_MODEL or EUNOE_REVIEW__MODEL"):
        DistillationWorker(store, auditor, on, clock)  # type: ignore[arg-type]
