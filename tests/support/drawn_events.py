"""What distilling, summarising and reviews append, asked of an audit worker's desk."""

from __future__ import annotations

from desks import Desk

from eunoe.schemas.distilled_events import SetAside, Spans
from eunoe.schemas.events import Distilled, Event, FactRecorded, Reviewed, Summarised, SummaryKept
from eunoe.schemas.facts import Assertion, Identity, Method, Provenance, Scope, Source
from eunoe.schemas.requests import AppendReply
from eunoe.schemas.subjects import Caller

DISTILLATION = Caller("worker", "distillation")
SUMMARISING = Caller("worker", "summarising")


async def worked(
    desk: Desk, n: int, *events: Event, thread: str = "t", caller: Caller = DISTILLATION, producer: str = ""
) -> AppendReply:
    """The n-th record of a worker in a thread."""
    producer = producer or caller.principal
    return await desk.append(n, *events, thread=thread, turn="", producer=producer, caller=caller)


def distilled(first: int, last: int, *aside: str, failed: str = "", again: bool = False) -> Distilled:
    """Of turns that were committed in the order in which they were opened; ``aside``: texts that are no facts."""
    set_aside = tuple(SetAside(text=text, reason="no kind") for text in aside)
    turns = ((first, last),)
    return Distilled(first=first, last=last, turns=turns, by="rules", set_aside=set_aside, failed=failed, again=again)


def summarised(text: str, last: int, before: int = 0, entries: Spans | None = None) -> Summarised:
    """Of turns with two entries each."""
    return Summarised(
        text=text, last=last, turns=((1, last),), entries=entries or ((1, 2 * last),), by="rules", before=before
    )


def kept(last: int, reason: str = "the model said nothing") -> SummaryKept:
    return SummaryKept(last=last, by="model", reason=reason)


def reviewed(first: int, last: int, agent: str = "builder", **more: object) -> Reviewed:
    return Reviewed(first=first, last=last, turns=((first, last),), agent=agent, **more)  # type: ignore[arg-type]


def drawn(
    value: str,
    *entries: int,
    turn: int = 1,
    subject: str = "decision",
    name: str = "n",
    who: str = "distiller",
    scope: Scope = "thread",
    owner: str = "t",
    method: Method = "distilled",
) -> FactRecorded:
    """A fact as a distiller states it, drawn from some entries of a turn."""
    provenance = Provenance(agent="builder", thread="t", turn=turn, entries=entries, model="rules")
    fact = Assertion(
        identity=Identity(scope=scope, owner=owner, subject=subject, name=name),
        value=value,
        source=Source(kind="model", principal=who),
        at=1,
        method=method,
        provenance=provenance,
    )
    return FactRecorded(fact=fact)
