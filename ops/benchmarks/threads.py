"""Threads to compose from: turns in any number, and facts in every scope.

A thread of very many turns is written as the audit worker writes it, by the same rules and to the same bytes, but
with many records on their way at once, which one worker at a time never has for one thread.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec

from benchmarks.place import Place
from eunoe.audit import rules
from eunoe.runtime.chains import Head
from eunoe.runtime.connection import connect
from eunoe.runtime.doors import Appended
from eunoe.runtime.jetstream import JetStream
from eunoe.runtime.reader import Reader
from eunoe.runtime.remote import RemoteAuditor
from eunoe.runtime.requester import Requester
from eunoe.schemas import limits, records, subjects
from eunoe.schemas.events import (
    Event,
    Extracted,
    FactRecorded,
    Prompt,
    Response,
    ToolCall,
    ToolResult,
    TurnCommitted,
    TurnOpened,
)
from eunoe.schemas.facts import Assertion, Identity, Scope, Source
from eunoe.schemas.requests import AppendRequest
from eunoe.schemas.subjects import Caller

SPACE = "default"
AGENT = Caller("agent", "bench")
CALLER = Caller("caller", "bench")
EXTRACTION = Caller("worker", "extraction")
AT_ONCE = 256  # records on their way to the server
FACTS_TOGETHER = 500  # facts of one append


def turn(number: int, session: str) -> tuple[Event, ...]:
    """A turn of about 600 tokens with one tool call."""
    output = "\n".join(f"line {line} of turn {number}: all is well" for line in range(40))
    return (
        TurnOpened(session=session),
        Prompt(content=f"Please look at part {number} and say what you find there."),
        ToolCall(call=f"c{number}", tool="bash", content=f'{{"command":"cat part-{number}.txt"}}'),
        ToolResult(call=f"c{number}", tool="bash", content=output, exit_status=0),
        Response(content=f"Part {number} has forty lines and nothing is wrong with it. " * 8),
        TurnCommitted(),
    )


async def write(here: Place, thread: str, turns: int, session: str = "") -> None:
    """A thread of that many committed turns, of which everything is extracted. Nobody else may write meanwhile."""
    async with await connect(here.url, caller=AGENT) as connection:
        jetstream = JetStream(await Requester.open(connection))
        end = (await Reader(jetstream, subjects.log_stream(SPACE)).end()).last
        head: Head | None = None
        for first in range(1, turns + 1, AT_ONCE):
            batch = []
            for number in range(first, min(first + AT_ONCE, turns + 1)):
                append = _append(thread, number, turn(number, session))
                head, data = _record(head, append, end + 1)
                end = head.position
                batch.append((append, data))
            acknowledged = await asyncio.gather(*(_publish(jetstream, append, data) for append, data in batch))
            assert acknowledged[-1].seq == end, "somebody else wrote to the log"
    await extracted(here, thread, turns)


async def extracted(here: Place, thread: str, turns: int) -> None:
    """Say of a thread that the facts of its turns are known, as extraction does after each of them."""
    chain = subjects.thread_chain(thread)
    async with auditing(here, EXTRACTION) as auditor:
        n = (await auditor.head(chain, "bench")).n + 1
        events = (Extracted(turn=turns, ordinal=turns),)
        await auditor.append(chain, AppendRequest(v=limits.SCHEMA_VERSION, producer="bench", n=n, events=events))


async def state(here: Place, scope: Scope, owner: str, subject: str, count: int) -> None:
    """So many facts of one owner, as a program states them."""
    async with auditing(here, CALLER) as auditor:
        for n, first in enumerate(range(0, count, FACTS_TOGETHER), start=1):
            numbers = range(first, min(first + FACTS_TOGETHER, count))
            events = tuple(fact(scope, owner, subject, number) for number in numbers)
            request = AppendRequest(v=limits.SCHEMA_VERSION, producer=f"fill-{subject}", n=n, events=events)
            await auditor.append(subjects.home_chain(scope, owner), request)


def fact(scope: Scope, owner: str, subject: str, number: int) -> FactRecorded:
    identity = Identity(scope=scope, owner=owner, subject=subject, name=f"n{number}")
    source = Source(kind="caller", principal=CALLER.principal)
    return FactRecorded(fact=Assertion(identity=identity, value=f"the value number {number}", source=source, at=0))


@asynccontextmanager
async def auditing(here: Place, caller: Caller) -> AsyncIterator[RemoteAuditor]:
    """The way into the log for one caller."""
    async with await connect(here.url, caller=caller) as connection:
        yield RemoteAuditor(await Requester.open(connection), SPACE, caller)


async def _publish(jetstream: JetStream, append: rules.Append, data: bytes) -> Appended:
    subject = subjects.chain_subject(SPACE, append.chain, append.part)
    return await jetstream.publish(subject, data, [("Nats-Msg-Id", rules.message_id(append))])


def _append(thread: str, number: int, events: Sequence[Event]) -> rules.Append:
    request = AppendRequest(v=limits.SCHEMA_VERSION, producer="fill", n=number, turn=f"k{number}", events=tuple(events))
    digest = hashlib.sha256(msgspec.json.encode(request)).hexdigest()
    now = time.time_ns() // 1_000_000
    return rules.Append(AGENT, SPACE, subjects.thread_chain(thread), request, digest, now)


def _record(head: Head | None, append: rules.Append, position: int) -> tuple[Head, bytes]:
    """The chain's next record, which will be at that position, and its bytes."""
    decision = rules.decide(head, append)
    assert isinstance(decision, rules.Write)
    data, found = records.seal(decision.header, decision.events)
    return Head(decision.header, position, found), data
