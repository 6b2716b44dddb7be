"""Requests and replies of every verb: frozen structs, JSON on the wire.

Who asks and of which chain stands in the subject (`eunoe.schemas.subjects`), never in a payload.
A failed request is answered by an `eunoe.schemas.errors.ErrorReply` under the header ``Eunoe-Error``.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from eunoe.schemas.context_requests import ComposeReply as ComposeReply
from eunoe.schemas.context_requests import ComposeRequest as ComposeRequest
from eunoe.schemas.context_requests import Refused as Refused
from eunoe.schemas.context_requests import ToolDefinition as ToolDefinition
from eunoe.schemas.context_requests import TurnLine as TurnLine
from eunoe.schemas.context_requests import TurnsReply as TurnsReply
from eunoe.schemas.context_requests import TurnsRequest as TurnsRequest
from eunoe.schemas.distil_requests import DeadReply as DeadReply
from eunoe.schemas.distil_requests import DeadRequest as DeadRequest
from eunoe.schemas.distil_requests import Distillation as Distillation
from eunoe.schemas.distil_requests import DistillationsReply as DistillationsReply
from eunoe.schemas.distil_requests import DistillationsRequest as DistillationsRequest
from eunoe.schemas.distil_requests import DistilReply as DistilReply
from eunoe.schemas.distil_requests import DistilRequest as DistilRequest
from eunoe.schemas.distil_requests import Letter as Letter
from eunoe.schemas.distil_requests import SummaryDocument as SummaryDocument
from eunoe.schemas.distil_requests import SummaryReply as SummaryReply
from eunoe.schemas.distil_requests import SummaryRequest as SummaryRequest
from eunoe.schemas.distil_requests import SummaryVersion as SummaryVersion
from eunoe.schemas.events import Event
from eunoe.schemas.fact_requests import ActView as ActView
from eunoe.schemas.fact_requests import FactReply as FactReply
from eunoe.schemas.fact_requests import FactRequest as FactRequest
from eunoe.schemas.fact_requests import FactsReply as FactsReply
from eunoe.schemas.fact_requests import FactsRequest as FactsRequest
from eunoe.schemas.fact_requests import FactState as FactState
from eunoe.schemas.fact_requests import FactView as FactView
from eunoe.schemas.fact_requests import KindsReply as KindsReply
from eunoe.schemas.fact_requests import KindView as KindView
from eunoe.schemas.fact_requests import SessionReply as SessionReply
from eunoe.schemas.fact_requests import SessionRequest as SessionRequest
from eunoe.schemas.rebuild_requests import Difference as Difference
from eunoe.schemas.rebuild_requests import RebuildReply as RebuildReply
from eunoe.schemas.rebuild_requests import RebuildRequest as RebuildRequest
from eunoe.schemas.rebuild_requests import RebuildRun as RebuildRun
from eunoe.schemas.thread_requests import ThreadsReply as ThreadsReply
from eunoe.schemas.thread_requests import ThreadsRequest as ThreadsRequest
from eunoe.schemas.thread_requests import ThreadState as ThreadState
from eunoe.schemas.trace_requests import Evidence as Evidence
from eunoe.schemas.trace_requests import Trace as Trace
from eunoe.schemas.trace_requests import TracesReply as TracesReply
from eunoe.schemas.trace_requests import TracesRequest as TracesRequest
from eunoe.schemas.trace_requests import Use as Use
from eunoe.schemas.trace_requests import WhyReply as WhyReply
from eunoe.schemas.trace_requests import WhyRequest as WhyRequest

Verb = Literal[
    "append", "piece", "head", "show", "records", "anchor", "erase",
    "threads", "facts", "fact", "why", "traces", "session", "kinds", "rebuild",
    "compose", "turns",
    "distil", "summarise", "summary", "distillations", "dead",
]  # fmt: skip


# audit


class AppendRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Append events of one turn (``turn``: the key its producer gave it, empty for events of no turn).

    ``n`` counts from 1 per chain and producer without gaps; a retry sends the same bytes.
    """

    v: int
    producer: str
    n: int
    events: tuple[Event, ...]
    turn: str = ""


class AppendReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The append is durable and ordered. ``entries`` has one number an event, 0 for one that is no entry.

    ``origin`` names the append within its chain (`records.origin`).
    """

    position: int
    record: int
    hash: str
    origin: str = ""
    turn: int = 0
    entries: tuple[int, ...] = ()
    duplicate: bool = False


class PieceReply(msgspec.Struct, frozen=True):
    """One piece of large content (the request's payload is its bytes) is stored under its SHA-256 (hex)."""

    digest: str


class HeadRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a chain ends, and how far one producer of the caller's is."""

    producer: str = ""


class HeadReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``record`` is 0 for a chain that has none. ``n`` is the producer's last number, 0 for none."""

    record: int = 0
    position: int = 0
    hash: str = ""
    entries: int = 0
    turns: int = 0
    committed: int = 0
    open: tuple[int, ...] = ()
    n: int = 0


class ShowRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Entries of a thread. ``entry``: that one, whole. Else up to ``limit`` entries after entry ``after``,

    contents cut to ``preview`` bytes."""

    entry: int = 0
    after: int = 0
    limit: int = 100
    preview: int = 400


class Shown(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An entry as people and recalls see it. ``size`` is the whole content's bytes; ``time`` is ms UTC.

    ``attachments`` describes each in a line: media type, bytes, and its name where it has one. ``erased``: its content
    is gone for good, and ``content`` says so."""

    entry: int
    turn: int
    kind: Literal["instructions", "prompt", "response", "tool.call", "tool.result"]
    time: int
    content: str
    size: int
    state: Literal["open", "committed", "aborted"]
    position: int
    agent: str = ""
    session: str = ""
    tool: str = ""
    call: str = ""
    status: str = ""
    exit_status: int | None = None
    thinking: str = ""
    model: str = ""
    truncated: bool = False
    attachments: tuple[str, ...] = ()
    erased: bool = False


class ShowReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    entries: tuple[Shown, ...]
    total: int
    more: bool = False


class RecordsRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Stored records of the chain after record ``after``, as many as fit a reply."""

    after: int = 0


class StoredRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A record as stored: the bytes as text, with its subject and position in the log."""

    subject: str
    position: int
    data: str


class RecordsReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    records: tuple[StoredRecord, ...]
    more: bool = False


# work


class DeadLetter(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Work that failed for good: what it was, why, and where its input is (or the input itself)."""

    v: int
    worker: str
    reason: str
    attempts: int
    time: int
    subject: str = ""
    position: int = 0
    thread: str = ""
    payload: str = ""
