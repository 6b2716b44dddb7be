"""Kill -9 of a client with an outbox on disk, and of the audit worker under two that race, alone or with a replica."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest
from doomed import Doom, Trap, serve
from nursery import Child, Nursery, nursery
from polling import until
from talker import keep_talking
from witness import Chain, witness

from eunoe.client import Memory
from eunoe.runtime.settings import Settings
from eunoe.schemas.events import Prompt, TurnCommitted, TurnOpened
from eunoe.testing import NatsServer

TURNS = 40
Names = list[str]


@dataclass(slots=True)
class Place:
    """A server with a space, and processes on it."""

    server: NatsServer
    settings: Settings
    nursery: Nursery

    async def audit(self, *traps: Trap) -> Child:
        return await self.nursery.started("audit", serve, self.settings, ["audit"], Doom(traps))

    async def seen(self) -> dict[str, Chain]:
        """The chains of a log that verifies and has no gaps."""
        async with witness(self.settings) as eyes:
            seen = await eyes.log(self.settings)
        assert (seen.problems, seen.gaps) == ((), ())
        return seen.chains


@pytest.fixture
def place(own_server: NatsServer, tmp_path: Path) -> Iterator[Place]:
    with nursery(tmp_path / "logs") as processes:
        settings = Settings(url=own_server.url, data=tmp_path / "data", role="caller", principal="script")
        yield Place(own_server, settings, processes)


async def told(child: Child, count: int) -> Names:
    """The first ``count`` names that a client tells of."""
    names: Names = []

    def enough() -> bool:
        while len(names) < count and (name := child.heard()):
            names.append(str(name))
        return len(names) == count or not child.alive

    await until(enough, f"{child.name} told of {count} turns")
    assert len(names) == count, child.tail()
    return names


@pytest.mark.parametrize("after", [1, 7, 20])
async def test_a_client_killed_in_the_middle_loses_nothing_that_it_kept(
    place: Place, after: int, tmp_path: Path
) -> None:
    """The next process with that outbox delivers what waits, once and in order, and goes on where it was."""
    names = [f"turn {number}" for number in range(TURNS)]
    outbox = tmp_path / "outbox"
    await place.audit()
    client = place.nursery.start("client", keep_talking, place.settings, outbox, names)
    kept = await told(client, after)
    assert client.kill()

    async with Memory.connect(settings=place.settings, outbox=outbox) as memory:
        assert await memory.flush() == 0
    said = [content for _, content in (await place.seen())["t"].said]

    assert said[: len(kept)] == kept == names[:after]
    assert said == names[: len(said)]
    rest = place.nursery.start("client", keep_talking, place.settings, outbox, names[len(said) :])
    await until(lambda: not rest.alive, "the rest was said")
    assert rest.code == 0, rest.tail()
    chain = (await place.seen())["t"]
    assert [content for _, content in chain.said] == names
    assert chain.committed == list(range(1, TURNS + 1))


@pytest.mark.parametrize("trap", [Trap("before-publish", count=15), Trap("after-publish", count=15)], ids=str)
@pytest.mark.parametrize("replicas", [1, 2])
async def test_two_producers_race_while_the_audit_worker_is_killed(place: Place, trap: Trap, replicas: int) -> None:
    """Each one's turns are in the log once and in its order, numbered densely across both, whoever took over."""
    doomed = await place.audit(trap)
    for _ in range(replicas - 1):
        await place.audit()
    async with anyio.create_task_group() as tasks:
        for name in ("ada", "bob"):
            tasks.start_soon(race, place, name)
        await until(lambda: not doomed.alive, "the audit worker is killed")
        assert doomed.code == -signal.SIGKILL
        if replicas == 1:
            await place.audit()
    chain = (await place.seen())["t"]

    assert sorted(content for _, content in chain.said) == sorted(turns_of("ada") + turns_of("bob"))
    for name in ("ada", "bob"):
        assert [content for _, content in chain.said if content.startswith(name)] == turns_of(name)
    assert chain.entries == chain.opened == chain.committed == list(range(1, 2 * TURNS + 1))
    assert chain.records == 2 * TURNS


def turns_of(name: str) -> Names:
    return [f"{name} {number}" for number in range(TURNS)]


async def race(place: Place, name: str) -> None:
    settings = place.settings.model_copy(update={"principal": name})
    async with Memory.connect(settings=settings) as memory:
        for turn in turns_of(name):
            await memory.thread("t").append(TurnOpened(), Prompt(content=turn), TurnCommitted(), turn=turn)
