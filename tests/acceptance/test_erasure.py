"""Erasure on a real server: what was erased is in no file any more, and everything else is what it was."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest
from doomed import Doom, Trap, serve
from fields import used
from nursery import Child, Nursery, nursery
from polling import until
from witness import witness

from eunoe.audit.verify import Verdict, Verifier
from eunoe.client import Memory
from eunoe.client.exporting import export
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import running
from eunoe.schemas.erasures import EraseReply, EraseRequest, ErasureTarget
from eunoe.schemas.errors import Busy, OutcomeUnknown, Unreachable, WorkerMissing
from eunoe.testing import NatsServer

pytestmark = pytest.mark.anyio

SETTLE_SECONDS = 60.0


@pytest.fixture
def settings(own_server: NatsServer, tmp_path: Path) -> Settings:
    return Settings(url=own_server.url, data=tmp_path / "data", role="person", principal="ada")


def holding(folder: Path, *texts: str) -> list[str]:
    """The files below a folder that hold any of these texts."""
    wanted = [text.encode() for text in texts]
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [str(path.relative_to(folder)) for path in files if any(text in path.read_bytes() for text in wanted)]


def noise(size: int) -> Iterator[str]:
    """Text that no compression shortens to less than half: what is in a file is there in the clear."""
    while size > 0:
        yield secrets.token_hex(32)
        size -= 64


async def verified(settings: Settings) -> Verdict:
    """What a check of the whole log says."""
    verifier = Verifier()
    async with witness(settings) as eyes:
        async for stored in eyes.store.log.scan():
            verifier.feed(stored)
        info = await eyes.store.log.info(gaps=True)
    verifier.gaps(info.gaps, info.first)
    return verifier.verdict()


async def test_what_was_erased_is_in_no_file_of_the_store(
    own_server: NatsServer, settings: Settings, tmp_path: Path
) -> None:
    """Log, buckets of either generation, pieces, dead letters, consumers, anchors and receipts, once all is stopped."""
    secret, path, piece = secrets.token_hex(16), f"{secrets.token_hex(8)}.py", "".join(noise(300_000))
    outbox = tmp_path / "outbox"
    async with running(settings) as fleet, Memory.connect(settings=settings, outbox=outbox) as memory:
        async with memory.thread("t").turn(f"the password is {secret}") as turn:
            await used(turn, "c", "read_file", f"token = {secret}", path=path)
            await turn.reply(f"It is {secret}. {piece}")
        async with memory.thread("u").turn("another one") as turn:
            await turn.reply("stays")
        assert await fleet.settle(SETTLE_SECONDS)
        known = {fact.identity.name for fact in (await memory.facts(thread="t")).facts}

        reply = await memory.erase(thread="t", reason="a password was pasted")

        left = {fact.identity.name for fact in (await memory.facts(thread="t")).facts}
    own_server.stop()
    assert known
    assert not left
    assert (reply.state, reply.counts.entries, reply.counts.pieces) == ("done", 4, 2)
    assert holding(own_server.directory, secret, path, piece[:64], piece[-64:]) == []
    assert holding(tmp_path, secret, path, piece[:64]) == []


STEPS = (
    Trap("before-publish", "erasures"),  # what is intended
    Trap("after-publish", "erasures"),
    Trap("before-publish", "thread.t.memory"),  # what is left of its records
    Trap("after-publish", "thread.t.memory"),
    Trap("before-publish", "erasures"),  # where that is
    Trap("after-publish", "erasures"),
    Trap("before-erase"),
    Trap("after-erase"),
    Trap("before-publish", "erasures"),  # that it is removed
    Trap("after-publish", "erasures"),
    Trap("before-publish", "erasures"),  # that it is done
    Trap("after-publish", "erasures"),
)


@dataclass(slots=True)
class Deadly:
    """An audit worker that kills itself, or its server, at one step after the other, and is started again."""

    server: NatsServer
    settings: Settings
    nursery: Nursery
    pid: Path
    victim: str
    left: tuple[Trap, ...]

    async def serve(self) -> None:
        """Run it until no trap is left."""
        child = await self._start()
        while self.left:
            if self.victim == "server":
                await until(lambda: not self.server.alive, f"the server is killed at {self.left[0]}")
                self.server.kill()
                self.server.start()
                self.pid.write_text(str(self.server.pid))
                self.left = self.left[1:]
            else:
                await self._killed(child)
                self.left = self.left[1:]
                child = await self._start()

    async def _killed(self, child: Child) -> None:
        await until(lambda: not child.alive, f"the worker is killed at {self.left[0]}")

    async def _start(self) -> Child:
        self.pid.write_text(str(self.server.pid))
        doom = Doom(self.left, self.pid if self.victim == "server" else None)
        return await self.nursery.started("audit", serve, self.settings, ["audit"], doom)


async def insisted(memory: Memory) -> EraseReply:
    """Ask under one id until it is done, whoever is away meanwhile; a worker that is killed answers no more."""
    request = EraseRequest(target=ErasureTarget(thread="t"), id="once", reason="asked to", wait=0.5)
    while True:
        try:
            reply = await memory.gate.ask("erase", request, EraseReply, timeout=1.0)
        except (Busy, WorkerMissing, OutcomeUnknown, Unreachable):
            await anyio.sleep(0.05)
        else:
            if reply.state == "done":
                return reply


async def exported(memory: Memory, thread: str) -> list[bytes]:
    """The records of a thread as stored, without the lines that say when they were exported."""
    lines = [line async for line in export(memory.gate, thread)]
    return [line for line in lines if line.startswith(b'{"subject"')]


@pytest.mark.parametrize(("victim", "traps"), [("worker", STEPS), ("server", STEPS[1::2])])
async def test_an_erasure_goes_on_after_a_kill_at_each_of_its_steps(
    own_server: NatsServer, settings: Settings, tmp_path: Path, victim: str, traps: tuple[Trap, ...]
) -> None:
    """Whoever is killed and wherever: what is asked for is gone in the end, and the rest is what it was."""
    secret = secrets.token_hex(16)
    async with running(settings) as fleet, Memory.connect(settings=settings) as memory:
        for thread in ("t", "u"):
            async with memory.thread(thread).turn(f"{thread} says {secret if thread == 't' else 'nothing'}") as turn:
                await used(turn, "c", "read_file", "one line", path=f"{thread}.py")
                await turn.reply("One line.")
        assert await fleet.settle(SETTLE_SECONDS)
        before = await exported(memory, "u")
    replies: list[EraseReply] = []
    with nursery(tmp_path / "logs") as children:
        deadly = Deadly(own_server, settings, children, tmp_path / "pid", victim, traps)
        async with running(settings, ["facts", "extraction"]), anyio.create_task_group() as tasks:
            tasks.start_soon(deadly.serve)
            async with Memory.connect(settings=settings) as memory:
                replies.append(await insisted(memory))
            await until(lambda: not deadly.left, "every trap was sprung")
    async with running(settings), Memory.connect(settings=settings) as memory:
        after = await exported(memory, "u")
        known = {fact.identity.name: fact.value for fact in (await memory.facts(scope="thread")).facts}
    verdict = await verified(settings)
    own_server.stop()
    assert ([reply.state for reply in replies], after, set(known)) == (["done"], before, {"u.py"})
    assert verdict.problems == ()
    assert holding(own_server.directory, secret) == []
