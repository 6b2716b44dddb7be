"""What waits for the workers that read the log, or take jobs, with durable consumers: asked without touching those."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eunoe.runtime import streams
from eunoe.runtime.jetstream import CONSUMER_NOT_FOUND, STREAM_NOT_FOUND, JetStream, Refused
from eunoe.schemas import limits, subjects
from eunoe.schemas.jobs import JOB_KINDS, KINDS

NAMES = ("extraction", *JOB_KINDS, "facts")  # in the order in which work flows from one to the next
PROBE_SECONDS = 5  # seconds that a probe of the log stays when it cannot be removed


@dataclass(frozen=True, slots=True)
class Durable:
    """One consumer: messages not delivered yet, those delivered that its worker is not done with, and what it takes.

    ``wrong`` are the filters that it has in the place of those that it ought to have; empty where they are right, and
    where it is not there yet.
    """

    waiting: int = 0
    in_hand: int = 0
    wrong: tuple[str, ...] = ()


async def pending(jetstream: JetStream, space: str, name: str) -> tuple[int, int]:
    """Messages not delivered yet to that worker, and those delivered that it is not done with."""
    found = await look(jetstream, space, name)
    return found.waiting, found.in_hand


async def again(jetstream: JetStream, space: str, name: str) -> tuple[int, int]:
    """The same of what that worker is to do again."""
    found = await _look(jetstream, subjects.jobs_stream(space), f"again-{name}", [subjects.again_filter(space, name)])
    return found.waiting, found.in_hand


async def look(jetstream: JetStream, space: str, name: str) -> Durable:
    """The consumer of a worker."""
    return await _look(jetstream, _stream(space, name), name, filters(space, name))


async def jobs(jetstream: JetStream, space: str, total: int) -> Mapping[str, int]:
    """How many of ``total`` jobs are of which kind, and are there to do something ``again``; without kinds of which
    there are none."""
    if not total:
        return {}
    stream = subjects.jobs_stream(space)
    found: dict[str, int] = {
        kind: await _counted(jetstream, stream, subjects.jobs_filter(space, kind)) for kind in KINDS
    }
    found["again"] = max(total - sum(found.values()), 0)
    return {kind: count for kind, count in found.items() if count}


def filters(space: str, name: str) -> list[str]:
    """What the consumer of a worker takes."""
    if name in JOB_KINDS:
        return [subjects.jobs_filter(space, kind) for kind in JOB_KINDS[name]]
    return {"extraction": [subjects.happened_filter(space)], "facts": subjects.log_subjects(space)}[name]


def _stream(space: str, name: str) -> str:
    return subjects.jobs_stream(space) if name in JOB_KINDS else subjects.log_stream(space)


async def _look(jetstream: JetStream, stream: str, durable: str, wanted: list[str]) -> Durable:
    try:
        info = await jetstream.api(f"CONSUMER.INFO.{stream}.{durable}")
    except Refused as refused:
        if refused.number not in (CONSUMER_NOT_FOUND, STREAM_NOT_FOUND):
            raise
        return Durable(await _matching(jetstream, stream, wanted))
    in_hand = int(info["num_ack_pending"])
    taken = _taken(info["config"])
    if set(taken) != set(wanted):
        return Durable(await _matching(jetstream, stream, wanted), in_hand, taken or (">",))
    return Durable(int(info["num_pending"]), in_hand)


def _taken(config: dict[str, Any]) -> tuple[str, ...]:
    """The filters of a consumer; none where it takes everything."""
    one = config.get("filter_subject")
    return (str(one),) if one else tuple(config.get("filter_subjects") or ())


async def _matching(jetstream: JetStream, stream: str, wanted: Sequence[str]) -> int:
    """How many messages match: what would wait for a consumer that begins now. Of jobs, which a second consumer could
    not look at, all that there are."""
    try:
        config = (await streams.info(jetstream, stream))["config"]
    except Refused as refused:
        if refused.number != STREAM_NOT_FOUND:
            raise
        return 0
    if config.get("retention") == "workqueue":
        return sum([await _counted(jetstream, stream, one) for one in wanted])
    probe = f"probe-{secrets.token_hex(6)}"
    stays = PROBE_SECONDS * limits.NANOSECONDS
    config = {"name": probe, "filter_subjects": list(wanted), "ack_policy": "none", "inactive_threshold": stays}
    made = await jetstream.api(f"CONSUMER.CREATE.{stream}.{probe}", {"stream_name": stream, "config": config})
    await jetstream.api(f"CONSUMER.DELETE.{stream}.{probe}")
    return int(made["num_pending"])


async def _counted(jetstream: JetStream, stream: str, pattern: str) -> int:
    """How many subjects of a stream match, of which each holds one job; a page of them names no more than 100,000."""
    info = await jetstream.api(f"STREAM.INFO.{stream}", {"subjects_filter": pattern})
    return int(info.get("total", 0))
