"""Requests and replies about threads, and a thread's state. `eunoe.schemas.requests` has their names too."""

from __future__ import annotations

import msgspec

from eunoe.schemas.context import Watermark
from eunoe.schemas.distilled_events import Effort


class ThreadsRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A page of threads in the order in which they last changed; ``newest``: the last one first."""

    newest: bool = False
    limit: int = 200
    cursor: str = ""
    after: Watermark = Watermark()
    wait: float = 2.0


class ThreadState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A thread in short: the bounded projection kept as its ``state`` document. Times are ms UTC.

    ``first`` and ``last`` are the transcript's own times, ``changed`` is when its last record was accepted.
    ``extracted`` is the ordinal of the last committed turn whose facts are recorded; ``position`` the log
    position this reflects; ``producers`` how far each producer is, keyed as in a record's header: every worker's,
    and of the others those that wrote last, `limits.PRODUCERS_IN_STATE` in all. ``failed`` are the newest turns
    (ordinals) of whose extraction something failed, with the reason.

    ``distilled``, ``summarised`` and ``reviewed`` are ordinals like ``extracted``: up to where facts were drawn from
    prose, the summary goes, and records were reviewed; ``distilled_at`` is when they came so far. ``summary_at`` is the
    position of the summary that is in force, 0 for none. ``undistilled`` are the ranges (ordinals) from which nothing
    could be drawn, the newest of them with the reason. ``set_aside`` counts what distillers gave and is no fact,
    ``effort`` is what all of it took.
    """

    v: int
    thread: str
    position: int = 0
    record: int = 0
    entries: int = 0
    turns: int = 0
    committed: int = 0
    aborted: int = 0
    extracted: int = 0
    facts: int = 0
    bytes: int = 0
    first: int = 0
    last: int = 0
    changed: int = 0
    title: str = ""
    agents: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    open: tuple[int, ...] = ()
    producers: dict[str, tuple[int, int, int]] = {}
    failed: tuple[tuple[int, str], ...] = ()
    distilled: int = 0
    distilled_at: int = 0
    summarised: int = 0
    summary_at: int = 0
    reviewed: int = 0
    undistilled: tuple[tuple[int, int, str], ...] = ()
    set_aside: int = 0
    effort: Effort = Effort()


class ThreadsReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    threads: tuple[ThreadState, ...]
    cursor: str = ""
    watermark: Watermark = Watermark()
