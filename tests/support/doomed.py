"""Workers that kill a process at a named point: run as ``python doomed.py POINT COUNT VICTIM PATTERN WORKER…``.

The workers are the real ones; only the doors they are given count calls, and at the ``COUNT``-th call of
the named point send SIGKILL to this process (victim ``self``) or to the server (victim: its pid).

Points: ``before-publish`` and ``after-publish`` of a record whose subject matches ``PATTERN``,
``before-document`` (the first write of a document whose key begins with ``PATTERN``), ``before-ack``,
``before-piece`` and ``after-piece``.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from typing import Any

import anyio

from eunoe.runtime import supervisor, topology
from eunoe.runtime.configuration import load
from eunoe.runtime.doors import Appended, Consumer, Delivery, Documents, Log, Store


class Wire:
    """Counts the calls of one point, and kills the victim at the one that was named."""

    def __init__(self, point: str, count: int, victim: str, pattern: str) -> None:
        self.point = point
        self.pattern = pattern
        self._left = count
        self._victim = os.getpid() if victim == "self" else int(victim)

    def trip(self, point: str, what: str) -> None:
        if point == self.point and self.pattern in what:
            self._left -= 1
            if self._left == 0:
                os.kill(self._victim, signal.SIGKILL)


class Door:
    """A door that passes everything on but what a subclass counts."""

    def __init__(self, inner: Any, wire: Wire, name: str) -> None:
        self._inner = inner
        self._wire = wire
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class DoomedLog(Door):
    async def append(
        self, subject: str, data: bytes, *, msg_id: str = "", expect: tuple[str, int] | None = None
    ) -> Appended:
        self._wire.trip(f"before-{self._name}", subject)
        done: Appended = await self._inner.append(subject, data, msg_id=msg_id, expect=expect)
        self._wire.trip(f"after-{self._name}", subject)
        return done

    async def consumer(self, durable: str, filters: Sequence[str], **options: Any) -> Consumer:
        consumer: Any = DoomedConsumer(await self._inner.consumer(durable, filters, **options), self._wire, durable)
        return consumer  # type: ignore[no-any-return]


class DoomedConsumer(Door):
    async def fetch(self, batch: int, wait: float) -> list[Delivery]:
        found: list[Any] = [
            DoomedDelivery(each, self._wire, self._name) for each in await self._inner.fetch(batch, wait)
        ]
        return found


class DoomedDelivery(Door):
    async def ack(self) -> None:
        self._wire.trip("before-ack", self._name)
        await self._inner.ack()


class DoomedDocuments(Door):
    async def put(self, key: str, value: bytes, *, expect: int | None = None) -> int:
        self._wire.trip("before-document", key)
        done: int = await self._inner.put(key, value, expect=expect)
        return done


def doomed(store: Store, wire: Wire) -> Store:
    log: Any = DoomedLog(store.log, wire, "publish")
    blobs: Any = DoomedLog(store.blobs, wire, "piece")
    buckets: list[Any] = [
        DoomedDocuments(bucket, wire, "") for bucket in (store.permanent, store.session, store.thread)
    ]
    typed_log: Log = log
    permanent, session, thread = (cast_documents(bucket) for bucket in buckets)
    return Store(store.space, typed_log, store.jobs, store.dead, blobs, permanent, session, thread)


def cast_documents(door: Any) -> Documents:
    return door  # type: ignore[no-any-return]


def main() -> None:
    point, count, victim, pattern, *names = sys.argv[1:]
    wire = Wire(point, int(count), victim, "" if pattern == "-" else pattern)
    ensure = topology.ensure

    async def ensure_doomed(*args: Any, **options: Any) -> Store:
        return doomed(await ensure(*args, **options), wire)

    topology.ensure = ensure_doomed
    settings = load().settings
    anyio.run(lambda: supervisor.run(settings, names, ready=lambda fleet: print("ready", flush=True)))


if __name__ == "__main__":
    main()
