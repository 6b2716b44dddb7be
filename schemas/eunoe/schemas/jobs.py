"""Work that is asked for: what waits in the queue of a space, one job for each thread and kind.

A newer job of a thread and kind stands for the one before. What a job asks for is done as far as the thread's log does
not show it as done, so one that comes twice changes nothing.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from eunoe.schemas import limits
from eunoe.schemas.requests import DeadLetter

Kind = Literal["distil", "summarise", "review"]
KINDS: tuple[Kind, ...] = ("distil", "summarise", "review")
JOB_KINDS: dict[str, tuple[Kind, ...]] = {"distillation": ("distil", "review"), "summarising": ("summarise",)}
"""The workers that take jobs, with the kinds of these."""


class DistilJob(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Distil a thread up to turn ``up_to``, which leaves its contexts next, and every turn before it.

    ``position`` is how far the log was read when that was seen. ``window`` is that of the largest of those contexts
    (tokens), for which the summary is written; 0 for the configured one.
    """

    v: int = limits.SCHEMA_VERSION
    thread: str
    up_to: int
    position: int
    window: int = 0


class SummariseJob(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Bring the summary of a thread up to turn ``up_to``, where ``least`` turns or more are not in it yet; the rest as
    in `DistilJob`."""

    v: int = limits.SCHEMA_VERSION
    thread: str
    up_to: int
    position: int
    window: int = 0
    least: int = limits.SUMMARY_BATCH


class ReviewJob(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Review the turns of a thread up to the committed one with that ordinal."""

    v: int = limits.SCHEMA_VERSION
    thread: str
    ordinal: int


class AgainJob(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A person wants done again what failed: the dead letter, and its number in their stream."""

    v: int = limits.SCHEMA_VERSION
    number: int
    letter: DeadLetter
