"""Kill -9 of a worker, or of the server, at each step of the way from an append to the facts.

The steps are taken one after another here (first all that is said, then what is extracted of it, then the
documents), so that a run with a kill must give the same log positions, and byte for byte the same documents,
as one that nothing disturbed.
"""

from __future__ import annotations

import hashlib
import os
import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import anyio
import pytest
from doomed import Doom, Trap, serve
from nursery import Child, Nursery, nursery
from polling import until
from transcripts import Said, conversation, said, write_lines
from witness import Seen, witness

from eunoe.client import Memory
from eunoe.facts.recovery import Recovery
from eunoe.runtime.settings import Settings
from eunoe.schemas import limits
from eunoe.testing import NatsServer, nats_server_binary

pytestmark = pytest.mark.skipif(
    nats_server_binary() is None and not os.environ.get("CI"), reason="there is no nats-server"
)
TURNS, CALLS = 6, 3
LARGE = 5 * limits.PIECE_BYTES + 100  # bytes: six pieces
RUN = conversation("run", TURNS, CALLS, large=LARGE)
Victim = Literal["worker", "server"]


@dataclass(frozen=True, slots=True)
class Case:
    """Whose process has the traps, and those of each step. ``fresh``: the facts worker meets new buckets."""

    worker: str
    traps: Mapping[str, tuple[Trap, ...]]
    fresh: bool = False


CASES = {
    "before and after the publish": Case(
        "audit", {"audit": (Trap("before-publish", ".log", 2), Trap("after-publish", ".log", 2))}
    ),
    "in the middle of a large content": Case("audit", {"audit": (Trap("before-piece", "", 3), Trap("after-piece"))}),
    "before and after what is extracted": Case(
        "audit", {"extraction": (Trap("before-publish", ".memory", 2), Trap("after-publish", ".memory", 2))}
    ),
    "before extraction acknowledges": Case("extraction", {"extraction": (Trap("before-ack", "extraction", 2),)}),
    "before and after a document": Case(
        "facts", {"facts": (Trap("before-document", "fact.", 2), Trap("after-document", "fact."))}
    ),
    "before facts acknowledges": Case(
        "facts", {"facts": (Trap("after-document", "state."), Trap("before-ack", "facts", 2))}
    ),
    "while the facts are made again": Case(
        "facts", {"facts": (Trap("before-document", "fact.", 2), Trap("after-document", "state."))}, fresh=True
    ),
}


@dataclass(slots=True)
class Fleet:
    """A server, the workers of one space on it, and who is killed where. ``sprung`` counts the kills."""

    server: NatsServer
    settings: Settings
    nursery: Nursery
    case: Case | None = None
    victim: Victim = "worker"
    sprung: int = 0

    @property
    def pid_file(self) -> Path:
        return self.server.directory / "pid"

    async def start(self, worker: str) -> Child:
        """A worker, with the traps that are left if it is the one that the case names."""
        traps: tuple[Trap, ...] = ()
        if self.case and self.case.worker == worker:
            traps = tuple(trap for step in self.case.traps.values() for trap in step)[self.sprung :]
        doom = Doom(traps, self.pid_file if self.victim == "server" else None)
        return await self.nursery.started(worker, serve, self.settings, [worker], doom)

    async def mend(self, step: str, *running: Child) -> None:
        """For each trap of a step: wait until it was sprung, and start again what it killed."""
        for trap in self.case.traps.get(step, ()) if self.case else ():
            self.sprung += 1
            if self.victim == "server":
                await until(lambda: not self.server.alive, f"the server is killed at {trap}")
                self.serve()
            else:
                running = (await self._again(trap, running),)

    def serve(self) -> None:
        """Start the server, again if it was killed, and say which process it is."""
        self.server.kill()
        self.server.start()
        fresh = self.pid_file.with_suffix(".new")
        fresh.write_text(str(self.server.pid))
        fresh.replace(self.pid_file)

    async def _again(self, trap: Trap, running: Sequence[Child]) -> Child:
        child = next(one for one in running if self.case and one.name == self.case.worker)
        await until(lambda: not child.alive, f"{child.name} is killed at {trap}")
        assert child.code == -signal.SIGKILL
        return await self.start(child.name)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run left, and how many appends of the second import were new."""

    seen: Seen
    documents: dict[str, bytes]
    again: int


async def everything(fleet: Fleet, file: Path) -> Outcome:
    """Import, extract, project, one after the other, mending what is killed; then what is there."""
    async with witness(fleet.settings) as eyes:
        if not (fleet.case and fleet.case.fresh):
            await Recovery(eyes.store).settle()
        audit = await fleet.start("audit")
        async with Memory.connect(settings=fleet.settings) as memory, anyio.create_task_group() as tasks:
            tasks.start_soon(fleet.mend, "audit", audit)
            await memory.import_file(file)
        async with Memory.connect(settings=fleet.settings) as memory:
            again = await memory.import_file(file)
        for worker in ("extraction", "facts"):
            child = await fleet.start(worker)
            await fleet.mend(worker, audit, child)
            await eyes.settled(worker)
        assert await eyes.dead() == 0
        return Outcome(await eyes.log(fleet.settings), await eyes.documents(), again.appended)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_lines(tmp_path_factory.mktemp("transcripts") / "run.json", [RUN])


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, file: Path) -> Outcome:
    """What there is when nobody is killed."""

    async def go() -> Outcome:
        with fleet_of(tmp_path_factory.mktemp("undisturbed")) as fleet:
            return await everything(fleet, file)

    return anyio.run(go)


@contextmanager
def fleet_of(folder: Path, case: Case | None = None, victim: Victim = "worker") -> Iterator[Fleet]:
    server = NatsServer(folder / "server")
    server.start()
    try:
        with nursery(folder / "logs") as processes:
            settings = Settings(url=server.url, data=folder / "data", role="person", principal="ada")
            fleet = Fleet(server, settings, processes, case, victim)
            fleet.serve()
            yield fleet
    finally:
        server.stop()


def test_an_undisturbed_run_is_what_was_said(undisturbed: Outcome) -> None:
    """Every entry of the transcript in order, every turn committed and extracted, and facts of three kinds."""
    chain = undisturbed.seen.chains["run"]
    large = hashlib.sha256(list(said(RUN))[2 * (2 * CALLS + 2) - 2][1].encode()).hexdigest()

    assert whole(chain.said) == whole(said(RUN))
    assert chain.digests == {2 * (2 * CALLS + 2) - 1: large}
    assert chain.entries == list(range(1, TURNS * (2 * CALLS + 2) + 1))
    assert chain.opened == chain.committed == chain.extracted == list(range(1, TURNS + 1))
    assert (undisturbed.seen.problems, undisturbed.seen.gaps, undisturbed.again) == ((), (), 0)
    assert {key.split(".")[2] for key in undisturbed.documents if key.startswith("thread fact.")} == {
        "branch",
        "file",
        "workdir",
    }


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("victim", ["worker", "server"])
async def test_a_kill_changes_nothing(
    victim: Victim, case: str, tmp_path: Path, file: Path, undisturbed: Outcome
) -> None:
    """After a restart and the same import again, log and documents are those of a run without a kill."""
    with fleet_of(tmp_path, CASES[case], victim) as fleet:
        outcome = await everything(fleet, file)

    assert outcome.seen == undisturbed.seen
    assert outcome.again == 0
    assert outcome.documents == undisturbed.documents


def whole(entries: Iterable[Said]) -> list[Said]:
    """Entries with the content of large ones left out, as their records have it."""
    return [(kind, "" if len(content) > limits.INLINE_BYTES else content) for kind, content in entries]
