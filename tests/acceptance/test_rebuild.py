"""The facts made again on a real server: while everybody works, by whoever is left after a kill, one at a time."""

from __future__ import annotations

import functools
import os
import secrets
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import msgspec
import pytest
from doomed import Doom, Trap, serve
from fact_desks import PERSON, FactDesk, recorded
from nursery import Child, Nursery, nursery
from polling import until, until_found
from rebuilding import THREADS, busy_space
from shell import Shell
from witness import Witness, witness

from eunoe.client import Memory
from eunoe.facts import lease as leases
from eunoe.facts.rebuild import Rebuild
from eunoe.runtime import topology
from eunoe.runtime.connection import connect
from eunoe.runtime.doors import Store
from eunoe.runtime.requester import Requester
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import running
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import OutcomeUnknown, WorkerMissing
from eunoe.schemas.requests import FactsReply, FactsRequest, RebuildReply, RebuildRequest, RebuildRun
from eunoe.schemas.subjects import Caller
from eunoe.testing import nats_server_binary

pytestmark = pytest.mark.skipif(
    nats_server_binary() is None and not os.environ.get("CI"), reason="there is no nats-server"
)


@pytest.fixture
def children(tmp_path: Path) -> Iterator[Nursery]:
    with nursery(tmp_path / "logs") as opened:
        yield opened


@asynccontextmanager
async def asking(settings: Settings) -> AsyncIterator[Requester]:
    async with await connect(settings.url, caller=PERSON) as connection:
        yield await Requester.open(connection)


async def ask(requester: Requester, settings: Settings, request: RebuildRequest, seconds: float) -> RebuildReply:
    subject, data = subjects.request(settings.space, "rebuild", PERSON), msgspec.json.encode(request)
    return msgspec.json.decode(await requester.request(subject, data, timeout=seconds), type=RebuildReply)


async def done(
    requester: Requester, settings: Settings, *, check: bool = False, name: str = "", seconds: float = 10.0
) -> RebuildRun:
    """Begin a run and wait for its end, as a caller does that may be answered by any replica; each answer is waited
    for ``seconds``."""
    start = RebuildRequest(action="start", id=name or secrets.token_hex(4), check=check, reason="a test")
    request = start
    with anyio.fail_after(60):
        while True:
            reply = await ask(requester, settings, request, seconds)
            mine = reply.run is not None and reply.run.id == start.id
            if reply.run and mine and reply.run.over:
                assert reply.run.error == ""
                return reply.run
            request = RebuildRequest() if reply.state == "running" else start
            await anyio.sleep(0.02)


@asynccontextmanager
async def desk_of(settings: Settings, folder: Path) -> AsyncIterator[FactDesk]:
    """A desk that appends to the log of the space, as one more audit worker."""
    async with await connect(settings.url, caller=Caller("worker", "desk")) as connection:
        store = await topology.ensure(connection, settings.space)
        desk = FactDesk(folder, store)
        desk.clock.set(1_790_000_000_000)
        yield desk


async def settled(eyes: Witness) -> None:
    await eyes.settled("facts")


async def equal(eyes: Witness) -> dict[str, bytes]:
    """The documents in use, which are those that the log gives."""
    await settled(eyes)
    found = await eyes.documents()
    assert found == await eyes.projected()
    return found


async def test_facts_are_made_again_while_everybody_works(settings: Settings, tmp_path: Path) -> None:
    """500 facts of all scopes, half of them stated meanwhile: readers see no error and no fact gone, nothing is lost,
    and what is made equals what the log gives byte for byte."""
    runs: list[RebuildRun] = []
    async with running(settings), desk_of(settings, tmp_path) as desk, asking(settings) as requester:
        async with witness(settings) as eyes, Memory.connect(settings=settings) as memory:
            await busy_space(desk, 250)
            async with memory.thread("r").turn("Is it recorded?") as turn:
                await turn.reply("It is recorded.")
            await settled(eyes)
            wanted = {fact.id for fact in (await memory.facts(scope="permanent")).facts}
            over = anyio.Event()
            reads = 0
            said: list[str] = []

            async def read() -> None:
                nonlocal reads
                while not over.is_set():
                    listed = (await memory.facts(scope="permanent", all=True)).facts
                    assert wanted <= {fact.id for fact in listed}
                    assert "recorded" in str((await memory.thread("r").context(prompt="What is known?")).messages)
                    reads += 1

            async def write() -> None:
                while not over.is_set():
                    said.append((await memory.state_fact("decision", f"d{len(said)}", "taken")).id)

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(read)
                tasks.start_soon(write)
                async with anyio.create_task_group() as writing:
                    writing.start_soon(busy_space, desk, 250)
                    assert (await done(requester, settings, check=True)).differences == 0
                    runs.append(await done(requester, settings))
                runs.append(await done(requester, settings, check=True))
                over.set()

        async with witness(settings) as eyes:
            found = await equal(eyes)
            assert eyes.store.generations.current == 2

    swapped, again = runs
    assert (swapped.generation, again.differences) == (2, 0)
    assert reads > 0
    assert said
    assert all(f"permanent {subjects.index_key(fact)}" in found for fact in said)


STEPS = (
    Trap("before-document", "fact."),
    Trap("after-clear"),
    Trap("after-document", "state.", 2),
    Trap("before-seal"),
    Trap("after-seal"),
    Trap("before-document", "origin"),
    Trap("after-document", "origin"),
    Trap("after-document", "origin", 2),
    Trap("after-document", "origin", 3),
    Trap("before-drop"),
    Trap("after-drop"),
)


async def _dropped(store: Store) -> bool:
    return await store.generations.other("permanent") is None


async def test_a_kill_at_any_step_loses_nothing(settings: Settings, tmp_path: Path, children: Nursery) -> None:
    """Kill -9 of whoever makes the facts again, at each step in turn: the set in use is whole each time, what is
    stated meanwhile is kept, and the next one that starts brings the same run nearer to its end."""
    async with running(settings, ["audit"]), desk_of(settings, tmp_path) as desk, witness(settings) as eyes:
        facts = await children.started("facts", serve, settings, ["facts"], Doom())
        await busy_space(desk, 40)
        expected = await equal(eyes)
        facts.stop()
        facts = children.start("facts", serve, settings, ["facts"], Doom(STEPS))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_patiently, settings)
            for number, trap in enumerate(STEPS, start=1):
                await until(functools.partial(_ended, facts), f"the facts worker is killed at {trap}", 20.0)
                assert facts.code == -signal.SIGKILL, facts.tail()
                async with witness(settings) as now:
                    found = await now.documents()
                    assert found.keys() >= expected.keys(), trap
                    await expire(now.store)
                await desk.write("thread.t0", recorded(f"after {number}", owner="t0", name=f"k{number}"))
                facts = children.start("facts", serve, settings, ["facts"], Doom(STEPS[number:]))
        async with witness(settings) as now:
            found = await equal(now)
            await until_found(functools.partial(_dropped, now.store), "the last one to start drops the set that was")
            assert now.store.generations.current == 2
            assert await now.dead() == 0

    values = [value for key, value in found.items() if key.startswith("thread fact.")]
    assert all(any(b'"after %d"' % number in value for value in values) for number in range(1, len(STEPS) + 1))


def _ended(child: Child) -> bool:
    return not child.alive


async def _patiently(settings: Settings) -> None:
    """A caller who asks again under the same name while nobody answers, until the run is done."""
    async with asking(settings) as requester:
        while True:
            try:
                await done(requester, settings, name="run", seconds=0.5)
            except (OutcomeUnknown, WorkerMissing):
                await anyio.sleep(0.02)
            else:
                return


async def expire(store: Store) -> None:
    """Let the lease of a holder who is gone be over, so that a test need not wait for that."""
    for bucket in (await store.generations.other("permanent"), store.permanent):
        entry = await bucket.get(subjects.REBUILD_KEY) if bucket else None
        run = leases.read(entry)
        if bucket and entry and run and not run.over:
            gone = msgspec.structs.replace(run, expires_at=0)
            await bucket.put(entry.key, msgspec.json.encode(gone), expect=entry.revision)


async def test_replicas_that_are_asked_at_once_make_them_once(settings: Settings, tmp_path: Path) -> None:
    """Whoever is second hears of the first; both replicas go over, and their documents stay those of the log."""
    async with running(settings), running(settings, ["facts"]), desk_of(settings, tmp_path) as desk:
        async with witness(settings) as eyes, asking(settings) as requester:
            await busy_space(desk, 60)
            await settled(eyes)
            runs: list[RebuildRun] = []

            async def swap(name: str) -> None:
                runs.append(await done(requester, settings, name=name))

            async with anyio.create_task_group() as tasks:
                for name in ("one", "two", "three"):
                    tasks.start_soon(swap, name)
            listed = [await _listed(requester, settings, f"t{number % THREADS}") for number in range(16)]
        async with witness(settings) as eyes:
            await equal(eyes)

    assert sorted((run.id, run.phase) for run in runs) == [("one", "done"), ("three", "done"), ("two", "done")]
    assert sorted(run.generation for run in runs) == [2, 3, 4]
    assert all(reply.facts == listed[number % THREADS].facts for number, reply in enumerate(listed))


async def _listed(requester: Requester, settings: Settings, thread: str) -> FactsReply:
    subject = subjects.request(settings.space, "facts", PERSON, subjects.thread_chain(thread))
    data = msgspec.json.encode(FactsRequest(thread=thread, limit=limits.PAGE_FACTS))
    return msgspec.json.decode(await requester.request(subject, data), type=FactsReply)


async def test_a_person_checks_the_facts_and_has_them_made_again(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the command line: nothing differs; then somebody meddles with a bucket, and it is named; then it is mended."""
    monkeypatch.setattr("eunoe.facts.keeper.Rebuild", functools.partial(Rebuild, steady=0.1))
    shell = Shell(tmp_path / "home")
    on = ("--url", settings.url, "--space", settings.space)
    async with running(settings), desk_of(settings, tmp_path) as desk, witness(settings) as eyes:
        await busy_space(desk, 20)
        await settled(eyes)
        before = await anyio.to_thread.run_sync(shell, "rebuild", "facts", "--check", *on)
        key, *_ = [entry.key async for entry in eyes.store.thread.scan(["fact.>"])]
        await eyes.store.thread.put(key, b"{}")
        meddled = await anyio.to_thread.run_sync(shell, "rebuild", "facts", "--check", *on)
        told = await anyio.to_thread.run_sync(shell, "rebuild", "facts", "--check", "--json", *on)
        mended = await anyio.to_thread.run_sync(shell, "rebuild", "facts", *on)
        after = await anyio.to_thread.run_sync(shell, "rebuild", "facts", "--check", *on)

    count, records = told.json["documents"], told.json["records"]
    assert (before.code, before.lines) == (
        0,
        [f"the facts are what the log says: {count} documents from {records} records"],
    )
    assert meddled.code == told.code == 1
    assert meddled.lines[0] == "1 document is not what the log says; `eunoe rebuild facts` mends that"
    assert any(key[:20] in line for line in meddled.lines)
    assert told.json["differing"] == [{"scope": "thread", "key": key, "what": "other"}]
    assert (told.json["check"], told.json["differences"], told.json["generation"]) == (True, 1, 1)
    assert mended.lines == [f"the facts were made again: {count} documents from {records} records, generation 2"]
    assert (mended.code, after.code, after.lines) == (0, 0, before.lines)


async def test_who_may_not_have_the_facts_made_again_hears_so(settings: Settings, tmp_path: Path) -> None:
    """In one line, with exit code 1; without a facts worker, which one is missing."""
    shell = Shell(tmp_path / "home")
    on = ("--url", settings.url, "--space", settings.space)
    async with running(settings, ["audit"]):
        alone = await anyio.to_thread.run_sync(shell, "rebuild", "facts", *on)
        async with running(settings, ["facts"]):
            agent = await anyio.to_thread.run_sync(shell.named("agent", "builder"), "rebuild", "facts", *on)

    assert (alone.code, agent.code) == (3, 1)
    assert "no facts worker" in alone.complaint
    assert agent.complaint == "eunoe: an agent may not have the facts made again; a person may"
