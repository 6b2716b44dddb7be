"""When a request is sent again, and how long to wait before."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

import anyio

from eunoe.client.gate import Gate
from eunoe.runtime.backoff import answer_within
from eunoe.schemas.errors import Busy, EunoeError, OutcomeUnknown, Unreachable, WorkerMissing
from eunoe.schemas.requests import AppendReply, HeadReply, RecordsReply, RecordsRequest

Reply = TypeVar("Reply")

FIRST_SECONDS = 0.05  # seconds before the second attempt
LAST_SECONDS = 2.0  # seconds between attempts at most
PATIENCE_SECONDS = 30.0  # seconds that a caller waits for an append whose outcome is not known yet

RETRIED: tuple[type[EunoeError], ...] = (OutcomeUnknown, WorkerMissing, Busy, Unreachable)
SERVED = tuple(kind for kind in RETRIED if kind is not WorkerMissing)  # the same, of what somebody has to serve now


def wait_before(attempt: int, share: float = 1.0) -> float:
    """Seconds before attempt ``attempt`` (the second is 2); ``share`` in [0, 1] spreads clients apart."""
    whole = min(FIRST_SECONDS * float(2 ** min(attempt - 2, 16)), LAST_SECONDS)
    return whole * (0.5 + share / 2)


async def deliver(
    gate: Gate,
    chain: str,
    pieces: Iterable[bytes],
    data: bytes,
    retried: tuple[type[EunoeError], ...] = RETRIED,
) -> AppendReply:
    """Append a request's bytes after its pieces, and again until there is an answer.

    Raises what refuses it, or what was in the way for `PATIENCE_SECONDS`, and at once what is not ``retried``.
    """
    left = deque(pieces)

    async def attempt(seconds: float) -> AppendReply:
        while left:
            await gate.piece(chain, left[0], timeout=seconds)
            left.popleft()
        return await gate.append(chain, data, timeout=seconds)

    return await _until_answered(attempt, retried)


async def head(gate: Gate, chain: str, producer: str) -> HeadReply:
    """Where a chain ends and how far a producer is, asked again while the answer is lost or the server away.

    Raises `WorkerMissing` at once: where nobody answers, nobody would append either.
    """

    async def attempt(seconds: float) -> HeadReply:
        return await gate.head(chain, producer, timeout=seconds)

    return await _until_answered(attempt, SERVED)


async def stored(gate: Gate, chain: str, after: int) -> RecordsReply:
    """A page of a chain's records after record ``after``, asked again as `head` is."""

    async def attempt(seconds: float) -> RecordsReply:
        return await gate.ask("records", RecordsRequest(after=after), RecordsReply, chain, timeout=seconds)

    return await _until_answered(attempt, SERVED)


async def _until_answered(attempt: Callable[[float], Awaitable[Reply]], retried: tuple[type[EunoeError], ...]) -> Reply:
    deadline = anyio.current_time() + PATIENCE_SECONDS
    number = 1
    while True:
        try:
            return await attempt(answer_within(number))
        except retried:
            if anyio.current_time() > deadline:
                raise
        number += 1
        await anyio.sleep(wait_before(number, random.random()))
