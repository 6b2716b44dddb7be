"""Appends that were done before, answered from the record that each wrote."""

from __future__ import annotations

from eunoe.audit import rules
from eunoe.runtime.chains import ChainReader, Head
from eunoe.schemas.errors import Damaged, NumberReused
from eunoe.schemas.records import Header, Record
from eunoe.schemas.requests import AppendReply


class Answers:
    """Finds the record of an append and answers it again. ``given`` counts the answers."""

    def __init__(self, chains: ChainReader) -> None:
        self._chains = chains
        self.given = 0

    async def again(self, append: rules.Append, again: rules.Again) -> AppendReply:
        """Answer an append of a producer that is as far as ``again`` says; reads a few records, however far back."""
        record = await self._chains.record(again.done.position)
        if record.header.n != append.request.n:
            record = await self._search(append, record)
        return self._answer(append, record)

    async def at(self, append: rules.Append, position: int) -> AppendReply:
        """Answer an append whose record is at a position."""
        return self._answer(append, await self._chains.record(position))

    async def _search(self, append: rules.Append, newest: Record) -> Record:
        """Bisect the chain: how far a producer is only grows along it."""

        def reached(header: Header) -> bool:
            done = header.producers.get(append.producer)
            return done is not None and done.n >= append.request.n

        head = Head(newest.header, newest.position, newest.hash)
        number = await self._chains.first(head, reached)
        if not number:
            return newest
        (position,) = await self._chains.positions(head, number, number)
        found = await self._chains.record(position)
        return found if found.header.n == append.request.n else await self._walk(append, newest)

    async def _walk(self, append: rules.Append, record: Record) -> Record:
        """Back along the producer's own records, where it had left the list for a while."""
        while record.header.n > append.request.n and record.header.before:
            record = await self._chains.record(record.header.before)
        return record

    def _answer(self, append: rules.Append, record: Record) -> AppendReply:
        if record.header.n != append.request.n:
            raise Damaged(f"append {append.request.n} was done, but its record is missing; run `eunoe audit verify`")
        if record.header.request != append.digest:
            raise NumberReused(
                f"append {append.request.n} of this producer holds something else already; start a new producer"
            )
        self.given += 1
        return rules.reply(record.header, record.position, record.hash, record.events, duplicate=True)
