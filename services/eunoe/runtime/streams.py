"""One stream: made where it is missing, by however many at once."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from eunoe.runtime.jetstream import STREAM_NAME_IN_USE, STREAM_NOT_FOUND, JetStream, Refused
from eunoe.runtime.policies import Policy

logger = logging.getLogger(__name__)


async def ensured(jetstream: JetStream, policy: Policy) -> dict[str, Any]:
    """What JetStream says of the stream of that policy, made if it was not there."""
    name = policy["name"]
    try:
        return await info(jetstream, name)
    except Refused as refused:
        if refused.number != STREAM_NOT_FOUND:
            raise
    try:
        made = await jetstream.again(f"stream {name}", lambda: jetstream.api(f"STREAM.CREATE.{name}", policy))
    except Refused as refused:
        if refused.number != STREAM_NAME_IN_USE:
            raise
        return await info(jetstream, name)
    logger.info("stream %s was made", name, extra={"action": "stream_made"})
    return made


async def changed(jetstream: JetStream, config: Mapping[str, Any]) -> dict[str, Any]:
    """What JetStream says of a stream once it has that configuration; it refuses what a stream cannot become."""
    name = config["name"]
    made = await jetstream.again(f"stream {name}", lambda: jetstream.api(f"STREAM.UPDATE.{name}", config))
    logger.info("stream %s was changed", name, extra={"action": "stream_changed"})
    return made


async def info(jetstream: JetStream, name: str) -> dict[str, Any]:
    """What JetStream says of a stream; raises `Refused` with `STREAM_NOT_FOUND` when there is none."""
    return await jetstream.again(f"stream {name}", lambda: jetstream.api(f"STREAM.INFO.{name}"))


async def last(jetstream: JetStream, name: str, subject: str) -> dict[str, Any]:
    """The last message of a subject as the stream's leader has it; raises `Refused` with `MESSAGE_NOT_FOUND`."""
    request = {"last_by_subj": subject}
    found = await jetstream.again(f"stream {name}", lambda: jetstream.api(f"STREAM.MSG.GET.{name}", request))
    message: dict[str, Any] = found["message"]
    return message


def behind(info: Mapping[str, Any]) -> bool:
    """Whether any server that keeps a stream, but for those that are away, lacks some of it."""
    peers = (info.get("cluster") or {}).get("replicas") or ()
    return any(peer.get("lag", 0) or not peer.get("current") for peer in peers if not peer.get("offline"))
