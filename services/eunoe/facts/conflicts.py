"""Logging conflicts: that sources began or ceased to disagree about a fact, each time once.

It is decided from a document that reflects the end of its home chain, and appended to that chain under the number
that was next there: of several replicas one is first, and the others decide again when its record is in the document.
What a killed worker left undone is found by the next change of the document, or by the look at all of them at start
and when they were made again. What time alone makes so is found when its moment has come.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

import anyio

from eunoe.facts import disagreeing, lenient
from eunoe.facts import document as documents
from eunoe.facts.duty import Duty, Shared
from eunoe.facts.fold import fold
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Busy, EunoeError, NumberReused, NumberSkipped
from eunoe.schemas.events import ConflictRaised, ConflictResolved
from eunoe.schemas.facts import Document, Identity
from eunoe.schemas.requests import AppendRequest

logger = logging.getLogger(__name__)

PRODUCER = "conflicts"
_WAIT_SECONDS = 10.0  # seconds that documents may take to reflect the end of a chain
_LOOK_SECONDS = 0.02  # seconds between two looks whether a document reflects the end of its chain
_AGAIN_SECONDS = 1.0  # seconds before a chain that is too busy is tried again
_MOMENTS_SECONDS = 15.0  # seconds between two looks whether the moment of a document has come
_TRIES = 64  # numbers in a row that may be lost to other replicas
_TRANSIENT = 3  # exit code of what passes by itself

_Told = ConflictRaised | ConflictResolved


class Conflicts(Duty):
    """Looks at every document that changes, after it did, and at the moments from which it says something else."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._changed: dict[str, dict[Identity, None]] = {}
        self._moments: dict[Identity, int] = {}
        self._news = anyio.Event()
        self._counts = {"conflicts_raised": 0, "conflicts_resolved": 0}
        self._look_again()
        shared.facts.listen(self.note)
        shared.store.generations.changed.append(self._look_again)

    def loops(self) -> Mapping[str, Callable[[], Awaitable[None]]]:
        return {"the audit of conflicts waits": self._watch}

    def statistics(self) -> Mapping[str, int]:
        return dict(self._counts)

    def note(self, document: Document) -> None:
        """A document changed: look at it soon, unless it is plain that there is nothing to log."""
        if disagreeing.possible(document) and (not documents.sufficient(document) or self._event(document)):
            self._put(document.identity)

    async def scan(self) -> None:
        """Note every document that there is."""
        for scope in subjects.BUCKETS:
            async for entry in self._shared.store.bucket(scope).scan([subjects.facts_of()]):
                document = lenient.document(entry)
                if document is not None:
                    self.note(document)

    async def settle(self) -> None:
        """Log what is to be logged of the documents that changed, or whose moment has come."""
        now = self._shared.clock.now()
        for identity in [one for one, moment in self._moments.items() if moment <= now]:
            self._put(identity)
        while self._changed:
            chain = next(iter(self._changed))
            identities = self._changed.pop(chain)
            try:
                await self._settle(chain, list(identities))
            except EunoeError as error:
                if error.exit_code != _TRANSIENT:
                    logger.error("conflicts of %s are not logged: %s", chain, error, extra={"action": "not_logged"})
                    continue
                self._changed.setdefault(chain, {}).update(identities)
                self._news.set()
                raise

    def _put(self, about: Identity) -> None:
        self._changed.setdefault(subjects.home_chain(about.scope, about.owner), {})[about] = None
        self._news.set()

    def _look_again(self) -> None:
        """No document was looked at yet; or they were made again, and an erasure may have left others than before."""
        self._unseen = True
        self._news.set()

    async def _watch(self) -> None:
        while True:
            with anyio.move_on_after(_MOMENTS_SECONDS):
                await self._news.wait()
            self._news = anyio.Event()
            if self._unseen:
                await self._look()
            try:
                await self.settle()
            except Busy as error:
                logger.info("conflicts wait: %s", error, extra={"action": "conflicts_wait"})
                await anyio.sleep(_AGAIN_SECONDS)

    async def _look(self) -> None:
        self._unseen = False
        try:
            await self.scan()
        except BaseException:
            self._look_again()
            raise

    async def _settle(self, chain: str, identities: Sequence[Identity]) -> None:
        for start in range(0, len(identities), limits.EVENTS_PER_RECORD):
            some = identities[start : start + limits.EVENTS_PER_RECORD]
            for _ in range(_TRIES):
                if await self._settled(chain, some):
                    break
            else:
                raise Busy(f"{_TRIES} other replicas were first to log conflicts of {chain}")

    async def _settled(self, chain: str, identities: Iterable[Identity]) -> bool:
        """Decide and append, under the next number of the chain; False when another replica was first."""
        head = await self._shared.auditor.head(chain, PRODUCER)
        await self._reflected(chain, head.position)
        async with self._shared.gate.passing():
            events = [event for identity in identities if (event := await self._due(identity))]
        if not events:
            return True
        request = AppendRequest(v=limits.SCHEMA_VERSION, producer=PRODUCER, n=head.n + 1, events=tuple(events))
        try:
            reply = await self._shared.auditor.append(chain, request)
        except (NumberReused, NumberSkipped):
            return False
        if not reply.duplicate:
            self._told(chain, events)
        return True

    async def _reflected(self, chain: str, end: int) -> None:
        with anyio.move_on_after(_WAIT_SECONDS):
            while await self._position(chain) < end:  # noqa: ASYNC110  # a document sets no event
                await anyio.sleep(_LOOK_SECONDS)
            return
        raise Busy(f"the facts of {subjects.chain_name(chain)} are behind what was written there")

    async def _position(self, chain: str) -> int:
        return (await self._shared.projector.reached(chain, fresh=True))[0].position

    async def _due(self, identity: Identity) -> _Told | None:
        facts = self._shared.facts
        document = await facts.document(identity)
        if document is None:
            self._moments.pop(identity, None)
            return None
        return self._event(document if documents.sufficient(document) else await facts.complete(identity))

    def _event(self, document: Document) -> _Told | None:
        """What is to be logged of a document now; when time alone may change that is remembered."""
        now, single = self._shared.clock.now(), self._shared.kinds[document.identity.subject].single
        self._moments.pop(document.identity, None)
        if moment := documents.changes_at(document, now):
            self._moments[document.identity] = moment
        return disagreeing.event(document, fold(document, single=single, valid=now))

    def _told(self, chain: str, events: Sequence[_Told]) -> None:
        for event in events:
            raised = isinstance(event, ConflictRaised)
            self._counts["conflicts_raised" if raised else "conflicts_resolved"] += 1
            logger.info(
                "sources of %s %s %s",
                event.identity.subject,
                event.identity.name,
                f"disagree: {', '.join(event.facts)}" if raised else "agree again",
                extra={"action": "conflict_raised" if raised else "conflict_resolved", "chain": chain},
            )
