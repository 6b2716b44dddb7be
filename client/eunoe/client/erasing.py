"""Erasing: removing content for good, and waiting until nothing of it is left in the store."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence

import anyio
from msgspec import structs

from eunoe.client.arguments import checked
from eunoe.client.editing import named
from eunoe.client.gate import Gate
from eunoe.client.removing import Removing
from eunoe.schemas import ids, limits
from eunoe.schemas.erasures import EraseReply, EraseRequest, ErasureTarget
from eunoe.schemas.errors import Busy, Invalid, NotFound, OutcomeUnknown
from eunoe.schemas.facts import Scope

WAIT_SECONDS = 5.0  # seconds that one question waits for the end of an erasure
PLAN_SECONDS = 300.0  # seconds that it may take to look through the log: some ten thousand records a second

_FACT = re.compile("f[a-z2-7]{10}")  # a whole id

Numbers = int | tuple[int, int]
"""One number, or the first and the last of several."""


class Erasing(Removing):
    """What a person removes for good."""

    @checked
    async def erase(
        self,
        *,
        reason: str = "",
        fact: str | None = None,
        thread: str | None = None,
        entries: Sequence[Numbers] = (),
        turns: Sequence[Numbers] = (),
        scope: Scope | None = None,
        owner: str | None = None,
        dry_run: bool = False,
        key: str = "",
        seconds: float | None = None,
    ) -> EraseReply:
        """Erase a fact by its id, a thread (or ``entries`` and ``turns`` of it), or the facts of a scope's ``owner``.

        Only a person may, and must give a ``reason``, which stays in the log. ``dry_run`` changes nothing and says
        what would go. It returns when all of it is gone, or after ``seconds``, with the state *running*: it goes on
        by itself, and asking again under the same ``key`` says how far it is.
        """
        whole = await self._whole(fact) if fact is not None else ""
        asked = target(fact=whole, thread=thread, entries=entries, turns=turns, scope=scope, owner=owner)
        if dry_run:
            return await plan(self.gate, asked)
        return await erase(self.gate, asked, reason, key=key, seconds=seconds)

    async def _whole(self, fact: str) -> str:
        """The whole id of the fact that begins so, or of one that is in the log alone."""
        try:
            return named(await self.fact(fact), fact).id
        except NotFound:
            if not await in_log(self.gate, fact):
                raise
            return fact


def target(
    *,
    fact: str = "",
    thread: str | None = None,
    entries: Sequence[Numbers] = (),
    turns: Sequence[Numbers] = (),
    scope: Scope | None = None,
    owner: str | None = None,
) -> ErasureTarget:
    """What is to be erased; raises `Invalid` for what can be no name."""
    if [bool(fact), thread is not None, owner is not None].count(True) != 1:
        raise Invalid("name one thing to erase: a fact, a thread (or entries or turns of it), or an owner of facts")
    return ErasureTarget(
        fact=fact,
        thread=ids.check(thread, "thread") if thread is not None else "",
        entries=_ranges(entries),
        turns=_ranges(turns),
        scope=scope or "",
        owner=ids.check(owner, "owner") if owner is not None else "",
    )


async def in_log(gate: Gate, fact: str) -> bool:
    """Whether the log holds anything of a fact, by its whole id, though no list shows it: what belongs to a preview,
    or to a session that ended."""
    return bool(_FACT.fullmatch(fact)) and (await plan(gate, target(fact=fact))).state != "nothing"


async def plan(gate: Gate, asked: ErasureTarget) -> EraseReply:
    """What an erasure would take. All that memory did is read for that."""
    return await gate.ask("erase", EraseRequest(target=asked, dry_run=True), EraseReply, timeout=PLAN_SECONDS)


def _untold(reply: EraseReply) -> None:
    """For those who only want to know how it ended."""


async def erase(
    gate: Gate,
    asked: ErasureTarget,
    reason: str,
    *,
    key: str = "",
    seconds: float | None = None,
    told: Callable[[EraseReply], None] = _untold,
) -> EraseReply:
    """Erase, asking again under one id until it is done, or ``seconds`` are over; every answer before that is
    ``told``."""
    request = EraseRequest(target=asked, id=key or secrets.token_hex(8), reason=reason, wait=WAIT_SECONDS)
    end = anyio.current_time() + seconds if seconds is not None else float("inf")
    while True:
        left = max(0.0, end - anyio.current_time())
        wait = min(WAIT_SECONDS, left)
        try:
            reply = await gate.ask(
                "erase", structs.replace(request, wait=wait), EraseReply, timeout=wait + limits.REQUEST_SECONDS
            )
        except (Busy, OutcomeUnknown):
            if anyio.current_time() >= end:
                raise
            continue
        if reply.state != "running" or anyio.current_time() >= end:
            return reply
        told(reply)


def _ranges(numbers: Sequence[Numbers]) -> tuple[tuple[int, int], ...]:
    return tuple((one, one) if isinstance(one, int) else one for one in numbers)
