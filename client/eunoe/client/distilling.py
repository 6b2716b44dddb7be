"""What a client asks about what is drawn from a thread's prose: facts, the running summary, and how that went."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import anyio
from msgspec import structs

from eunoe.client.gate import Gate
from eunoe.schemas import limits, subjects
from eunoe.schemas.context import Watermark
from eunoe.schemas.errors import Busy, Invalid, OutcomeUnknown
from eunoe.schemas.requests import (
    DistillationsReply,
    DistillationsRequest,
    DistilReply,
    DistilRequest,
    SummaryReply,
    SummaryRequest,
)

Work = Literal["distil", "summarise"]

WAIT_SECONDS = 5.0  # seconds that one question waits for the end of the work
READ_SECONDS = 2.0  # seconds that a read waits until it reflects what was written before


def _untold(reply: DistilReply) -> None:
    """For those who only want to know how it ended."""


async def work(
    gate: Gate,
    verb: Work,
    thread: str,
    *,
    up_to: int = 0,
    window: int = 0,
    seconds: float | None = None,
    told: Callable[[DistilReply], None] = _untold,
) -> DistilReply:
    """Distil, or summarise, a thread up to turn ``up_to`` (0: every committed one), asking again until it is done or
    ``seconds`` are over: then it goes on by itself. Every answer before the last is ``told``.

    The reply has all that was made meanwhile.
    """
    if up_to < 0 or (seconds is not None and not seconds >= 0):
        raise Invalid(f"to {verb} needs a turn and seconds to wait that are not below 0")
    chain = subjects.thread_chain(thread)
    before = (await gate.head(chain)).record
    end = anyio.current_time() + seconds if seconds is not None else float("inf")
    first = True
    while True:
        wait = min(WAIT_SECONDS, max(0.0, end - anyio.current_time()))
        request = DistilRequest(up_to=up_to, window=window, wait=wait)
        try:
            reply = await gate.ask(verb, request, DistilReply, chain, timeout=wait + limits.REQUEST_SECONDS)
        except (Busy, OutcomeUnknown):
            if anyio.current_time() >= end:
                raise
            first = False
            continue
        if first and reply.state == "nothing":
            return reply
        if reply.state != "waiting" or anyio.current_time() >= end:
            return await _whole(gate, thread, reply, before)
        if verb == "summarise" and _kept(found := await _whole(gate, thread, reply, before)):
            return found  # to ask again would be to try again
        told(reply)
        first = False


async def _whole(gate: Gate, thread: str, reply: DistilReply, before: int) -> DistilReply:
    """The reply with all that was made since that record of the thread, between two questions too."""
    page = await distillations(gate, thread)
    made = list(page.distillations)
    while page.more and made[-1].record > before:
        page = await distillations(gate, thread, before=made[-1].record)
        made += page.distillations
    fresh = sorted((one for one in made if one.record > before), key=lambda one: one.record)
    state = "done" if reply.state == "nothing" else reply.state
    return structs.replace(reply, state=state, distillations=tuple(fresh))


def _kept(reply: DistilReply) -> bool:
    """Whether the last that was made left the summary as it is."""
    return bool(reply.distillations) and reply.distillations[-1].summary == "kept"


async def summary(gate: Gate, thread: str, *, every: bool = False, after: Watermark | None = None) -> SummaryReply:
    """The running summary of a thread, with ``every`` the older versions that are kept too, oldest first."""
    request = SummaryRequest(every=every, after=after or Watermark(), wait=READ_SECONDS)
    timeout = READ_SECONDS + limits.REQUEST_SECONDS
    return await gate.ask("summary", request, SummaryReply, subjects.thread_chain(thread), timeout=timeout)


async def distillations(
    gate: Gate, thread: str, *, limit: int = limits.DISTILLATIONS_SHOWN, before: int = 0
) -> DistillationsReply:
    """A page of what was distilled, summarised and reviewed of a thread, the newest first; ``before``: that record."""
    request = DistillationsRequest(limit=limit, before=before)
    return await gate.ask("distillations", request, DistillationsReply, subjects.thread_chain(thread))
