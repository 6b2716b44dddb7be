"""A thread's export through the ``records`` verb: the same lines as an export from the store itself."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

import msgspec

from eunoe.audit import contents
from eunoe.audit.anchors import KnownHeads, Mark
from eunoe.audit.export import VERSION, Closing, Opening, PieceLine
from eunoe.client.gate import Gate
from eunoe.runtime.doors import Stored
from eunoe.schemas import blobs, records, subjects
from eunoe.schemas.errors import NotFound
from eunoe.schemas.requests import RecordsReply, RecordsRequest, ShowReply, ShowRequest, StoredRecord


async def export(gate: Gate, thread: str) -> AsyncIterator[bytes]:
    """Lines with their newlines, in bounded memory; raises `NotFound` for a thread that is not there."""
    chain = subjects.thread_chain(thread)
    now = time.time_ns() // 1_000_000
    heads = KnownHeads()
    yield _line(Opening(eunoe_export=VERSION, space=gate.space, time=now, thread=thread))
    after, more = 0, True
    while more:
        page = await gate.ask("records", RecordsRequest(after=after), RecordsReply, chain)
        if not page.records and not after:
            raise NotFound(f"there is no thread {thread!r}; `eunoe threads` lists what there is")
        for stored in page.records:
            wire = records.open_wire(stored.data.encode())
            after = records.open_header(wire.header).record
            heads.last = max(heads.last, stored.position)
            heads.heads[chain] = Mark(after, stored.position, wire.hash)
            async for piece in _pieces(gate, chain, stored):
                yield _line(piece)
            yield _line(stored)
        more = page.more and bool(page.records)
    yield _line(Closing(anchor=heads.anchor(now, heads.heads)))


async def _pieces(gate: Gate, chain: str, stored: StoredRecord) -> AsyncIterator[PieceLine]:
    """The pieces of the large contents that a record names, cut again from the whole."""
    for content in contents.named(chain, Stored(stored.subject, stored.position, stored.data.encode())):
        shown = await gate.ask("show", ShowRequest(entry=content.entry), ShowReply, chain)
        blob, pieces = blobs.split(shown.entries[0].content)
        for digest, data in zip(blob.pieces, pieces, strict=True):
            yield PieceLine(piece=digest, chain=chain, data=data)


def _line(row: msgspec.Struct) -> bytes:
    return msgspec.json.encode(row) + b"\n"
