"""Requests: one long-lived inbox subscription for each caller, and an answer for each request."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError

from eunoe.runtime import wire
from eunoe.runtime.calls import Answer, Call
from eunoe.runtime.connection import Connection
from eunoe.runtime.permissions import denied
from eunoe.schemas import errors, limits
from eunoe.schemas.errors import Denied, OutcomeUnknown, Unreachable, WorkerMissing
from eunoe.schemas.subjects import ROLES, Caller

SETUP_SECONDS = 5.0  # seconds the inbox subscription may take to be in force
NO_RESPONDERS = 503  # the server's own answer when nobody serves a subject

_reply = msgspec.json.Decoder(errors.ErrorReply)


class Requester:
    """Requests of one caller over a connection; several may share a connection. Made by `open`."""

    def __init__(self, connection: Connection, caller: Caller) -> None:
        self.connection = connection
        self.caller = caller
        self._prefix = f"{caller.inbox}.{connection.client.new_inbox().rpartition('.')[2]}."
        self._calls: dict[bytes, Call] = {}
        self._count = 0
        self._refused = False
        self._subscription: Subscription | None = None

    @classmethod
    async def open(cls, connection: Connection, caller: Caller | None = None) -> Requester:
        """A requester for ``caller`` (default: the connection's own).

        Raises `Denied` when the server does not let it read its own inbox.
        """
        requester = cls(connection, caller or connection.caller)
        connection.hooks.disconnected.append(requester._on_disconnected)
        connection.hooks.denied.append(requester._on_denied)
        await requester._subscribe()
        return requester

    async def close(self) -> None:
        hooks = self.connection.hooks
        if self._on_disconnected in hooks.disconnected:
            hooks.disconnected.remove(self._on_disconnected)
            hooks.denied.remove(self._on_denied)
        subscription, self._subscription = self._subscription, None
        if subscription is not None:
            await self.connection.client.unsubscribe_direct(subscription)
        for call in list(self._calls.values()):
            call.fail(OutcomeUnknown("the requester was closed while it waited for the answer"))

    async def request(
        self, subject: str, data: bytes, *, timeout: float = limits.REQUEST_SECONDS, headers: wire.Headers = ()
    ) -> bytes:
        """The reply's bytes, its parts joined.

        Raises the error that was replied, `WorkerMissing` when nothing serves the subject, `Denied` when the
        server forbids it, `Unreachable` when it could not be sent, `OutcomeUnknown` when no answer came.
        """
        call = await self.send(subject, data, timeout=timeout, headers=headers)
        try:
            return await self._join(call, timeout)
        except TimeoutError:
            raise OutcomeUnknown(
                f"no answer to {_verb(subject)} came within {timeout:g} s, so it may or may not have been done. "
                "Retry under the same key."
            ) from None
        finally:
            self.leave(call)

    async def ask(self, subject: str, data: bytes, *, timeout: float, headers: wire.Headers = ()) -> Answer:
        """The first answer as it came; raises TimeoutError, `Denied`, `Unreachable`, `OutcomeUnknown`."""
        call = await self.send(subject, data, timeout=timeout, headers=headers)
        try:
            return await call.take(timeout)
        finally:
            self.leave(call)

    async def send(
        self, subject: str, data: bytes, *, timeout: float, headers: wire.Headers = (), more: bool = False
    ) -> Call:
        """Send a request whose answers the returned call receives until it is left; with ``more`` together with what
        else is sent in this turn of the event loop.

        Waits up to ``timeout`` for a connection; raises `Unreachable` when nothing was sent.
        """
        if not self.connection.connected:
            await self.connection.available(timeout)
        call = self._begun(subject)
        try:
            await self.connection.publish(subject, data, reply=self._reply(call), headers=headers, more=more)
        except BaseException as error:
            raise self._unsent([call], error) from None
        return call

    async def send_each(self, subject: str, payloads: Sequence[bytes], *, timeout: float) -> list[Call]:
        """As `send`, of several short requests of one subject, in one write: a call for each, in order."""
        if not self.connection.connected:
            await self.connection.available(timeout)
        calls = [self._begun(subject) for _ in payloads]
        messages = [(self._reply(call), data) for call, data in zip(calls, payloads, strict=True)]
        try:
            await self.connection.publish_each(subject, messages)
        except BaseException as error:
            raise self._unsent(calls, error) from None
        return calls

    def leave(self, call: Call) -> None:
        """Expect nothing more for a call."""
        self._calls.pop(call.token, None)

    def _begun(self, subject: str) -> Call:
        """A call whose answers are expected from now on."""
        self._count += 1
        call = Call(subject, b"%d" % self._count)
        self._calls[call.token] = call
        return call

    def _reply(self, call: Call) -> str:
        return self._prefix + call.token.decode()

    def _unsent(self, calls: Sequence[Call], error: BaseException) -> BaseException:
        """Expect nothing for calls that could not be sent; what to say of it."""
        for call in calls:
            self.leave(call)
        if isinstance(error, OSError):
            return OutcomeUnknown(f"the connection broke while sending ({error}); retry under the same key")
        return error

    async def _join(self, call: Call, timeout: float) -> bytes:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout
        first = await call.take(timeout)
        _refuse(call.subject, first)
        index, count = wire.part_of(first.headers)
        if count == 1:
            return first.data
        found = {index: first.data}
        while len(found) < count:
            answer = await call.take(deadline - loop.time())
            found[wire.part_of(answer.headers)[0]] = answer.data
        return b"".join(found[number] for number in range(1, count + 1))

    async def _subscribe(self) -> None:
        client = self.connection.client
        try:
            self._subscription = await client.subscribe_direct(f"{self._prefix}*", self._receive)
            await client.flush(timeout=round(SETUP_SECONDS))  # a refusal comes before the answer to this
        except (NatsError, OSError) as error:
            await self.close()
            raise Unreachable(f"the connection to {self.connection.url} failed: {error}") from None
        if self._refused:
            await self.close()
            raise Denied(
                f"this user may not read {self.caller.inbox}.>, the inbox of {self.caller.role} "
                f"{self.caller.principal}; ask for a permission, or connect as another principal"
            )

    def _receive(self, subject: bytes, reply: bytes, data: bytes, headers: bytes) -> None:
        call = self._calls.get(subject[len(self._prefix) :])
        if call is not None:  # else nobody waits for it any more
            call.receive(Answer(call.subject, reply.decode(), data, headers))

    def _on_disconnected(self) -> None:
        for call in list(self._calls.values()):
            call.fail(
                OutcomeUnknown(
                    f"the connection was lost before {_verb(call.subject)} was answered, so it may or may not "
                    "have been done. Retry under the same key."
                )
            )

    def _on_denied(self, kind: str, subject: str) -> bool:
        if kind == "subscription":
            mine = subject == f"{self._prefix}*".lower()
            self._refused = self._refused or mine
            return mine
        calls = [call for call in self._calls.values() if call.subject.lower() == subject]
        for call in calls:
            call.fail(Denied(denied(self.caller, subject)))
        return bool(calls)


def _refuse(subject: str, answer: Answer) -> None:
    if not answer.headers:
        return
    if answer.status == NO_RESPONDERS:
        verb, space = _verb(subject), _space(subject)
        where = f" in the space {space}" if space else ""
        raise WorkerMissing(
            f"no worker serves {verb}{where}. See what runs with `eunoe status`, and start one with `eunoe serve`.",
            verb=verb,
            space=space,
        )
    if wire.header(answer.headers, wire.ERROR):
        try:
            raise errors.from_reply(_reply.decode(answer.data))
        except msgspec.DecodeError:
            raise errors.EunoeError(f"a worker refused {_verb(subject)} and gave no readable reason") from None


def _verb(subject: str) -> str:
    """What a request asks for: the verb of one of ours, else the subject itself."""
    return subject.split(".")[2] if _ours(subject) else subject


def _space(subject: str) -> str:
    """The space that a request of ours is made in, or nothing."""
    return subject.split(".")[1] if _ours(subject) else ""


def _ours(subject: str) -> bool:
    tokens = subject.split(".")
    return tokens[0] == "eunoe" and len(tokens) > 3 and tokens[3] in ROLES
