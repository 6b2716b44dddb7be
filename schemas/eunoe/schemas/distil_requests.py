"""Requests and replies about distilling, summaries and dead letters. `eunoe.schemas.requests` has their names too."""

from __future__ import annotations

from typing import Literal

import msgspec

from eunoe.schemas import limits
from eunoe.schemas.context import Position, Watermark
from eunoe.schemas.distilled_events import Decision, Distiller, Effort, SetAside, Spans


class SummaryVersion(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One version of a thread's summary: where its event is (position in the log, index in the record), what it covers
    (the ordinal of the last committed turn, turns and entries), when it was written (ms UTC), by what, and its size in
    bytes. ``text`` is there in a reply only."""

    version: int
    position: int
    index: int
    last: int
    turns: Spans
    entries: Spans
    at: int
    by: Distiller
    model: str = ""
    bytes: int = 0
    text: str = ""


class SummaryDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The running summary of a thread as it is stored: the text in force, and the newest versions, oldest first.

    What the older ones of them cover is told by their events alone. ``kept`` is why it was last left as it is, since
    the version in force, and ``kept_at`` the position in the log that says so; 0 where it was not.
    """

    v: int
    thread: str
    text: str = ""
    versions: tuple[SummaryVersion, ...] = ()
    kept: str = ""
    kept_at: int = 0

    @property
    def current(self) -> SummaryVersion | None:
        return self.versions[-1] if self.versions else None


class SummaryRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The summary of a thread; ``every``: with its older versions, and their texts."""

    every: bool = False
    after: Watermark = Watermark()
    wait: float = 2.0


class SummaryReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The versions that were asked for, the one in force last; none while there is none. ``waiting`` counts committed
    turns that are not in it."""

    versions: tuple[SummaryVersion, ...] = ()
    waiting: int = 0
    kept: str = ""
    watermark: Watermark = Watermark()


class DistilRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Distil, or summarise, a thread up to turn ``up_to`` (0: every committed turn) now, and wait so many seconds for
    it. ``window`` as in `eunoe.schemas.jobs.DistilJob`."""

    up_to: int = 0
    window: int = 0
    wait: float = limits.REQUEST_SECONDS


class Distillation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One piece of such work as the log tells it. ``kind`` says what it was; ``facts`` are the ids of what it stated,
    ``summary`` says what became of the summary in it, ``failed`` why nothing came of it. ``decisions`` are those of a
    review, without what it compared candidates with."""

    kind: Literal["distilled", "summarised", "reviewed"]
    record: int
    position: int
    time: int
    turns: Spans
    by: Distiller
    facts: tuple[str, ...] = ()
    dropped: int = 0
    set_aside: tuple[SetAside, ...] = ()
    decisions: tuple[Decision, ...] = ()
    summary: Literal["", "updated", "kept", "not taken"] = ""
    reason: str = ""
    failed: str = ""
    effort: Effort = Effort()


class DistilReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of it: ``nothing`` was to be done, it is ``done``, or it is still ``waiting`` (and goes on).

    ``up_to`` is the ordinal that is reached. ``distillations`` are those that were made meanwhile. ``undistilled`` are
    the ranges of the thread from which nothing could be drawn, as in `eunoe.schemas.requests.ThreadState`. ``waits``
    says what holds up the worker that answers, such as a model that cannot be reached; empty where nothing does.
    """

    state: Literal["nothing", "done", "waiting"]
    up_to: int = 0
    distillations: tuple[Distillation, ...] = ()
    undistilled: tuple[tuple[int, int, str], ...] = ()
    position: Position = 0
    waits: str = ""


class DistillationsRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A page of what was distilled, summarised and reviewed of a thread, the newest first; ``before``: that record."""

    limit: int = limits.DISTILLATIONS_SHOWN
    before: int = 0


class DistillationsReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``effort`` is what all of the thread took."""

    distillations: tuple[Distillation, ...] = ()
    effort: Effort = Effort()
    more: bool = False


class DeadRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """About dead letters: a page of them in order (``after``: that number), one, or all of a worker.

    ``replay`` has their work done again, and then they are gone; ``drop`` lets go of them.
    """

    action: Literal["list", "show", "replay", "drop"] = "list"
    numbers: tuple[int, ...] = ()
    worker: str = ""
    after: int = 0
    limit: int = limits.LETTERS_SHOWN


class Letter(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A dead letter: its number, which worker failed on what of which thread, why, how often, and when (ms UTC).

    ``input`` is the job as JSON, or where the record is that could not be handled, and ``kind`` that of the job, such
    as ``review``. ``done``: what became of it when it was replayed or dropped.
    """

    number: int
    worker: str
    reason: str
    attempts: int
    time: int
    thread: str = ""
    position: int = 0
    subject: str = ""
    input: str = ""
    kind: str = ""
    done: str = ""


class DeadReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    letters: tuple[Letter, ...] = ()
    total: int = 0
    more: bool = False
