"""Work that is asked for ahead of need: what waits in the queue of a space, one job for each thread and kind."""

from __future__ import annotations

from typing import Literal

import msgspec

from eunoe.schemas import limits

Kind = Literal["distil"]
KINDS: tuple[Kind, ...] = ("distil",)


class DistilJob(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Distil a thread up to turn ``up_to``, which leaves its contexts next, and every turn before it.

    ``position`` is how far the log was read when that was seen. A newer job of the thread stands for this one.
    """

    v: int = limits.SCHEMA_VERSION
    thread: str
    up_to: int
    position: int
