"""Kill -9 of a worker, or of the server, at each step of the way from an append to the facts.

The steps are taken one after another here (first all that is said, then what is extracted of it, then the
documents), so that a run with a kill must give the same log positions, and byte for byte the same documents,
as one that nothing disturbed.
"""

from __future__ import annotations

import hashlib
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import anyio
import pytest
from doomed import Place, Trap, serve
from nursery import Child, Nursery, nursery
from polling import until
from transcripts import Said, conversation, said, write_lines
from witness import Seen, Witness, witness

from eunoe.client import Memory
from eunoe.runtime.settings import Settings
from eunoe.schemas import limits
from eunoe.testing import NatsServer

TURNS, CALLS = 6, 3
LARGE = 5 * limits.PIECE_BYTES + 100  # bytes: six pieces
RUN = conversation("run", TURNS, CALLS, large=LARGE)
Victim = Literal["worker", "server"]


@dataclass(frozen=True, slots=True)
class Case:
    """Whose process has the trap, in which step it is sprung, and where; ``fresh``: the buckets are new then."""

    worker: str
    step: str
    place: Place
    pattern: str = ""
    count: int = 3
    fresh: bool = False

    def __str__(self) -> str:
        return "-".join(filter(None, (self.place, self.pattern.strip("."), self.worker, "fresh" * self.fresh)))


CASES = [
    Case("audit", "audit", "before-publish", ".log"),
    Case("audit", "audit", "after-publish", ".log"),
    Case("audit", "audit", "before-piece"),
    Case("audit", "audit", "after-piece"),
    Case("audit", "extraction", "before-publish", ".memory"),
    Case("audit", "extraction", "after-publish", ".memory"),
    Case("extraction", "extraction", "before-ack", "extraction"),
    Case("facts", "facts", "before-document", "fact."),
    Case("facts", "facts", "after-document", "fact."),
    Case("facts", "facts", "after-document", "state."),
    Case("facts", "facts", "before-ack", "facts"),
    Case("facts", "facts", "before-document", "fact.", fresh=True),
]


@dataclass(slots=True)
class Fleet:
    """A server, the workers of one space on it, and who is killed where. ``sprung``: it happened."""

    server: NatsServer
    settings: Settings
    nursery: Nursery
    case: Case | None = None
    victim: Victim = "worker"
    sprung: bool = False

    async def start(self, worker: str) -> Child:
        """A worker, with the trap if it is the one that the case names, and was not killed yet."""
        trap = None
        if self.case and self.case.worker == worker and not self.sprung:
            pid = self.server.pid if self.victim == "server" else 0
            trap = Trap(self.case.place, self.case.pattern, self.case.count, pid)
        return await self.nursery.started(worker, serve, self.settings, [worker], trap)

    async def mend(self, step: str, *running: Child) -> None:
        """In the step of the case: wait until the trap was sprung, and start again what it killed."""
        if self.case is None or self.case.step != step:
            return
        if self.victim == "server":
            await until(lambda: not self.server.alive, f"the server is killed at {self.case}")
            self.server.kill()
            self.server.start()
            return
        child = next(one for one in running if one.name == self.case.worker)
        await until(lambda: not child.alive, f"{child.name} is killed at {self.case}")
        assert child.code == -signal.SIGKILL
        self.sprung = True
        await self.start(child.name)


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
            (await fleet.nursery.started("facts", serve, fleet.settings, ["facts"])).stop()
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
        return Outcome(await eyes.log(), await eyes.documents(), again.appended)


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
            yield Fleet(server, settings, processes, case, victim)
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


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("victim", ["worker", "server"])
async def test_a_kill_changes_nothing(
    victim: Victim, case: Case, tmp_path: Path, file: Path, undisturbed: Outcome
) -> None:
    """After a restart and the same import again, log and documents are those of a run without a kill."""
    with fleet_of(tmp_path, case, victim) as fleet:
        outcome = await everything(fleet, file)

    assert outcome.seen == undisturbed.seen
    assert outcome.again == 0
    assert outcome.documents == undisturbed.documents


def whole(entries: Iterable[Said]) -> list[Said]:
    """Entries with the content of large ones left out, as their records have it."""
    return [(kind, "" if len(content) > limits.INLINE_BYTES else content) for kind, content in entries]
