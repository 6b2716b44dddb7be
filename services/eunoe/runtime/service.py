"""Serving verbs: many requests at once, each answered to the principal that asked and to nobody else.

NATS lets a sender name any reply subject and checks no permission on it. So a request is taken only when
its reply subject is in the inbox of the principal in its own subject; else a worker's answer could be
steered into a log, or be sent as somebody's request.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import NamedTuple

import anyio
from anyio.abc import TaskGroup, TaskStatus
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError

from eunoe.runtime import aside, draining, refusals, wire
from eunoe.runtime.aside import Places
from eunoe.runtime.connection import Connection
from eunoe.runtime.doors import Handler
from eunoe.runtime.micro import Description, Endpoint
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Busy, EunoeError, Invalid, OutcomeUnknown, Unreachable
from eunoe.schemas.subjects import Address

logger = logging.getLogger(__name__)

WAITING = 4096  # requests that may wait while all handlers are busy; more are refused
HANDLER_SECONDS = 90.0  # seconds one request may be handled, so that none stays for ever; more than it may ask to wait
FLUSH_SECONDS = 2  # seconds to wait for what the server had sent before it heard that no more is taken

_COUNTED = ("requests", "errors", "failures", "foreign_replies", "malformed", "refused_busy", "replies_lost")


class Request(NamedTuple):
    """One request to handle."""

    endpoint: Endpoint
    handler: Handler
    address: Address
    reply: str
    data: bytes


class Service:
    """The verbs of one worker on NATS, until `run` is cancelled."""

    def __init__(
        self,
        connection: Connection,
        space: str,
        worker_name: str,
        handlers: Mapping[str, Handler],
        limit: int = limits.HANDLERS,
        statistics: Callable[[], Mapping[str, int]] | None = None,
        sure: Callable[[], Awaitable[None]] | None = None,
        seconds: float = HANDLER_SECONDS,
    ) -> None:
        """``sure`` is awaited before each request and before its answer; it raises when the store is another.

        ``seconds`` is how long one request may be handled; after that its outcome is unknown.
        """
        self._connection = connection
        self._space = space
        self._handlers = handlers
        self._worker_statistics = statistics
        self._sure = sure or _certain
        self._seconds = seconds
        self._counts: dict[str, int] = dict.fromkeys(_COUNTED, 0)
        self._waiting: deque[Request] = deque()
        self._places = Places(limit, self._next)
        self._tasks: TaskGroup | None = None
        self._subscriptions: list[Subscription] = []
        self.description = Description(
            name=f"eunoe_{worker_name}", id=secrets.token_hex(8), metadata={"space": space, "worker": worker_name}
        )

    def statistics(self) -> Mapping[str, int]:
        """Counts since the start, and what is ``active``, ``aside`` and ``waiting`` now; the worker's own are added."""
        own = dict(self._worker_statistics()) if self._worker_statistics else {}
        now = {"active": self._places.active, "aside": self._places.aside, "waiting": len(self._waiting)}
        return own | self._counts | now

    async def run(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Serve until cancelled; then take nothing more and finish what is in hand in the time that there is."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            try:
                await self._heard()
                task_status.started()
                await anyio.sleep_forever()
            finally:
                with anyio.CancelScope(shield=True):
                    await self._unsubscribe()
                    self._places.end_by(draining.end())

    async def _heard(self) -> None:
        try:
            await self._subscribe()
        except (NatsError, OSError) as error:
            url = self._connection.url
            raise Unreachable(f"the connection to {url} failed while the worker started: {error}") from None

    async def _subscribe(self) -> None:
        client = self._connection.client
        for verb, handler in self._handlers.items():
            endpoint = Endpoint(verb, subjects.requests(self._space, verb), subjects.queue(verb))
            self.description.endpoints.append(endpoint)
            receiver = self._receiver(endpoint, handler)
            self._subscriptions.append(await client.subscribe_direct(endpoint.subject, receiver, queue=endpoint.queue))
        for subject, verb in self.description.subjects():
            self._subscriptions.append(await client.subscribe_direct(subject, self._describer(verb)))
        await client.flush(timeout=FLUSH_SECONDS)

    async def _unsubscribe(self) -> None:
        """Stop taking, but keep what the server had sent already."""
        client = self._connection.client
        with suppress(NatsError, OSError, TimeoutError):
            for subscription in self._subscriptions:
                await subscription.unsubscribe()
            await client.flush(timeout=FLUSH_SECONDS)
        for subscription in self._subscriptions:
            client.forget(subscription)
        self._subscriptions.clear()

    def _receiver(self, endpoint: Endpoint, handler: Handler) -> Callable[[bytes, bytes, bytes, bytes], None]:
        def receive(subject: bytes, reply: bytes, data: bytes, headers: bytes) -> None:
            try:
                address = subjects.parse_request(subject.decode())
            except (Invalid, UnicodeDecodeError) as error:
                self._malformed(endpoint, subject, reply, error)
                return
            to = reply.decode(errors="replace")
            if not to.startswith(f"{address.caller.inbox}."):
                self._foreign(address, to)
                return
            self._take(Request(endpoint, handler, address, to, data))

        return receive

    def _malformed(self, endpoint: Endpoint, subject: bytes, reply: bytes, error: Exception) -> None:
        """Tell who asks of what cannot be, where the answer goes to them; drop a request that names nobody so."""
        to = reply.decode(errors="replace")
        if self._tasks is None or not _answerable(subject, to):
            self._counts["malformed"] += 1
            return
        self._counts["requests"] += 1
        self._counts["errors"] += 1
        endpoint.requests += 1
        endpoint.failed(str(error))
        self._tasks.start_soon(self._refuse, to, Invalid(str(error)))

    def _describer(self, verb: str) -> Callable[[bytes, bytes, bytes, bytes], None]:
        def receive(subject: bytes, reply: bytes, data: bytes, headers: bytes) -> None:
            to = reply.decode(errors="replace")
            if not to.startswith(("_INBOX.", "_INBOX_")):
                self._counts["foreign_replies"] += 1
            elif self._tasks is not None:
                self._tasks.start_soon(self._send, to, self.description.answer(verb, self.statistics()), ())

        return receive

    def _foreign(self, address: Address, reply: str) -> None:
        self._counts["foreign_replies"] += 1
        logger.warning(
            "a request of %s %s to %s wants its answer at %r, which is not its inbox; it was dropped",
            address.caller.role,
            address.caller.principal,
            address.verb,
            reply[:200],
            extra={"action": "foreign_reply"},
        )

    def _take(self, request: Request) -> None:
        assert self._tasks is not None
        self._counts["requests"] += 1
        request.endpoint.requests += 1
        if self._places.free:
            self._start(request)
        elif len(self._waiting) < WAITING:
            self._waiting.append(request)
        else:
            self._counts["refused_busy"] += 1
            self._tasks.start_soon(self._refuse, request.reply, Busy(f"{WAITING} requests wait already; try again"))

    def _next(self) -> None:
        """Begin with a request that waits for a place, where there is one."""
        if self._waiting and self._places.free:
            self._start(self._waiting.popleft())

    def _start(self, request: Request) -> None:
        assert self._tasks is not None
        self._tasks.start_soon(self._work, request, self._places.take())

    async def _work(self, request: Request, scope: anyio.CancelScope) -> None:
        """Handle a request, and then those that waited meanwhile."""
        aside.current.set(self._places)
        with scope:
            try:
                await self._guarded(request)
                while self._waiting and not self._places.crowded:
                    await self._guarded(self._waiting.popleft())
            finally:
                self._places.leave(scope)

    async def _guarded(self, request: Request) -> None:
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
            await self._refuse(request.reply, error)
        except Exception as error:
            self._counts["failures"] += 1
            request.endpoint.failed(repr(error))
            logger.exception("%s failed", request.address.verb, extra={"action": "handler_failed"})
            await self._refuse(request.reply, refusals.wrapped(request.address.verb, error))
        else:
            for headers, part in wire.parts(data):
                await self._send(request.reply, part, headers)
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

    async def _refuse(self, reply: str, error: EunoeError) -> None:
        await self._send(reply, refusals.encoded(error), ((wire.ERROR, error.code),))

    async def _send(self, reply: str, data: bytes, headers: wire.Headers) -> None:
        """Send an answer. One that cannot be sent is counted: it must end neither its worker nor the others."""
        try:
            await self._connection.publish(reply, data, headers=headers)
        except (OSError, ValueError, EunoeError) as error:
            self._counts["replies_lost"] += 1
            logger.warning("an answer could not be sent: %s", error, extra={"action": "reply_lost"})


def _answerable(subject: bytes, reply: str) -> bool:
    """Whether a subject names a principal, whatever else it holds, and the reply goes to the inbox of that one."""
    try:
        return reply.startswith(f"{subjects.asker(subject.decode()).inbox}.")
    except (Invalid, UnicodeDecodeError):
        return False


async def _certain() -> None:
    """Of a service that no guard watches over."""
