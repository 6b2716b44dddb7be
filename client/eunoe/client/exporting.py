"""A thread's export through the ``records`` verb: the same lines as an export from the store itself."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence

from eunoe.audit.contents import Named
from eunoe.audit.export import VERSION, Opening, written
from eunoe.client.gate import Gate
from eunoe.runtime.chains import head_of
from eunoe.runtime.doors import Stored
from eunoe.schemas import blobs, subjects
from eunoe.schemas.errors import NotFound
from eunoe.schemas.requests import RecordsReply, RecordsRequest, ShowReply, ShowRequest


def export(gate: Gate, thread: str) -> AsyncIterator[bytes]:
    """Lines with their newlines, in bounded memory; raises `NotFound` for a thread that is not there."""

    async def fetch(content: Named) -> Sequence[bytes | None]:
        """The pieces of a large content, cut again from the whole."""
        shown = await gate.ask("show", ShowRequest(entry=content.entry), ShowReply, content.chain)
        blob, pieces = blobs.split(shown.entries[0].content)
        found = dict(zip(blob.pieces, pieces, strict=True))
        return [found.get(digest) for digest in content.blob.pieces]

    now = time.time_ns() // 1_000_000
    return written(
        Opening(eunoe_export=VERSION, space=gate.space, time=now, thread=thread), _records(gate, thread), fetch
    )


async def _records(gate: Gate, thread: str) -> AsyncIterator[Stored]:
    after, more = 0, True
    while more:
        page = await gate.ask("records", RecordsRequest(after=after), RecordsReply, subjects.thread_chain(thread))
        if not page.records and not after:
            raise NotFound(f"there is no thread {thread!r}; `eunoe threads` lists what there is")
        for record in page.records:
            stored = Stored(record.subject, record.position, record.data.encode())
            after = head_of(stored).header.record
            yield stored
        more = page.more and bool(page.records)
