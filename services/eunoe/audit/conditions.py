"""What an append needs to be so of facts and sessions: decided at its compare-and-set, from what the chain's end says.

Documents are read once they reflect the end of the chain that the append comes to; when somebody else was faster,
it is decided again from the new end. So of two edits of what both have seen, one is refused. What another chain
says meanwhile (a turn's extracted facts) is no edit of the fact, and does not count as one; but what is approved or
moved out of another chain stands as that one said when it was looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import msgspec

from eunoe.audit import acts, authority, derived, pins, statements
from eunoe.audit.patience import NotYet
from eunoe.audit.pins import Shelf
from eunoe.audit.rules import Append, Write
from eunoe.facts import document as documents
from eunoe.facts.acts import ActEvent
from eunoe.facts.admission import event_id, told
from eunoe.facts.document import BelowFloor
from eunoe.facts.kinds import Kinds
from eunoe.facts.store import FactStore
from eunoe.runtime.chains import ChainReader, Head
from eunoe.runtime.doors import Store
from eunoe.runtime.settings import Settings
from eunoe.schemas import ids, subjects
from eunoe.schemas.errors import Busy, Denied, Stale
from eunoe.schemas.events import BookEvent, FactEventBase, FactRecorded, SessionStateSet, StatingEvent
from eunoe.schemas.facts import Document, Identity, Indexed, SessionRecord
from eunoe.schemas.records import Record

WAIT_SECONDS = 5.0  # seconds that an append waits for facts to reflect the end of its chain
JOIN_SECONDS = 1.0  # seconds that an agent's turn may take to show in the record of its session
_AHEAD = 1 << 62  # a position after every other: where the record of the append would be
_PINNED = b'"pinned"'  # what the bytes of a document with a pin hold


class _Reached(msgspec.Struct):
    """What a thread's state and a book's mark have in common."""

    position: int = 0


_reached = msgspec.json.Decoder(_Reached)
_index = msgspec.json.Decoder(Indexed)
_session = msgspec.json.Decoder(SessionRecord)


class Conditions:
    """Reads what appends to one space are conditional on, as its settings say."""

    def __init__(self, store: Store, chains: ChainReader, settings: Settings) -> None:
        self._store = store
        self._chains = chains
        self._kinds = Kinds(settings.kinds)
        self._facts = FactStore(store, self._kinds)
        self._budget = settings.pinned_tokens
        self._keepers = settings.permanent_agents

    async def check(self, append: Append, head: Head | None, write: Write) -> None:
        """Refuse the append that would be written as ``write`` after ``head``.

        Raises `Stale`, `NotFound`, `Denied`, `Invalid` and `DoesNotFit`, and `NotYet` while documents are behind.
        """
        asked = append.request.events
        if not any(isinstance(event, BookEvent) for event in asked):
            return
        authority.check_keeps(append.caller, asked, self._keepers)
        derived.check_records(append.caller, asked, self._kinds)
        record = Record(position=_AHEAD, header=write.header, hash="", events=write.events)
        statements.check(record, self._kinds)
        if append.caller.role == "agent" and (session := _joined(append)):
            await self._check_takes_part(append.caller.principal, session)
        if any(map(_conditional, asked)):
            await self._check_facts(append, record, head.position if head else 0)

    async def _check_facts(self, append: Append, record: Record, end: int) -> None:
        asked, chain = append.request.events, append.chain
        targets = await self._targets(chain, record, end)
        acts.check_targets(record, self._kinds, targets)
        turn = record.header.open.get(append.request.turn)
        if turn is not None and turn.preview:
            acts.check_previewed(turn, targets)
        needed = set(acts.needed(asked, record, self._kinds, targets))
        shelves = pins.wanted(asked, targets)
        if not (needed or shelves or any(isinstance(event, SessionStateSet) for event in asked)):
            return
        await self._reflected(chain, end)
        for other in sorted(acts.origins(asked, targets) - {chain}):
            head = await self._chains.head(other)
            await self._reflected(other, head.position if head else 0)
        await self._check_session_state(append, record)
        found = {**await self._pinned(shelves), **await self._documents(needed)}
        try:
            self._check(append, record, targets, found)
        except BelowFloor:
            found = {identity: await self._complete(identity) for identity in found}
            self._check(append, record, targets, found)

    def _check(
        self, append: Append, record: Record, targets: Mapping[str, Indexed], found: Mapping[Identity, Document]
    ) -> None:
        asked, now = append.request.events, record.header.time
        acts.check(asked, record, self._kinds, targets, found, now=now, budget=self._budget)

    async def _targets(self, chain: str, record: Record, end: int) -> Mapping[str, Indexed]:
        """What acts are about, by id: in the append itself, else in the index once that reflects the chain's end."""
        near = {one.stated.id: one.indexed for one in told(record, self._kinds)}
        wanted = {event.id for event in record.events if isinstance(event, ActEvent)} - near.keys()
        found = await self._indexed(wanted)
        if wanted - found.keys():
            await self._reflected(chain, end)
            found = await self._indexed(wanted)
        return {**near, **found}

    async def _indexed(self, wanted: Collection[str]) -> dict[str, Indexed]:
        found: dict[str, Indexed] = {}
        for scope in subjects.BUCKETS:
            missing = sorted(wanted - found.keys())
            if missing:
                entries = (await self._store.bucket(scope).find([subjects.index_key(fact) for fact in missing])).entries
                found.update({one.id: one for one in (_index.decode(entry.value) for entry in entries)})
        return found

    async def _documents(self, identities: Iterable[Identity]) -> dict[Identity, Document]:
        """The documents of identities, whole where a bounded one cannot tell what holds now."""
        return {identity: await self._document(identity) for identity in identities}

    async def _document(self, identity: Identity) -> Document:
        return await self._telling(await self._facts.document(identity) or documents.empty(identity))

    async def _telling(self, document: Document) -> Document:
        return document if documents.sufficient(document) else await self._complete(document.identity)

    async def _complete(self, identity: Identity) -> Document:
        self._facts.forget()  # a session that it remembers may have ended since: other workers end them
        return await self._facts.complete(identity)

    async def _pinned(self, shelves: Iterable[Shelf]) -> dict[Identity, Document]:
        """The documents of some owners that hold a pin, whole where a bounded one cannot tell what holds now."""
        found: dict[Identity, Document] = {}
        for scope, owner, preview in shelves:
            filters = [subjects.previews_of(preview, owner) if preview else subjects.facts_of(owner)]
            async for entry in self._store.bucket(scope).scan(filters):
                if _PINNED in entry.value:
                    document = await self._telling(documents.decode(entry.value))
                    found[document.identity] = document
        return found

    async def _reflected(self, chain: str, end: int) -> None:
        """Return once documents reflect a chain up to its end, as they mostly do at once."""

        async def reflected() -> bool:
            return await self._position(chain) >= end

        refusal = Busy(
            f"the facts of {subjects.chain_name(chain)} are behind what was written there; "
            "see with `eunoe status` that the facts worker runs, and try again"
        )
        await NotYet(refusal, reflected, WAIT_SECONDS).hold()

    async def _position(self, chain: str) -> int:
        thread = subjects.chain_thread(chain)
        bucket, key = ("thread", subjects.state_key(thread)) if thread else subjects.book_mark(chain)
        entry = await self._store.bucket(bucket).get(key)
        return _reached.decode(entry.value).position if entry else 0

    async def _check_session_state(self, append: Append, record: Record) -> None:
        """Refuse a state of a session that was set from another one than its writer saw."""
        if not any(isinstance(event, SessionStateSet) for event in append.request.events):
            return
        session = _owner(append.chain)
        found = await self._session(session)
        current, state = (found.state_id, found.state) if found else ("", "")
        for index, event in enumerate(append.request.events):
            if not isinstance(event, SessionStateSet):
                continue
            if event.expected not in (None, current):
                raise Stale(
                    f"the session {session!r} carries the state {current or 'of nobody'}, and you saw "
                    f"{event.expected or 'none'}; look at it again, and decide anew",
                    current=current,
                    value=state,
                )
            current, state = event_id(record, index), event.state

    async def _check_takes_part(self, agent: str, session: str) -> None:
        """Refuse an agent without an open turn in a session; the session's record may be about to name its thread."""

        async def takes_part() -> bool:
            return await self._takes_part(agent, session)

        refusal = Denied(f"the agent {agent!r} has no turn open in the session {session!r}")
        await NotYet(refusal, takes_part, JOIN_SECONDS).hold()

    async def _takes_part(self, agent: str, session: str) -> bool:
        found = await self._session(session)
        for thread in reversed(found.threads if found else ()):
            head = await self._chains.head(subjects.thread_chain(thread))
            turns = head.header.open.values() if head else ()
            if any((turn.agent, turn.session) == (agent, session) for turn in turns):
                return True
        return False

    async def _session(self, session: str) -> SessionRecord | None:
        entry = await self._store.session.get(subjects.session_key(session))
        return _session.decode(entry.value) if entry else None


def _conditional(event: object) -> bool:
    """Whether an event can only be decided with what is known: it names a fact, or what its writer saw."""
    if isinstance(event, SessionStateSet):
        return event.expected is not None
    return isinstance(event, FactEventBase) and (event.expected is not None or not isinstance(event, FactRecorded))


def _joined(append: Append) -> str:
    """The session in whose book an agent writes what only somebody who takes part in it may; empty for none."""
    session = _owner(append.chain) if append.chain.startswith(authority.SESSION_BOOKS) else ""
    said = any(isinstance(event, SessionStateSet | StatingEvent) for event in append.request.events)
    return session if said else ""


def _owner(book: str) -> str:
    return ids.decode(book.rpartition(".")[2])
