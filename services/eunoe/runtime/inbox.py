"""An inbox of its own for what a consumer brings, which keeps the subject it was stored under."""

from __future__ import annotations

from contextlib import ExitStack

from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError

from eunoe.runtime.calls import Answer, Call
from eunoe.runtime.leaving import Leaving
from eunoe.runtime.requester import Requester
from eunoe.schemas.errors import OutcomeUnknown, Unreachable

SEND_SECONDS = 5.0  # seconds to wait for a connection before a request of an inbox is sent


class Inbox:
    """A subscription whose messages are read in order with `take`; it fails when the connection is lost, and when
    ``leaving`` is told.

    Every request has a reply subject of its own, which its statuses bear, so that the status which ends one
    pull is not taken for the end of the next.
    """

    def __init__(self, requester: Requester, leaving: Leaving | None = None) -> None:
        self._connection = requester.connection
        self._prefix = f"{requester.caller.inbox}.{self._connection.client.new_inbox().rpartition('.')[2]}"
        self._call = Call(self._prefix, b"")
        self._requests = 0
        self._subscription: Subscription | None = None
        self._held = ExitStack()
        self._leaving = leaving or Leaving()

    async def __aenter__(self) -> Inbox:
        await self._connection.available(SEND_SECONDS)
        self._connection.hooks.disconnected.append(self._on_disconnected)
        try:
            self._subscription = await self._connection.client.subscribe_direct(f"{self._prefix}.*", self._receive)
        except (NatsError, OSError) as error:
            self._connection.hooks.disconnected.remove(self._on_disconnected)
            raise Unreachable(f"the connection to {self._connection.url} failed: {error}") from None
        self._held.enter_context(self._leaving.heard(self._on_left))
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._held.close()
        self._connection.hooks.disconnected.remove(self._on_disconnected)
        subscription, self._subscription = self._subscription, None
        if subscription is not None:
            await self._connection.client.unsubscribe_direct(subscription)

    async def send(self, subject: str, data: bytes) -> None:
        """Send a request whose answers come to this inbox; raises `Unreachable` or `OutcomeUnknown`."""
        self._requests += 1
        try:
            await self._connection.publish(subject, data, reply=self._reply)
        except OSError as error:
            raise OutcomeUnknown(f"the connection broke while sending ({error})") from None

    async def take(self, seconds: float) -> Answer:
        """The next message, or status of the last request; raises TimeoutError or what the inbox failed with."""
        while True:
            answer = await self._call.take(seconds)
            if not self._stale(answer):
                return answer

    def ready(self) -> Answer | None:
        """As `take`, of what has come already."""
        while (answer := self._call.ready()) is not None:
            if not self._stale(answer):
                return answer
        return None

    @property
    def _reply(self) -> str:
        return f"{self._prefix}.{self._requests}"

    def _stale(self, answer: Answer) -> bool:
        return answer.status != 0 and answer.subject != self._reply

    def _receive(self, subject: bytes, reply: bytes, data: bytes, headers: bytes) -> None:
        self._call.receive(Answer(subject.decode(), reply.decode(), data, headers))

    def _on_left(self) -> None:
        self._call.fail(Unreachable("what it reads is not in use any more"))

    def _on_disconnected(self) -> None:
        self._call.fail(OutcomeUnknown("the connection was lost"))
