"""Appending what no request may bring: the events of erasures, under a producer of their own."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable
from typing import Protocol

import msgspec

from eunoe.audit import rules
from eunoe.audit.heads import Heads
from eunoe.runtime.chains import ChainReader, Head
from eunoe.runtime.doors import Clock
from eunoe.schemas import limits, records, subjects
from eunoe.schemas.errors import Busy, Conflict, Damaged
from eunoe.schemas.events import Event
from eunoe.schemas.requests import AppendReply, AppendRequest
from eunoe.schemas.subjects import Caller

PRODUCER = "erasing"

_RACES = 64  # lost compare-and-sets in a row before it is given up as busy
_MOST = 2 * limits.RECORD_BYTES  # bytes of a record that holds what is left of another one of the usual limit


class Write(Protocol):
    """Seals a decided append and publishes it, by compare-and-set on the head; ``most``: bytes of its record."""

    def __call__(
        self, append: rules.Append, head: Head | None, write: rules.Write, *, most: int
    ) -> Awaitable[AppendReply]: ...


class Telling:
    """A `eunoe.audit.removing.Write`: decides as for any append, but for who may."""

    def __init__(self, space: str, chains: ChainReader, heads: Heads, clock: Clock, write: Write) -> None:
        self._space = space
        self._chains = chains
        self._heads = heads
        self._clock = clock
        self._write = write

    async def __call__(
        self, caller: Caller, chain: str, events: tuple[Event, ...], *, expect: int | None = None
    ) -> AppendReply:
        async with self._heads.alone(chain):
            for _ in range(_RACES):
                head = await self._chains.head(chain, fresh=True)
                if expect is not None and (head.position if head else 0) != expect:
                    raise Conflict(f"{subjects.chain_name(chain)} does not end at position {expect} any more")
                append, write = await self._decided(caller, chain, events, head)
                try:
                    return await self._write(append, head, write, most=_MOST)
                except Conflict:
                    self._heads.forget(chain)
        raise Busy(f"{_RACES} other appends to {subjects.chain_name(chain)} were first; try again")

    async def _decided(
        self, caller: Caller, chain: str, events: tuple[Event, ...], head: Head | None
    ) -> tuple[rules.Append, rules.Write]:
        """The next append of the producer, decided against the chain's head."""
        folded = await self._heads.folded(chain, head)
        done = rules.done_of(head, records.producer_key(caller, PRODUCER), folded)
        number = (done.n if done else 0) + 1
        request = AppendRequest(v=limits.SCHEMA_VERSION, producer=PRODUCER, n=number, events=events)
        digest = hashlib.sha256(msgspec.json.encode(request)).hexdigest()
        append = rules.Append(caller, self._space, chain, request, digest, self._clock.now())
        decision = rules.decide(head, append, folded)
        if isinstance(decision, rules.Again):
            raise Damaged(f"{subjects.chain_name(chain)} is not what its head says; run `eunoe audit verify`")
        return append, decision
