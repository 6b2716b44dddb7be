"""The log, dead letters and pieces: streams behind `doors.Log`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing

from eunoe.runtime.consumer import JetStreamConsumer, durable_config
from eunoe.runtime.doors import Appended, Consumer, Snapshot, Stored, StreamInfo
from eunoe.runtime.jetstream import DELETE_FAILED, MESSAGE_NOT_FOUND, SEQUENCE_NOT_FOUND, JetStream, Refused
from eunoe.runtime.lookup import Lookup
from eunoe.runtime.pulling import Range
from eunoe.runtime.reader import Reader
from eunoe.schemas.errors import NotFound

GATHER = 128  # direct gets in flight for one call


class JetStreamLog:
    """A `doors.Log` over one stream."""

    def __init__(self, jetstream: JetStream, stream: str) -> None:
        self.stream = stream
        self._jetstream = jetstream
        self._lookup = Lookup(jetstream, stream)
        self._reader = Reader(jetstream, stream)

    async def append(
        self, subject: str, data: bytes, *, msg_id: str = "", expect: tuple[str, int] | None = None
    ) -> Appended:
        headers: list[tuple[str, str]] = []
        if msg_id:
            headers.append(("Nats-Msg-Id", msg_id))
        if expect is not None:
            headers.append(("Nats-Expected-Last-Subject-Sequence", str(expect[1])))
            headers.append(("Nats-Expected-Last-Subject-Sequence-Subject", expect[0]))
        return await self._jetstream.publish(subject, data, headers)

    async def last(self, filters: Sequence[str], *, fence: int = 0) -> Snapshot:
        found, upto = await self._lookup.latest(filters, fence)
        return Snapshot(messages=tuple(message for message, _ in found), upto=upto)

    async def get(self, seqs: Sequence[int]) -> list[Stored | None]:
        found: list[Stored | None] = []
        for start in range(0, len(seqs), GATHER):
            found += await self._lookup.by_sequence(seqs[start : start + GATHER])
        return found

    def scan(self, filters: Sequence[str] = (), *, start: int = 1) -> AsyncIterator[Stored]:
        return self._scan(tuple(filters), max(start, 1))

    def follow(self, filters: Sequence[str] = (), *, start: int = 1) -> AsyncIterator[Stored]:
        return self._read(Range(tuple(filters), max(start, 1)))

    async def info(self, *, gaps: bool = False) -> StreamInfo:
        request = {"deleted_details": True} if gaps else None
        info = await self._jetstream.again(
            f"stream {self.stream}", lambda: self._jetstream.api(f"STREAM.INFO.{self.stream}", request)
        )
        state = info["state"]
        return StreamInfo(
            first=int(state["first_seq"]),
            last=int(state["last_seq"]),
            count=int(state["messages"]),
            gaps=tuple(seq for seq in state.get("deleted") or () if seq > 0),  # an empty stream lists 0
        )

    async def consumer(
        self, durable: str, filters: Sequence[str], *, ack_wait: float = 30.0, max_ack_pending: int = 1024
    ) -> Consumer:
        config = durable_config(durable, filters, ack_wait=ack_wait, max_ack_pending=max_ack_pending)
        consumer = JetStreamConsumer(self._jetstream, self.stream, config)
        await consumer.ensure()
        return consumer

    async def erase(self, seq: int) -> None:
        """Overwrite and remove one message; raises `NotFound` when there is none."""
        try:
            await self._jetstream.api(f"STREAM.MSG.DELETE.{self.stream}", {"seq": seq, "no_erase": False})
        except Refused as refused:
            if refused.number in (DELETE_FAILED, MESSAGE_NOT_FOUND, SEQUENCE_NOT_FOUND):
                raise NotFound(f"there is no message {seq} to erase in {self.stream}") from None
            raise

    async def _scan(self, filters: tuple[str, ...], start: int) -> AsyncGenerator[Stored, None]:
        end = await self._reader.end()
        async with aclosing(self._read(Range(filters, start, until=end.last))) as found:
            async for message in found:
                yield message

    async def _read(self, wanted: Range) -> AsyncGenerator[Stored, None]:
        async with aclosing(self._reader.read(wanted)) as found:
            async for read in found:
                yield read.message
