"""The doors to the store: the log, documents and their generations, and jobs.

Workers know these protocols and nothing of NATS. `eunoe.runtime` implements them over JetStream,
`eunoe.testing` in memory; one contract suite runs on both.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import msgspec

from eunoe.runtime.bucket_doors import Buckets as Buckets
from eunoe.runtime.bucket_doors import Change as Change
from eunoe.runtime.bucket_doors import Documents as Documents
from eunoe.runtime.bucket_doors import Entry as Entry
from eunoe.runtime.bucket_doors import Found as Found
from eunoe.runtime.bucket_doors import Generations as Generations
from eunoe.runtime.bucket_doors import InUse as InUse
from eunoe.schemas.requests import AppendReply, AppendRequest, HeadReply
from eunoe.schemas.subjects import Address


class Stored(msgspec.Struct, frozen=True):
    """A message as stored. ``seq`` is its sequence in its stream, ``time`` the server's (ms UTC)."""

    subject: str
    seq: int
    data: bytes
    time: int = 0


@dataclass(frozen=True, slots=True)
class Appended:
    """An acknowledged append. ``duplicate``: the server had the message already, at ``seq``."""

    seq: int
    duplicate: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Messages in order of sequence, and the sequence up to which the answer speaks (0: nothing matched)."""

    messages: tuple[Stored, ...]
    upto: int


@dataclass(frozen=True, slots=True)
class StreamInfo:
    """``gaps`` are sequences between first and last that hold no message any more."""

    first: int
    last: int
    count: int
    gaps: tuple[int, ...] = ()


class Delivery(Protocol):
    """One message handed to a durable consumer. ``attempts`` counts deliveries, this one included."""

    @property
    def message(self) -> Stored: ...
    @property
    def attempts(self) -> int: ...
    async def ack(self) -> None: ...
    async def nak(self, delay: float = 0.0) -> None:
        """Give it back, to be delivered again after ``delay`` seconds."""

    async def in_progress(self) -> None: ...
    async def term(self) -> None: ...


class Consumer(Protocol):
    """A durable consumer: where it stands survives restarts (and may roll back after a kill)."""

    async def fetch(self, batch: int, wait: float) -> Sequence[Delivery]:
        """Up to ``batch`` deliveries (fewer of large messages), waiting ``wait`` seconds at most; empty when there
        were none."""
        ...

    async def pending(self) -> tuple[int, int]:
        """Messages not delivered yet, and messages delivered but not acknowledged."""
        ...

    async def close(self) -> None:
        """Take nothing more: what comes now is for others, though a fetch was cut off as it waited for it."""
        ...


class Log(Protocol):
    """An append-only stream with compare-and-set by subject."""

    async def append(
        self, subject: str, data: bytes, *, msg_id: str = "", expect: tuple[str, int] | None = None
    ) -> Appended:
        """Append one message and wait until it is durable.

        ``expect``: (filter, sequence): only if the last message whose subject matches the filter has that
        sequence (0: there is none). Raises `Conflict` when somebody was first, `OutcomeUnknown` when no
        answer came in time, `TooLarge` over the payload limit, `Unreachable` while the store cannot take it (it is
        away, has no quorum, or is full), `Damaged` when it refuses for good.
        """
        ...

    async def last(self, filters: Sequence[str], *, fence: int = 0) -> Snapshot:
        """The last message of every subject that matches. ``fence``: read at least up to that sequence."""
        ...

    async def get(self, seqs: Sequence[int]) -> list[Stored | None]:
        """Messages by sequence, in the order asked; None where there is none."""
        ...

    def scan(self, filters: Sequence[str] = (), *, start: int = 1) -> AsyncIterator[Stored]:
        """Every message from sequence ``start`` to the end as it is now, in order, in bounded memory."""
        ...

    def follow(self, filters: Sequence[str] = (), *, start: int = 1) -> AsyncIterator[Stored]:
        """As `scan`, and then every new message as it comes, until the iterator is closed."""
        ...

    async def info(self, *, gaps: bool = False) -> StreamInfo: ...

    async def consumer(
        self, durable: str, filters: Sequence[str], *, ack_wait: float = 30.0, max_ack_pending: int = 1024
    ) -> Consumer:
        """The durable consumer of that name, created at the log's beginning when it is not there yet."""
        ...

    async def erase(self, seq: int) -> None:
        """Overwrite and remove one message."""
        ...


class Jobs(Protocol):
    """A work queue: a job is gone once it is acknowledged, or once another takes its place under its subject.

    One that is replaced while it is in hand may be worked on beside its successor; acknowledging it then does nothing.
    """

    async def submit(self, subject: str, data: bytes, *, msg_id: str = "", instead: int = 0) -> Appended:
        """Let a job wait, in the place of any other under that subject, or only of that one (``instead``, its place in
        the queue); raises what `Log.append` does."""
        ...

    async def held(self, subject: str) -> bytes | None:
        """The job under a subject that is not done yet, also while it is in hand; None where there is none."""
        ...

    async def consumer(self, durable: str, filters: Sequence[str], *, ack_wait: float = 60.0) -> Consumer: ...

    async def waiting(self) -> int:
        """Jobs not done yet."""
        ...


@dataclass(frozen=True, slots=True)
class Store:
    """Every door of one space."""

    space: str
    log: Log
    jobs: Jobs
    dead: Log
    blobs: Log
    permanent: Documents
    session: Documents
    thread: Documents
    generations: Generations

    def over(self, buckets: Buckets) -> Store:
        """The same doors, but for the documents: those are of other buckets."""
        made = {str(scope): documents for scope, documents in buckets.items()}
        return replace(self, permanent=made["permanent"], session=made["session"], thread=made["thread"])

    def bucket(self, scope: str) -> Documents:
        return {"permanent": self.permanent, "session": self.session, "thread": self.thread}[scope]


class Cache(Protocol):
    """Copies of what can be made again from the store, of one space. Whatever is wrong with it is as if it had none."""

    async def get(self, key: str) -> bytes | None:
        """What was put there last; None where there is none, or none to be trusted."""
        ...

    async def put(self, key: str, value: bytes) -> None:
        """Keep a value for `limits.CACHE_SECONDS`, if that can be done."""
        ...

    async def clear(self) -> None:
        """Forget all values; raises `Unreachable` while some may be left."""
        ...

    async def close(self) -> None: ...

    def statistics(self) -> dict[str, int]: ...


class Auditor(Protocol):
    """The one way into the log, for a caller whose role and principal are fixed when it is made."""

    async def append(self, chain: str, request: AppendRequest) -> AppendReply:
        """Raises what `eunoe.schemas.errors` says of appends; `OutcomeUnknown` is retried with the same request."""
        ...

    async def head(self, chain: str, producer: str = "") -> HeadReply: ...


class Clock(Protocol):
    def now(self) -> int:
        """Milliseconds since 1970-01-01T00:00:00Z."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> int:
        return time.time_ns() // 1_000_000


Handler = Callable[[Address, bytes], Awaitable[bytes]]
"""Answers one request: its address and payload in, the reply's bytes out; raises `EunoeError` to refuse."""


class Worker(Protocol):
    """What the supervisor runs: verbs to serve, loops to keep going, and work to finish at the end."""

    name: str

    def handlers(self) -> Mapping[str, Handler]: ...

    async def run(self) -> None:
        """The worker's own loops, until cancelled."""

    async def drain(self) -> None:
        """Finish what is in hand; nothing new comes any more."""

    def statistics(self) -> Mapping[str, int]: ...
