"""Requests and replies about making the facts again from the log."""

from __future__ import annotations

from typing import Literal

import msgspec

from eunoe.schemas.facts import Scope

Phase = Literal["building", "comparing", "sealing", "catching up", "swapping", "dropping", "done", "failed"]


class RebuildRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Make the facts again from the log, or say how far that is.

    ``check`` compares what is made with what is there and changes nothing; without it, what is made takes its
    place. ``id`` is the caller's name for the run: a start under the same one again joins it, and begins it again
    only when it failed, or whoever ran it is gone. While another run goes on nothing is begun, and the answer tells
    of that one.
    """

    action: Literal["start", "status"] = "status"
    id: str = ""
    check: bool = False
    reason: str = ""


class Difference(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One key that is not what the log says: *missing* in the bucket, *extra* there, or *other* than the log's."""

    scope: Scope
    key: str
    what: Literal["missing", "extra", "other"]


class RebuildRun(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One run. It is kept in the set of buckets that it makes, where whoever holds it renews ``expires_at``.

    Times are ms UTC. ``records`` of ``of`` records of the log are applied. ``documents`` counts what was made,
    ``differences`` what a check found; ``differing`` are the first of them. ``generation`` is that of the set made.
    """

    v: int
    id: str
    holder: str
    by: str = ""
    check: bool = False
    reason: str = ""
    phase: Phase = "building"
    generation: int = 0
    started: int = 0
    changed: int = 0
    expires_at: int = 0
    records: int = 0
    of: int = 0
    documents: int = 0
    differences: int = 0
    differing: tuple[Difference, ...] = ()
    error: str = ""

    @property
    def over(self) -> bool:
        return self.phase in ("done", "failed")


class RebuildReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The run that goes on, or the last one, None when there was none. *lost*: whoever ran it is gone before its
    end, so it is to be started again."""

    state: Literal["none", "running", "lost", "done", "failed"]
    run: RebuildRun | None = None
