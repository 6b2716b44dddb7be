"""What people, programs and agents do to facts."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from eunoe.audit import authority
from eunoe.client import jsontext, labelling, stating
from eunoe.client.arguments import checked
from eunoe.client.asking import WAIT_SECONDS, Asking
from eunoe.client.stating import Moment, StatedFact
from eunoe.client.tickets import Receipt
from eunoe.facts.values import same
from eunoe.schemas import ids, subjects
from eunoe.schemas.context import Watermark
from eunoe.schemas.errors import Busy, NotFound, OutcomeUnknown, Unreachable, WorkerMissing
from eunoe.schemas.events import (
    Event,
    FactApproved,
    FactLabelled,
    FactMoved,
    FactPinned,
    FactRecorded,
    FactRetired,
    SessionEnded,
    SessionStateSet,
)
from eunoe.schemas.facts import Identity, Scope
from eunoe.schemas.requests import FactReply, FactRequest, FactView

_AWAY = (WorkerMissing, OutcomeUnknown, Unreachable, Busy, NotFound)  # why nobody says what became of a statement yet


class Editing(Asking):
    """The writes of a client. ``expected`` makes one conditional on the id of what is in force (empty: nothing),
    as the caller saw it: `Stale` refuses it with what is there now. ``key`` makes it idempotent (`Appending.append`).
    """

    @checked
    async def state_fact(
        self,
        subject: str,
        name: str,
        value: str,
        *,
        content: str = "",
        thread: str | None = None,
        session: str | None = None,
        owner: str | None = None,
        valid_from: Moment | None = None,
        valid_to: Moment | None = None,
        expected: str | None = None,
        key: str = "",
        preview: str | None = None,
        replaces: str = "",
        removes: bool = False,
    ) -> StatedFact:
        """State a fact in this caller's name: permanent and shared, or of a thread, session or owner.

        It holds from ``valid_from`` until ``valid_to``, and is seen in its ``preview`` only, in place of the live fact
        ``replaces``, or (``removes``) only to take that one away. Raises `Invalid` for a kind that is not declared.
        """
        about = stating.identity(subject, name, thread=thread, session=session, owner=owner, preview=preview)
        fact = stating.assertion(
            self.gate.caller,
            about,
            value,
            content=content,
            valid_from=valid_from,
            valid_to=valid_to,
            replaces=replaces,
            removes=removes,
        )
        return await self._stated(about, value, [FactRecorded(fact=fact, expected=expected)], key)

    @checked
    async def approve(
        self,
        id: str,  # noqa: A002 - the word of the API
        *,
        preview: str | None = None,
        expected: str | None = None,
        key: str = "",
    ) -> StatedFact:
        """A person admits a proposal: its value becomes a permanent, shared fact of theirs, in its ``preview`` if it
        is of one."""
        authority.check_role(self.gate.caller, FactApproved)
        found, content = await self._found(id, preview=preview)
        about = stating.elsewhere(found, "permanent")
        fact = stating.moved(self.gate.caller, found, about, content)
        return await self._stated(about, found.value, [FactApproved(id=found.id, fact=fact, expected=expected)], key)

    @checked
    async def move(
        self,
        id: str,  # noqa: A002 - the word of the API
        scope: Scope,
        *,
        thread: str | None = None,
        session: str | None = None,
        owner: str | None = None,
        reason: str = "",
        preview: str | None = None,
        expected: str | None = None,
        key: str = "",
    ) -> StatedFact:
        """Give a fact another scope; its labels and its pin go along. A fact of a ``preview`` stays in it.

        Permanent is shared unless an ``owner`` is named; a thread or session is the one that the fact came from
        unless another is named. Agents move their own between thread and session, and name the one that it is of.
        """
        found, content = await self._found(id, thread=thread, session=session, preview=preview)
        stating.check_from(found, scope, thread=thread, session=session)
        about = stating.elsewhere(found, scope, thread=thread, session=session, owner=owner)
        fact = stating.moved(self.gate.caller, found, about, content)
        events: list[Event] = [FactMoved(id=found.id, fact=fact, reason=reason, expected=expected)]
        if found.labels or found.pinned:
            key = key or uuid.uuid4().hex
            there = ids.fact_id(stating.chain_of(about), self._origin(key), 0)
            events += labelling.carried(found, there, await self._labels(found.labels))
        return await self._stated(about, found.value, events, key)

    @checked
    async def retire_fact(
        self,
        id: str,  # noqa: A002 - the word of the API
        reason: str = "",
        *,
        thread: str | None = None,
        session: str | None = None,
        preview: str | None = None,
        expected: str | None = None,
        key: str = "",
    ) -> Receipt:
        """Take back an assertion of this caller's own; an agent names the thread or session that it is of.

        Here and in what follows, who names a ``preview`` changes what is that preview's own, and nothing live.
        """
        found = await self._version(id, thread=thread, session=session, preview=preview)
        return await self._act(found, FactRetired(id=found.id, reason=reason, expected=expected), key)

    @checked
    async def pin(
        self,
        id: str,  # noqa: A002 - the word of the API
        *,
        thread: str | None = None,
        session: str | None = None,
        preview: str | None = None,
        expected: str | None = None,
        key: str = "",
    ) -> Receipt:
        """Show a fact first in every context; one that is pinned already is a duplicate, and nothing is done. Raises
        `DoesNotFit` when its owner's pins would be too many tokens."""
        found = await self._version(id, thread=thread, session=session, preview=preview)
        return await self._act(found, FactPinned(id=found.id, expected=expected), key)

    @checked
    async def unpin(
        self,
        id: str,  # noqa: A002 - the word of the API
        *,
        thread: str | None = None,
        session: str | None = None,
        preview: str | None = None,
        expected: str | None = None,
        key: str = "",
    ) -> Receipt:
        """Pin a fact no more; of one that is not pinned as `pin`."""
        found = await self._version(id, thread=thread, session=session, preview=preview)
        return await self._act(found, FactPinned(id=found.id, pinned=False, expected=expected), key)

    @checked
    async def label(
        self,
        id: str,  # noqa: A002 - the word of the API
        *,
        add: Sequence[str] = (),
        remove: Sequence[str] = (),
        thread: str | None = None,
        session: str | None = None,
        preview: str | None = None,
        expected: str | None = None,
        key: str = "",
    ) -> Receipt:
        """Put labels on a fact, and take labels off; raises `Invalid` for one that is not declared."""
        found = await self._version(id, thread=thread, session=session, preview=preview)
        plus, minus = await self._labels(add), await self._labels(remove)
        return await self._act(found, FactLabelled(id=found.id, add=plus, remove=minus, expected=expected), key)

    @checked
    async def end_session(self, id: str, reason: str = "") -> Receipt:  # noqa: A002 - the word of the API
        """End a session: its facts and its state are hidden from here on, and go."""
        book = subjects.book_chain("session", ids.check(id, "session"))
        receipt = await self.append(book, "", [SessionEnded(reason=reason)])
        await self._reflected.settle(book, receipt.position, self.patience)
        return receipt

    @checked
    async def set_session_state(
        self,
        id: str,  # noqa: A002 - the word of the API
        value: Any,
        *,
        expected: str | None = None,
        key: str = "",
    ) -> StatedFact:
        """Have a session carry a JSON value that its next turn sees whole, at most 16 KiB.

        ``expected`` is the ``state_id`` that the caller saw (`session`), empty for none. The answer's ``id`` is the
        new one.
        """
        book = subjects.book_chain("session", ids.check(id, "session"))
        event = SessionStateSet(state=jsontext.exact(value, "the state of a session"), expected=expected)
        receipt = await self.append(book, "", [event], key=key)
        return StatedFact(_id(receipt), receipt, duplicate=receipt.duplicate)

    async def _act(self, found: FactView, event: Event, key: str) -> Receipt:
        there = labelling.there(found, event, key)
        return there or await self.append(stating.chain_of(found.identity), "", [event], key=key)

    async def _stated(self, about: Identity, value: str, events: Sequence[Event], key: str) -> StatedFact:
        """Append a statement, and say what it became as soon as somebody knows."""
        chain = stating.chain_of(about)
        receipt = await self.append(chain, "", events, key=key)
        if receipt.kept:
            return StatedFact("", receipt)
        try:
            return _known(_id(receipt), receipt, value, await self._history_of(_id(receipt), about, receipt))
        except _AWAY:
            return StatedFact(_id(receipt), receipt, duplicate=receipt.duplicate)

    async def _history_of(self, fact: str, about: Identity, receipt: Receipt) -> FactReply:
        request = FactRequest(
            id=fact,
            session=about.owner if about.scope == "session" else "",
            preview=about.preview,
            after=Watermark(log=receipt.position),
            wait=WAIT_SECONDS,
        )
        thread = about.owner if about.scope == "thread" else None
        reply = await self._ask("fact", request, FactReply, thread)
        self._reflected.read(receipt.chain, reply.watermark)
        return reply

    async def _found(
        self,
        id: str,  # noqa: A002
        *,
        thread: str | None = None,
        session: str | None = None,
        preview: str | None = None,
    ) -> tuple[FactView, str]:
        """The version with that id, or the one whose id begins so, and its body."""
        found = await self._version(id, thread=thread, session=session, preview=preview)
        if not found.has_content:
            return found, ""
        whole = await self.fact(found.id, thread=thread, session=session, preview=preview, content=True)
        return found, whole.content

    async def _version(
        self,
        id: str,  # noqa: A002
        *,
        thread: str | None = None,
        session: str | None = None,
        preview: str | None = None,
    ) -> FactView:
        found = named(await self.fact(id, thread=thread, session=session, preview=preview), id)
        stating.check_preview(found, preview)
        return found

    async def _labels(self, names: Sequence[str]) -> tuple[int, ...]:
        return labelling.numbers(names, (await self.kinds()).labels) if names else ()


def named(history: FactReply, id: str) -> FactView:  # noqa: A002
    """The version that an id, or the beginning of one, is of."""
    for version in history.versions:
        if version.id == history.named:
            return version
    raise NotFound(f"what {id} said is not there any more; `eunoe fact history` shows what is")


def _id(receipt: Receipt) -> str:
    return "" if receipt.kept else ids.fact_id(receipt.chain, receipt.origin, receipt.index)


def _known(fact: str, receipt: Receipt, value: str, history: FactReply) -> StatedFact:
    """What a statement became: a version, or one more who says what somebody said before it."""
    version = named(history, fact)
    before = [
        one.id
        for one in history.versions
        if one.state in ("current", "proposed") and same(one.value, value) and one.position < receipt.position
    ]
    known = version.id if version.id != fact else next(iter(before), "")
    return StatedFact(fact, receipt, version.version, receipt.duplicate or bool(known), known)
