"""JetStream's own requests: its API, acknowledged publishes, and direct gets."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, TypeVar

import msgspec

from eunoe.runtime import wire
from eunoe.runtime.backoff import waits
from eunoe.runtime.calls import Answer
from eunoe.runtime.doors import Appended
from eunoe.runtime.requester import NO_RESPONDERS, Requester
from eunoe.schemas import limits
from eunoe.schemas.errors import Conflict, Damaged, OutcomeUnknown, Unreachable

API_SECONDS = 5.0  # seconds one request to the API waits
READ_SECONDS = 10.0  # seconds a read is tried again while the server is away or not ready
PAUSE_SECONDS = 0.05  # seconds before the first retry; doubles up to PAUSE_SECONDS_MAX
PAUSE_SECONDS_MAX = 0.5  # seconds

# Codes of the JetStream API (nats-server, server/errors.json)
WRONG_LAST_SEQUENCE = 10071
WRONG_LAST_SEQUENCE_IN_FLIGHT = 10164
CONSUMER_NOT_FOUND = 10014
MESSAGE_NOT_FOUND = 10037
SEQUENCE_NOT_FOUND = 10043
DELETE_FAILED = 10057
STREAM_NAME_IN_USE = 10058
STREAM_NOT_FOUND = 10059
STREAM_SEALED = 10109
JETSTREAM_OFF = (10039, 10076)  # for the account, for the server; also after a full disk made it stop
FULL = (10002, 10023, 10028, 10047)  # of the account, the server, its memory, its files
AWAY = (
    *JETSTREAM_OFF,
    *(10004, 10005, 10007, 10008, 10009, 10041, 10048, 10075),  # a cluster without leader, quorum or enough peers
    *(10012, 10049, 10051, 10077, 10104),  # a store that failed to write, for a reason that the words give
    *(10118, 10119, 10194, 10195),  # a stream or consumer that is offline
    *(10158, 10163, 10167),  # too much at once
)

T = TypeVar("T")


class Refusal(msgspec.Struct):
    code: int = 0
    err_code: int = 0
    description: str = ""


class _Ack(msgspec.Struct):
    stream: str = ""
    seq: int = 0
    duplicate: bool = False
    error: Refusal | None = None


_ack = msgspec.json.Decoder(_Ack)
_sequence = re.compile(r"wrong last sequence: (\d+)")
_full = re.compile(r"maximum (bytes|messages) exceeded|no space left|insufficient (storage|resources)", re.IGNORECASE)


class Refused(Damaged):
    """The store refused. ``number`` is JetStream's code for why."""

    def __init__(self, what: str, refusal: Refusal) -> None:
        super().__init__(f"the store refused {what}: {refusal.description} (JetStream {refusal.err_code})")
        self.number = refusal.err_code


class NotReady(Unreachable):
    """JetStream does not answer yet: no server holds this stream at the moment. Try again."""

    number = 0  # JetStream's code for why, when it gave one


class Full(Unreachable):
    """The store is full. Give it more space; what waits is written then."""


def refused(what: str, refusal: Refusal) -> Refused | NotReady | Full:
    """The error that a refusal of JetStream is: `Full` and `NotReady` pass by themselves, and are tried again."""
    said = f"{refusal.description} (JetStream {refusal.err_code})"
    if refusal.err_code in FULL or (refusal.err_code in AWAY and _full.search(refusal.description)):
        return Full(
            f"the store is full and refused {what}: {said}. Give it more space, on its disk or in its limits "
            "(max_file_store, the account's, the stream's); what waits is written then."
        )
    if refusal.err_code in AWAY:
        away = NotReady(f"the store cannot do {what} now: {said}; try again")
        away.number = refusal.err_code
        return away
    return Refused(what, refusal)


class JetStream:
    """What the doors ask of JetStream, over one requester."""

    def __init__(self, requester: Requester) -> None:
        self.requester = requester

    async def api(self, verb: str, request: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """One API request; raises `Refused` with JetStream's code, `Full`, `NotReady`, or `OutcomeUnknown`."""
        data = msgspec.json.encode(request) if request is not None else b""
        try:
            answer = await self.requester.ask(f"$JS.API.{verb}", data, timeout=API_SECONDS)
        except TimeoutError:
            raise OutcomeUnknown(f"JetStream did not answer {verb} within {API_SECONDS:g} s; try again") from None
        if answer.status == NO_RESPONDERS:
            raise NotReady
        found: dict[str, Any] = msgspec.json.decode(answer.data)
        if error := found.get("error"):
            raise refused(verb, msgspec.convert(error, Refusal))
        return found

    async def publish(
        self, subject: str, data: bytes, headers: wire.Headers, *, timeout: float = limits.PUBLISH_SECONDS
    ) -> Appended:
        """Publish and wait for the acknowledgement; the errors are those of `doors.Log.append`.

        While no server holds the stream, or none leads it, nothing is stored, so it is sent again until ``timeout``.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout
        pauses = _pauses()
        while True:
            try:
                answer = await self.requester.ask(subject, data, timeout=deadline - loop.time(), headers=headers)
            except TimeoutError:
                raise OutcomeUnknown(
                    f"no acknowledgement came within {timeout:g} s, so {subject} may or may not have been written. "
                    "Retry under the same key."
                ) from None
            try:
                return _appended(subject, answer)
            except NotReady:
                pause = next(pauses)
                if loop.time() + pause > deadline:
                    raise
            await asyncio.sleep(pause)

    async def direct(self, stream: str, request: Mapping[str, Any], *, more: bool = False) -> list[Answer]:
        """A direct get of one or several messages; the last answer is the end of the batch (204) or a status."""
        subject = f"$JS.API.DIRECT.GET.{stream}"
        call = await self.requester.send(subject, msgspec.json.encode(request), timeout=API_SECONDS, more=more)
        found: list[Answer] = []
        try:
            while True:
                found.append(answer := call.ready() or await call.take(API_SECONDS))
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
        pauses = _pauses()
        while True:
            try:
                return await attempt()
            except (OutcomeUnknown, Unreachable) as error:
                pause = next(pauses)
                left = deadline - loop.time() - pause
                if left <= 0:
                    raise Unreachable(f"{what} cannot be used now: {error}") from None
            await asyncio.sleep(pause)
            await self.requester.connection.available(left)


def _pauses() -> Iterator[float]:
    return waits(first=PAUSE_SECONDS, longest=PAUSE_SECONDS_MAX)


def _appended(subject: str, answer: Answer) -> Appended:
    if answer.status == NO_RESPONDERS:
        raise NotReady(f"no server holds a stream for {subject}; is JetStream running there?")
    try:
        ack = _ack.decode(answer.data)
    except msgspec.DecodeError:
        raise Damaged(
            f"the store answered {subject} with something that is no acknowledgement: {answer.data[:80]!r}"
        ) from None
    if ack.error is None:
        return Appended(seq=ack.seq, duplicate=ack.duplicate)
    if ack.error.err_code in (WRONG_LAST_SEQUENCE, WRONG_LAST_SEQUENCE_IN_FLIGHT):
        found = _sequence.search(ack.error.description)
        detail = {"last": int(found[1])} if found else {}
        raise Conflict(f"somebody else wrote before {subject}: {ack.error.description}", **detail)
    raise refused(subject, ack.error)
