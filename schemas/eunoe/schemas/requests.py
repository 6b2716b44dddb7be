"""Requests and replies of every verb: frozen structs, JSON on the wire.

Who asks and of which chain stands in the subject (`eunoe.schemas.subjects`), never in a payload.
A failed request is answered by an `eunoe.schemas.errors.ErrorReply` under the header ``Eunoe-Error``.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from eunoe.schemas.context import Context, Format, Watermark
from eunoe.schemas.events import Event
from eunoe.schemas.facts import FactClass, Identity, Method, Scope, Source

Verb = Literal["append", "piece", "head", "show", "records", "anchor", "threads", "compose", "turns", "facts", "fact"]


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
    """The append is durable and ordered. ``entries`` has one number an event, 0 for one that is no entry."""

    position: int
    record: int
    hash: str
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
    """An entry as people and recalls see it. ``size`` is the whole content's bytes; ``time`` is ms UTC."""

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


# composition


class ComposeRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Compose the context of the next request in ``window`` tokens.

    ``key``: compose inside that open turn, whose prompt is the request. Else ``prompt`` is the request
    as it would be asked (looking), or empty for none. ``store``: this is a real request, so its recipe is
    logged before the reply. ``turn``: compose a past turn again instead. ``after``: wait until the layers
    are this fresh, ``wait`` seconds at most. ``target`` and ``headroom`` override settings (0 for the default).
    """

    window: int = 8192
    format: Format = "openai"
    key: str = ""
    prompt: str = ""
    turn: int = 0
    store: bool = False
    after: Watermark = Watermark()
    wait: float = 2.0
    memory_tool: bool = False
    target: float = 0.0
    headroom: int = -1
    model: str = ""


class ComposeReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    context: Context


class TurnLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One turn in the list of turns: what it was, and what its composition changed."""

    turn: int
    state: Literal["open", "committed", "aborted"]
    time: int
    prompt: str
    entries: tuple[int, int]
    agent: str = ""
    session: str = ""
    composed: bool = False
    tokens: int = 0
    window: int = 0
    changes: tuple[str, ...] = ()


class TurnsRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    after: int = 0
    limit: int = 200


class TurnsReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    turns: tuple[TurnLine, ...]
    more: bool = False


# facts


class FactsRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Facts in force that the caller may see; empty filters do not filter.

    A thread or session names whose facts are wanted beside the permanent ones; with neither, the permanent
    ones and, for ``scope`` session or thread, every owner's (an agent is refused that). ``agent`` narrows the
    permanent ones to the shared ones and that agent's own. ``all`` adds what is superseded, retired or
    deleted. ``cursor`` goes on after the last reply.
    """

    scope: Scope | Literal[""] = ""
    thread: str = ""
    session: str = ""
    agent: str = ""
    all: bool = False
    limit: int = 200
    cursor: str = ""
    after: Watermark = Watermark()
    wait: float = 2.0


class FactView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One version of a fact as people see it. ``state`` says why it is shown; times are ms UTC.

    ``sources`` are all that say the same, strongest first; ``others`` are the values that disagree, as
    ``value — from SOURCE``. ``superseded_by`` is the id of what replaced it, ``rule`` the name of why.
    """

    id: str
    identity: Identity
    value: str
    version: int
    state: Literal["current", "superseded", "retired", "deleted", "proposed"]
    source: Source
    at: int
    position: int
    method: Method = "extracted"
    fact_class: FactClass = "dynamic"
    sources: tuple[str, ...] = ()
    supports: int = 0
    others: tuple[str, ...] = ()
    conflict: bool = False
    superseded_by: str = ""
    rule: str = ""
    turn: int = 0
    thread: str = ""
    session: str = ""
    agent: str = ""
    entries: tuple[int, ...] = ()
    from_text: str = ""


class FactsReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    facts: tuple[FactView, ...]
    watermark: Watermark = Watermark()
    cursor: str = ""


class FactRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The history of the fact with this id, or unique beginning of one (5 characters or more).

    ``session``: the session from which an agent asks, whose facts it may see. ``after`` as in `FactsRequest`.
    """

    id: str
    session: str = ""
    after: Watermark = Watermark()
    wait: float = 2.0


class FactReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Every version, oldest first."""

    identity: Identity
    versions: tuple[FactView, ...]
    conflict: bool = False
    watermark: Watermark = Watermark()


class ThreadsRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    limit: int = 200
    cursor: str = ""
    after: Watermark = Watermark()
    wait: float = 2.0


class ThreadState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A thread in short: the bounded projection kept as its ``state`` document. Times are ms UTC.

    ``extracted`` is the ordinal of the last committed turn whose facts are recorded; ``position`` the log
    position this reflects; ``producers`` how far each producer is, keyed as in a record's header. ``failed`` are
    the newest turns (ordinals) of whose extraction something failed, with the reason.
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
    title: str = ""
    agents: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    open: tuple[int, ...] = ()
    producers: dict[str, tuple[int, int, int]] = {}
    failed: tuple[tuple[int, str], ...] = ()


class ThreadsReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    threads: tuple[ThreadState, ...]
    cursor: str = ""
    watermark: Watermark = Watermark()


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
