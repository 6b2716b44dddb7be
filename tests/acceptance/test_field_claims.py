"""Faults of who wrote in whose name, and what holds here.

F73 a payload that claimed another owner, person or scope, and moved a memory to another tenant.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import msgspec
import pytest
from casts import PLACES, everywhere, named, owners
from fields import SETTLE_SECONDS, views

from eunoe.client import Memory
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import Fleet
from eunoe.schemas.errors import EunoeError
from eunoe.schemas.subjects import book_chain, home_chain, thread_chain

HERE = thread_chain("t")

AGENTS: dict[str, dict[str, Any]] = {
    "a person's class": {"source": {"kind": "person", "principal": "alice"}},
    "a person": {"source": {"kind": "person", "principal": "ada"}},
    "a program": {"source": {"kind": "caller", "principal": "app"}},
    "a tool": {"source": {"kind": "tool", "principal": "bash", "agent": "alice"}},
    "another agent": {"source": {"kind": "model", "principal": "bob"}},
    "nobody": {"source": {"kind": "model"}},
    "everyone's facts": {"identity": {"scope": "permanent", "owner": "shared", "subject": "note", "name": "n"}},
    "another's facts": {"identity": {"scope": "permanent", "owner": "bob", "subject": "note", "name": "n"}},
    "another thread's facts": {"identity": {"scope": "thread", "owner": "u", "subject": "note", "name": "n"}},
    "another session's facts": {"identity": {"scope": "session", "owner": "r", "subject": "note", "name": "n"}},
    "no scope that there is": {"identity": {"scope": "world", "owner": "t", "subject": "note", "name": "n"}},
    "a preview": {"identity": {"scope": "thread", "owner": "t", "subject": "note", "name": "n", "preview": "p"}},
    "that it approves": {"cites": "faaaaaaaaaa"},
    "another session as where it comes from": {"provenance": {"session": "r"}},
    "a turn before the first as where it comes from": {"provenance": {"turn": -1}},
    "a turn of no number as where it comes from": {"provenance": {"turn": 2**70}},
    "an entry of no number as where it comes from": {"provenance": {"entries": [1, 2**53]}},
}
"""What an agent may claim in a fact that it states in its own thread; each is refused."""

_ITS_OWN = ("a tool", "nobody", "another session's facts", "a preview", "another session as where it comes from")
TOOLS: dict[str, dict[str, Any]] = {
    **{what: claim for what, claim in AGENTS.items() if what not in _ITS_OWN},
    "an agent": {"source": {"kind": "model", "principal": "alice"}},
    "another tool": {"source": {"kind": "tool", "principal": "search"}},
    "a tool of no name": {"source": {"kind": "tool"}},
}
"""The same for a tool, which takes part in no turn, and so reports to any session and preview, in its own name."""


@pytest.fixture
async def cast(settings: Settings, fleet: Fleet) -> AsyncIterator[dict[str, Memory]]:
    """Clients of an agent and of a tool."""
    async with AsyncExitStack() as stack:
        yield {
            "agent": await stack.enter_async_context(named(settings, "agent", "alice")),
            "tool": await stack.enter_async_context(named(settings, "tool", "bash")),
        }


def stated(by: str, **claimed: Any) -> dict[str, Any]:
    """A fact of the thread as an agent or a tool states it, but for what it claims."""
    own = {"kind": "model", "principal": "alice"} if by == "agent" else {"kind": "tool", "principal": "bash"}
    about = {"scope": "thread", "owner": "t", "subject": "note", "name": "n"}
    return {"identity": about, "value": "claimed", "source": own, "at": 0, "method": "stated", **claimed}


async def sent(memory: Memory, chain: str, event: dict[str, Any], turn: str = "", **request: Any) -> str:
    """Append an event as bytes that no client made, under a producer of its own; the code of what refuses it."""
    payload = {"v": 1, "producer": msgspec.json.encode([chain, event]).hex()[-64:], "n": 1, "turn": turn, **request}
    try:
        await memory.gate.append(chain, msgspec.json.encode({**payload, "events": [event]}))
    except EunoeError as error:
        return error.code
    return ""


async def everything(memory: Memory, fleet: Fleet) -> list[str]:
    """All facts of the space with who said each, those of threads, sessions and a preview too, once all are there."""
    assert await fleet.settle(SETTLE_SECONDS)
    found = [
        fact
        for preview in (None, "p")
        for scope in ("permanent", "thread", "session")
        for fact in (await memory.facts(scope=scope, all=True, preview=preview)).facts
    ]
    return sorted(f"{fact.identity} {fact.value} {fact.sources} {fact.state} {fact.pinned}" for fact in found)


async def test_what_a_payload_claims_to_be_is_refused(memory: Memory, fleet: Fleet, cast: dict[str, Memory]) -> None:
    """F73: raw requests of an agent and of a tool that name another person, class, agent, owner, thread, session or
    preview, sent to their own thread and to where what they claim would belong: every one is refused, and nothing in
    the space is another than before."""
    await everywhere(memory)
    before = await everything(memory, fleet)
    for role, claims in (("agent", AGENTS), ("tool", TOOLS)):
        for what, claim in claims.items():
            about = {**stated(role)["identity"], **claim.get("identity", {})}
            chains = {HERE, home_chain(about["scope"], about["owner"]) if about["scope"] != "world" else HERE}
            if what == "another thread's facts":
                chains = {HERE}  # a thread is open to be stated in by who addresses it, in its own name
            for chain in chains:
                event = {"type": "fact.recorded", "fact": stated(role, **claim)}
                assert await sent(cast[role], chain, event) in ("denied", "invalid"), (role, what, chain)

    assert await everything(memory, fleet) == before


async def test_what_a_payload_does_to_others_facts_is_refused(
    memory: Memory, fleet: Fleet, cast: dict[str, Memory]
) -> None:
    """F73: acts on a person's facts, from the actor's thread and from the fact's own chain: moved, approved, retired,
    deleted, pinned, labelled, ended; none is done."""
    ids = await everywhere(memory)
    before = await everything(memory, fleet)
    for role, client in cast.items():
        for owner, place in PLACES.items():
            scope = next((scope for scope in ("thread", "session") if scope in place), "permanent")
            home = home_chain(scope, owner)
            for chain in (HERE, home):
                for event in acts(role, ids[owner]):
                    code = await sent(client, chain, event)
                    assert code in ("denied", "not_found", "invalid"), (role, owner, chain, event["type"])
        for event in ({"type": "session.ended"}, {"type": "session.state", "state": "1"}):
            assert await sent(client, book_chain("session", "s"), event) == "denied", (role, event)

    assert await everything(memory, fleet) == before
    assert (await memory.session("s")).status == "open"


def acts(role: str, fact: str) -> list[dict[str, Any]]:
    """Everything that can be done to a fact by its id."""
    mine = stated(role)
    return [
        {"type": "fact.retired", "id": fact},
        {"type": "fact.deleted", "id": fact},
        {"type": "fact.pinned", "id": fact},
        {"type": "fact.labelled", "id": fact, "add": [1]},
        {"type": "fact.moved", "id": fact, "fact": mine},
        {"type": "fact.approved", "id": fact, "fact": mine},
    ]


async def test_what_a_payload_adds_changes_nothing_of_where_a_fact_is(
    memory: Memory, fleet: Fleet, cast: dict[str, Memory]
) -> None:
    """F73: scope, owner, person and agent beside a fact or in its provenance are not heard: it is its author's, in
    the thread that the request names, and a proposal where its kind is everyone's."""
    extra: dict[str, Any] = {
        "scope": "permanent",
        "owner": "bob",
        "role": "person",
        "principal": "ada",
        "metadata": {"scope": "u"},
    }
    came = {"agent": "bob", "thread": "u"}
    fact = stated("agent", provenance=came, proposal=False, fact_class="permanent", **extra)
    fact["identity"] = {"scope": "thread", "owner": "t", "subject": "decision", "name": "n", "user": "ada"}
    assert await sent(cast["agent"], HERE, {"type": "fact.recorded", "fact": fact, **extra}, **extra) == ""

    (found,) = await views(memory, fleet, scope="thread")
    assert (found.identity.owner, found.identity.subject, found.state) == ("t", "decision", "proposed")
    assert (found.sources, found.agent, found.thread) == (("model alice",), "alice", "t")
    assert (await memory.facts(scope="permanent")).facts == (await memory.facts(scope="session")).facts == ()
    assert owners((await cast["tool"].facts()).facts) == ""
