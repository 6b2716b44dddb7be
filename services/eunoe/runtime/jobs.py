"""The work queue behind `doors.Jobs`."""

from __future__ import annotations

from collections.abc import Sequence

from eunoe.runtime.consumer import JetStreamConsumer, durable_config
from eunoe.runtime.doors import Appended, Consumer
from eunoe.runtime.jetstream import JetStream

MAX_ACK_PENDING = 1024  # jobs handed out and not done at once


class JetStreamJobs:
    """A `doors.Jobs` over one stream with work-queue retention: its acknowledgements delete, so they last."""

    def __init__(self, jetstream: JetStream, stream: str) -> None:
        self.stream = stream
        self._jetstream = jetstream

    async def submit(self, subject: str, data: bytes, *, msg_id: str = "") -> Appended:
        return await self._jetstream.publish(subject, data, (("Nats-Msg-Id", msg_id),) if msg_id else ())

    async def consumer(self, durable: str, filters: Sequence[str], *, ack_wait: float = 60.0) -> Consumer:
        config = durable_config(durable, filters, ack_wait=ack_wait, max_ack_pending=MAX_ACK_PENDING)
        consumer = JetStreamConsumer(self._jetstream, self.stream, config)
        await consumer.ensure()
        return consumer

    async def waiting(self) -> int:
        info = await self._jetstream.again(
            f"stream {self.stream}", lambda: self._jetstream.api(f"STREAM.INFO.{self.stream}")
        )
        return int(info["state"]["messages"])
