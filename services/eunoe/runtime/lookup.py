"""Direct gets: the last message of many subjects at once, and messages by sequence.

A direct get may be answered by a replica that lags. A *fence* is a sequence that the answer must reach:
the end of a batch says up to where it speaks (``Nats-UpTo-Sequence``), and a shorter answer is asked again.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

from eunoe.runtime import stored, wire
from eunoe.runtime.backoff import waits
from eunoe.runtime.calls import Answer
from eunoe.runtime.doors import Stored
from eunoe.runtime.jetstream import API_SECONDS, MESSAGE_NOT_FOUND, JetStream, NotReady, Refused
from eunoe.runtime.pulling import Range
from eunoe.runtime.reader import Reader
from eunoe.runtime.requester import NO_RESPONDERS
from eunoe.runtime.tasks import each
from eunoe.schemas.errors import Busy, Damaged, OutcomeUnknown

FENCE_SECONDS = 2.0  # seconds a replica may take to reach a fence
FENCE_PAUSE_SECONDS = 0.002  # seconds before it is asked again; doubles
LEADER_WIDTH = 16  # messages that the leader is asked for at once
END, NOTHING, TOO_MANY = 204, 404, 413  # statuses that end a batch

Raw = tuple[Stored, bytes]
"""A message and its raw headers."""


class Lookup:
    """Direct gets from one stream."""

    def __init__(self, jetstream: JetStream, stream: str) -> None:
        self._jetstream = jetstream
        self._stream = stream
        self._reader = Reader(jetstream, stream)

    async def latest(self, filters: Sequence[str], fence: int = 0, *, more: bool = False) -> tuple[list[Raw], int]:
        """The last message of every subject that matches, by sequence, and up to where this speaks (0: none). With
        ``more`` it is asked together with what else is asked in this turn of the event loop.

        Raises `Busy` when the answer does not reach the fence in time.
        """
        if not filters:
            return [], 0
        loop = asyncio.get_running_loop()
        deadline = loop.time() + FENCE_SECONDS
        pauses = waits(first=FENCE_PAUSE_SECONDS, longest=FENCE_SECONDS)
        while True:
            last = loop.time() > deadline  # told before the look: one that took long is no reason to give up
            found, upto = await self._jetstream.again(
                f"stream {self._stream}", lambda: self._latest(list(filters), more)
            )
            if upto >= fence or (not found and await self._empty(filters, fence)):
                return found, upto
            if last:
                raise Busy(f"stream {self._stream} answers up to {upto} and does not reach {fence} yet; try again")
            await asyncio.sleep(next(pauses))

    async def few(self, filters: Sequence[str]) -> tuple[list[Raw], int] | None:
        """As `latest`, in one direct get; None where more subjects match than that answers."""
        if not filters:
            return [], 0
        return await self._jetstream.again(f"stream {self._stream}", lambda: self._direct(list(filters)))

    async def one(self, subject: str) -> Raw | None:
        """The last message of one subject."""
        return await self._jetstream.again(f"stream {self._stream}", lambda: self._one(subject))

    async def by_sequence(self, seqs: Sequence[int]) -> list[Stored | None]:
        """Messages by sequence, all asked at once; a miss is asked again of the stream's leader."""
        found = await self._jetstream.again(f"stream {self._stream}", lambda: self._gathered(seqs))

        async def ask(index: int) -> None:
            found[index] = await self._from_leader(seqs[index])

        await each([index for index, message in enumerate(found) if message is None], ask, LEADER_WIDTH)
        return found

    async def _latest(self, filters: list[str], more: bool) -> tuple[list[Raw], int]:
        found = await self._direct(filters, more=more)
        return await self._newest(filters) if found is None else found

    async def _direct(self, filters: list[str], *, more: bool = False) -> tuple[list[Raw], int] | None:
        found: list[Raw] = []
        request: dict[str, Any] = {"multi_last": filters}
        while True:
            *messages, end = await self._jetstream.direct(self._stream, request, more=more)
            found += [(stored.from_direct(answer), answer.headers) for answer in messages]
            if end.status == TOO_MANY:
                return None
            if end.status == NOTHING:
                return found, 0
            if end.status != END:
                raise _unexpected(self._stream, end)
            upto = wire.number(end.headers, "Nats-UpTo-Sequence")
            if not wire.number(end.headers, "Nats-Num-Pending"):
                return found, upto
            request |= {"seq": wire.number(end.headers, "Nats-Last-Sequence") + 1, "up_to_seq": upto}

    async def _newest(self, filters: list[str]) -> tuple[list[Raw], int]:
        """The same through a consumer: a direct get answers no more than 1,024 subjects."""
        upto = (await self._reader.end()).last
        wanted = Range(tuple(_apart(filters)), until=upto, newest=True)
        async with aclosing(self._reader.read(wanted)) as reads:
            return [(read.message, read.headers) async for read in reads], upto

    async def _empty(self, filters: Sequence[str], fence: int) -> bool:
        """Whether the leader, which reaches the fence, knows of no subject that matches."""
        for pattern in filters:
            state = await self._subject_state(pattern)
            if int(state["last_seq"]) < fence or state.get("subjects"):
                return False
        return True

    async def _subject_state(self, pattern: str) -> dict[str, Any]:
        info = await self._jetstream.again(
            f"stream {self._stream}",
            lambda: self._jetstream.api(f"STREAM.INFO.{self._stream}", {"subjects_filter": pattern}),
        )
        state: dict[str, Any] = info["state"]
        return state

    async def _one(self, subject: str) -> Raw | None:
        asked = f"$JS.API.DIRECT.GET.{self._stream}.{subject}"
        try:
            answer = await self._jetstream.requester.ask(asked, b"", timeout=API_SECONDS)
        except TimeoutError:
            raise OutcomeUnknown(f"stream {self._stream} did not answer; try again") from None
        if not answer.status:
            return stored.from_direct(answer), answer.headers
        if answer.status == NOTHING:
            return None
        raise _unexpected(self._stream, answer)

    async def _gathered(self, seqs: Sequence[int]) -> list[Stored | None]:
        requester = self._jetstream.requester
        subject = f"$JS.API.DIRECT.GET.{self._stream}"
        calls = await requester.send_each(subject, [b'{"seq":%d}' % seq for seq in seqs], timeout=API_SECONDS)
        try:
            return [_found(self._stream, call.ready() or await call.take(API_SECONDS)) for call in calls]
        except TimeoutError:
            raise OutcomeUnknown(f"stream {self._stream} did not answer; try again") from None
        finally:
            for call in calls:
                requester.leave(call)

    async def _from_leader(self, seq: int) -> Stored | None:
        try:
            answer = await self._jetstream.again(
                f"stream {self._stream}", lambda: self._jetstream.api(f"STREAM.MSG.GET.{self._stream}", {"seq": seq})
            )
        except Refused as refused:
            if refused.number == MESSAGE_NOT_FOUND:
                return None
            raise
        message = answer["message"]
        data = base64.b64decode(message.get("data", ""))
        return Stored(message["subject"], int(message["seq"]), data, stored.milliseconds(message["time"]))


def _found(stream: str, answer: Answer) -> Stored | None:
    if not answer.status:
        return stored.from_direct(answer)
    if answer.status == NOTHING:
        return None
    raise _unexpected(stream, answer)


def _unexpected(stream: str, answer: Answer) -> Damaged | NotReady:
    if answer.status == NO_RESPONDERS:
        return NotReady()
    return Damaged(f"stream {stream} answered {answer.status} {wire.status_text(answer.headers)}")


def _apart(filters: Sequence[str]) -> list[str]:
    """The filters without those that another one covers, as a consumer refuses overlaps."""
    kept: list[str] = []
    for pattern in sorted(set(filters), key=lambda one: one.count("*") + 1000 * one.count(">"), reverse=True):
        if not any(covers(other, pattern) for other in kept):
            kept.append(pattern)
    return kept


def covers(wide: str, narrow: str) -> bool:
    """Whether every subject that ``narrow`` means is meant by ``wide``."""
    a, b = wide.split("."), narrow.split(".")
    for index, wanted in enumerate(a):
        if wanted == ">":
            return len(b) > index
        if index >= len(b) or b[index] == ">" or wanted not in ("*", b[index]):
            return False
    return len(a) == len(b)
