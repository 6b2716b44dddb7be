"""Records that were laid aside and are projected again when a person replays their dead letter."""

from __future__ import annotations

import pytest
from fact_desks import PERSON, FactDesk, recorded
from fact_workers import facts_worker

from eunoe.facts.visibility import Viewer
from eunoe.schemas import subjects
from eunoe.schemas.jobs import AgainJob
from eunoe.schemas.requests import DeadLetter, FactsRequest

pytestmark = pytest.mark.anyio


def again(position: int) -> AgainJob:
    letter = DeadLetter(v=1, worker="facts", reason="no", attempts=5, time=0, position=position, thread="t")
    return AgainJob(number=1, letter=letter)


async def test_a_record_is_projected_with_those_before_it_once_however_often_that_is_asked(desk: FactDesk) -> None:
    """Of three records the third is asked for, twice, and by another worker: the facts of all three are there, and the
    state counts each once."""
    for value in ("a", "b", "c"):
        await desk.write("thread.t", recorded(value, name=value))
    worker = facts_worker(desk)

    for one in (worker, worker, facts_worker(desk)):
        await one.again(again(3))

    listed = await desk.listed(Viewer(PERSON, "t"), FactsRequest(thread="t"))
    assert sorted(fact.value for fact in listed) == ["a", "b", "c"]
    state = await desk.state()
    assert (state.record, state.facts) == (3, 3)


async def test_a_record_that_is_gone_is_nothing_to_do(desk: FactDesk) -> None:
    await desk.write("thread.t", recorded("a"))

    await facts_worker(desk).again(again(99))

    assert await desk.store.thread.get(subjects.state_key("t")) is None
