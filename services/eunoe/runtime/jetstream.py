"""JetStream's own requests: its API, acknowledged publishes, and direct gets."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import msgspec

from eunoe.runtime import wire
from eunoe.runtime.calls import Answer
from eunoe.runtime.doors import Appended
from eunoe.runtime.requester import NO_RESPONDERS, Requester
from eunoe.schemas import limits
from eunoe.schemas.errors import Conflict, Damaged, OutcomeUnknown, Unreachable

API_SECONDS = 5.0  # seconds one request to the API waits
READ_SECONDS = 10.0  # seconds a read is tried again while the server is away or not ready
PAUSE_SECONDS = 0.05  # seconds before the first retry; doubles up to PAUSE_SECONDS_MAX
PAUSE_SECONDS_MAX = 0.5

# Codes of the JetStream API (nats-server, server/errors.json)
WRONG_LAST_SEQUENCE = 10071
WRONG_LAST_SEQUENCE_IN_FLIGHT = 10164
CONSUMER_NOT_FOUND = 10014
MESSAGE_NOT_FOUND = 10037
SEQUENCE_NOT_FOUND = 10043
DELETE_FAILED = 10057
STREAM_NAME_IN_USE = 10058
STREAM_NOT_FOUND = 10059

T = TypeVar("T")


class _Refusal(msgspec.Struct):
    code: int = 0
    err_code: int = 0
    description: str = ""


class _Ack(msgspec.Struct):
    stream: str = ""
    seq: int = 0
    duplicate: bool = False
    error: _Refusal | None = None


_ack = msgspec.json.Decoder(_Ack)
_sequence = re.compile(r"wrong last sequence: (\d+)")


class Refused(Damaged):
    """The store refused. ``number`` is JetStream's code for why."""

    def __init__(self, what: str, refusal: _Refusal) -> None:
        super().__init__(f"the store refused {what}: {refusal.description} (JetStream {refusal.err_code})")
        self.number = refusal.err_code


class NotReady(Unreachable):
    """JetStream does not answer yet: no server holds this stream at the moment. Try again."""


class JetStream:
    """What the doors ask of JetStream, over one requester."""

    def __init__(self, requester: Requester) -> None:
        self.requester = requester

    async def api(self, verb: str, request: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """One API request; raises `Refused` with JetStream's code, `NotReady`, or `OutcomeUnknown`."""
        data = msgspec.json.encode(request) if request is not None else b""
        try:
            answer = await self.requester.ask(f"$JS.API.{verb}", data, timeout=API_SECONDS)
        except TimeoutError:
            raise OutcomeUnknown(f"JetStream did not answer {verb} within {API_SECONDS:g} s; try again") from None
        if answer.status == NO_RESPONDERS:
            raise NotReady
        found: dict[str, Any] = msgspec.json.decode(answer.data)
        if error := found.get("error"):
            raise Refused(verb, msgspec.convert(error, _Refusal))
        return found

    async def publish(
        self, subject: str, data: bytes, headers: wire.Headers, *, timeout: float = limits.PUBLISH_SECONDS
    ) -> Appended:
        """Publish and wait for the acknowledgement; the errors are those of `doors.Log.append`.

        While no server holds the stream nothing can have been stored, so it is sent again until ``timeout``.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout
        pause = PAUSE_SECONDS
        while True:
            try:
                answer = await self.requester.ask(subject, data, timeout=deadline - loop.time(), headers=headers)
            except TimeoutError:
                raise OutcomeUnknown(
                    f"no acknowledgement came within {timeout:g} s, so {subject} may or may not have been written. "
                    "Retry under the same key."
                ) from None
            if answer.status != NO_RESPONDERS:
                return _appended(subject, answer.data)
            if loop.time() + pause > deadline:
                raise NotReady(f"no server holds a stream for {subject}; is JetStream running there?")
            await asyncio.sleep(pause)
            pause = min(pause * 2, PAUSE_SECONDS_MAX)

    async def direct(self, stream: str, request: Mapping[str, Any]) -> list[Answer]:
        """A direct get of one or several messages; the last answer is the end of the batch (204) or a status."""
        subject = f"$JS.API.DIRECT.GET.{stream}"
        call = await self.requester.send(subject, msgspec.json.encode(request), timeout=API_SECONDS)
        found: list[Answer] = []
        try:
            while True:
                found.append(answer := await call.take(API_SECONDS))
                if answer.status:
                    break
        except TimeoutError:
            raise OutcomeUnknown(f"stream {stream} did not answer within {API_SECONDS:g} s; try again") from None
        finally:
            self.requester.leave(call)
        if found[-1].status == NO_RESPONDERS:
            raise NotReady
        return found

    async def again(self, what: str, attempt: Callable[[], Awaitable[T]]) -> T:
        """Try a read again while the server is away or not ready, for `READ_SECONDS` at most."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + READ_SECONDS
        pause = PAUSE_SECONDS
        while True:
            try:
                return await attempt()
            except (OutcomeUnknown, Unreachable) as error:
                left = deadline - loop.time() - pause
                if left <= 0:
                    raise Unreachable(f"{what} cannot be read: {error}") from None
            await asyncio.sleep(pause)
            pause = min(pause * 2, PAUSE_SECONDS_MAX)
            await self.requester.connection.available(left)


def _appended(subject: str, data: bytes) -> Appended:
    try:
        ack = _ack.decode(data)
    except msgspec.DecodeError:
        raise Damaged(
            f"the store answered {subject} with something that is no acknowledgement: {data[:80]!r}"
        ) from None
    if ack.error is None:
        return Appended(seq=ack.seq, duplicate=ack.duplicate)
    if ack.error.err_code in (WRONG_LAST_SEQUENCE, WRONG_LAST_SEQUENCE_IN_FLIGHT):
        found = _sequence.search(ack.error.description)
        detail = {"last": int(found[1])} if found else {}
        raise Conflict(f"somebody else wrote before {subject}: {ack.error.description}", **detail)
    raise Refused(subject, ack.error)
