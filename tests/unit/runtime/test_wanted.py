"""A job that takes the place of another one asks for no less."""

from __future__ import annotations

import msgspec

from eunoe.runtime import wanted
from eunoe.schemas import subjects
from eunoe.schemas.jobs import DistilJob, SummariseJob
from eunoe.testing import memory_store


async def test_a_job_asks_for_what_it_takes_the_place_of() -> None:
    """Of a person, who wants the whole thread, and of a context with a larger window, which needs less of it."""
    store = memory_store()
    subject = subjects.job("test", "distil", "t")

    await wanted.submit(store.jobs, subject, DistilJob(thread="t", up_to=30, position=9))
    await wanted.submit(store.jobs, subject, DistilJob(thread="t", up_to=27, position=12, window=1_024))

    held = await store.jobs.held(subject)
    assert held is not None
    assert msgspec.json.decode(held, type=DistilJob) == DistilJob(thread="t", up_to=30, position=12, window=1_024)
    assert await store.jobs.waiting() == 1


def test_a_summary_of_few_turns_is_still_wanted_when_one_of_more_is_asked_for() -> None:
    person = SummariseJob(thread="t", up_to=2, position=1, least=1)
    context = SummariseJob(thread="t", up_to=4, position=3, window=4_096)

    assert wanted.joined(context, person) == SummariseJob(thread="t", up_to=4, position=3, window=4_096, least=1)
