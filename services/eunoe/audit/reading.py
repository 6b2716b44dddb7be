"""Entries as people and recalls see them, and records as stored: the audit worker's read verbs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import msgspec

from eunoe.audit import showing
from eunoe.audit.pieces import Pieces
from eunoe.facts.visibility import Viewer, visible
from eunoe.runtime import payload
from eunoe.runtime.chains import ChainReader, Head
from eunoe.runtime.doors import Stored
from eunoe.schemas import limits
from eunoe.schemas.errors import Denied, Invalid, NotFound
from eunoe.schemas.events import EntryBase
from eunoe.schemas.facts import Identity
from eunoe.schemas.records import Record
from eunoe.schemas.requests import RecordsReply, RecordsRequest, Shown, ShowReply, ShowRequest, StoredRecord
from eunoe.schemas.subjects import Address, chain_owner, chain_thread

_show = msgspec.json.Decoder(ShowRequest)
_records = msgspec.json.Decoder(RecordsRequest)
_encode = msgspec.json.encode


@dataclass(slots=True)
class _Page:
    """Entries found so far, and how each turn met on the way ended."""

    shown: list[Shown] = field(default_factory=list)
    turns: showing.Turns = field(default_factory=showing.Turns)
    size: int = 0

    def full(self, limit: int) -> bool:
        return len(self.shown) >= limit or self.size >= limits.RECORD_BYTES

    def add(self, shown: Shown, preview: int | None) -> None:
        kept = shown if preview is None else showing.shorten(shown, preview)
        self.shown.append(kept)
        self.size += len(kept.content) + len(kept.thinking) if preview is not None else 0


def check_reader(address: Address) -> None:
    """Raise `Denied` for the book of permanent facts that are another agent's own."""
    owner = chain_owner(address.chain)
    if owner and not visible(Identity("permanent", owner, "", ""), Viewer(address.caller)):
        raise Denied(f"the permanent facts of {owner!r} are for {owner} and for people to see")


class Reading:
    """Reads entries and records of one space."""

    def __init__(self, chains: ChainReader, pieces: Pieces) -> None:
        self._chains = chains
        self._pieces = pieces

    async def serve_show(self, address: Address, data: bytes) -> bytes:
        return _encode(await self.show(address.thread, address.chain, payload.read(_show, data)))

    async def serve_records(self, address: Address, data: bytes) -> bytes:
        check_reader(address)
        return _encode(await self.records(address.chain, payload.read(_records, data)))

    async def show(self, thread: str, chain: str, request: ShowRequest) -> ShowReply:
        """One entry whole, or a page of entries with their beginnings."""
        head = await self._chains.head(chain) if thread else None
        if head is None:
            raise NotFound(f"there is no thread {thread!r}; `eunoe threads` lists what there is")
        total = head.header.entries
        if min(request.entry, request.after, request.limit, request.preview) < 0:
            raise Invalid("entries, limits and previews are counted from 0")
        if not request.entry:
            return await self._page(head, request, total)
        if not 1 <= request.entry <= total:
            raise NotFound(f"the thread {thread!r} has no entry {request.entry}; it has entries 1 to {total}")
        page = await self._read(head, request.entry, 1)
        return ShowReply(entries=(await self._whole(head, page, request.entry),), total=total)

    async def records(self, chain: str, request: RecordsRequest) -> RecordsReply:
        """Stored records after a number, as many as fit a part of a reply (one at least)."""
        if request.after < 0:
            raise Invalid("records are counted from 1; ask for those after 0")
        head = await self._chains.head(chain)
        if head is None:
            raise NotFound(f"there is no thread {chain_thread(chain)!r}; `eunoe threads` lists what there is")
        first = request.after + 1
        places = await self._chains.positions(head, first, first + limits.BACK_RECORDS - 1)
        found: list[StoredRecord] = []
        size = 0
        for stored in await self._chains.stored(places):
            size += len(stored.data)
            if found and size > limits.RECORD_BYTES:
                break
            found.append(_stored(stored))
        return RecordsReply(records=tuple(found), more=request.after + len(found) < head.header.record)

    async def _page(self, head: Head, request: ShowRequest, total: int) -> ShowReply:
        limit = max(1, min(request.limit, 1000))
        page = await self._read(head, request.after + 1, limit, min(request.preview, limits.OUTPUT_BYTES_MAX))
        shown = tuple(page.turns.finish(entry, head.header) for entry in page.shown)
        return ShowReply(entries=shown, total=total, more=bool(shown) and shown[-1].entry < total)

    async def _read(self, head: Head, entry: int, limit: int, preview: int | None = None) -> _Page:
        """Up to ``limit`` entries from ``entry`` on, reading on until the turns they belong to have ended.

        With ``preview`` their contents are cut to so many bytes, and the page ends at `limits.RECORD_BYTES`.
        """
        page = _Page()
        start = await self._chains.first(head, lambda header: header.entries >= entry)
        if not start:
            return page
        async for record in self._from(head, start, page):
            page.turns.see(record)
            for event in record.events:
                if isinstance(event, EntryBase) and event.entry >= entry and not page.full(limit):
                    page.add(showing.show(event, record), preview)
            if page.full(limit) and page.turns.settled(page.shown, head.header):
                break
        return page

    async def _from(self, head: Head, start: int, page: _Page) -> AsyncIterator[Record]:
        """The records from ``start`` on, after the ones before it that opened its turns are seen."""
        first = (await self._chains.records(await self._chains.positions(head, start, start)))[0]
        missing = showing.opened_before(first)
        if missing:
            async for record in self._chains.backward(head, start - 1):
                missing -= page.turns.see_opening(record)
                if not missing:
                    break
        async for record in self._chains.forward(head, start):
            yield record

    async def _whole(self, head: Head, page: _Page, entry: int) -> Shown:
        shown = page.turns.finish(page.shown[0], head.header)
        event = await self._event(shown.position, entry)
        if event.blob is None:
            return shown
        return msgspec.structs.replace(
            shown, content=await self._pieces.read(chain_thread(head.header.chain), event.blob)
        )

    async def _event(self, position: int, entry: int) -> EntryBase:
        record = await self._chains.record(position)
        return next(event for event in record.events if isinstance(event, EntryBase) and event.entry == entry)


def _stored(stored: Stored) -> StoredRecord:
    return StoredRecord(subject=stored.subject, position=stored.seq, data=stored.data.decode())
