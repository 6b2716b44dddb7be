"""Deleting facts: one, or all of an owner; a person hides them from every read, and `erase` removes them for good."""

from __future__ import annotations

from collections.abc import Sequence

from eunoe.audit import authority
from eunoe.client import deleting, stating
from eunoe.client.arguments import checked
from eunoe.client.asking import WAIT_SECONDS
from eunoe.client.deleting import Deletion, PreviewDeletion, ScopeDeletion, Undeleted
from eunoe.client.editing import Editing, named
from eunoe.client.tickets import Receipt
from eunoe.schemas import ids, limits, subjects
from eunoe.schemas.context import Watermark
from eunoe.schemas.errors import Busy, Denied, EunoeError, Invalid, OutcomeUnknown, Unreachable, WorkerMissing
from eunoe.schemas.events import FactDeleted
from eunoe.schemas.facts import Scope
from eunoe.schemas.requests import FactView, TracesReply, TracesRequest

_SCOPES: tuple[Scope, ...] = ("permanent", "session", "thread")
_UNDECIDED = (Busy, OutcomeUnknown, Unreachable, WorkerMissing)  # what refuses nothing: it goes on when that is over


class Removing(Editing):
    """The deletes of a client. Each returns when every read reflects it."""

    @checked
    async def delete_fact(
        self,
        id: str,  # noqa: A002 - the word of the API
        reason: str = "",
        *,
        preview: str | None = None,
        expected: str | None = None,
        key: str = "",
    ) -> Deletion:
        """A person hides a fact from every read, whoever says it: each lineage in force that says the same goes.

        The answer lists every derived thing that it had, and what is in force under its name now. Raises
        `Invalid` for a version that is not in force; nothing is done to one that is deleted already. ``preview``: a
        fact of that preview; a live one is taken away in a preview by a fact that removes it (`state_fact`).
        """
        authority.check_role(self.gate.caller, FactDeleted)
        history = await self.fact(id, preview=preview)
        fact = named(history, id)
        stating.check_preview(fact, preview)
        taken = deleting.taken(history.versions, fact)
        receipt = None
        if taken:
            chain = stating.chain_of(fact.identity)
            events = [
                FactDeleted(id=one.id, reason=reason, expected=expected if one is taken[0] else None) for one in taken
            ]
            receipt = await self.append(chain, "", events, key=key)
            await self._settled(receipt)
        traces = await self._traces(taken or (fact,), receipt, preview)
        also = deleting.along(history.versions, taken)
        return Deletion(fact, taken, receipt, traces.traces, traces.remaining, also)

    @checked
    async def delete_scope(
        self, scope: Scope, owner: str, reason: str = "", *, preview: str | None = None, dry_run: bool = False
    ) -> ScopeDeletion:
        """A person hides every live fact of an owner: ``shared`` or an agent (permanent), a session, a thread.

        ``preview``: instead of the live ones those of that preview. ``dry_run`` only counts. What one batch may not
        contain is left, the rest goes, and the answer lists it.
        """
        authority.check_role(self.gate.caller, FactDeleted)
        if scope not in _SCOPES:
            raise Invalid(f"there is no scope {scope!r}; the scopes are {', '.join(_SCOPES)}")
        facts = await self._all_of(scope, ids.check(owner, "owner"), preview)
        return await self._emptied(scope, owner, facts, reason, preview, dry_run)

    @checked
    async def delete_preview(self, preview: str, reason: str = "", *, dry_run: bool = False) -> PreviewDeletion:
        """A person drops a preview: every fact of it goes, of every owner. ``dry_run`` only counts."""
        authority.check_role(self.gate.caller, FactDeleted)
        ids.check(preview, "preview")
        facts = [fact for scope in _SCOPES for fact in await self._all_of(scope, None, preview)]
        places = [
            await self._emptied(scope, owner, held, reason, preview, dry_run)
            for (scope, owner), held in deleting.by_owner(facts).items()
        ]
        counts = deleting.counted(facts)
        return PreviewDeletion(preview, sum(counts.values()), counts, dry_run, tuple(places))

    async def _emptied(
        self, scope: Scope, owner: str, facts: Sequence[FactView], reason: str, preview: str | None, dry_run: bool
    ) -> ScopeDeletion:
        """Delete these facts of an owner, as many together as go into one append, and wait once."""
        chain = subjects.home_chain(scope, owner)
        failed: list[Undeleted] = []
        receipts: list[Receipt] = []
        if not dry_run:
            for start in range(0, len(facts), limits.EVENTS_PER_RECORD):
                batch = facts[start : start + limits.EVENTS_PER_RECORD]
                await self._delete(chain, batch, reason, receipts, failed)
            if receipts:
                await self._settled(receipts[-1])
        counts = deleting.counted(facts)
        return ScopeDeletion(
            scope,
            owner,
            sum(counts.values()),
            counts,
            dry_run,
            tuple(failed),
            tuple(receipts),
            preview or "",
        )

    async def _delete(
        self, chain: str, facts: Sequence[FactView], reason: str, receipts: list[Receipt], failed: list[Undeleted]
    ) -> None:
        """Delete some facts in one append; where that is refused, each half by itself, down to those that cannot be."""
        try:
            receipts.append(await self.append(chain, "", [FactDeleted(id=fact.id, reason=reason) for fact in facts]))
        except (*_UNDECIDED, Denied):
            raise
        except EunoeError as error:
            if len(facts) == 1:
                failed.append(Undeleted(facts[0], str(error)))
                return
            middle = len(facts) // 2
            await self._delete(chain, facts[:middle], reason, receipts, failed)
            await self._delete(chain, facts[middle:], reason, receipts, failed)

    async def _all_of(self, scope: Scope, owner: str | None, preview: str | None) -> list[FactView]:
        """Of every fact of an owner, or of all of them, the version in force of each lineage, those that another's
        outranks too, and of one that says something of other times only the last of that."""
        found: list[FactView] = []
        cursor, more = "", True
        while more:
            page = await self.facts(
                scope=scope,
                thread=owner if scope == "thread" else None,
                session=owner if scope == "session" else None,
                agent=owner if scope == "permanent" and owner != "shared" else None,
                all=True,
                preview=preview,
                own=preview is not None,
                limit=limits.PAGE_FACTS,
                cursor=cursor,
            )
            found += [fact for fact in page.facts if owner in (None, fact.identity.owner)]
            cursor, more = page.cursor, bool(page.cursor)
        return deleting.standing(found)

    async def _traces(self, facts: Sequence[FactView], receipt: Receipt | None, preview: str | None) -> TracesReply:
        request = TracesRequest(
            ids=tuple(fact.id for fact in facts),
            preview=preview or "",
            after=Watermark(log=receipt.position if receipt else self.receipts.position),
            wait=WAIT_SECONDS,
        )
        return await self._ask("traces", request, TracesReply)

    async def _settled(self, receipt: Receipt) -> None:
        if not receipt.kept:
            await self._reflected.settle(receipt.chain, receipt.position, self.patience)
