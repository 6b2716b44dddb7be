"""One request in flight, and the messages that came for it."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import NamedTuple

from eunoe.runtime import wire
from eunoe.schemas.errors import EunoeError


class Answer(NamedTuple):
    """One message that came to an inbox: its subject, where to reply, its payload, and its raw header block.

    What a consumer brings has the subject it was stored under, not that of the inbox.
    """

    subject: str
    reply: str
    data: bytes
    headers: bytes

    @property
    def status(self) -> int:
        return wire.status(self.headers)


class Call:
    """One request in flight, or an inbox that is read for a while."""

    __slots__ = ("_failure", "_got", "_waiter", "subject", "token")

    def __init__(self, subject: str, token: bytes) -> None:
        self.subject = subject
        self.token = token
        self._got: deque[Answer] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._failure: EunoeError | None = None

    def receive(self, answer: Answer) -> None:
        self._got.append(answer)
        self._wake()

    def fail(self, error: EunoeError) -> None:
        self._failure = error
        self._wake()

    def ready(self) -> Answer | None:
        """The next message if one has come already."""
        return self._got.popleft() if self._got else None

    async def take(self, seconds: float) -> Answer:
        """The next message; raises TimeoutError after ``seconds``, or what the call failed with."""
        if not self._got:
            await self._news(seconds)
        return self._got.popleft()

    async def _news(self, seconds: float) -> None:
        if self._failure is not None:
            raise self._failure
        loop = asyncio.get_running_loop()
        self._waiter = waiter = loop.create_future()
        timer = loop.call_later(seconds, _expire, waiter)
        try:
            await waiter
        finally:
            timer.cancel()
            self._waiter = None
        if not self._got and self._failure is not None:
            raise self._failure

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


def _expire(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_exception(TimeoutError())
