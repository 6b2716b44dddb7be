"""A real server with the printed permissions: each role does its work there, and nothing else."""

from __future__ import annotations

import json
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO

import anyio
import msgspec
import pytest
from polling import until_found

from eunoe.cli import audit_checks
from eunoe.client import Memory
from eunoe.runtime import dead_letters, nats_server, topology
from eunoe.runtime.connection import Connection, connect
from eunoe.runtime.doors import Stored
from eunoe.runtime.jetstream import JetStream
from eunoe.runtime.permissions import OPERATOR, SERVED, Grant, grant
from eunoe.runtime.remote import RemoteAuditor
from eunoe.runtime.requester import Requester
from eunoe.runtime.server_config import User, render, user_name
from eunoe.runtime.session import session
from eunoe.runtime.settings import Settings
from eunoe.runtime.status import status
from eunoe.runtime.workers import running
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Denied, EunoeError, Stale
from eunoe.schemas.events import Prompt, Response, TurnCommitted, TurnOpened
from eunoe.schemas.requests import (
    AppendReply,
    AppendRequest,
    ComposeReply,
    FactsReply,
    RebuildReply,
    RebuildRequest,
    RebuildRun,
)
from eunoe.schemas.subjects import Caller

SPACE = "lab"
AGENT = Caller("agent", "planner 1")
OTHER = Caller("agent", "coder")
PERSON = Caller("person", "ada")
VIEWER = Caller("viewer", "wall")
WORKERS = [Caller("worker", name) for name in SERVED]
USERS = [AGENT, OTHER, PERSON, VIEWER, OPERATOR, *WORKERS]
THREAD = subjects.thread_chain("t")


def _password(caller: Caller) -> str:
    return f"password of {caller.role} {caller.principal}"


@pytest.fixture
async def url(tmp_path: Path) -> AsyncIterator[str]:
    """The address of a server that runs on the configuration as printed."""
    async with _server(tmp_path, {who: grant(SPACE, who) for who in USERS}) as address:
        yield address


@asynccontextmanager
async def _server(tmp_path: Path, grants: Mapping[Caller, Grant]) -> AsyncIterator[str]:
    users = [User(who, _password(who), granted) for who, granted in grants.items()]
    config = tmp_path / "nats-server.conf"
    config.write_text(render(users) + f'listen: "127.0.0.1:-1"\nports_file_dir: {json.dumps(str(tmp_path))}\n')
    with (tmp_path / "log").open("wb") as log:
        process = _started(config, log)
    try:
        yield await nats_server.listening(process, tmp_path)
    finally:
        process.terminate()
        process.wait()


def _started(config: Path, log: IO[bytes]) -> subprocess.Popen[bytes]:
    return subprocess.Popen([nats_server.binary(), "-c", config], cwd=config.parent, stdout=log, stderr=log)


def _settings(url: str, caller: Caller, data: Path) -> Settings:
    who = {"space": SPACE, "role": caller.role, "principal": caller.principal, "data": data}
    return Settings.model_validate(who).at(url, user_name(caller), _password(caller))


@pytest.fixture
async def fleet(url: str, tmp_path: Path) -> AsyncIterator[str]:
    """Every worker, each with the user of its kind."""
    async with AsyncExitStack() as stack:
        for caller in WORKERS:
            await stack.enter_async_context(running(_settings(url, caller, tmp_path), [caller.principal]))
        yield url


async def _connected(url: str, user: Caller, caller: Caller | None = None) -> Connection:
    return await connect(url, caller=caller or user, user=user_name(user), password=_password(user))


async def _append(requester: Requester, caller: Caller) -> AppendReply:
    events = (TurnOpened(), Prompt(content="hello"), Response(content="hello"), TurnCommitted())
    request = AppendRequest(v=1, producer="p", n=1, turn="k", events=events)
    return await RemoteAuditor(requester, SPACE, caller).append(THREAD, request)


async def test_an_agent_appends_and_reads_in_its_own_name(fleet: str) -> None:
    """Through workers that run with their own permissions."""
    async with await _connected(fleet, AGENT) as connection:
        reply = await _append(await Requester.open(connection), AGENT)

    assert (reply.record, reply.turn) == (1, 1)


@pytest.mark.parametrize("claimed", [PERSON, OTHER, Caller("worker", "extraction")])
async def test_an_agent_cannot_append_in_another_name(fleet: str, claimed: Caller) -> None:
    """The server denies it, and the agent hears so at once instead of waiting for an answer (F73)."""
    async with await _connected(fleet, AGENT) as connection:
        requester = await Requester.open(connection)
        with anyio.fail_after(2), pytest.raises(Denied):
            await _append(requester, claimed)


@pytest.mark.parametrize(
    "subject",
    [
        "$JS.API.STREAM.INFO.eunoe_lab_log",
        "$JS.API.DIRECT.GET.eunoe_lab_log",
        "$JS.API.STREAM.DELETE.eunoe_lab_log",
        "$KV.eunoe_lab_permanent.fact.shared.x",
        "eunoe.lab.thread.t.log",
        "eunoe.lab.book.permanent.shared.memory",
        "eunoe.lab.piece.t.00",
        "eunoe.lab.dead.audit",
        "$SRV.STATS",
    ],
)
async def test_an_agent_reaches_neither_jetstream_nor_a_bucket_nor_the_log(fleet: str, subject: str) -> None:
    """It has requests and nothing else."""
    async with await _connected(fleet, AGENT) as connection:
        requester = await Requester.open(connection)
        with anyio.fail_after(2), pytest.raises(Denied):
            await requester.ask(subject, b"{}", timeout=5.0)


async def test_an_agent_cannot_read_the_inbox_of_another(fleet: str) -> None:
    """Nor, therefore, the answers to another's requests."""
    async with await _connected(fleet, AGENT, caller=OTHER) as connection:
        with anyio.fail_after(2), pytest.raises(Denied):
            await Requester.open(connection)


async def test_an_answer_steered_to_the_inbox_of_another_is_dropped(fleet: str) -> None:
    """The server does not check reply subjects, so the worker does."""
    async with await _connected(fleet, AGENT) as mine, await _connected(fleet, PERSON) as theirs:
        heard: list[bytes] = []

        async def hear(message: object) -> None:
            heard.append(b"heard")

        await theirs.client.subscribe(f"{PERSON.inbox}.steered", cb=hear)
        await theirs.client.flush()
        await mine.publish(subjects.request(SPACE, "head", AGENT, THREAD), b"{}", reply=f"{PERSON.inbox}.steered")
        requester = await Requester.open(mine)
        await requester.request(subjects.request(SPACE, "head", AGENT, THREAD), b"{}")
        await theirs.client.flush()

    assert heard == []


async def test_a_viewer_reads_and_cannot_append(fleet: str) -> None:
    async with await _connected(fleet, VIEWER) as connection:
        requester = await Requester.open(connection)
        assert await requester.request(subjects.request(SPACE, "head", VIEWER, THREAD), b"{}")
        with anyio.fail_after(2), pytest.raises(Denied):
            await _append(requester, VIEWER)


async def test_the_operator_verifies_the_log_and_sees_how_the_fleet_is_doing(fleet: str, tmp_path: Path) -> None:
    """With a user that can do so and append nothing."""
    async with await _connected(fleet, AGENT) as connection:
        await _append(await Requester.open(connection), AGENT)

    async with session(_settings(fleet, OPERATOR, tmp_path)) as opened:
        verdict = await audit_checks.live(opened)
        found = await status(opened.requester, opened.store)
        with anyio.fail_after(2), pytest.raises(Denied):
            await _append(opened.requester, OPERATOR)

    assert verdict.fine
    assert verdict.events >= 4
    assert [(worker.name, worker.running) for worker in found.workers] == [(name, 1) for name in SERVED]
    assert found.wrong == ()


async def test_composition_asks_for_what_is_distilled_and_the_operator_sees_what_waits(
    fleet: str, tmp_path: Path
) -> None:
    """Each with its own user: one makes the queue and submits, two take from it, and nobody else may submit."""
    async with Memory.connect(settings=_settings(fleet, AGENT, tmp_path)) as memory:
        for number in range(8):
            async with memory.thread("t").turn(f"question {number}") as turn:
                await turn.context(1024)
                await turn.reply("word " * 125)

        async def distilled() -> bool:
            return len((await memory.thread("t").distillations()).distillations) > 0

        await until_found(distilled, "the turns that leave are distilled")
    async with session(_settings(fleet, OPERATOR, tmp_path)) as opened:

        async def nothing_waits() -> bool:
            return (await status(opened.requester, opened.store)).jobs == 0

        await until_found(nothing_waits, "every job is done")
    async with await _connected(fleet, Caller("worker", "facts")) as connection:
        requester = await Requester.open(connection)
        with anyio.fail_after(2), pytest.raises(Denied):
            await requester.ask(subjects.job(SPACE, "distil", "t"), b"{}", timeout=5.0)


async def test_what_was_laid_aside_is_done_again_by_the_worker_that_failed(fleet: str, tmp_path: Path) -> None:
    """A person asks audit, which lets the work wait under the worker's name, and erases the letter; each worker takes
    its own with its own user. The operator looks, and an agent does not even that."""
    async with await _connected(fleet, AGENT) as connection:
        position = (await _append(await Requester.open(connection), AGENT)).position
    for name in ("extraction", "facts"):
        async with await _connected(fleet, Caller("worker", name)) as connection:
            store = await topology.ensure(connection, SPACE)
            stored = Stored(subjects.chain_subject(SPACE, THREAD, "log"), position, b"")
            await dead_letters.write(store, name, stored, limits.ATTEMPTS, "no", 1)
    async with Memory.connect(settings=_settings(fleet, AGENT, tmp_path)) as memory:
        with anyio.fail_after(2), pytest.raises(Denied):
            await memory.dead()
    async with Memory.connect(settings=_settings(fleet, OPERATOR, tmp_path)) as memory:
        assert [letter.worker for letter in (await memory.dead()).letters] == ["extraction", "facts"]

    async with Memory.connect(settings=_settings(fleet, PERSON, tmp_path)) as memory:
        assert [letter.done for letter in (await memory.replay_dead([1, 2])).letters] == ["replayed", "replayed"]
        assert (await memory.dead()).total == 0
    async with session(_settings(fleet, OPERATOR, tmp_path)) as opened:

        async def done() -> bool:
            found = await status(opened.requester, opened.store)
            return (found.jobs, found.dead, found.wrong) == (0, 0, ())

        await until_found(done, "what was laid aside is done again")


async def test_a_person_who_wants_the_whole_log_hears_whose_user_may(
    fleet: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """At once, without a time-out, and once: the log does not say it too."""
    async with session(_settings(fleet, PERSON, tmp_path)) as opened:
        with anyio.fail_after(2), pytest.raises(Denied, match="EUNOE_USER=worker/operator"):
            await audit_checks.live(opened)
        with anyio.fail_after(2), pytest.raises(Denied, match="EUNOE_USER=worker/operator"):
            await status(opened.requester, opened.store)

    assert [one.message for one in caplog.records if "violation" in one.message and one.levelname != "DEBUG"] == []


@pytest.mark.parametrize("who", [PERSON, AGENT])
@pytest.mark.parametrize(
    ("subject", "asked"),
    [
        ("$JS.API.DIRECT.GET.eunoe_lab_blobs", b'{"seq": 1}'),
        ("$JS.API.DIRECT.GET.eunoe_lab_log", b'{"seq": 1}'),
        ("$JS.API.STREAM.INFO.eunoe_lab_log", b""),
        ("$SRV.PING", b""),
    ],
)
async def test_nobody_has_an_answer_of_the_server_written_into_the_log(
    fleet: str, tmp_path: Path, who: Caller, subject: str, asked: bytes
) -> None:
    """JetStream answers on the subject that it is told; a record of anybody could be forged as a piece."""
    async with await _connected(fleet, who) as connection:
        requester = await Requester.open(connection)
        await _append(requester, who)
        await requester.request(subjects.request(SPACE, "piece", who, THREAD), b"a record in the name of another")
        await connection.publish(subject, asked, reply=f"eunoe.{SPACE}.thread.victim.log")
        await connection.client.flush()

    async with session(_settings(fleet, OPERATOR, tmp_path)) as opened:
        await opened.store.blobs.get([1])  # answered after what was asked of the same stream before
        await opened.store.log.get([1])
        stored = [message.subject async for message in opened.store.log.scan()]

    assert set(stored) <= {"eunoe.lab.thread.t.log", "eunoe.lab.thread.t.memory"}


@pytest.mark.parametrize("worker", ["extraction", "facts", "composition", "distillation", "summarising"])
async def test_no_worker_but_audit_writes_the_log(fleet: str, worker: str) -> None:
    """A worker that is taken over cannot forge what happened."""
    caller = Caller("worker", worker)
    async with await _connected(fleet, caller) as connection:
        requester = await Requester.open(connection)
        for part in ("log", "memory"):
            with anyio.fail_after(2), pytest.raises(Denied):
                await requester.ask(f"eunoe.lab.thread.t.{part}", b"{}", timeout=5.0)


async def test_an_agent_composes_a_context_and_asks_for_facts(fleet: str) -> None:
    """The workers that answer reach what they need under their own permissions."""
    async with await _connected(fleet, AGENT) as connection:
        requester = await Requester.open(connection)
        await _append(requester, AGENT)
        composed = await requester.request(subjects.request(SPACE, "compose", AGENT, THREAD), b'{"prompt": "and now?"}')
        facts = await requester.request(subjects.request(SPACE, "facts", AGENT, THREAD), b'{"thread": "t"}')

    assert "hello" in str(msgspec.json.decode(composed, type=ComposeReply).context.messages)
    assert msgspec.json.decode(facts, type=FactsReply).facts == ()


async def test_facts_are_edited_and_conflicts_logged_under_the_fleets_permissions(fleet: str, tmp_path: Path) -> None:
    """Audit reads what an edit is conditional on, the facts worker logs who disagrees, and a delete is traced."""
    async with (
        Memory.connect(settings=_settings(fleet, PERSON, tmp_path)) as person,
        Memory.connect(settings=_settings(fleet, AGENT, tmp_path)) as agent,
    ):
        stated = await person.state_fact("note", "n", "one thing", thread="t", expected="")
        await agent.state_fact("note", "n", "another", thread="t")
        with pytest.raises(Stale):
            await agent.state_fact("note", "n", "a third", thread="t", expected="")
        await person.pin(stated.id, expected=stated.id)

        async def logged() -> bool:
            return any(act.kind == "raised" for act in (await person.fact(stated.id)).acts)

        await until_found(logged, "the conflict was logged")
        gone = await person.delete_fact(stated.id)

    assert [fact.value for fact in gone.remaining] == ["another"]
    assert gone.traces


async def _rebuilt(requester: Requester, caller: Caller, *, check: bool = False) -> RebuildRun:
    """Have the facts made again, or checked, and wait for the end."""
    start = RebuildRequest(action="start", id=f"run {caller.principal} {check}", check=check)
    subject = subjects.request(SPACE, "rebuild", caller)
    with anyio.fail_after(20):
        while True:
            reply = msgspec.json.decode(await requester.request(subject, msgspec.json.encode(start)), type=RebuildReply)
            if reply.run and reply.run.over:
                return reply.run
            await anyio.sleep(0.02)


async def test_facts_are_made_again_under_the_fleets_permissions(fleet: str, tmp_path: Path) -> None:
    """Twice, so that both slots are written, sealed and deleted; every worker goes over, and an agent may not ask."""
    async with await _connected(fleet, AGENT) as connection:
        requester = await Requester.open(connection)
        await _append(requester, AGENT)
        with anyio.fail_after(2), pytest.raises(Denied):
            await _rebuilt(requester, AGENT)
    async with await _connected(fleet, PERSON) as mine, await _connected(fleet, OPERATOR) as theirs:
        person, operator = await Requester.open(mine), await Requester.open(theirs)
        runs = [await _rebuilt(person, PERSON), await _rebuilt(operator, OPERATOR)]
        checked = await _rebuilt(person, PERSON, check=True)
        composed = await person.request(subjects.request(SPACE, "compose", PERSON, THREAD), b'{"prompt": "and now?"}')

    assert [(run.phase, run.generation, run.error) for run in runs] == [("done", 2, ""), ("done", 3, "")]
    assert (checked.phase, checked.differences) == ("done", 0)
    assert "hello" in str(msgspec.json.decode(composed, type=ComposeReply).context.messages)


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ("$KV.eunoe_lab_permanent_g2.>", "bucket eunoe_lab_permanent_g2 cannot be written"),
        ("$JS.API.STREAM.CREATE.KV_eunoe_lab_thread_g2", "$js.api.stream.create.kv_eunoe_lab_thread_g2"),
        ("$JS.API.STREAM.UPDATE.KV_eunoe_lab_session", "$js.api.stream.update.kv_eunoe_lab_session"),
    ],
)
async def test_a_permission_that_is_missing_is_named(tmp_path: Path, missing: str, said: str) -> None:
    """With a user of an older configuration, which knew one set of buckets: what is there stays in use."""
    facts = Caller("worker", "facts")
    grants = {who: grant(SPACE, who) for who in USERS}
    kept = tuple(subject for subject in grants[facts].publish if subject != missing)
    assert len(kept) == len(grants[facts].publish) - 1
    grants[facts] = replace(grants[facts], publish=kept)
    async with _server(tmp_path, grants) as url, AsyncExitStack() as stack:
        for name in ("audit", "facts"):
            caller = Caller("worker", name)
            await stack.enter_async_context(running(_settings(url, caller, tmp_path), [name]))
        async with await _connected(url, PERSON) as connection:
            requester = await Requester.open(connection)
            await _append(requester, PERSON)
            with pytest.raises(EunoeError) as refused:
                raise EunoeError((await _rebuilt(requester, PERSON)).error)
            listed = await requester.request(subjects.request(SPACE, "facts", PERSON, THREAD), b'{"thread": "t"}')

    assert said in str(refused.value)
    assert "eunoe ops permissions" in str(refused.value)
    assert msgspec.json.decode(listed, type=FactsReply).facts == ()


async def test_a_bucket_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    """The facts worker says which one it is, and what gives the permission; it does not seem to be away (F115)."""
    facts, bucket = Caller("worker", "facts"), "KV_eunoe_lab_session"
    grants = {who: grant(SPACE, who) for who in USERS}
    kept = tuple(subject for subject in grants[facts].publish if not subject.endswith((bucket, f"{bucket}.>")))
    grants[facts] = replace(grants[facts], publish=kept)
    async with _server(tmp_path, grants) as url:
        with anyio.fail_after(20), pytest.raises(Denied) as refused:
            async with running(_settings(url, facts, tmp_path), ["facts"]):
                await anyio.sleep_forever()

    assert bucket.lower() in str(refused.value).lower()


async def test_a_worker_under_the_user_of_another_ends_with_the_reason(url: str, tmp_path: Path) -> None:
    """It would seem to run, and hear nothing."""
    settings = _settings(url, Caller("worker", "audit"), tmp_path)
    lent = settings.at(url, user_name(Caller("worker", "facts")), _password(Caller("worker", "facts")))

    with anyio.fail_after(10), pytest.raises(Denied):
        async with running(lent, ["audit"]):
            await anyio.sleep_forever()


async def test_the_operator_cannot_disturb_the_consumers_of_the_workers(fleet: str) -> None:
    """They would lose what they have not handled yet."""
    async with await _connected(fleet, OPERATOR) as connection:
        requester = await Requester.open(connection)
        for verb in ("DELETE", "MSG.NEXT", "CREATE"):
            with anyio.fail_after(2), pytest.raises(Denied):
                await requester.ask(f"$JS.API.CONSUMER.{verb}.eunoe_lab_log.facts", b"{}", timeout=5.0)


async def test_a_person_erases_through_workers_with_their_own_permissions(fleet: str, tmp_path: Path) -> None:
    """Audit overwrites messages, pieces and dead letters, and has the facts made again; an agent may not ask for it."""
    facts = Caller("worker", "facts")
    async with Memory.connect(settings=_settings(fleet, PERSON, tmp_path)) as memory:
        async with memory.thread("t").turn("a secret") as turn:
            await turn.reply("x" * limits.INLINE_BYTES + "y")
        async with await _connected(fleet, facts) as connection:
            store = topology.doors(JetStream(await Requester.open(connection)), SPACE)
            await dead_letters.write(store, "facts", Stored("eunoe.lab.thread.t.log", 1, b""), 5, "a secret", 1)
        reply = await memory.erase(thread="t", reason="asked to")
    async with Memory.connect(settings=_settings(fleet, AGENT, tmp_path)) as agent:
        with pytest.raises(Denied):
            await agent.erase(thread="t", reason="asked to")

    assert (reply.state, reply.counts.entries, reply.counts.pieces, reply.counts.letters) == ("done", 2, 2, 1)
