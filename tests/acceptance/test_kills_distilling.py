"""Kill -9 at each step of the way from a job to the facts that are drawn: every range has one effect in the end."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
from doomed import Doom, Trap, serve
from nursery import Child, Nursery, nursery
from polling import until, until_found
from witness import Witness, witness

from eunoe.client import Memory
from eunoe.runtime.settings import Settings
from eunoe.schemas import records, subjects
from eunoe.schemas.events import Distilled
from eunoe.schemas.jobs import DistilJob
from eunoe.schemas.requests import ThreadState
from eunoe.testing import nats_server_binary

pytestmark = pytest.mark.skipif(
    nats_server_binary() is None and not os.environ.get("CI"), reason="there is no nats-server"
)
TURNS = 14  # two ranges
CASES = {
    "before and after the first record, and after the second": (
        "audit",
        (Trap("before-publish", ".memory"), Trap("after-publish", ".memory"), Trap("after-publish", ".memory")),
    ),
    "before the job is acknowledged": ("distillation", (Trap("before-ack", "distillation"),)),
    "while the facts are written": ("facts", (Trap("before-document", "fact."), Trap("after-document", "state."))),
}


@pytest.fixture
async def eyes(settings: Settings) -> AsyncIterator[Witness]:
    async with witness(settings) as found:
        yield found


async def told(settings: Settings) -> None:
    """Fourteen turns, in each of which something is plainly stated."""
    async with Memory.connect(settings=settings) as memory:
        for number in range(1, TURNS + 1):
            async with memory.thread("t").turn(f"Remember that room {number} is for group {number}.") as turn:
                await turn.reply("Noted.")


async def asked(eyes: Witness) -> None:
    job = DistilJob(thread="t", up_to=TURNS, position=0)
    await eyes.store.jobs.submit(subjects.job(eyes.store.space, "distil", "t"), msgspec.json.encode(job))


async def done(eyes: Witness) -> bool:
    entry = await eyes.store.thread.get(subjects.state_key("t"))
    state = msgspec.json.decode(entry.value, type=ThreadState) if entry else None
    return state is not None and state.distilled == TURNS and await eyes.store.jobs.waiting() == 0


async def distilled(eyes: Witness) -> list[tuple[int, int, str]]:
    found = [records.read(stored.seq, stored.data) async for stored in eyes.store.log.scan()]
    events = (event for record in found for event in record.events if isinstance(event, Distilled))
    return [(event.first, event.last, event.failed) for event in events]


@pytest.mark.parametrize("name", CASES)
async def test_whatever_is_killed_each_range_has_one_effect(
    settings: Settings, eyes: Witness, tmp_path: Path, name: str
) -> None:
    """The facts are those that the log gives in one go, and the job is done."""
    victim, traps = CASES[name]
    with nursery(tmp_path / "logs") as workers:
        started = {}
        for worker in ("audit", "facts", "distillation"):
            doom = Doom(traps if worker == victim else ())
            started[worker] = await workers.started(worker, serve, settings, [worker], doom)
        await told(settings)
        await asked(eyes)
        await mended(workers, settings, started[victim], traps)
        await until_found(lambda: done(eyes), "the thread is distilled")
        await eyes.settled("facts")

    assert await distilled(eyes) == [(1, 12, ""), (13, 14, "")]
    documents = await eyes.documents()
    assert documents == await eyes.projected()
    assert sum(b"group" in value for key, value in documents.items() if " fact." in key) == TURNS
    assert await eyes.dead() == 0


async def mended(workers: Nursery, settings: Settings, child: Child, traps: tuple[Trap, ...]) -> None:
    """Wait until a worker is killed at each trap, and start it again."""
    victim = child.name
    for at, trap in enumerate(traps, start=1):
        await until(lambda: not child.alive, f"{victim} is killed at {trap}")  # noqa: B023
        assert child.code == -signal.SIGKILL
        child = await workers.started(victim, serve, settings, [victim], Doom(traps[at:]))
