"""Reading the chain of erasures: what was read of it is not read again."""

from __future__ import annotations

from dataclasses import replace

import anyio

from eunoe.audit.erasures import Book
from eunoe.runtime.chains import ChainReader, Head
from eunoe.runtime.closing import closing
from eunoe.schemas import subjects
from eunoe.schemas.records import Record


class ErasureBook:
    """All erasures of one space, as far as they were read."""

    def __init__(self, chains: ChainReader) -> None:
        self._chains = chains
        self._book = Book()
        self._reading = anyio.Lock()

    async def read(self) -> Book:
        """All erasures as their chain tells them now. Where it ends in the answer stays as it is, whoever reads on."""
        async with self._reading:
            head = await self._chains.head(subjects.ERASURES, fresh=True)
            if head is None or not await self._follow(head):
                self._book = Book()
            if head is not None:
                await self._follow(head)
            return replace(self._book)

    async def _follow(self, head: Head) -> bool:
        """Read on to the head; False where the chain is not the one that was read: the log lost its end."""
        book = self._book
        if head.header.record <= book.record:
            return (head.header.record, head.hash) == (book.record, book.hash)
        last = (book.record, book.hash)
        async with closing(self._chains.forward(head, book.record + 1)) as found:
            async for record in found:
                if not _follows(record, *last):
                    return False
                book.see(record)
        return True


def _follows(record: Record, number: int, hash: str) -> bool:  # noqa: A002 - what a record's is called
    """Whether a record may come after that with this number (0: none) and hash; what is further on is not looked at."""
    return not number or record.header.record != number + 1 or record.header.prev == hash
