"""Erasures asked of an audit worker's desk, and what its store holds afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import recipes
from desks import Desk

from eunoe.audit.verify import Verdict, Verifier
from eunoe.runtime.doors import Stored
from eunoe.schemas import ids, records, subjects
from eunoe.schemas.context import Recipe
from eunoe.schemas.erasures import EraseReply, EraseRequest, ErasureTarget
from eunoe.schemas.events import EntryBase, Event, Extracted, FactRecorded
from eunoe.schemas.facts import Assertion, Identity, Provenance, Source
from eunoe.schemas.records import Record
from eunoe.schemas.subjects import Address, Caller

ADA = Caller("person", "ada")
EXTRACTION = Caller("worker", "extraction")
SECRET = "hunter2-xyzzy"


async def erase(desk: Desk, caller: Caller = ADA, id: str = "e1", **target: object) -> EraseReply:  # noqa: A002
    request = EraseRequest(target=msgspec.convert(target, ErasureTarget), id=id, reason="asked to", wait=5.0)
    return await asked(desk, request, caller)


async def plan(desk: Desk, **target: object) -> EraseReply:
    return await asked(desk, EraseRequest(target=msgspec.convert(target, ErasureTarget), dry_run=True))


async def asked(desk: Desk, request: EraseRequest, caller: Caller = ADA) -> EraseReply:
    data = await desk.worker.handlers()["erase"](Address("erase", caller, ""), msgspec.json.encode(request))
    return msgspec.json.decode(data, type=EraseReply)


async def raw(desk: Desk) -> list[Stored]:
    """The messages that the store still has, as they are."""
    return [stored async for stored in desk.store.log._log.scan()]  # type: ignore[attr-defined]  # beneath the door


async def read(desk: Desk, chain: str = "thread.t") -> list[Record]:
    found = [stored async for stored in desk.store.log.scan()]
    return [records.read(one.seq, one.data) for one in found if subjects.chain_of(one.subject) == chain]


async def entries(desk: Desk) -> dict[int, str]:
    events = [event for record in await read(desk) for event in record.events if isinstance(event, EntryBase)]
    return {event.entry: "-" if event.erased else event.content for event in events}


async def verified(desk: Desk) -> Verdict:
    verifier = Verifier()
    async for stored in desk.store.log.scan():
        verifier.feed(stored)
    info = await desk.store.log.info(gaps=True)
    verifier.gaps(info.gaps, info.first)
    return verifier.verdict()


def fact(value: str, *entries: int, name: str = "port", thread: str = "t") -> Assertion:
    """What a tool's result said of a service."""
    provenance = Provenance(agent="builder", thread=thread, turn=1, entries=entries)
    identity = Identity(scope="thread", owner=thread, subject="service", name=name)
    source = Source(kind="tool", principal="sh", agent="builder")
    return Assertion(identity=identity, value=value, source=source, at=1, provenance=provenance)


async def extracted(
    desk: Desk, n: int, *facts: Assertion, thread: str = "t", failed: tuple[str, ...] = ()
) -> list[str]:
    """The facts of a thread's n-th committed turn, as extraction appends them; their ids."""
    said = [FactRecorded(fact=one) for one in facts]
    events: tuple[Event, ...] = (Extracted(turn=n, ordinal=n, facts=len(facts), failed=failed), *said)
    reply = await desk.append(n, *events, thread=thread, turn="", producer="extraction", caller=EXTRACTION)
    return [ids.fact_id(subjects.thread_chain(thread), reply.origin, index + 1) for index in range(len(facts))]


def told(found: list[Record]) -> Iterator[tuple[str, str]]:
    for record in found:
        for event in record.events:
            if isinstance(event, FactRecorded):
                yield event.fact.identity.name, event.fact.value


def recipe(request: str) -> Recipe:
    """What a stored context was made of, as far as an erasure looks at it."""
    return recipes.recipe(turn=1, turns=(1,), first_turn=1, request=request)


async def plant(desk: Desk, chain: str, *events: Event) -> None:
    """An append that no rule of acts looks at: what matters here is what an erasure makes of it."""
    await desk.worker._erasing._write(ADA, chain, events)
