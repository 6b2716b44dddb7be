"""Faults that memory systems had when several changed one fact at once, and what holds here.

F1 two equal adds · F7 two tenants of one client · F9 one text promoted twice · F13 a retry after a lost race ·
F14 tracebacks of benign conflicts · F17 inserts and deletes of the same facts · F50 the same statement twice ·
F77 equal text of two owners · F78 the same ids in two tenants.
"""

from __future__ import annotations

import logging
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import anyio
import pytest
from fields import SETTLE_SECONDS
from polling import until_found

from eunoe.client import Memory, StatedFact, stating
from eunoe.runtime.doors import Store
from eunoe.runtime.health import metrics
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import Fleet, running
from eunoe.schemas import ids, records, subjects
from eunoe.schemas.errors import Stale
from eunoe.schemas.events import ConflictRaised, ConflictResolved, Event, FactDeleted, FactRecorded
from eunoe.schemas.subjects import Role
from eunoe.testing import NatsServer

BOOK = subjects.book_chain("permanent", "shared")

WRITERS, WRITES, NAMES, THREADS = 8, 2_000, 50, 5

WRITER = """
import sys, anyio
from pathlib import Path
from eunoe.client import Memory, stating
from eunoe.runtime.settings import Settings
from eunoe.schemas import ids
from eunoe.schemas.events import FactRecorded

async def write(memory, writer, writes, names, threads):
    for number in range(writes):
        name = number % names
        about = stating.identity("note", f"n{name}", thread=f"t{name % threads}")
        fact = stating.assertion(memory.gate.caller, about, f"{writer} says {number}")
        receipt = await memory.append(stating.chain_of(about), "", [FactRecorded(fact=fact)])
        print(ids.fact_id(receipt.chain, receipt.origin, receipt.index))

async def main(url, space, data, first, last, *sizes):
    settings = Settings(url=url, space=space, data=Path(data), role="person", principal="ada")
    async with anyio.create_task_group() as tasks:
        for writer in range(int(first), int(last)):
            tasks.start_soon(one, settings, writer, *map(int, sizes))

async def one(settings, writer, writes, names, threads):
    async with Memory.connect(settings=settings) as memory:
        await write(memory, writer, writes, names, threads)

anyio.run(main, *sys.argv[1:])
"""


@pytest.fixture
def settings(nats_server: NatsServer, space: str, tmp_path: Path) -> Settings:
    return Settings(url=nats_server.url, space=space, data=tmp_path, role="person", principal="ada")


async def test_racing_writes_of_two_processes_lose_nothing(
    settings: Settings, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    """2,000 writes of eight writers to fifty facts of five threads through two replicas: every acknowledged one is
    in the log once, each fact has one head and a version for each value, races are counted, and no log has a
    traceback (F14)."""
    caplog.set_level(logging.INFO)
    async with replicas(settings, 2) as fleets, Memory.connect(settings=settings) as memory:
        acknowledged = await anyio.to_thread.run_sync(_write_at_once, settings)
        assert await fleets[0].settle(SETTLE_SECONDS)
        listed = (await memory.facts(scope="thread")).facts
        told = [await memory.fact(fact.id) for fact in listed[:3]]
        counts = _conflicts(fleets)

    chains = [subjects.thread_chain(f"t{number}") for number in range(THREADS)]
    logged = [
        fact for chain in chains async for fact, event in _events(store, chain) if isinstance(event, FactRecorded)
    ]
    assert len(acknowledged) == len(set(acknowledged)) == WRITES
    assert Counter(logged) == Counter(acknowledged)
    assert {fact.identity.name for fact in listed} == {f"n{number}" for number in range(NAMES)}
    assert {fact.version for fact in listed} == {WRITES // NAMES}
    for history in told:
        values = [version.value for version in history.versions]
        assert len(values) == len(set(values)) == WRITES / NAMES
        assert [version.id for version in history.versions if version.state == "current"] == [history.current]
        assert history.versions[-1].id == history.current
    assert counts > 0
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []


async def test_of_edits_of_one_sight_exactly_one_wins(settings: Settings) -> None:
    """Ten clients saw the same value and edit it at once through two replicas, five times over: each time one wins,
    and the others hear the id and the value that are there now."""
    async with replicas(settings, 2), AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(Memory.connect(settings=settings)) for _ in range(10)]
        seen = (await clients[0].state_fact("decision", "colour", "start")).id
        for turn in range(5):
            won: list[StatedFact] = []
            lost: list[Stale] = []
            async with anyio.create_task_group() as tasks:
                for number, client in enumerate(clients):
                    tasks.start_soon(_edit, client, f"{turn}.{number}", seen, won, lost)

            assert (len(won), len(lost)) == (1, 9)
            seen = won[0].id
            value = next(view.value for view in (await clients[0].facts()).facts if view.id == seen)
            assert {(one.detail["current"], one.detail["value"]) for one in lost} == {(seen, value)}
            assert won[0].version == turn + 2


async def test_two_equal_statements_at_once_are_one_fact(settings: Settings) -> None:
    """F1, F13: two people state the same at once, twenty times: one live fact each, and who came second hears so."""
    other = settings.model_copy(update={"principal": "bob"})
    async with (
        replicas(settings, 2),
        Memory.connect(settings=settings) as ada,
        Memory.connect(settings=other) as bob,
    ):
        for number in range(20):
            stated: list[StatedFact] = []

            async def state(client: Memory, number: int, stated: list[StatedFact]) -> None:
                stated.append(await client.state_fact("decision", f"n{number}", "the same"))

            async with anyio.create_task_group() as tasks:
                for client in (ada, bob):
                    tasks.start_soon(state, client, number, stated)
            first, second = sorted(stated, key=lambda one: (one.receipt.position, one.duplicate))
            assert (first.duplicate, second.duplicate, second.known) == (False, True, first.id)
        facts = (await ada.facts()).facts

    assert [(fact.identity.name, fact.value) for fact in facts] == sorted((f"n{n}", "the same") for n in range(20))
    assert {fact.supports for fact in facts} == {2}
    assert {fact.conflict for fact in facts} == {False}


async def test_the_same_statement_twice_is_one_fact_that_is_said_twice(settings: Settings) -> None:
    """F50: it is neither deleted nor doubled; the second answer names the first."""
    async with replicas(settings, 1), Memory.connect(settings=settings) as memory:
        first = await memory.state_fact("decision", "colour", "green")
        second = await memory.state_fact("decision", "colour", "  GREEN ")
        (fact,) = (await memory.facts()).facts

    assert (fact.id, fact.version, fact.supports) == (first.id, 1, 2)
    assert (second.version, second.duplicate, second.known) == (1, True, first.id)


async def test_each_conflict_is_logged_once_however_many_look(settings: Settings, store: Store) -> None:
    """Two people disagree on twenty facts under two replicas, which end while they log, and two others that go on:
    twenty raises, and one resolution when one of the two takes back what it said."""
    other = settings.model_copy(update={"principal": "bob"})
    taken: list[str] = []
    async with replicas(settings, 2):
        for one in (settings, other):
            async with Memory.connect(settings=one) as memory, anyio.create_task_group() as tasks:
                for number in range(20):
                    tasks.start_soon(memory.state_fact, "decision", f"n{number}", f"of {one.principal}")
    async with replicas(settings, 2), Memory.connect(settings=other) as memory:
        await until_found(lambda: _logged(store, ConflictRaised, 20), "every conflict was logged")
        taken += [fact.id for fact in (await memory.facts()).facts if fact.identity.name == "n7"]
        await memory.retire_fact(taken[0])
        await until_found(lambda: _logged(store, ConflictResolved, 1), "that it is none any more was logged")
    found = [event async for _, event in _events(store, BOOK, "worker")]

    raised = Counter(event.identity.name for event in found if isinstance(event, ConflictRaised))
    assert raised == Counter(f"n{number}" for number in range(20))
    assert [event.identity.name for event in found if isinstance(event, ConflictResolved)] == ["n7"]


async def _logged(store: Store, kind: type[Event], count: int) -> bool:
    return sum([isinstance(event, kind) async for _, event in _events(store, BOOK, "worker")]) >= count


async def test_changes_and_deletes_of_the_same_facts_lose_nothing(settings: Settings, store: Store) -> None:
    """F17: 100 new values and 100 deletes of ten facts, mixed over ten clients and two replicas: none waits for
    another for ever, and each is in the log once."""
    done: list[str] = []
    async with replicas(settings, 2) as fleets, AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(Memory.connect(settings=settings)) for _ in range(10)]

        async def work(client: Memory, writer: int) -> None:
            for number in range(10):
                about = stating.identity("note", f"n{number}", thread="t")
                fact = stating.assertion(client.gate.caller, about, f"{writer}.{number}")
                receipt = await client.append("thread.t", "", [FactRecorded(fact=fact)])
                stated = ids.fact_id("thread.t", receipt.origin, receipt.index)
                receipt = await client.append("thread.t", "", [FactDeleted(id=stated)])
                done.extend([stated, ids.fact_id("thread.t", receipt.origin, receipt.index)])

        async with anyio.create_task_group() as tasks:
            for writer, client in enumerate(clients):
                tasks.start_soon(work, client, writer)
        assert await fleets[0].settle(SETTLE_SECONDS)
        left = (await clients[0].facts(scope="thread", thread="t")).facts
        every = (await clients[0].facts(scope="thread", thread="t", all=True)).facts

    assert Counter([event async for event, _ in _events(store, "thread.t")]) == Counter(done)
    assert left == ()
    assert {fact.identity.name for fact in every} == {f"n{number}" for number in range(10)}
    assert {fact.state for fact in every} <= {"deleted", "superseded"}


async def test_one_text_from_two_sessions_is_one_permanent_fact(settings: Settings) -> None:
    """F9: promoted from both, it is there once, is said twice, and knows both that it came from."""
    async with replicas(settings, 1), Memory.connect(settings=settings) as memory:
        stated = [await memory.state_fact("decision", "colour", "green", session=name) for name in ("one", "two")]
        moved = [await memory.move(fact.id, "permanent") for fact in stated]
        (fact,) = (await memory.facts(scope="permanent")).facts
        sessions = [(await memory.facts(scope="session", session=name)).facts for name in ("one", "two")]
        why = await memory.why(fact.id)

    assert (fact.id, fact.value, fact.supports) == (moved[0].id, "green", 2)
    assert (moved[1].duplicate, moved[1].known) == (True, moved[0].id)
    assert sessions == [(), ()]
    assert {cited.id for cited in why.cited} == {one.id for one in stated}


async def test_two_tenants_of_one_process_share_nothing(settings: Settings) -> None:
    """F7, F78: a hundred interleaved writes of the same names, then a change and a delete in one: the other space
    has its own fifty and not a byte of the others'."""
    other = settings.model_copy(update={"space": f"{settings.space}-other"})
    async with AsyncExitStack() as stack:
        memories = []
        for one in (settings, other):
            await stack.enter_async_context(replicas(one, 1))
            memories.append(await stack.enter_async_context(Memory.connect(settings=one)))
        async with anyio.create_task_group() as tasks:
            for number in range(50):
                for memory in memories:
                    tasks.start_soon(memory.state_fact, "note", f"n{number}", f"of {memory.gate.space}")
        before = (await memories[1].facts()).facts
        await memories[0].state_fact("note", "n1", "changed")
        await memories[0].delete_scope("permanent", "shared", "all of it")
        after = [(await memory.facts()).facts for memory in memories]

    assert {fact.value for fact in before} == {f"of {other.space}"}
    assert {fact.identity.name for fact in before} == {f"n{number}" for number in range(50)}
    assert after == [(), before]


async def test_equal_text_of_two_owners_is_two_facts(settings: Settings) -> None:
    """F77: each with its owner; deleting one's leaves the other's."""
    async with replicas(settings, 1), Memory.connect(settings=settings) as memory:
        stated = [await memory.state_fact("note", "n", "the same", owner=owner) for owner in ("ann", "bob")]
        both = (await memory.facts(scope="permanent")).facts
        await memory.delete_scope("permanent", "ann")
        left = (await memory.facts(scope="permanent")).facts

    assert [(fact.id, fact.identity.owner) for fact in both] == [(stated[0].id, "ann"), (stated[1].id, "bob")]
    assert [one.duplicate for one in stated] == [False, False]
    assert left == (both[1],)


async def _edit(client: Memory, value: str, seen: str, won: list[StatedFact], lost: list[Stale]) -> None:
    try:
        won.append(await client.state_fact("decision", "colour", value, expected=seen))
    except Stale as error:
        lost.append(error)


@asynccontextmanager
async def replicas(settings: Settings, count: int) -> AsyncIterator[list[Fleet]]:
    """Fleets of the workers that facts need; all have caught up before they end."""
    async with AsyncExitStack() as stack:
        fleets = [await stack.enter_async_context(running(settings, ["audit", "facts"])) for _ in range(count)]
        yield fleets
        assert await fleets[0].settle(SETTLE_SECONDS)


async def _events(store: Store, chain: str, role: Role = "person") -> AsyncIterator[tuple[str, Event]]:
    """Every event that callers of a role appended to a chain, with its id."""
    async for stored in store.log.scan([subjects.chain_filter(store.space, chain)]):
        record = records.read(stored.seq, stored.data)
        for index, event in enumerate(record.events if record.header.role == role else ()):
            yield ids.fact_id(chain, record.header.origin, index), event


def _conflicts(fleets: list[Fleet]) -> int:
    """The races that were lost, as Prometheus is told."""
    lines = [line for line in metrics(fleets).splitlines() if line.startswith("eunoe_conflicts_total{")]
    assert len(lines) == 2 * len(fleets)
    return sum(int(line.rpartition(" ")[2]) for line in lines)


def _write_at_once(settings: Settings) -> list[str]:
    """What two processes with four writers each were told that they wrote."""
    where = [settings.url, settings.space, str(settings.data)]
    half, each = WRITERS // 2, WRITES // WRITERS
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, *where, *map(str, (first, first + half, each, NAMES, THREADS))],
            stdout=subprocess.PIPE,
            text=True,
        )
        for first in (0, half)
    ]
    found: list[str] = []
    for writer in writers:
        found += writer.communicate()[0].split()
        assert writer.returncode == 0
    return found
