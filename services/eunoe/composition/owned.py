"""What one owner's documents say, changed one document at a time. Pure but for the owner itself."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import msgspec

from eunoe.composition import known, summary
from eunoe.composition.known import Known
from eunoe.composition.shelf import Shelf
from eunoe.composition.summary import Summary
from eunoe.facts import document as documents
from eunoe.facts import sessions
from eunoe.facts.fold import fold
from eunoe.facts.kinds import Kinds
from eunoe.schemas import subjects
from eunoe.schemas.facts import Document, Identity, SessionRecord
from eunoe.schemas.requests import SummaryDocument, ThreadState

logger = logging.getLogger(__name__)

OWNER = 2_000  # bytes of memory of one that has nothing
KEY = 200  # bytes of memory for the key of a document and its revision
PRODUCER = 300  # bytes of memory for a producer in a thread's state
SPAN = 120  # bytes of memory for a span of turns that a summary covers
DATED = 4  # bytes of memory for each byte of a document that is kept as a whole

_state = msgspec.json.Decoder(ThreadState)
_session = msgspec.json.Decoder(SessionRecord)
_summary = msgspec.json.Decoder(SummaryDocument)


class Owned:
    """The facts of a thread, a session, or an agent (``thread`` is empty but for a thread), with the thread's state
    and its running summary, and the session's record.

    Changes may come in any order and any number of times: the newest revision of each document counts. What is
    held is what holds at ``now`` (ms UTC), which `at` moves.
    """

    def __init__(self, owner: str, kinds: Kinds, thread: str = "") -> None:
        self.owner = owner
        self.facts = Shelf()
        self.tasks = Shelf()
        self.state: ThreadState | None = None
        self.summary: Summary | None = None
        self.session: SessionRecord | None = None
        self.now = 0
        self._kinds = kinds
        self._thread = thread
        self._revisions: dict[str, int] = {}
        self._dated: dict[str, tuple[int, Document]] = {}
        self._lacking: dict[str, Identity] = {}
        self._due = 0
        self._kept = 0

    @property
    def size(self) -> int:
        """About how many bytes of memory this takes, also when it has no facts."""
        state = len(self.state.producers) * PRODUCER if self.state else 0
        carried = len(self.session.state) if self.session else 0
        held = self.facts.size + self.tasks.size + DATED * self._kept + carried
        told = len(self.summary.text) + len(self.summary.turns) * SPAN if self.summary else 0
        return OWNER + held + state + told + len(self._revisions) * KEY

    @property
    def position(self) -> int:
        """Up to where the log is in the documents of this thread."""
        return self.state.position if self.state else 0

    def at(self, now: int) -> None:
        """Hold what holds at ``now``; of what was said to begin or end by then, the documents are folded again."""
        self.now = max(now, self.now)
        if not self._due or self.now < self._due:
            return
        for key, (due, document) in list(self._dated.items()):
            if due <= self.now:
                self._show(key, document)

    @property
    def lacking(self) -> Mapping[Identity, int]:
        """What the documents of do not tell what holds now, each with the revision of its document."""
        return {identity: self._revisions[key] for key, identity in self._lacking.items()}

    def complete(self, lacking: Mapping[Identity, int], found: Mapping[Identity, Document]) -> None:
        """Show what was ``lacking`` by its documents with their whole history, unless another revision came since."""
        for identity, document in found.items():
            key = documents.key(identity)
            if self._revisions.get(key) == lacking[identity]:
                self._show(key, document)

    def take(self, key: str, value: bytes | None, revision: int) -> None:
        """One document as it is at a revision; None for one that was deleted."""
        if revision <= self._revisions.get(key, 0):
            return
        self._revisions[key] = revision
        try:
            self._put(key, value)
        except msgspec.DecodeError as error:  # one document that cannot be read keeps no context from being made
            logger.error("document %s is left out: %s", key, error, extra={"action": "document_damaged"})

    def _put(self, key: str, value: bytes | None) -> None:
        if subjects.is_fact_key(key):
            self._show(key, documents.decode(value) if value is not None else None)
        elif key == subjects.session_key(self.owner):
            self._record(_session.decode(value) if value is not None else None)
        elif key == subjects.state_key(self.owner):
            self.state = _state.decode(value) if value is not None else None
        elif key == subjects.summary_key(self.owner):
            self.summary = summary.of(_summary.decode(value)) if value is not None else None

    def _record(self, record: SessionRecord | None) -> None:
        """The session's record; what is from before its end goes now, and the documents follow."""
        before, self.session = self.session, record
        end = record.ended if record else sessions.NEVER
        if end > (before.ended if before else sessions.NEVER):
            self.facts.keep(lambda fact: fact.newest > end)

    def _show(self, key: str, document: Document | None) -> None:
        if document is not None and self._kinds[document.identity.subject].record:
            document = None  # which is shown by its own surface
        if document is not None and self.session is not None:
            document = sessions.left(document, self.session.ended)
        self._lacking.pop(key, None)
        alone = known.alone(document, self._thread) if document is not None else None
        self._note(key, None if alone else document)
        if document is None or alone:
            self._shelve(key, (alone,) if alone else ())
            return
        if not documents.tells(document, self.now):
            self._lacking[key] = document.identity
        self._shelve(key, lines(document, self._kinds, self._thread, self.now))

    def _shelve(self, key: str, found: tuple[Known, ...]) -> None:
        """A thread's tasks stand on a shelf of their own."""
        tasks = tuple([fact for fact in found if fact.task]) if self._thread else ()
        if tasks or self.tasks.size:
            self.tasks.put(key, tasks)
        self.facts.put(key, tuple([fact for fact in found if not fact.task]) if tasks else found)

    def _note(self, key: str, document: Document | None) -> None:
        """Keep the documents that time alone will change."""
        if document is None and not self._dated:
            return
        kept = self._dated.pop(key, None)
        due = documents.changes_at(document, self.now) if document is not None else 0
        if document is not None and due:
            self._dated[key] = (due, document)
            self._kept += _weight(document)
        self._kept -= _weight(kept[1]) if kept else 0
        if kept or due:
            self._due = min((moment for moment, _ in self._dated.values()), default=0)


def lines(document: Document, kinds: Kinds, thread: str, now: int) -> tuple[Known, ...]:
    """The facts of one document in force at ``now`` (ms UTC), as seen from a thread."""
    view = fold(document, single=kinds[document.identity.subject].single, valid=now)
    return known.known(view, thread)


def _weight(document: Document) -> int:
    """Bytes of a document, about."""
    return sum(len(one.fact.value) + KEY for one in document.assertions)
