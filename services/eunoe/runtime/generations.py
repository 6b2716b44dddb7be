"""The two sets of buckets of a space over JetStream: which is in use, and how one replaces the other.

A set that is left is sealed first: the server takes no write to it any more, whoever asks, so what its successor
was made from is complete.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import anyio
import msgspec

from eunoe.runtime import policies, slots, streams
from eunoe.runtime.bucket_doors import Buckets, InUse
from eunoe.runtime.documents import JetStreamDocuments
from eunoe.runtime.jetstream import MESSAGE_NOT_FOUND, STREAM_NAME_IN_USE, STREAM_NOT_FOUND, JetStream, Refused
from eunoe.runtime.slots import Slot
from eunoe.runtime.stored import body
from eunoe.runtime.tasks import each
from eunoe.schemas import subjects
from eunoe.schemas.errors import Conflict
from eunoe.schemas.facts import Origin
from eunoe.schemas.subjects import BUCKETS, SLOTS, Bucket

logger = logging.getLogger(__name__)

REPLICATED_SECONDS = 5.0  # seconds that servers which lag may take; who reads from one later than that may miss some
REPLICATED_PAUSE_SECONDS = 0.02  # seconds between two looks at them

_origin = msgspec.json.Decoder(Origin)


@dataclass(frozen=True, slots=True)
class _Seen:
    """One bucket as it is: its origin, and whether it is sealed."""

    origin: Origin | None = None
    sealed: bool = False


class JetStreamGenerations:
    """A `doors.Generations`. It moves the documents of one store."""

    def __init__(self, jetstream: JetStream, space: str, replicas: int = 1) -> None:
        self.changed: list[Callable[[], None]] = []
        self._jetstream = jetstream
        self._space = space
        self._replicas = replicas
        self._looking = anyio.Lock()
        self._looks = 0
        self._found: InUse | None = None
        self._slot = 1
        self._generation = 1
        self.documents: Mapping[Bucket, JetStreamDocuments] = {
            scope: JetStreamDocuments(jetstream, subjects.bucket(space, scope), look=self.look) for scope in BUCKETS
        }

    @property
    def current(self) -> int:
        return self._generation

    @property
    def slot(self) -> int:
        return self._slot

    async def look(self) -> InUse:
        """Many may want to know at once: what was begun to be looked at since somebody asked answers that one, too."""
        asked = self._looks
        async with self._looking:
            if self._found is None or self._looks == asked:
                self._looks, self._found = self._looks + 1, None
                self._found = slots.in_use([await self._seen(slot) for slot in SLOTS])
                if self._found.whole and self._found.generation > self._generation:
                    self.go(self._found)
            return self._found

    def go(self, to: InUse) -> None:
        """Let the documents be those of that set from now on."""
        if (to.slot, to.generation) == (self._slot, self._generation):
            return
        self._slot, self._generation = to.slot, to.generation
        logger.info("the facts are of generation %d now", to.generation, extra={"action": "generation_changed"})
        for scope, documents in self.documents.items():
            documents.go(subjects.bucket(self._space, scope, to.slot), to.generation)
        for call in list(self.changed):
            call()

    async def other(self, scope: Bucket) -> JetStreamDocuments | None:
        made = self._made(scope)
        try:
            info = await streams.info(self._jetstream, made.stream)
        except Refused as refused:
            if refused.number != STREAM_NOT_FOUND:
                raise
            return None
        return None if info["config"].get("sealed") else made

    async def prepare(self) -> Buckets:
        other = slots.other(self._slot)
        if (await self._seen(other)).sealed:
            await self._delete(other)
        for policy in policies.buckets(self._space, self._replicas, other):
            await streams.ensured(self._jetstream, policy)
        return {scope: self._made(scope) for scope in BUCKETS}

    async def clear(self) -> None:
        other = slots.other(self._slot)
        for scope in BUCKETS:
            name = policies.bucket(self._space, scope, slot=other)["name"]
            last = int((await streams.info(self._jetstream, name))["state"]["last_seq"])
            await self._delete_one(name)
            policy = policies.bucket(self._space, scope, self._replicas, other, first=last + 1)
            try:
                await self._jetstream.api(f"STREAM.CREATE.{name}", policy)
            except Refused as refused:
                if refused.number != STREAM_NAME_IN_USE:
                    raise
                raise Conflict(f"somebody else makes bucket {name} at the same time") from None

    async def replicated(self) -> None:
        names = subjects.bucket_streams(self._space, slots.other(self._slot))
        end = anyio.current_time() + REPLICATED_SECONDS
        while anyio.current_time() < end:
            infos = [await streams.info(self._jetstream, name) for name in names]
            if not any(streams.behind(info) for info in infos):
                return
            await anyio.sleep(REPLICATED_PAUSE_SECONDS)

    async def seal(self) -> None:
        """All of them are updated before the first is sealed: where that is not allowed, none is left half sealed."""
        for change in ({}, {"sealed": True}):

            async def one(name: str, change: Mapping[str, bool] = change) -> None:
                config = (await streams.info(self._jetstream, name))["config"]
                await self._jetstream.api(f"STREAM.UPDATE.{name}", {**config, **change})

            await each(subjects.bucket_streams(self._space, self._slot), one, len(BUCKETS))

    async def drop(self) -> None:
        await self._delete(slots.other((await self.look()).slot))

    def _made(self, scope: Bucket) -> JetStreamDocuments:
        name = subjects.bucket(self._space, scope, slots.other(self._slot))
        return JetStreamDocuments(self._jetstream, name, self._generation + 1)

    async def _delete(self, slot: int) -> None:
        await each(subjects.bucket_streams(self._space, slot), self._delete_one, len(BUCKETS))

    async def _delete_one(self, name: str) -> None:
        try:
            await self._jetstream.api(f"STREAM.DELETE.{name}")
        except Refused as refused:
            if refused.number != STREAM_NOT_FOUND:
                raise

    async def _seen(self, slot: int) -> Slot:
        found: dict[Bucket, _Seen] = {}

        async def one(scope: Bucket) -> None:
            found[scope] = await self._bucket(subjects.bucket(self._space, scope, slot))

        await each(BUCKETS, one, len(BUCKETS))
        sealed = any(seen.sealed for seen in found.values())
        return Slot(slot, tuple(found[scope].origin for scope in BUCKETS), sealed)

    async def _bucket(self, bucket: str) -> _Seen:
        """What a bucket says of itself, asked of its stream's leader."""
        name = f"KV_{bucket}"
        try:
            info = await streams.info(self._jetstream, name)
        except Refused as refused:
            if refused.number != STREAM_NOT_FOUND:
                raise
            return _Seen()
        sealed = bool(info["config"].get("sealed"))
        try:
            message = await streams.last(self._jetstream, name, f"$KV.{bucket}.{subjects.ORIGIN_KEY}")
        except Refused as refused:
            if refused.number not in (STREAM_NOT_FOUND, MESSAGE_NOT_FOUND):
                raise
            return _Seen(sealed=sealed)
        return _Seen(_read(message), sealed)


def _read(message: dict[str, Any]) -> Origin | None:
    """The origin in a stored message; None of one that was deleted, or is no origin."""
    try:
        return _origin.decode(body(message))
    except msgspec.DecodeError:
        return None
