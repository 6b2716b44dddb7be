"""Large contents that records name, and whether their pieces are what the records say."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from eunoe.runtime.doors import Store, Stored
from eunoe.schemas import records, subjects
from eunoe.schemas.errors import EunoeError
from eunoe.schemas.events import Blob, EntryBase

AT_ONCE = 16  # pieces read in one round trip: 4 MiB
_MARK = b'"blob":{'


@dataclass(frozen=True, slots=True)
class Named:
    """A large content, with the entry and the record that name it."""

    chain: str
    record: int
    position: int
    entry: int
    blob: Blob

    @property
    def thread(self) -> str:
        return subjects.chain_thread(self.chain)


def named(chain: str, stored: Stored) -> Iterator[Named]:
    """The large contents of a stored record; none of one that cannot be read (which is told elsewhere)."""
    if _MARK not in stored.data:
        return
    try:
        record = records.read(stored.seq, stored.data)
    except EunoeError:
        return
    for event in record.events:
        if isinstance(event, EntryBase) and event.blob:
            yield Named(chain, record.header.record, stored.seq, event.entry, event.blob)


async def fetch(store: Store, thread: str, blob: Blob) -> list[bytes | None]:
    """The pieces of a content in order; None where one is not there."""
    return [piece.data if piece else None for piece in await stored(store, thread, blob)]


async def stored(store: Store, thread: str, blob: Blob) -> list[Stored | None]:
    """The pieces of a content as stored, in order; None where one is not there."""
    found: list[Stored | None] = []
    for at in range(0, len(blob.pieces), AT_ONCE):
        run = blob.pieces[at : at + AT_ONCE]
        wanted = [subjects.piece(store.space, thread, digest) for digest in run]
        there = {message.subject: message for message in (await store.blobs.last(wanted)).messages}
        found += [there.get(subject) for subject in wanted]
    return found


def wrong(content: Named, pieces: list[bytes | None]) -> Iterator[str]:
    """What is wrong with the pieces of a content, one line each."""
    for number, (digest, data) in enumerate(zip(content.blob.pieces, pieces, strict=True), start=1):
        where = f"piece {number} of {len(content.blob.pieces)} of entry {content.entry}"
        if data is None:
            yield f"{where} is missing"
        elif hashlib.sha256(data).hexdigest() != digest:
            yield f"{where} does not have its digest: it was changed"
