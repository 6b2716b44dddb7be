"""What waits for the workers that read the log with a durable consumer, asked without touching that consumer."""

from __future__ import annotations

import secrets

from eunoe.runtime.jetstream import CONSUMER_NOT_FOUND, JetStream, Refused
from eunoe.schemas import limits, subjects

NAMES = subjects.LOG_DURABLES
PROBE_SECONDS = 5  # seconds that a probe of the log stays when it cannot be removed


async def pending(jetstream: JetStream, space: str, name: str) -> tuple[int, int]:
    """Records not delivered yet to that worker, and those delivered that it is not done with."""
    log = subjects.log_stream(space)
    try:
        info = await jetstream.api(f"CONSUMER.INFO.{log}.{name}")
    except Refused as refused:
        if refused.number != CONSUMER_NOT_FOUND:
            raise
        return await _matching(jetstream, log, _filters(space, name)), 0
    return int(info["num_pending"]), int(info["num_ack_pending"])


def _filters(space: str, name: str) -> list[str]:
    return {"extraction": [subjects.happened_filter(space)], "facts": subjects.log_subjects(space)}[name]


async def _matching(jetstream: JetStream, stream: str, filters: list[str]) -> int:
    """How many records match: what would wait for a consumer that begins now."""
    probe = f"probe-{secrets.token_hex(6)}"
    stays = PROBE_SECONDS * limits.NANOSECONDS
    config = {"name": probe, "filter_subjects": filters, "ack_policy": "none", "inactive_threshold": stays}
    made = await jetstream.api(f"CONSUMER.CREATE.{stream}.{probe}", {"stream_name": stream, "config": config})
    await jetstream.api(f"CONSUMER.DELETE.{stream}.{probe}")
    return int(made["num_pending"])
