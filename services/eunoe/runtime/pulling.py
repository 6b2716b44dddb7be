"""Reading a stream through one ephemeral pull consumer, which brings batches until its range ends or it is lost.

The server ends what nobody pulls from.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import msgspec

from eunoe.runtime import stored, wire
from eunoe.runtime.calls import Answer
from eunoe.runtime.doors import Stored
from eunoe.runtime.inbox import Inbox
from eunoe.runtime.jetstream import JetStream
from eunoe.runtime.leaving import Leaving
from eunoe.schemas import limits
from eunoe.schemas.errors import OutcomeUnknown, Unreachable

logger = logging.getLogger(__name__)

BATCH = 256  # messages of one pull
BATCH_BYTES = limits.MAX_PAYLOAD + 64 * limits.KIB  # bytes of one pull, enough for the largest message
EXPIRES_SECONDS = 10.0  # seconds a pull waits at the server for what is to come
PRESENT_SECONDS = 1.0  # seconds a pull waits for what the server says is there; a damaged block never brings it
HEARTBEAT_SECONDS = 2.0  # seconds between signs of life while a pull waits
IDLE_SECONDS = 60.0  # seconds after which the server drops a consumer that nobody pulls from
HEARTBEAT = 100  # status of a sign of life


def _pull_request(expires: float) -> bytes:
    return msgspec.json.encode(
        {
            "batch": BATCH,
            "max_bytes": BATCH_BYTES,
            "expires": int(expires * limits.NANOSECONDS),
            "idle_heartbeat": int(min(HEARTBEAT_SECONDS, expires / 3) * limits.NANOSECONDS),
        }
    )


_PULL_COMING = _pull_request(EXPIRES_SECONDS)
_PULL_PRESENT = _pull_request(PRESENT_SECONDS)


@dataclass(frozen=True, slots=True)
class Read:
    """One message with its raw headers."""

    message: Stored
    headers: bytes


@dataclass(frozen=True, slots=True)
class Range:
    """What to read. ``until`` None: go on for ever. ``newest``: only the last message of every subject.

    ``resume`` False: an interruption ends the reading with its error. ``leaving`` ends it when it is told."""

    filters: tuple[str, ...]
    start: int = 1
    until: int | None = None
    newest: bool = False
    resume: bool = True
    leaving: Leaving = field(default_factory=Leaving)


class Pulling:
    """Reads of one stream, each through a consumer of its own."""

    def __init__(self, jetstream: JetStream, stream: str) -> None:
        self._jetstream = jetstream
        self._stream = stream

    async def read(self, wanted: Range, start: int) -> AsyncGenerator[Read, None]:
        """The messages of a range from ``start`` on, until it ends; raises `OutcomeUnknown` or `Unreachable` when the
        consumer is lost."""
        name = f"read_{secrets.token_hex(8)}"
        info = await self._jetstream.api(f"CONSUMER.CREATE.{self._stream}.{name}", self._config(name, wanted, start))
        left = int(info.get("num_pending", 0))
        async with Inbox(self._jetstream.requester, wanted.leaving) as inbox:
            try:
                while wanted.until is None or left > 0:
                    before = left
                    async with aclosing(self._pull(inbox, name, wanted)) as answers:
                        async for answer in answers:
                            found = stored.position(answer.reply)
                            left = found.pending
                            if wanted.until is not None and found.seq > wanted.until:
                                return
                            yield Read(Stored(answer.subject, found.seq, answer.data, found.time), answer.headers)
                            if wanted.until is not None and not left:
                                return
                    if wanted.until is not None and left == before:
                        raise Unreachable(f"stream {self._stream} brings nothing although {left} messages wait")
            finally:
                await self._drop(name)

    async def _pull(self, inbox: Inbox, name: str, wanted: Range) -> AsyncGenerator[Answer, None]:
        """The messages of one pull, without the signs of life between them."""
        request = _PULL_COMING if wanted.until is None else _PULL_PRESENT
        await inbox.send(f"$JS.API.CONSUMER.MSG.NEXT.{self._stream}.{name}", request)
        count = 0
        while count < BATCH:
            try:
                answer = await inbox.take(HEARTBEAT_SECONDS * 3)
            except TimeoutError:
                raise OutcomeUnknown(f"stream {self._stream} is silent") from None
            if not answer.status:
                count += 1
                yield answer
            elif answer.status != HEARTBEAT:
                _ended(self._stream, answer)
                return

    async def _drop(self, name: str) -> None:
        try:
            await self._jetstream.requester.connection.publish(f"$JS.API.CONSUMER.DELETE.{self._stream}.{name}", b"")
        except (OSError, Unreachable):
            logger.debug("consumer %s is left to expire", name, extra={"action": "reader_left"})

    def _config(self, name: str, wanted: Range, start: int) -> dict[str, Any]:
        config: dict[str, Any] = {
            "name": name,
            "ack_policy": "none",
            "replay_policy": "instant",
            "deliver_policy": "last_per_subject" if wanted.newest else "by_start_sequence",
            "inactive_threshold": int(IDLE_SECONDS * limits.NANOSECONDS),
            "max_deliver": 1,
            "mem_storage": True,
            "num_replicas": 1,
        }
        if wanted.filters:
            config["filter_subjects"] = list(wanted.filters)
        if not wanted.newest:
            config["opt_start_seq"] = start
        return {"stream_name": self._stream, "config": config}


def _ended(stream: str, answer: Answer) -> None:
    """A pull that expired or was filled is normal; a consumer that went away is not."""
    text = wire.status_text(answer.headers)
    if answer.status in (404, 408) or "MaxBytes" in text or "Batch Completed" in text:
        return
    raise Unreachable(f"the consumer on stream {stream} was lost: {answer.status} {text}")
