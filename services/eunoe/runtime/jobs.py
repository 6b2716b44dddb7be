"""The work queue behind `doors.Jobs`. Its stream is made when it is used first: a space without jobs has none."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from eunoe.runtime import policies, streams
from eunoe.runtime.consumer import JetStreamConsumer, durable_config
from eunoe.runtime.doors import Appended, Consumer
from eunoe.runtime.jetstream import MESSAGE_NOT_FOUND, STREAM_NOT_FOUND, JetStream, Refused
from eunoe.runtime.policies import Policy
from eunoe.schemas.errors import Misconfigured

MAX_ACK_PENDING = 1024  # jobs handed out and not done at once


class JetStreamJobs:
    """A `doors.Jobs` over one stream with work-queue retention: its acknowledgements delete, so they last.

    A job that another of its subject replaced while it was in hand is gone: what is said of it then changes nothing.
    """

    def __init__(self, jetstream: JetStream, policy: Policy) -> None:
        self.stream = str(policy["name"])
        self._policy = policy
        self._jetstream = jetstream
        self._there = False

    async def submit(self, subject: str, data: bytes, *, msg_id: str = "", instead: int = 0) -> Appended:
        await self._ensure()
        headers = [("Nats-Msg-Id", msg_id)] if msg_id else []
        headers += [("Nats-Expected-Last-Subject-Sequence", str(instead))] if instead else []
        try:
            return await self._jetstream.publish(subject, data, headers)
        except BaseException:
            self._there = False  # it may have been removed: the next job looks
            raise

    async def held(self, subject: str) -> bytes | None:
        try:
            found = await streams.last(self._jetstream, self.stream, subject)
        except Refused as refused:
            if refused.number not in (MESSAGE_NOT_FOUND, STREAM_NOT_FOUND):
                raise
            return None
        return base64.b64decode(found.get("data", ""))

    async def consumer(self, durable: str, filters: Sequence[str], *, ack_wait: float = 60.0) -> Consumer:
        await self._ensure()
        config = durable_config(durable, filters, ack_wait=ack_wait, max_ack_pending=MAX_ACK_PENDING)
        consumer = JetStreamConsumer(self._jetstream, self.stream, config)
        await consumer.ensure()
        return consumer

    async def waiting(self) -> int:
        try:
            info = await streams.info(self._jetstream, self.stream)
        except Refused as refused:
            if refused.number != STREAM_NOT_FOUND:
                raise
            return 0
        return int(info["state"]["messages"])

    async def _ensure(self) -> None:
        if self._there:
            return
        config = (await streams.ensured(self._jetstream, self._policy))["config"]
        if config.get("max_msgs_per_subject") != self._policy["max_msgs_per_subject"]:
            config = (await streams.changed(self._jetstream, config | _kept(self._policy)))["config"]
        if faults := policies.faults(self._policy, config):
            raise Misconfigured(". ".join(faults))
        self._there = True


def _kept(policy: Policy) -> Policy:
    """What a policy says of how many jobs of a subject wait, and which: a queue that kept every one drops the older."""
    return {name: policy[name] for name in ("max_msgs_per_subject", "discard")}
