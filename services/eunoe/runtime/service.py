"""Serving verbs: many requests at once, each answered to the principal that asked and to nobody else.

NATS lets a sender name any reply subject and checks no permission on it. So a request is taken only when
its reply subject is in the inbox of the principal in its own subject; else a worker's answer could be
steered into a log, or be sent as somebody's request.
"""

from __future__ import annotations

import logging
import secrets
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

import anyio
from anyio.abc import TaskGroup, TaskStatus
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError

from eunoe.runtime import aside, draining
from eunoe.runtime.answering import HANDLER_SECONDS, Answering, Request
from eunoe.runtime.aside import Places
from eunoe.runtime.connection import Connection
from eunoe.runtime.doors import Handler
from eunoe.runtime.micro import Description, Endpoint
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Busy, Invalid, Unreachable
from eunoe.schemas.subjects import Address

logger = logging.getLogger(__name__)

WAITING = 4096  # requests that may wait while all handlers are busy; more are refused
FLUSH_SECONDS = 2  # seconds to wait for what the server had sent before it heard that no more is taken

_COUNTED = ("requests", "errors", "failures", "foreign_replies", "malformed", "refused_busy", "replies_lost")


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
        self._counts: dict[str, int] = dict.fromkeys(_COUNTED, 0)
        self._answering = Answering(connection, self._counts, sure, seconds)
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
        self._tasks.start_soon(self._answering.refuse, to, Invalid(str(error)))

    def _describer(self, verb: str) -> Callable[[bytes, bytes, bytes, bytes], None]:
        def receive(subject: bytes, reply: bytes, data: bytes, headers: bytes) -> None:
            to = reply.decode(errors="replace")
            if not to.startswith(("_INBOX.", "_INBOX_")):
                self._counts["foreign_replies"] += 1
            elif self._tasks is not None:
                self._tasks.start_soon(self._answering.send, to, self.description.answer(verb, self.statistics()), ())

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
            busy = Busy(f"{WAITING} requests wait already; try again")
            self._tasks.start_soon(self._answering.refuse, request.reply, busy)

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
                await self._answering.answer(request)
                while self._waiting and not self._places.crowded:
                    await self._answering.answer(self._waiting.popleft())
            finally:
                self._places.leave(scope)


def _answerable(subject: bytes, reply: str) -> bool:
    """Whether a subject names a principal, whatever else it holds, and the reply goes to the inbox of that one."""
    try:
        return reply.startswith(f"{subjects.asker(subject.decode()).inbox}.")
    except (Invalid, UnicodeDecodeError):
        return False
