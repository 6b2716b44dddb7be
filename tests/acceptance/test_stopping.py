"""How long workers take to stop, whatever they have in hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import anyio
import pytest

from eunoe.runtime import roster
from eunoe.runtime.connection import connect
from eunoe.runtime.doors import Handler, Store, Stored, SystemClock
from eunoe.runtime.pump import Pump
from eunoe.runtime.requester import Requester
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import running
from eunoe.schemas import limits, subjects
from eunoe.schemas.subjects import Address, Caller
from eunoe.testing import NatsServer

WORKER = Caller("worker", "test")


class Stuck:
    """A worker that is never done: neither with a request, nor with a message, nor with draining."""

    def __init__(self, name: str, store: Store) -> None:
        self.name = name
        self.entered = anyio.Event()
        self.fetched = anyio.Event()
        self._store = store
        self._pump = Pump(store, name, self._handle, key=lambda message: message.subject, clock=SystemClock())

    def handlers(self) -> Mapping[str, Handler]:
        return {f"stuck-{self.name}": self._answer}

    async def run(self) -> None:
        await self._pump.run(await self._store.log.consumer(self.name, ()))

    async def drain(self) -> None:
        await anyio.sleep_forever()

    def statistics(self) -> Mapping[str, int]:
        return {"own": 1}

    async def _answer(self, address: Address, data: bytes) -> bytes:
        self.entered.set()
        await anyio.sleep_forever()
        return b""

    async def _handle(self, *messages: Stored) -> None:
        self.fetched.set()
        await anyio.sleep_forever()


async def test_all_workers_stop_in_the_time_of_one(
    own_server: NatsServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four workers, each stuck in a request, a message and its draining: all are gone after the seconds for draining,
    counted once, and those for leaving; not after those of each worker and stage one after another."""
    made: list[Stuck] = []

    def make(name: str, store: Store, *rest: object) -> Stuck:
        made.append(Stuck(name, store))
        return made[-1]

    monkeypatch.setattr(roster, "make", make)
    monkeypatch.setattr(limits, "DRAIN_SECONDS", 3.0)
    settings = Settings(url=own_server.url, data=tmp_path)
    async with await connect(own_server.url, caller=WORKER) as connection:
        requester = await Requester.open(connection)
        with anyio.fail_after(30) as within:
            async with running(settings) as fleet:
                await made[0]._store.log.append(subjects.chain_subject("default", "thread.t", "log"), b"x")
                for worker in made:
                    subject = subjects.request("default", f"stuck-{worker.name}", WORKER)
                    await requester.send(subject, b"", timeout=5)
                    await worker.entered.wait()
                    await worker.fetched.wait()
                counts = fleet.statistics()
                within.deadline = anyio.current_time() + 3.0 + 2 * 2.0 + 2.0

    assert {
        name: (count["own"], count["requests"], count["active"]) for name, count in counts.items()
    } == dict.fromkeys(roster.NAMES, (1, 1, 1))
