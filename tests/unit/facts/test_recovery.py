"""When the facts are made again, and what a kill or another replica in the middle of that changes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from fact_desks import FactDesk, recorded

from eunoe.facts.recovery import NEW, Recovery
from eunoe.runtime.doors import Log, StreamInfo
from eunoe.schemas import subjects


class Busy:
    """A log to which somebody appends, and that somebody projects, right after it was asked for its end."""

    def __init__(self, desk: FactDesk) -> None:
        self._desk = desk

    def __getattr__(self, name: str) -> Any:
        return getattr(self._desk.store.log, name)

    async def info(self, *, gaps: bool = False) -> StreamInfo:
        found = await self._desk.store.log.info(gaps=gaps)
        await self._desk.write("thread.t", recorded("passed"))
        await self._desk.catch_up()
        return found


async def test_a_log_that_grows_meanwhile_is_not_taken_for_one_that_lost_its_end(desk: FactDesk) -> None:
    """Documents of records that came after the look at the log's end are no reason to make anything again."""
    await Recovery(desk.store).settle()
    await desk.write("thread.t", recorded("failed"))
    busy = replace(desk.store, log=cast("Log", Busy(desk)))

    assert await Recovery(busy).reason() == ""


async def test_facts_that_were_half_made_are_made_to_their_end(desk: FactDesk) -> None:
    """A worker on new buckets was killed after the first of two threads: the next goes on with the second."""
    for thread in ("t", "u"):
        await desk.write(f"thread.{thread}", recorded("passed", owner=thread))
    first, _ = await desk.stored()
    await desk.projector.apply(first)
    recovery, replica = Recovery(desk.store), desk.replica()
    before = await desk.contents()

    assert await recovery.reason() == NEW
    await recovery.fill(replica.apply)

    after = await desk.contents()
    assert (replica.statistics()["records"], replica.statistics()["repeated"]) == (1, 1)
    assert before.items() <= after.items()
    assert {key for key in after if key.startswith("thread state.")} == {"thread state.t", "thread state.u"}
    assert await recovery.reason() == ""


async def test_a_set_that_lost_one_of_its_origins_is_to_be_made_again(desk: FactDesk) -> None:
    """Two of three buckets say that they belong together: what is in the third is anybody's guess (F114)."""
    recovery = Recovery(desk.store)
    await recovery.settle()
    await desk.write("thread.t", recorded("passed"))
    await desk.catch_up()
    await desk.store.session.delete(subjects.ORIGIN_KEY)

    assert await recovery.reason() == "a bucket was emptied or replaced"


async def test_a_sealed_set_without_successor_is_to_be_made_again(desk: FactDesk) -> None:
    """Whoever sealed it was killed before the set that was to replace it came into use."""
    recovery = Recovery(desk.store)
    await recovery.settle()
    await desk.write("thread.t", recorded("passed"))
    await desk.catch_up()
    assert await recovery.reason() == ""
    await desk.store.generations.seal()

    assert await recovery.reason() == "the buckets are sealed, and those that were to replace them are not there"
