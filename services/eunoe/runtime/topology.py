"""The streams and buckets of a space: made when missing, and refused when they could lose memory."""

from __future__ import annotations

import logging
from typing import Any

import anyio

from eunoe.runtime import policies, streams
from eunoe.runtime.connection import Connection
from eunoe.runtime.doors import Store
from eunoe.runtime.generations import JetStreamGenerations
from eunoe.runtime.jetstream import JETSTREAM_OFF, STREAM_NOT_FOUND, JetStream, NotReady, Refused
from eunoe.runtime.jobs import JetStreamJobs
from eunoe.runtime.kept_log import KeptLog
from eunoe.runtime.log import JetStreamLog
from eunoe.runtime.policies import Policy
from eunoe.runtime.requester import Requester
from eunoe.schemas import ids, subjects
from eunoe.schemas.errors import Misconfigured, OutcomeUnknown, Unreachable

logger = logging.getLogger(__name__)

Identity = dict[str, str]
"""Stream name to the time it was created, which changes when it is removed and made again."""


async def ensure(connection: Connection, space: str, *, replicas: int = 1) -> Store:
    """The doors of a space, its streams made where they are missing; any number may do so at once.

    Raises `Misconfigured` for a stream that could lose memory, with the command that mends it.
    """
    jetstream = JetStream(await Requester.open(connection))
    await _require(jetstream)
    generations = JetStreamGenerations(jetstream, ids.check_space(space), replicas)
    in_use = await generations.look()
    wanted = policies.of_space(space, replicas, in_use.slot)
    found: dict[str, dict[str, Any]] = {}

    async def one(policy: Policy) -> None:
        found[policy["name"]] = await streams.ensured(jetstream, policy)

    await _all(wanted, one)
    faults = [fault for policy in wanted for fault in policies.faults(policy, found[policy["name"]]["config"])]
    if faults:
        raise Misconfigured(". ".join(faults))
    generations.go(in_use)
    return doors(jetstream, space, replicas=replicas, generations=generations)


def doors(
    jetstream: JetStream, space: str, *, replicas: int = 1, generations: JetStreamGenerations | None = None
) -> Store:
    """The doors of a space whose streams are there."""
    generations = generations or JetStreamGenerations(jetstream, space, replicas)
    return Store(
        space=space,
        log=KeptLog(JetStreamLog(jetstream, subjects.log_stream(space)), space),
        jobs=JetStreamJobs(jetstream, policies.jobs(space, replicas)),
        dead=JetStreamLog(jetstream, subjects.dead_stream(space)),
        blobs=JetStreamLog(jetstream, subjects.blobs_stream(space)),
        permanent=generations.documents["permanent"],
        session=generations.documents["session"],
        thread=generations.documents["thread"],
        generations=generations,
    )


async def identity(connection: Connection, space: str, slot: int = 1) -> Identity:
    """Who the streams of a space are now, with the buckets in that slot, without those that are missing."""
    requester = await Requester.open(connection)
    found: Identity = {}

    async def one(policy: Policy) -> None:
        try:
            found[policy["name"]] = str((await streams.info(JetStream(requester), policy["name"]))["created"])
        except Refused as refused:
            if refused.number != STREAM_NOT_FOUND:
                raise

    try:
        await _all(policies.of_space(space, slot=slot), one)
    finally:
        await requester.close()
    return found


def changed(before: Identity, now: Identity) -> list[str]:
    """The streams that are not the ones they were."""
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


def replaced(before: Identity, now: Identity, space: str) -> Identity:
    """The streams that are to stay once other buckets are in use: those, and all else as it was."""
    kept = {policy["name"] for policy in policies.kept(space)}
    return {name: created for name, created in before.items() if name in kept} | {
        name: created for name, created in now.items() if name not in kept
    }


async def _all(wanted: list[Policy], one: Any) -> None:
    failures: list[Exception] = []

    async def guarded(policy: Policy) -> None:
        try:
            await one(policy)
        except Exception as error:
            failures.append(error)

    async with anyio.create_task_group() as tasks:
        for policy in wanted:
            tasks.start_soon(guarded, policy)
    if failures:
        raise failures[0]


async def _require(jetstream: JetStream) -> None:
    """Raise `Misconfigured` when the server runs without JetStream; what is away for a while is waited for later."""
    try:
        await jetstream.api("INFO")
    except NotReady as away:
        if away.number in JETSTREAM_OFF:
            raise Misconfigured(
                "the server runs without JetStream. Add `jetstream { store_dir: … }` to its configuration, "
                "or use `eunoe up`."
            ) from None
    except (OutcomeUnknown, Unreachable) as error:
        logger.info("JetStream cannot be asked yet: %s", error, extra={"action": "jetstream_awaited"})
