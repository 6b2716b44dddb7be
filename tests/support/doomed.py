"""Workers as a process that kills itself, or the server, at named points.

The workers are the real ones, run as `eunoe serve` runs them. Only the doors that they are given count
calls, and at a trap's call SIGKILL goes to this process or to the server. What a killed worker had in
hand comes again sooner than it does from `eunoe serve`, so that a test need not wait half a minute for it.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal, cast

import anyio

from eunoe.cli.errors import guarded
from eunoe.runtime import logs, supervisor, topology
from eunoe.runtime.doors import Appended, Buckets, Consumer, Delivery, Documents, Generations, Jobs, Log, Store
from eunoe.runtime.settings import Settings

Place = Literal[
    "before-erase", "after-erase",
    "before-publish", "after-publish", "before-piece", "after-piece", "before-document", "after-document", "before-ack",
    "before-seal", "after-seal", "before-drop", "after-drop", "after-clear",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Trap:
    """Kill at the ``count``-th call of ``place`` whose subject, key or consumer holds ``pattern``."""

    place: Place
    pattern: str = ""
    count: int = 1


@dataclass(frozen=True, slots=True)
class Doom:
    """Traps that are sprung one after the other. ``victim`` is a file that holds the id of the process to kill,
    None for the process of the workers itself. ``ack_wait`` is in seconds."""

    traps: tuple[Trap, ...] = ()
    victim: Path | None = None
    ack_wait: float = 2.0


def serve(saying: Connection, settings: Settings, names: Sequence[str], doom: Doom) -> None:
    """Run workers until SIGTERM, or until a trap ends them."""
    logs.configure(settings)
    ensure, wire = topology.ensure, Wire(doom)

    async def ensure_doomed(*args: Any, **options: Any) -> Store:
        return doomed(await ensure(*args, **options), wire)

    topology.ensure = ensure_doomed
    run = partial(supervisor.run, settings, names, ready=lambda _: saying.send(True))
    sys.exit(guarded(lambda: anyio.run(run) or 0))


class Wire:
    """Counts the calls of one place after the other, and kills the victim at the one that was named."""

    def __init__(self, doom: Doom) -> None:
        self.doom = doom
        self._traps = deque(doom.traps)
        self._count = 0
        self._killed = 0

    def trip(self, place: Place, what: str) -> None:
        """Note a call. Nothing is counted until a victim that was killed has a successor."""
        if not self._traps or self._traps[0].place != place or self._traps[0].pattern not in what:
            return
        victim = int(self.doom.victim.read_text()) if self.doom.victim else os.getpid()
        if victim == self._killed:
            return
        self._count += 1
        if self._count == self._traps[0].count:
            self._traps.popleft()
            self._count, self._killed = 0, victim
            os.kill(victim, signal.SIGKILL)


class Door:
    """A door that passes everything on but what a subclass counts."""

    def __init__(self, inner: Any, wire: Wire) -> None:
        self._inner = inner
        self._wire = wire

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class DoomedLog(Door):
    before: Place = "before-publish"
    after: Place = "after-publish"

    async def append(
        self, subject: str, data: bytes, *, msg_id: str = "", expect: tuple[str, int] | None = None
    ) -> Appended:
        self._wire.trip(self.before, subject)
        done: Appended = await self._inner.append(subject, data, msg_id=msg_id, expect=expect)
        self._wire.trip(self.after, subject)
        return done

    async def erase(self, seq: int) -> None:
        self._wire.trip("before-erase", str(seq))
        await self._inner.erase(seq)
        self._wire.trip("after-erase", str(seq))

    async def consumer(self, durable: str, filters: Sequence[str], **options: Any) -> Consumer:
        options["ack_wait"] = self._wire.doom.ack_wait
        inner = await self._inner.consumer(durable, filters, **options)
        return cast("Consumer", DoomedConsumer(inner, self._wire, durable))


class DoomedPieces(DoomedLog):
    before = "before-piece"
    after = "after-piece"


class DoomedJobs(Door):
    async def consumer(self, durable: str, filters: Sequence[str], **options: Any) -> Consumer:
        options["ack_wait"] = self._wire.doom.ack_wait
        inner = await self._inner.consumer(durable, filters, **options)
        return cast("Consumer", DoomedConsumer(inner, self._wire, durable))


class DoomedConsumer(Door):
    def __init__(self, inner: Any, wire: Wire, durable: str) -> None:
        super().__init__(inner, wire)
        self._durable = durable

    async def fetch(self, batch: int, wait: float) -> list[Delivery]:
        found = await self._inner.fetch(batch, wait)
        return [cast("Delivery", DoomedDelivery(one, self._wire, self._durable)) for one in found]


class DoomedDelivery(DoomedConsumer):
    async def ack(self) -> None:
        self._wire.trip("before-ack", self._durable)
        await self._inner.ack()


class DoomedDocuments(Door):
    async def put(self, key: str, value: bytes, *, expect: int | None = None) -> int:
        self._wire.trip("before-document", key)
        done: int = await self._inner.put(key, value, expect=expect)
        self._wire.trip("after-document", key)
        return done


class DoomedGenerations(Door):
    """The buckets that are made are counted like those in use."""

    async def prepare(self) -> Buckets:
        made: Buckets = await self._inner.prepare()
        return {scope: cast("Documents", DoomedDocuments(bucket, self._wire)) for scope, bucket in made.items()}

    async def clear(self) -> None:
        await self._inner.clear()
        self._wire.trip("after-clear", "")

    async def seal(self) -> None:
        self._wire.trip("before-seal", "")
        await self._inner.seal()
        self._wire.trip("after-seal", "")

    async def drop(self) -> None:
        self._wire.trip("before-drop", "")
        await self._inner.drop()
        self._wire.trip("after-drop", "")


def doomed(store: Store, wire: Wire) -> Store:
    """The doors of a space, those that workers write through counted."""
    return Store(
        space=store.space,
        log=cast("Log", DoomedLog(store.log, wire)),
        jobs=cast("Jobs", DoomedJobs(store.jobs, wire)),
        dead=store.dead,
        blobs=cast("Log", DoomedPieces(store.blobs, wire)),
        permanent=cast("Documents", DoomedDocuments(store.permanent, wire)),
        session=cast("Documents", DoomedDocuments(store.session, wire)),
        thread=cast("Documents", DoomedDocuments(store.thread, wire)),
        generations=cast("Generations", DoomedGenerations(store.generations, wire)),
    )
