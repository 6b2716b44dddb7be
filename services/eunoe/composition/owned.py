"""What one owner's documents say, changed one document at a time. Pure but for the owner itself."""

from __future__ import annotations

import logging

import msgspec

from eunoe.composition import known
from eunoe.composition.known import Known
from eunoe.composition.shelf import Shelf
from eunoe.facts import document as documents
from eunoe.facts.fold import fold
from eunoe.facts.kinds import Kinds
from eunoe.schemas import subjects
from eunoe.schemas.facts import Document
from eunoe.schemas.requests import ThreadState

logger = logging.getLogger(__name__)

OWNER = 2_000  # bytes of memory of one that has nothing
KEY = 200  # bytes of memory for the key of a document and its revision
PRODUCER = 300  # bytes of memory for a producer in a thread's state

_state = msgspec.json.Decoder(ThreadState)


class Owned:
    """The facts of a thread, a session, or an agent (``thread`` is empty but for a thread), and a thread's state.

    Changes may come in any order and any number of times: the newest revision of each document counts.
    """

    def __init__(self, owner: str, kinds: Kinds, thread: str = "") -> None:
        self.owner = owner
        self.facts = Shelf()
        self.tasks = Shelf()
        self.state: ThreadState | None = None
        self._kinds = kinds
        self._thread = thread
        self._revisions: dict[str, int] = {}

    @property
    def size(self) -> int:
        """About how many bytes of memory this takes, also when it has no facts."""
        state = len(self.state.producers) * PRODUCER if self.state else 0
        return OWNER + self.facts.size + self.tasks.size + state + len(self._revisions) * KEY

    @property
    def position(self) -> int:
        """Up to where the log is in the documents of this thread."""
        return self.state.position if self.state else 0

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
        if not subjects.is_fact_key(key):
            self.state = _state.decode(value) if value is not None else None
            return
        found = lines(documents.decode(value), self._kinds, self._thread) if value is not None else ()
        apart = bool(self._thread)
        self.tasks.put(key, (fact for fact in found if apart and fact.task))
        self.facts.put(key, (fact for fact in found if not (apart and fact.task)))


def lines(document: Document, kinds: Kinds, thread: str) -> tuple[Known, ...]:
    """The facts in force of one document, as seen from a thread."""
    view = fold(document, single=kinds[document.identity.subject].single)
    return known.known(view, thread)
