"""A duty of the facts worker: verbs that it answers, loops that it keeps going, and what it counts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import anyio
import msgspec

from eunoe.facts.freshness import Freshness
from eunoe.facts.gate import Gate
from eunoe.facts.kinds import Kinds
from eunoe.facts.projector import Projector
from eunoe.facts.store import FactStore
from eunoe.runtime import payload
from eunoe.runtime.doors import Auditor, Clock, Handler, Store
from eunoe.runtime.settings import Settings
from eunoe.schemas.context import Watermark
from eunoe.schemas.subjects import Address


class Request(Protocol):
    """A request that waits, ``wait`` seconds at most, until documents reflect ``after``."""

    @property
    def after(self) -> Watermark: ...
    @property
    def wait(self) -> float: ...


_Request = TypeVar("_Request", bound=Request)
_Reply = TypeVar("_Reply", bound=msgspec.Struct)
_encode = msgspec.json.encode


@dataclass(frozen=True, slots=True)
class Shared:
    """What the duties of one worker share. ``ready`` is set once the buckets are those of the log."""

    store: Store
    auditor: Auditor
    settings: Settings
    clock: Clock
    kinds: Kinds
    facts: FactStore
    projector: Projector
    freshness: Freshness
    gate: Gate = field(default_factory=Gate)
    ready: anyio.Event = field(default_factory=anyio.Event)

    @classmethod
    def of(cls, store: Store, auditor: Auditor, settings: Settings, clock: Clock) -> Shared:
        kinds = Kinds(settings.kinds)
        facts = FactStore(store, kinds)
        projector = Projector(store, facts)
        return cls(store, auditor, settings, clock, kinds, facts, projector, Freshness(store, projector))

    def serve(
        self,
        kind: type[_Request],
        answer: Callable[[Address, _Request], Awaitable[_Reply]],
        thread: Callable[[Address, _Request], str] = lambda address, _: address.thread,
    ) -> Handler:
        """A handler that answers once the buckets are there and as fresh as asked for, and says how fresh they are.

        ``thread`` names the thread that must be reflected besides, as far as it has come.
        """
        decoder = msgspec.json.Decoder(kind)

        async def handle(address: Address, data: bytes) -> bytes:
            request = payload.read(decoder, data)
            await self.ready.wait()
            watermark = await self.freshness.wait(request.after, request.wait, thread(address, request))
            async with self.gate.passing():
                reply = await answer(address, request)
            return _encode(msgspec.structs.replace(reply, watermark=watermark))

        return handle


class Duty:
    """One thing that the facts worker does beside projecting; each method may be left as it is here."""

    def handlers(self) -> Mapping[str, Handler]:
        """The verbs that it answers."""
        return {}

    def loops(self) -> Mapping[str, Callable[[], Awaitable[None]]]:
        """What it keeps going once the buckets are there, by what is said to wait while the server is away."""
        return {}

    def statistics(self) -> Mapping[str, int]:
        return {}
