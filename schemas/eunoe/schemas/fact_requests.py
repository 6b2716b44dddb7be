"""Requests and replies about facts, sessions and kinds. `eunoe.schemas.requests` has their names too."""

from __future__ import annotations

from typing import Literal

import msgspec

from eunoe.schemas.context import Watermark
from eunoe.schemas.facts import ActKind, FactClass, Identity, Method, Scope, SessionRecord, Source


class FactsRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Facts in force that the caller may see; empty filters do not filter.

    A thread or session names whose facts are wanted beside the permanent ones; with neither, the permanent
    ones and, for ``scope`` session or thread, every owner's (an agent is refused that). ``agent`` narrows the
    permanent ones to the shared ones and that agent's own, and the others to those from its turns. ``all``
    adds what is superseded, retired or deleted.

    Few facts (`limits.FOUND_AT_ONCE` in a scope) come by subject and name, those of a thread before those of a
    session before the permanent ones; more of them scope by scope, in the order in which they last changed.
    ``cursor`` goes on after the last reply, in the same order: what does not change meanwhile comes once. A page
    holds whole documents, so with ``all`` it may hold more than ``limit``, and where much is filtered out it may
    hold less, even nothing, and have a cursor.

    ``subject``, ``labels`` (all of them), ``pinned``, ``proposed`` and ``conflicts`` keep only such facts.
    ``since``: only what changed after that position of the log, what is not in force any more included.
    ``recorded`` and ``valid`` (ms UTC) ask what was known at that moment, and what held at that one; None is now.
    ``preview``: as that preview sees it; with ``own`` only what is the preview's own, as that says it by itself,
    what takes a live fact away included. A ``limit`` of 0 asks for no facts, only how fresh they are.
    """

    scope: Scope | Literal[""] = ""
    thread: str = ""
    session: str = ""
    agent: str = ""
    all: bool = False
    subject: str = ""
    labels: tuple[str, ...] = ()
    pinned: bool = False
    proposed: bool = False
    conflicts: bool = False
    since: int = 0
    recorded: int | None = None
    valid: int | None = None
    preview: str = ""
    own: bool = False
    limit: int = 200
    cursor: str = ""
    after: Watermark = Watermark()
    wait: float = 2.0


FactState = Literal["current", "superseded", "retired", "deleted", "approved", "moved", "proposed", "removed"]


class FactView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One version of a fact as people see it. ``state`` says why it is shown; times are ms UTC, with ``from_offset``
    and ``to_offset`` (minutes east of UTC) as its speaker gave them.

    ``state`` *removed* is what a preview takes away.

    ``sources`` are all that say the same, strongest first; ``others`` are the values that disagree, as
    ``value — from SOURCE``. ``superseded_by`` is the id of what replaced it, ``rule`` the name of why.
    In a preview ``replaces`` is the id of the live fact in whose place it stands, and with ``removes`` it only takes
    that one away. ``model`` and ``detail`` are what a distilled one was drawn by, and who said it.
    """

    id: str
    identity: Identity
    value: str
    version: int
    state: FactState
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
    model: str = ""
    detail: str = ""
    from_text: str = ""
    recorded: int = 0
    valid_from: int | None = None
    valid_to: int | None = None
    from_offset: int = 0
    to_offset: int = 0
    labels: tuple[str, ...] = ()
    pinned: bool = False
    cites: str = ""
    replaces: str = ""
    removes: bool = False
    has_content: bool = False


class FactsReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A page of facts. ``damaged`` are the keys of documents that cannot be read, and are left out.

    ``instead``, as a preview sees it: the live facts of this page that are not in force because the preview has
    another in their place, or takes them away (*removed*); ``superseded_by`` is the id of what does so. Empty where
    ``facts`` has them, as with ``all``.
    """

    facts: tuple[FactView, ...]
    instead: tuple[FactView, ...] = ()
    watermark: Watermark = Watermark()
    cursor: str = ""
    damaged: tuple[str, ...] = ()


class FactRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The history of the fact with this id, or unique beginning of one (5 characters or more).

    ``session``: the session from which an agent asks, whose facts it may see. ``preview``, ``recorded``, ``valid``
    and ``after`` as in `FactsRequest`. ``content``: with the body of the version that the id names.
    """

    id: str
    session: str = ""
    preview: str = ""
    recorded: int | None = None
    valid: int | None = None
    content: bool = False
    after: Watermark = Watermark()
    wait: float = 2.0


class ActView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that was done to a fact: what, to which assertion, by whom, when (ms UTC), and where in the log.

    ``labels`` are those that were put on, after a ``+``, and those that were taken off, after a ``-``."""

    kind: ActKind
    target: str
    by: str
    at: int
    position: int
    reason: str = ""
    labels: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()


class FactReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Every version and every act, oldest first. ``current`` is the id of what is in force, empty for nothing.

    ``named`` is the id of the version that the id is of which was asked for: an assertion that only supports a
    version has an id of its own."""

    identity: Identity
    versions: tuple[FactView, ...]
    conflict: bool = False
    acts: tuple[ActView, ...] = ()
    current: str = ""
    named: str = ""
    content: str = ""
    watermark: Watermark = Watermark()


class SessionRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A session: whether it is there, when it expires, what it carries."""

    session: str
    after: Watermark = Watermark()
    wait: float = 2.0


class SessionReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``record`` is None for a session that nobody wrote to. ``facts`` counts those in force now."""

    record: SessionRecord | None = None
    status: Literal["unknown", "open", "expired", "ended"] = "unknown"
    facts: int = 0
    watermark: Watermark = Watermark()


class KindView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A subject kind as it is in force; ``fields`` are those that the configuration changed, or all of a new one."""

    name: str
    fact_class: FactClass
    scope: Scope
    normaliser: str
    description: str
    distil: bool
    note: bool
    single: bool
    origin: Literal["shipped", "changed", "added"]
    fields: tuple[str, ...] = ()
    record: bool = False


class KindsReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The kinds and the labels (name to number) of the workers that answer."""

    kinds: tuple[KindView, ...]
    labels: dict[str, int] = {}
