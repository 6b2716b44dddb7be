"""The doors to documents: one bucket, and the two sets of buckets that take turns. `doors` has them all."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

import msgspec

from eunoe.schemas.subjects import Bucket


class Entry(msgspec.Struct, frozen=True):
    """A document with its revision: that of its last write, higher than all before it (`eunoe.runtime.revisions`)."""

    key: str
    value: bytes
    revision: int


@dataclass(frozen=True, slots=True)
class Found:
    """Documents in order of key, and the bucket's revision up to which the answer speaks."""

    entries: tuple[Entry, ...]
    upto: int


@dataclass(frozen=True, slots=True)
class Change:
    """One change seen by a watch. ``value`` is None for a deleted key. ``live`` is False for what was there before."""

    key: str
    value: bytes | None
    revision: int
    live: bool


class Documents(Protocol):
    """One bucket: documents under keys, changed by compare-and-set. Keys are built by `eunoe.schemas.subjects`.

    When another generation of the bucket comes into use, what is read or written from then on is in that one, and
    what was under way begins again there. A revision of an older generation is reached by anything, and no document
    has it.
    """

    async def get(self, key: str) -> Entry | None: ...

    async def put(self, key: str, value: bytes, *, expect: int | None = None) -> int:
        """Write, and return the new revision. ``expect``: only if the key has that revision (0: no document).

        Raises `Conflict` when it has another, `OutcomeUnknown` when no answer came in time, `Unreachable` while
        a generation is replaced and its successor is not there yet, `Denied` with the bucket's name.
        """
        ...

    async def delete(self, key: str, *, expect: int | None = None) -> int:
        """Hide a document (a permanent marker stays as its newest revision); returns the marker's revision."""
        ...

    async def find(self, filters: Sequence[str], *, fence: int = 0) -> Found:
        """Every live document whose key matches one of the filters (``*`` a token, ``>`` the rest)."""
        ...

    async def few(self, filters: Sequence[str]) -> Found | None:
        """As `find`, in one round trip; None where more than `limits.FOUND_AT_ONCE` keys match, deleted ones too."""
        ...

    def scan(self, filters: Sequence[str] = (), *, after: int = 0) -> AsyncIterator[Entry]:
        """Every live document that matches, in order of revision after revision ``after``, in bounded memory.

        A document that is written meanwhile comes once or twice, the newest last; none is left out.
        """
        ...

    def watch(
        self, filters: Sequence[str] = (), *, after: int = 0, resume: bool = True
    ) -> AbstractAsyncContextManager[AsyncIterator[Change]]:
        """What is there with a revision after ``after``, then every change, in order of revision.

        Goes on by itself after a reconnect, and with everything there is after a change of generation; with
        ``resume`` False it raises `Unreachable` or `OutcomeUnknown` then, for somebody who must read everything again.
        """
        ...

    async def revision(self) -> int:
        """The revision of the bucket's last write, 0 when there was none."""
        ...

    def asking(self) -> AbstractAsyncContextManager[Callable[[], Awaitable[int]]]:
        """Ask for the `revision` on entering; the answer is waited for where it is called for, while other things
        are read meanwhile. It is as fresh as the entering."""
        ...


@dataclass(frozen=True, slots=True)
class InUse:
    """The set of buckets in use. ``whole``: its buckets say that they were filled together; ``sealed``: nothing can
    be written to it, for its successor is being made; ``new``: none of them says anything yet. ``left``: the set that
    was in use before is still there."""

    slot: int
    generation: int
    whole: bool
    sealed: bool = False
    new: bool = False
    left: bool = False


Buckets = Mapping[Bucket, Documents]
"""The three buckets of a set, by scope."""


class Generations(Protocol):
    """The two sets of buckets that take turns: one is in use, the other is made, and then replaces it.

    The set in use is the newest in which all three buckets name the origin of one generation.
    """

    changed: list[Callable[[], None]]
    """Called in the event loop after the documents of this process went over to another generation."""

    @property
    def current(self) -> int:
        """The generation that the documents of this process are in."""
        ...

    async def look(self) -> InUse:
        """Which set is in use now; where that is whole and newer than this process's, it goes over to it."""
        ...

    async def other(self, scope: Bucket) -> Documents | None:
        """One bucket of the other set; None where it is not there, or was in use."""
        ...

    async def prepare(self) -> Buckets:
        """The buckets of the other set, made where they are missing or left over from a set that was in use."""
        ...

    async def clear(self) -> None:
        """Make the buckets of the other set anew, empty; their revisions go on. Raises `Conflict` when somebody
        else makes them at the same time."""

    async def replicated(self) -> None:
        """Wait for a while until every server that keeps the other set, and is not away, has all of it."""

    async def seal(self) -> None:
        """From now on nobody can write to the set in use."""

    async def drop(self) -> None:
        """Delete the buckets of the set that is not in use."""
