"""Answering one request: by its handler in the time that it has, by what refuses it, or by what went wrong."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple

import anyio

from eunoe.runtime import refusals, wire
from eunoe.runtime.connection import Connection
from eunoe.runtime.doors import Handler
from eunoe.runtime.micro import Endpoint
from eunoe.schemas.errors import EunoeError, OutcomeUnknown
from eunoe.schemas.subjects import Address

logger = logging.getLogger(__name__)

HANDLER_SECONDS = 90.0  # seconds one request may be handled, so that none stays for ever; more than it may ask to wait


class Request(NamedTuple):
    """One request to handle."""

    endpoint: Endpoint
    handler: Handler
    address: Address
    reply: str
    data: bytes


class Answering:
    """Answers requests, and counts in ``counts`` what of that fails.

    ``sure`` is awaited before each request and before its answer; it raises when the store is another. ``seconds`` is
    how long one request may be handled; after that its outcome is unknown.
    """

    def __init__(
        self,
        connection: Connection,
        counts: dict[str, int],
        sure: Callable[[], Awaitable[None]] | None = None,
        seconds: float = HANDLER_SECONDS,
    ) -> None:
        self._connection = connection
        self._counts = counts
        self._sure = sure or _certain
        self._seconds = seconds

    async def answer(self, request: Request) -> None:
        """Handle a request; no failure of one may end the others."""
        try:
            await self._handle(request)
        except Exception:
            self._counts["failures"] += 1
            logger.exception("%s was not answered", request.address.verb, extra={"action": "answer_failed"})

    async def _handle(self, request: Request) -> None:
        start = time.perf_counter_ns()
        try:
            data = await self._answered(request)
        except EunoeError as error:
            self._counts["errors"] += 1
            request.endpoint.failed(str(error))
            await self.refuse(request.reply, error)
        except Exception as error:
            self._counts["failures"] += 1
            request.endpoint.failed(repr(error))
            logger.exception("%s failed", request.address.verb, extra={"action": "handler_failed"})
            await self.refuse(request.reply, refusals.wrapped(request.address.verb, error))
        else:
            for headers, part in wire.parts(data):
                await self.send(request.reply, part, headers)
        finally:
            request.endpoint.nanoseconds += time.perf_counter_ns() - start

    async def _answered(self, request: Request) -> bytes:
        """What the handler answers, in the time that it has."""
        with anyio.move_on_after(self._seconds):
            await self._sure()
            data = await request.handler(request.address, request.data)
            await self._still_sure(request)
            return data
        raise OutcomeUnknown(
            f"{request.address.verb} was not done within {self._seconds:g} s, so it may or may not be. "
            "Retry under the same key."
        )

    async def _still_sure(self, request: Request) -> None:
        """Nothing is answered from a store that is another; what was done may be in it, so this refuses nothing."""
        try:
            await self._sure()
        except EunoeError as error:
            raise OutcomeUnknown(
                f"{request.address.verb} may or may not have been done: {error}. Retry under the same key."
            ) from None

    async def refuse(self, reply: str, error: EunoeError) -> None:
        await self.send(reply, refusals.encoded(error), ((wire.ERROR, error.code),))

    async def send(self, reply: str, data: bytes, headers: wire.Headers) -> None:
        """Send an answer. One that cannot be sent is counted: it must end neither its worker nor the others."""
        try:
            await self._connection.publish(reply, data, headers=headers)
        except (OSError, ValueError, EunoeError) as error:
            self._counts["replies_lost"] += 1
            logger.warning("an answer could not be sent: %s", error, extra={"action": "reply_lost"})


async def _certain() -> None:
    """Of a service that no guard watches over."""
