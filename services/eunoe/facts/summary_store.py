"""The document of each thread's running summary in its bucket: written idempotently from the thread's records."""

from __future__ import annotations

from collections.abc import Sequence

import anyio
import msgspec

from eunoe.facts import summaries
from eunoe.runtime.doors import Documents, Store
from eunoe.schemas import subjects
from eunoe.schemas.errors import Conflict
from eunoe.schemas.records import Record
from eunoe.schemas.requests import SummaryDocument

_document = msgspec.json.Decoder(SummaryDocument)
_encoder = msgspec.json.Encoder(order="deterministic")


class SummaryStore:
    """The summaries of one space. The same record may be applied any number of times; none before those before it."""

    def __init__(self, store: Store) -> None:
        self._bucket: Documents = store.thread
        self.conflicts = 0

    async def apply(self, *batch: Record) -> None:
        """Take in records of one chain, in order; those that tell nothing of a summary cost nothing."""
        telling = [record for record in batch if summaries.tells(record)]
        thread = subjects.chain_thread(telling[0].header.chain) if telling else ""
        while thread and not await self._applied(thread, telling):
            await anyio.lowlevel.checkpoint()

    async def get(self, thread: str) -> SummaryDocument:
        """A thread's summary as stored; an empty one where nothing was said of it."""
        entry = await self._bucket.get(subjects.summary_key(thread))
        return _document.decode(entry.value) if entry else summaries.empty(thread)

    async def _applied(self, thread: str, telling: Sequence[Record]) -> bool:
        """False when somebody else wrote first, and it is to be done again on top of that."""
        key = subjects.summary_key(thread)
        entry = await self._bucket.get(key)
        before = _document.decode(entry.value) if entry else summaries.empty(thread)
        after = before
        for record in telling:
            after = summaries.fold(after, record)
        if after == before:
            return True
        try:
            await self._bucket.put(key, _encoder.encode(after), expect=entry.revision if entry else 0)
        except Conflict:
            self.conflicts += 1
            return False
        return True
