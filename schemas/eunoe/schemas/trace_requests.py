"""Requests and replies about where a fact came from and where it went. `eunoe.schemas.requests` has their names too."""

from __future__ import annotations

from typing import Literal

import msgspec

from eunoe.schemas.context import Watermark
from eunoe.schemas.fact_requests import FactView


class WhyRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a fact is known and in force; ``id``, ``session``, ``preview`` and ``after`` as in `FactRequest`."""

    id: str
    session: str = ""
    preview: str = ""
    after: Watermark = Watermark()
    wait: float = 2.0


class Evidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where one assertion came from: the entry's number and kind, and of the ``size`` bytes of its content ``start``
    to ``end``, as ``text``. With ``literal`` these bytes have the value in them, at ``value``; else they are the
    beginning, as the value was made from what is said there. ``missing`` says why there is nothing to show."""

    id: str
    thread: str
    turn: int = 0
    entry: int = 0
    kind: str = ""
    tool: str = ""
    position: int = 0
    start: int = 0
    end: int = 0
    size: int = 0
    text: str = ""
    literal: bool = False
    value: tuple[int, int] = (0, 0)
    missing: str = ""


class Use(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One request that a fact reached: thread, turn, and the id of its context."""

    thread: str
    turn: int
    context: str
    fact: str = ""


class WhyReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``because`` says in words by which rule the version is what it is. ``used`` is newest first, at most
    `limits.USES_SHOWN` of the ``uses`` there are. ``unread``: in a log too long for one answer the position from
    which on it was not looked through for them, 0 when all of it was."""

    fact: FactView
    because: str
    evidence: tuple[Evidence, ...] = ()
    cited: tuple[FactView, ...] = ()
    used: tuple[Use, ...] = ()
    uses: int = 0
    unread: int = 0
    watermark: Watermark = Watermark()


class TracesRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Every derived thing that facts have: what a receipt of deletion names. ``ids`` are whole ids.

    ``session`` and ``preview`` as in `FactRequest`.
    """

    ids: tuple[str, ...]
    session: str = ""
    preview: str = ""
    after: Watermark = Watermark()
    wait: float = 2.0


class Trace(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One derived thing: its kind, where it is (a bucket's key, a thread and turn, an id), and what became of it."""

    fact: str
    kind: Literal["document", "content", "index", "context", "approval", "copy", "preview", "source", "support"]
    where: str
    fate: str


class TracesReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``remaining`` is what is in force under the identities of these facts; ``unread`` as in `WhyReply`."""

    traces: tuple[Trace, ...]
    remaining: tuple[FactView, ...] = ()
    unread: int = 0
    watermark: Watermark = Watermark()
