"""What one owner's documents say, changed one document at a time. Pure but for the owner itself."""

from __future__ import annotations

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
        """About how many bytes of memory this takes."""
        return self.facts.size + self.tasks.size

    @property
    def position(self) -> int:
        """Up to where the log is in the documents of this thread."""
        return self.state.position if self.state else 0

    def take(self, key: str, value: bytes | None, revision: int) -> None:
        """One document as it is at a revision; None for one that was deleted."""
        if revision <= self._revisions.get(key, 0):
            return
        self._revisions[key] = revision
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
