"""What a client asks of facts, sessions and threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeVar

import msgspec

from eunoe.client.appending import Appending
from eunoe.client.arguments import checked
from eunoe.client.stating import Moment, moment
from eunoe.schemas import ids, limits, subjects
from eunoe.schemas.errors import Invalid
from eunoe.schemas.facts import Scope
from eunoe.schemas.requests import (
    FactReply,
    FactRequest,
    FactsReply,
    FactsRequest,
    FactView,
    KindsReply,
    SessionReply,
    SessionRequest,
    ThreadsReply,
    ThreadsRequest,
    Verb,
    WhyReply,
    WhyRequest,
)

_Reply = TypeVar("_Reply")

_SCOPES: tuple[Scope, ...] = ("thread", "session", "permanent")  # in the order in which all of them are read

WAIT_SECONDS = 2.0  # seconds that an answer waits until it reflects what this client wrote


class _Nothing(msgspec.Struct):
    """A request without fields."""


class Asking(Appending):
    """The reads of a client. Each reflects what the client wrote before."""

    @checked
    async def threads(self, *, limit: int = 200, cursor: str = "") -> ThreadsReply:
        """Threads with their sizes and times, a page at a time; ``cursor`` of the reply goes on."""
        return await self.gate.ask("threads", ThreadsRequest(limit=limit, cursor=cursor), ThreadsReply)

    @checked
    async def facts(
        self,
        *,
        scope: Scope | None = None,
        thread: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        all: bool = False,  # noqa: A002 - the word of the command line
        subject: str | None = None,
        labels: Sequence[str] = (),
        pinned: bool = False,
        proposed: bool = False,
        conflicts: bool = False,
        since: int = 0,
        recorded: Moment | None = None,
        valid: Moment | None = None,
        preview: str | None = None,
        own: bool = False,
        limit: int = 200,
        cursor: str = "",
    ) -> FactsReply:
        """Facts in force that this caller may see, a page at a time; ``all`` adds what is not in force any more.

        ``subject``, ``labels`` (all of them), ``pinned``, ``proposed`` and ``conflicts`` keep only such facts,
        ``since`` only what changed after that position of the log. ``recorded`` and ``valid`` ask what was known
        at one moment, and what held at one. ``preview``: as that preview sees it, with ``own`` only what is its own.
        """
        request = FactsRequest(
            scope=_scope(scope),
            thread=_given(thread, "thread"),
            session=_given(session, "session"),
            agent=_given(agent, "agent"),
            all=all,
            subject=_given(subject, "subject"),
            labels=tuple(labels),
            pinned=pinned,
            proposed=proposed,
            conflicts=conflicts,
            since=since,
            recorded=moment(recorded, "recorded"),
            valid=moment(valid, "valid"),
            preview=_given(preview, "preview"),
            own=own,
            limit=limit,
            cursor=cursor,
            after=await self.watermark(),
            wait=WAIT_SECONDS,
        )
        return await self._ask("facts", request, FactsReply, thread)

    @checked
    async def fact(
        self,
        id: str,  # noqa: A002 - the word of the API
        *,
        thread: str | None = None,
        session: str | None = None,
        preview: str | None = None,
        recorded: Moment | None = None,
        valid: Moment | None = None,
        content: bool = False,
    ) -> FactReply:
        """Every version of a fact, oldest first, by its id or a unique beginning of it; raises `NotFound`.

        An agent or a tool is shown a fact of a thread or session only when it names that one. ``content``: with
        the body of the version that the id names.
        """
        request = FactRequest(
            id=id,
            session=_given(session, "session"),
            preview=_given(preview, "preview"),
            recorded=moment(recorded, "recorded"),
            valid=moment(valid, "valid"),
            content=content,
            after=await self.watermark(),
            wait=WAIT_SECONDS,
        )
        return await self._ask("fact", request, FactReply, thread)

    @checked
    async def conflicts(self, *, limit: int = 200, cursor: str = "") -> FactsReply:
        """The facts of every scope on which sources disagree, each with who says what else."""
        begun = cursor.partition(":")[0]
        found: list[FactView] = []
        after = cursor
        for scope in _SCOPES[_SCOPES.index(begun) if begun in _SCOPES else 0 :]:
            if len(found) == limit:
                return FactsReply(facts=tuple(found), cursor=f"{scope}:0")
            page = await self.facts(scope=scope, conflicts=True, limit=limit - len(found), cursor=after)
            found, after = [*found, *page.facts], ""
            if page.cursor:
                return FactsReply(facts=tuple(found), cursor=page.cursor)
        return FactsReply(facts=tuple(found))

    @checked
    async def proposed(self, *, limit: int = 200, cursor: str = "") -> FactsReply:
        """What waits for a person to approve it, in every thread."""
        return await self.facts(scope="thread", proposed=True, limit=limit, cursor=cursor)

    @checked
    async def why(
        self,
        id: str,  # noqa: A002 - the word of the API
        *,
        thread: str | None = None,
        session: str | None = None,
        preview: str | None = None,
    ) -> WhyReply:
        """Why a fact is known and in force: the rule, the bytes that it came from, and the requests that it reached.

        Who names the ``preview`` asks as that preview sees it.
        """
        request = WhyRequest(
            id=id,
            session=_given(session, "session"),
            preview=_given(preview, "preview"),
            after=await self.watermark(),
            wait=WAIT_SECONDS,
        )
        return await self._ask("why", request, WhyReply, thread)

    @checked
    async def session(self, id: str) -> SessionReply:  # noqa: A002 - the word of the API
        """A session: whether it is there, when it expires, and the state that it carries."""
        request = SessionRequest(session=ids.check(id, "session"), after=await self.watermark(), wait=WAIT_SECONDS)
        return await self._ask("session", request, SessionReply)

    async def kinds(self) -> KindsReply:
        """The subject kinds and the labels in force."""
        return await self._ask("kinds", _Nothing(), KindsReply)

    async def _ask(self, verb: Verb, request: object, reply: type[_Reply], thread: str | None = None) -> _Reply:
        """Ask about a thread, or about none."""
        chain = subjects.thread_chain(ids.check(thread, "thread")) if thread is not None else ""
        timeout = WAIT_SECONDS + limits.REQUEST_SECONDS
        return await self.gate.ask(verb, request, reply, chain, timeout=timeout)


def _scope(scope: Scope | None) -> Scope | Literal[""]:
    """A scope to narrow what is asked for, empty for None; raises `Invalid` for one that there is not, as a blank."""
    if scope is not None and scope not in _SCOPES:
        raise Invalid(f"there is no scope {scope!r}; the scopes are permanent, session and thread")
    return scope or ""


def _given(name: str | None, what: str) -> str:
    """A name that narrows what is asked for; raises `Invalid` for a blank one, which would narrow nothing."""
    return ids.check(name, what) if name is not None else ""
