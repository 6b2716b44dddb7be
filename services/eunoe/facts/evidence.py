"""What assertions came from: the entries that they name, and the bytes of these that hold the value."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from msgspec.structs import replace

from eunoe.facts.quoting import Quoter
from eunoe.facts.visibility import Viewer
from eunoe.runtime.chains import ChainReader
from eunoe.runtime.doors import Store
from eunoe.schemas import blobs, subjects
from eunoe.schemas.errors import Damaged, NotFound
from eunoe.schemas.events import Blob, EntryBase, ToolCall, ToolResult
from eunoe.schemas.facts import Stated
from eunoe.schemas.records import Record
from eunoe.schemas.requests import Evidence

_PIECES = 4  # pieces of a large content that are read, and in memory, at once

Place = tuple[int, int]
"""An entry of a thread: its number, and its record's position in the log (0: still to be found)."""


class Evidences:
    """Reads entries of one space. What a viewer may not see is named, and not shown."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._chains = ChainReader(store.log, store.space)

    async def of(self, stated: Stated, viewer: Viewer) -> list[Evidence]:
        """What an assertion came from: one for each entry, and one for an assertion that names none."""
        about = stated.fact.provenance
        if not about.thread or not about.entries:
            return [_stated(stated)]
        given = about.positions if len(about.positions) == len(about.entries) else (0,) * len(about.entries)
        return [await self._of(stated, place, viewer) for place in zip(about.entries, given, strict=True)]

    async def _of(self, stated: Stated, place: Place, viewer: Viewer) -> Evidence:
        about = stated.fact.provenance
        found = Evidence(id=stated.id, thread=about.thread, turn=about.turn, entry=place[0], tool=about.tool)
        if not viewer.trusted and viewer.thread != about.thread:
            return _missing(found, f"it is in the thread {about.thread!r}; ask there")
        try:
            return await self._quoted(found, place, stated.fact.value)
        except (Damaged, NotFound) as error:
            return _missing(found, str(error))

    async def _quoted(self, found: Evidence, place: Place, value: str) -> Evidence:
        record, event = await self._entry(found.thread, place)
        kind, tool = str(type(event).__struct_config__.tag), _tool(event) or found.tool
        found = replace(found, kind=kind, tool=tool, position=record.position)
        if event.erased:
            return _missing(found, "it was erased")
        quoter = Quoter(value)
        async with aclosing(self._parts(found.thread, event)) as parts:
            async for part in parts:
                quoter.feed(part)
                if quoter.done:
                    break
        quoted = quoter.quotation()
        return replace(
            found,
            size=blobs.size_of(event.content, event.blob),
            start=quoted.start,
            end=quoted.end,
            text=quoted.text,
            literal=quoted.value is not None,
            value=quoted.value or (0, 0),
        )

    async def _entry(self, thread: str, place: Place) -> tuple[Record, EntryBase]:
        number, position = place
        record = await self._chains.record(position or await self._position(thread, number))
        here = record.events if record.header.chain == subjects.thread_chain(thread) else ()
        for event in here:
            if isinstance(event, EntryBase) and event.entry == number:
                return record, event
        raise NotFound(f"position {record.position} of the log does not hold entry {number} of the thread {thread!r}")

    async def _position(self, thread: str, number: int) -> int:
        head = await self._chains.head(subjects.thread_chain(thread))
        record = await self._chains.first(head, lambda header: header.entries >= number) if head else 0
        if not head or not record:
            raise NotFound(f"the thread {thread!r} has no entry {number}")
        return (await self._chains.positions(head, record, record))[0]

    async def _parts(self, thread: str, event: EntryBase) -> AsyncGenerator[bytes, None]:
        if event.blob is None:
            yield event.content.encode()
            return
        for at in range(0, len(event.blob.pieces), _PIECES):
            for piece in await self._pieces(thread, event.blob, at):
                yield piece

    async def _pieces(self, thread: str, blob: Blob, at: int) -> Sequence[bytes]:
        wanted = [subjects.piece(self._store.space, thread, digest) for digest in blob.pieces[at : at + _PIECES]]
        there = {stored.subject: stored.data for stored in (await self._store.blobs.last(wanted)).messages}
        for number, subject in enumerate(wanted, start=at + 1):
            if subject not in there:
                raise NotFound(f"piece {number} of the {len(blob.pieces)} of its content is missing")
        return [there[subject] for subject in wanted]


def _stated(stated: Stated) -> Evidence:
    """An assertion that came from no entry is its own evidence."""
    about = stated.fact.provenance
    return Evidence(
        id=stated.id,
        thread=about.thread,
        turn=about.turn,
        kind=stated.fact.method,
        tool=about.tool,
        position=stated.position,
    )


def _missing(found: Evidence, why: str) -> Evidence:
    return replace(found, missing=why)


def _tool(event: EntryBase) -> str:
    return event.tool if isinstance(event, ToolCall | ToolResult) else ""
