"""Threads in the order in which they last changed, page by page, in constant memory."""

from __future__ import annotations

import heapq

import msgspec

from eunoe.facts import pages
from eunoe.facts.pages import Cursor
from eunoe.facts.visibility import Viewer
from eunoe.runtime.closing import closing
from eunoe.runtime.doors import Documents, Entry, Store
from eunoe.schemas import subjects
from eunoe.schemas.errors import Denied
from eunoe.schemas.requests import ThreadsReply, ThreadsRequest, ThreadState


class _Placed(msgspec.Struct, frozen=True):
    """Of a thread's state the log position that it reflects."""

    position: int = 0


_state = msgspec.json.Decoder(ThreadState)
_placed = msgspec.json.Decoder(_Placed)


class Threads:
    """Lists the threads of one space, for whoever may see all of them."""

    def __init__(self, store: Store) -> None:
        self._bucket: Documents = store.thread

    async def list(self, request: ThreadsRequest, viewer: Viewer) -> ThreadsReply:
        """A page of threads, or turned round; raises `Denied` for an agent and a tool."""
        if not viewer.trusted:
            raise Denied(f"{viewer.caller.kind} may not list threads; a person or a viewer may")
        limit, cursor = pages.limit(request.limit), pages.read(request.cursor)
        after = cursor.revision if cursor else 0
        if request.newest:
            return await self._newest(limit, after)
        pages.check(cursor, await self._bucket.revision() if cursor else 0)
        return await self._oldest(limit, after)

    async def _oldest(self, limit: int, after: int) -> ThreadsReply:
        kept: dict[str, Entry] = {}
        async with closing(self._bucket.scan([subjects.states_filter()], after=after)) as entries:
            async for entry in entries:
                if len(kept) >= limit:
                    return _reply(list(kept.values()), after)
                kept[entry.key] = entry
                after = entry.revision
        return _reply(list(kept.values()))

    async def _newest(self, limit: int, before: int) -> ThreadsReply:
        """The last ``limit`` threads before a position of the log (0: of all); one pass, little more kept than a page.

        Revisions would not do: threads that were made again were written in no order.
        """
        newest = _Newest(limit + 1)
        async with closing(self._bucket.scan([subjects.states_filter()])) as entries:
            async for entry in entries:
                newest.add(entry, before)
        page = newest.entries()[:limit]
        return _reply(page, _placed.decode(page[-1].value).position if newest.full else 0)


class _Newest:
    """The entries of the highest positions; one that comes again replaces its earlier state."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: dict[str, tuple[int, Entry]] = {}
        self._heap: list[tuple[int, str]] = []  # what was kept of each, the lowest position first

    @property
    def full(self) -> bool:
        return len(self._kept) == self._size

    def add(self, entry: Entry, before: int) -> None:
        position = _placed.decode(entry.value).position
        self._kept.pop(entry.key, None)
        if before and position >= before:
            return
        self._kept[entry.key] = position, entry
        heapq.heappush(self._heap, (position, entry.key))
        while len(self._kept) > self._size:
            lowest, key = heapq.heappop(self._heap)
            if key in self._kept and self._kept[key][0] == lowest:
                del self._kept[key]

    def entries(self) -> list[Entry]:
        """The last one first."""
        return [entry for _, entry in sorted(self._kept.values(), key=lambda one: one[0], reverse=True)]


def _reply(page: list[Entry], after: int = 0) -> ThreadsReply:
    """``after`` is the revision, or from the newest on the position, behind which the next page begins."""
    threads = tuple(_state.decode(entry.value) for entry in page)
    return ThreadsReply(threads=threads, cursor=str(Cursor("thread", revision=after)) if after else "")
