"""Two hundred kills -9 while fifty thousand events come in: of workers, of the server, of the importing process."""

from __future__ import annotations

import os
import random
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest
from doomed import Doom, serve
from importer import import_file
from nursery import Child, Nursery, nursery
from polling import until, until_found
from transcripts import conversation, said, write_lines
from witness import Witness, witness

from eunoe.runtime.settings import Settings
from eunoe.schemas.errors import EunoeError
from eunoe.testing import NatsServer, nats_server_binary

pytestmark = pytest.mark.skipif(
    nats_server_binary() is None and not os.environ.get("CI"), reason="there is no nats-server"
)
SEED = 20_260_101
THREADS, TURNS, CALLS = 100, 25, 8  # 2 * 8 calls and results, and four more: 20 events a turn
EVENTS = THREADS * TURNS * (2 * CALLS + 4)
RECORDS = 2 * THREADS * TURNS  # what happened, and what was extracted of it
KILLS = 200
RUNS = [conversation(f"run {number}", TURNS, CALLS) for number in range(1, THREADS + 1)]
WORKERS = {"audit": ["audit"], "derived": ["extraction", "facts"]}
REPLICAS = 2  # of each process of workers, as in a fleet
LONGEST_SECONDS = 0.6  # seconds between two kills at most; with less, what is in hand at five in a row is laid aside
DOOM = Doom(ack_wait=20.0)  # so long that nobody is killed five times over one message
AWAY = 3  # exit code of what could not reach the server, or a worker, when it started
VICTIMS = ("audit", "derived", "server", "importer")


@dataclass(slots=True)
class Storm:
    """A fleet under which processes are killed, and which replaces what is gone."""

    server: NatsServer
    settings: Settings
    nursery: Nursery
    file: Path
    chance: random.Random = field(default_factory=lambda: random.Random(SEED))
    kills: Counter[str] = field(default_factory=Counter)
    ended: Counter[tuple[str, int | None]] = field(default_factory=Counter)
    workers: dict[str, list[Child]] = field(default_factory=dict)
    importer: Child | None = None

    async def rage(self, eyes: Witness) -> None:
        """Kill at lengths of the log or after times that are drawn at random, whichever comes first; then let the
        import finish."""
        self._tend_workers()
        await until(lambda: all(child.ready for name in WORKERS for child in self.workers[name]), "all workers run")
        for moment in sorted(self.chance.sample(range(RECORDS * 19 // 20), KILLS)):
            with anyio.move_on_after(self.chance.uniform(0.0, LONGEST_SECONDS)):
                await self._grown(eyes, moment)
            await until(self._killed, "somebody is there to kill")
        await until(self._imported, "the import finished", 240.0)

    def tend(self) -> None:
        """Replace workers that are gone, and import again until that has come to its end."""
        self._tend_workers()
        if self.importer is None or not (self.importer.code == 0 or self._lives(self.importer)):
            self.importer = self._import()

    def _tend_workers(self) -> None:
        for name, names in WORKERS.items():
            alive = [child for child in self.workers.get(name, ()) if self._lives(child)]
            while len(alive) < REPLICAS:
                alive.append(self.nursery.start(name, serve, self.settings, names, DOOM))
            self.workers[name] = alive

    def _import(self) -> Child:
        settings = self.settings
        return self.nursery.start("importer", import_file, settings.url, settings.space, settings.data, self.file)

    def _kill(self, victim: str) -> bool:
        """False when there is no such victim: it ended by itself, or its replacement is not ready yet."""
        if victim == "server":
            self.server.kill()
            self.server.start()
            delivered = True
        elif victim == "importer":
            assert self.importer
            delivered = self.importer.code is None and self.importer.kill()
        else:
            ready = [child for child in self.workers[victim] if child.ready]
            delivered = bool(ready) and self.chance.choice(ready).kill()
        self.kills[victim] += delivered
        return delivered

    def _killed(self) -> bool:
        self.tend()
        return self._kill(self.chance.choice(VICTIMS))

    def _lives(self, child: Child) -> bool:
        if child.alive:
            return True
        self.ended[child.name, child.code] += 1
        self.nursery.remove(child)
        return False

    def _imported(self) -> bool:
        self.tend()
        return self.importer is not None and self.importer.code == 0

    async def _grown(self, eyes: Witness, moment: int) -> None:
        async def grown() -> bool:
            self.tend()
            try:
                return (await eyes.store.log.info()).last >= moment
            except EunoeError:
                return False

        await until_found(grown, f"the log has {moment} records")


@contextmanager
def storm(folder: Path) -> Iterator[Storm]:
    server = NatsServer(folder / "server")
    server.start()
    try:
        with nursery(folder / "logs") as processes:
            settings = Settings(url=server.url, data=folder / "data", role="person", principal="ada")
            yield Storm(server, settings, processes, write_lines(folder / "runs.jsonl", RUNS))
    finally:
        server.stop()


@pytest.mark.timeout(600)
async def test_two_hundred_kills_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    """Each event is in the log once and in its place, each turn was extracted once, and the documents follow."""
    with storm(tmp_path) as raging:
        async with witness(raging.settings) as eyes:
            await raging.rage(eyes)
            await eyes.settled("extraction", "facts", seconds=120.0)
            seen, documents = await eyes.log(raging.settings), await eyes.documents()
            projected = await eyes.projected()
            dead = await eyes.dead()

    assert raging.kills.total() == KILLS
    assert set(raging.kills) == set(VICTIMS)
    assert {code for _, code in raging.ended} <= {-signal.SIGKILL, AWAY}
    assert (seen.problems, seen.gaps, seen.records, dead) == ((), (), RECORDS, 0)
    assert {name: chain.said for name, chain in seen.chains.items()} == {
        f"runs.{number}": list(said(run)) for number, run in enumerate(RUNS, 1)
    }
    for chain in seen.chains.values():
        assert chain.entries == list(range(1, TURNS * (2 * CALLS + 2) + 1))
        assert chain.opened == chain.committed == chain.extracted == list(range(1, TURNS + 1))
    assert documents == projected
