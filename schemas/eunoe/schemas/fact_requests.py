"""Requests and replies about facts and threads, and a thread's state. `eunoe.schemas.requests` has their names too."""

from __future__ import annotations

from typing import Literal

import msgspec

from eunoe.schemas.context import Watermark
from eunoe.schemas.facts import FactClass, Identity, Method, Scope, Source


class FactsRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Facts in force that the caller may see; empty filters do not filter.

    A thread or session names whose facts are wanted beside the permanent ones; with neither, the permanent
    ones and, for ``scope`` session or thread, every owner's (an agent is refused that). ``agent`` narrows the
    permanent ones to the shared ones and that agent's own, and the others to those from its turns. ``all``
    adds what is superseded, retired or deleted. ``cursor`` goes on after the last reply.
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
    changed: int = 0
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
