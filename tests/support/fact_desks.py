"""A desk whose records are projected into fact documents, with short ways to state, delete and ask."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import msgspec
from desks import AGENT, Desk

from eunoe.audit import rules
from eunoe.audit.worker import LocalAuditor
from eunoe.facts.fold import View, fold
from eunoe.facts.kinds import Kinds
from eunoe.facts.lookup import Lookup
from eunoe.facts.projector import Projector
from eunoe.facts.reading import Reading
from eunoe.facts.store import FactStore
from eunoe.facts.viewing import Viewing
from eunoe.facts.visibility import Viewer
from eunoe.runtime.chains import ChainReader
from eunoe.runtime.doors import Store, Stored
from eunoe.schemas import ids, records, subjects
from eunoe.schemas.events import Event, FactEventBase, FactRecorded, SessionStateSet
from eunoe.schemas.facts import Assertion, Document, FactClass, Identity, Scope, Source, SourceClass
from eunoe.schemas.records import Record
from eunoe.schemas.requests import AppendReply, AppendRequest, DeadLetter, FactsRequest, FactView, ThreadState
from eunoe.schemas.subjects import Caller

PERSON = Caller("person", "ada")
EXTRACTION = Caller("worker", "extraction")


class FactDesk(Desk):
    """One space, with the audit worker and a projector; `catch_up` applies what the log has."""

    def __init__(self, folder: Path, store: Store | None = None) -> None:
        super().__init__(folder)
        if store is not None:
            self.store = store
            self.worker = self.new_worker()
        self.kinds = Kinds()
        self.facts = FactStore(self.store, self.kinds)
        self.projector = Projector(self.store, self.facts)
        lookup = Lookup(self.store, self.kinds, self.clock)
        self.reading = Reading(self.store, lookup, Viewing(lookup, self.kinds, self.clock), self.clock)
        self._numbers: dict[tuple[str, Caller], int] = {}

    def replica(self) -> Projector:
        return Projector(self.store, FactStore(self.store, self.kinds))

    def auditor(self, caller: Caller) -> LocalAuditor:
        return LocalAuditor(self.worker, caller)

    async def write(self, chain: str, *events: Event, caller: Caller = AGENT) -> AppendReply:
        """Append events of no turn, under the next number of the caller; what is conditional finds facts projected."""
        if any(map(_conditional, events)):
            await self.catch_up()
        n = self._numbers.get((chain, caller), 0) + 1
        reply = await self.auditor(caller).append(chain, AppendRequest(v=1, producer="desk", n=n, events=events))
        self._numbers[chain, caller] = n
        return reply

    async def plant(self, chain: str, *events: Event, caller: Caller = AGENT) -> None:
        """Put a record into the log past the audit worker's checks, as one from elsewhere may be there."""
        n = self._numbers[chain, caller] = self._numbers.get((chain, caller), 0) + 1
        request = AppendRequest(v=1, producer="desk", n=n, events=events)
        head = await ChainReader(self.store.log, self.store.space).head(chain)
        append = rules.Append(caller, self.store.space, chain, request, "", self.clock.now())
        decided = rules.decide(head, append)
        assert isinstance(decided, rules.Write)
        data, _ = records.seal(decided.header, decided.events)
        subject = subjects.chain_subject(self.store.space, chain, append.part)
        position = head.position if head else 0
        await self.store.log.append(subject, data, expect=(subjects.chain_filter(self.store.space, chain), position))

    async def stored(self) -> list[Stored]:
        return [stored async for stored in self.store.log.scan()]

    async def records(self) -> list[Record]:
        """Every record of the log."""
        return [records.read(stored.seq, stored.data) for stored in await self.stored()]

    async def catch_up(self) -> None:
        for stored in await self.stored():
            await self.projector.apply(stored)

    async def document(self, identity: Identity) -> Document:
        """The document of a fact as it is stored, which must be there."""
        found = await self.facts.document(identity)
        assert found is not None
        return found

    async def state(self, thread: str = "t") -> ThreadState:
        """The thread's state as it is stored, which must be there."""
        entry = await self.store.thread.get(subjects.state_key(thread))
        assert entry is not None
        return msgspec.json.decode(entry.value, type=ThreadState)

    async def letters(self) -> list[DeadLetter]:
        return [msgspec.json.decode(stored.data, type=DeadLetter) async for stored in self.store.dead.scan()]

    @asynccontextmanager
    async def projecting(self) -> AsyncIterator[None]:
        """Apply every record as soon as it is there, for as long as the context is open."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._follow)
            yield
            tasks.cancel_scope.cancel()

    async def _follow(self) -> None:
        async for stored in self.store.log.follow():
            await self.projector.apply(stored)

    async def listed(self, viewer: Viewer, request: FactsRequest | None = None) -> list[FactView]:
        return list((await self.reading.list(request or FactsRequest(), viewer)).facts)

    def view(self, document: Document) -> View:
        """What a document says, whenever it holds."""
        return fold(document, single=self.kinds[document.identity.subject].single)

    async def contents(self) -> dict[str, bytes]:
        """Every document of the three buckets, by bucket and key."""
        return {
            f"{scope} {entry.key}": entry.value
            for scope in subjects.BUCKETS
            async for entry in self.store.bucket(scope).scan()
        }


def _conditional(event: Event) -> bool:
    if isinstance(event, FactRecorded | SessionStateSet):
        return event.expected is not None
    return isinstance(event, FactEventBase)


def written(chain: str, n: int, index: int = 0, caller: Caller = AGENT) -> str:
    """The id of the fact in the caller's ``n``-th write at a desk."""
    return ids.fact_id(chain, records.origin(caller, "desk", n), index)


def named(scope: Scope = "thread", owner: str = "t", subject: str = "tests", name: str = "pytest") -> Identity:
    """The identity of what `recorded` states, unless something else is said there too."""
    return Identity(scope=scope, owner=owner, subject=subject, name=name)


def recorded(
    value: str,
    *,
    subject: str = "tests",
    name: str = "pytest",
    scope: Scope = "thread",
    owner: str = "t",
    kind: SourceClass = "model",
    who: str = "builder",
    at: int = 0,
    fact_class: FactClass = "dynamic",
) -> FactRecorded:
    identity = named(scope, owner, subject, name)
    source = Source(kind=kind, principal=who)
    return FactRecorded(fact=Assertion(identity=identity, value=value, source=source, at=at, fact_class=fact_class))
