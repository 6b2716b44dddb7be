"""A thread's export through the ``records`` verb: the same lines as an export from the store itself."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

import msgspec

from eunoe.audit.anchors import Heads, Mark
from eunoe.audit.export import VERSION, Closing, Opening
from eunoe.client.gate import Gate
from eunoe.schemas import records, subjects
from eunoe.schemas.errors import NotFound
from eunoe.schemas.requests import RecordsReply, RecordsRequest


async def export(gate: Gate, thread: str) -> AsyncIterator[bytes]:
    """Lines with their newlines, in bounded memory; raises `NotFound` for a thread that is not there."""
    chain = subjects.thread_chain(thread)
    now = time.time_ns() // 1_000_000
    heads = Heads()
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
            yield _line(stored)
        more = page.more and bool(page.records)
    yield _line(Closing(anchor=heads.anchor(now, heads.heads)))


def _line(row: msgspec.Struct) -> bytes:
    return msgspec.json.encode(row) + b"\n"
