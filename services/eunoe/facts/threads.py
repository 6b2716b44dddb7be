"""Threads in the order in which they last changed, page by page, in constant memory."""

from __future__ import annotations

import msgspec

from eunoe.facts import pages
from eunoe.facts.pages import Cursor
from eunoe.facts.visibility import Viewer
from eunoe.runtime.closing import closing
from eunoe.runtime.doors import Documents, Entry, Store
from eunoe.schemas import subjects
from eunoe.schemas.errors import Denied
from eunoe.schemas.requests import ThreadsReply, ThreadsRequest, ThreadState

_state = msgspec.json.Decoder(ThreadState)


class Threads:
    """Lists the threads of one space, for whoever may see all of them."""

    def __init__(self, store: Store) -> None:
        self._bucket: Documents = store.thread

    async def list(self, request: ThreadsRequest, viewer: Viewer) -> ThreadsReply:
        """A page of threads, or turned round; raises `Denied` for an agent and a tool."""
        if not viewer.trusted:
            raise Denied(f"{viewer.caller.kind} may not list threads; a person or a viewer may")
        limit, cursor = pages.limit(request.limit), pages.read(request.cursor)
        pages.check(cursor, await self._bucket.revision() if cursor else 0)
        after = cursor.revision if cursor else 0
        return await (self._newest(limit, after) if request.newest else self._oldest(limit, after))

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
        """The last ``limit`` threads before a revision (0: of all); one pass, and no more kept than a page."""
        kept: dict[str, Entry] = {}
        async with closing(self._bucket.scan([subjects.states_filter()])) as entries:
            async for entry in entries:
                if before and entry.revision >= before:
                    break
                kept.pop(entry.key, None)
                kept[entry.key] = entry
                if len(kept) > limit + 1:
                    del kept[next(iter(kept))]
        page = list(reversed(kept.values()))[:limit]
        return _reply(page, page[-1].revision if len(kept) > limit else 0)


def _reply(page: list[Entry], after: int = 0) -> ThreadsReply:
    threads = tuple(_state.decode(entry.value) for entry in page)
    return ThreadsReply(threads=threads, cursor=str(Cursor("thread", revision=after)) if after else "")
