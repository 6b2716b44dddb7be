"""Documents that were written a moment ago, and who writes which: so that the next change of one costs no read."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import AbstractAsyncContextManager

from eunoe.runtime.doors import Entry
from eunoe.runtime.locks import Locks
from eunoe.schemas import limits

Place = tuple[str, str]
"""Scope and key of a document."""

_BYTES = 16 * limits.MIB  # bytes of documents that are remembered


class Recent:
    """Least recently written documents with their revisions, bounded in bytes.

    What is remembered may be stale: a compare-and-set finds out, and only what was read says that a document
    is as it should be.
    """

    def __init__(self, size: int = _BYTES) -> None:
        self._size = size
        self._entries: OrderedDict[Place, Entry] = OrderedDict()
        self._bytes = 0
        self._writing = Locks[Place]()

    def alone(self, place: Place) -> AbstractAsyncContextManager[None]:
        """One writer of a document at a time in this process; others would only lose the race."""
        return self._writing.alone(place)

    def get(self, place: Place) -> Entry | None:
        return self._entries.get(place)

    def keep(self, place: Place, entry: Entry) -> None:
        self.forget(place)
        self._entries[place] = entry
        self._bytes += len(entry.value)
        while self._bytes > self._size:
            self.forget(next(iter(self._entries)))

    def forget(self, place: Place) -> None:
        entry = self._entries.pop(place, None)
        self._bytes -= len(entry.value) if entry else 0

    def clear(self) -> None:
        self._entries.clear()
        self._bytes = 0
