"""What a store holds in the end, in the words that a test compares."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import msgspec
from polling import until_found
from transcripts import Said

from eunoe.audit.anchors import load_anchors, path_for
from eunoe.audit.verify import Problem, Verifier
from eunoe.client import receipts
from eunoe.facts.kinds import Kinds
from eunoe.facts.projector import Projector
from eunoe.facts.store import FactStore
from eunoe.runtime import doors, durables, topology
from eunoe.runtime.connection import connect
from eunoe.runtime.doors import Store
from eunoe.runtime.jetstream import JetStream
from eunoe.runtime.requester import Requester
from eunoe.runtime.settings import Settings
from eunoe.schemas import records, subjects
from eunoe.schemas.errors import EunoeError
from eunoe.schemas.events import Entry, Event, Extracted, TurnCommitted, TurnOpened
from eunoe.schemas.requests import ThreadState
from eunoe.schemas.subjects import BUCKETS, ORIGIN_KEY, REBUILD_KEY, Caller
from eunoe.testing import memory_store

_RECORDED = re.compile(rb'"recorded":\d+')


@dataclass(slots=True)
class Chain:
    """One thread as its log has it. Numbers are in the order of the log."""

    said: list[Said] = field(default_factory=list)
    digests: dict[int, str] = field(default_factory=dict)
    entries: list[int] = field(default_factory=list)
    opened: list[int] = field(default_factory=list)
    committed: list[int] = field(default_factory=list)
    extracted: list[int] = field(default_factory=list)
    records: int = 0

    def take(self, event: Event) -> None:
        match event:
            case TurnOpened():
                self.opened.append(event.turn)
            case TurnCommitted():
                self.committed.append(event.ordinal)
            case Extracted():
                self.extracted.append(event.ordinal)
            case _ if isinstance(event, Entry):
                self.entries.append(event.entry)
                self.said.append((type(event).__name__, event.content))
                if event.blob:
                    self.digests[event.entry] = event.blob.digest
            case _:
                pass


@dataclass(slots=True)
class Seen:
    """A whole log: its chains by thread, what its verification complains of, and positions that hold nothing."""

    chains: dict[str, Chain] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    gaps: tuple[int, ...] = ()
    records: int = 0


class Witness:
    """Looks at one space with a connection of its own."""

    def __init__(self, store: Store, jetstream: JetStream) -> None:
        self.store = store
        self._jetstream = jetstream

    async def log(self, settings: Settings) -> Seen:
        """Read the log from its beginning to its end, and verify it against anchors and receipts."""
        seen, verifier = Seen(), Verifier()
        path = path_for(settings.anchors_path, settings.space)
        verifier.expect(load_anchors(path), receipts.read(settings.data / receipts.FILE))
        async for stored in self.store.log.scan():
            verifier.feed(stored)
            record = records.read(stored.seq, stored.data)
            chain = seen.chains.setdefault(subjects.chain_thread(record.header.chain), Chain())
            chain.records += 1
            for event in record.events:
                chain.take(event)
        seen.problems, seen.records = verifier.verdict().problems, verifier.records
        seen.gaps = (await self.store.log.info(gaps=True)).gaps
        return seen

    async def documents(self) -> dict[str, bytes]:
        """Every document of the three buckets but what they say of themselves, by bucket and key; without when it was
        recorded or changed, which two runs of the same work do not share."""
        return {
            f"{scope} {entry.key}": _timeless(entry)
            for scope in BUCKETS
            async for entry in self.store.bucket(scope).scan()
            if entry.key not in (ORIGIN_KEY, REBUILD_KEY)
        }

    async def projected(self) -> dict[str, bytes]:
        """The documents that the log gives when it is projected in one go by one worker."""
        memory = memory_store(self.store.space)
        fresh = replace(memory, log=self.store.log)
        projector = Projector(fresh, FactStore(fresh, Kinds()))
        async for stored in self.store.log.scan():
            await projector.apply(stored)
        return await Witness(fresh, self._jetstream).documents()

    async def dead(self) -> int:
        """Messages that were laid aside."""
        return (await self.store.dead.info()).count

    async def settled(self, *names: str, seconds: float = 60.0) -> None:
        """Wait until these workers (all that read the log: extraction, facts) are done with what is there."""

        async def idle() -> bool:
            try:
                waiting = [await durables.pending(self._jetstream, self.store.space, name) for name in names]
            except EunoeError:
                return False
            return all(pair == (0, 0) for pair in waiting)

        await until_found(idle, f"{' and '.join(names)} are done with the log", seconds)


@asynccontextmanager
async def witness(settings: Settings) -> AsyncIterator[Witness]:
    """A witness of a space whose streams are made where they are missing."""
    async with await connect(settings.url, caller=Caller("worker", "witness")) as connection:
        jetstream = JetStream(await Requester.open(connection))
        yield Witness(await topology.ensure(connection, settings.space), jetstream)


def _timeless(entry: doors.Entry) -> bytes:
    if not entry.key.startswith("state."):
        return _RECORDED.sub(b'"recorded":0', entry.value)
    state = msgspec.json.decode(entry.value, type=ThreadState)
    return msgspec.json.encode(msgspec.structs.replace(state, changed=0), order="deterministic")
