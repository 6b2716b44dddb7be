"""Serving verbs on a real server: who is answered, what is refused, and how it ends."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import anyio
import pytest
from polling import until

from eunoe.runtime import aside, remote, topology
from eunoe.runtime.connection import Connection
from eunoe.runtime.doors import Handler
from eunoe.runtime.requester import Requester
from eunoe.runtime.service import Service
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Damaged, EunoeError, Invalid, NumberSkipped, OutcomeUnknown
from eunoe.schemas.subjects import Address, Caller

ADA = Caller("agent", "ada")
WORKER = Caller("worker", "test")


@asynccontextmanager
async def serving(
    connection: Connection, space: str, handlers: Mapping[str, Handler], limit: int = 64
) -> AsyncIterator[Service]:
    service = Service(connection, space, "audit", handlers, limit)
    async with anyio.create_task_group() as tasks:
        await tasks.start(service.run)
        yield service
        tasks.cancel_scope.cancel()


async def test_a_handler_hears_who_asks(connection: Connection, space: str) -> None:
    """Role, principal and chain come from the subject, decoded."""
    heard: list[Address] = []

    async def handle(address: Address, data: bytes) -> bytes:
        heard.append(address)
        return data.upper()

    eve = Caller("person", "eve@home")
    requester = await Requester.open(connection, eve)
    async with serving(connection, space, {"append": handle}):
        chain = subjects.thread_chain("a.b")
        assert await requester.request(subjects.request(space, "append", eve, chain), b"x") == b"X"

    assert heard == [Address("append", eve, chain)]


async def test_a_refusal_arrives_as_itself(connection: Connection, space: str) -> None:
    """An error of ours crosses with its class, message and detail; any other one as one line, and service goes on."""

    async def handle(address: Address, data: bytes) -> bytes:
        if data == b"skip":
            raise NumberSkipped("send 3 first", wanted=3)
        raise ValueError("two\nlines")

    requester = await Requester.open(connection)
    subject = subjects.request(space, "append", WORKER)
    async with serving(connection, space, {"append": handle}) as service:
        with pytest.raises(NumberSkipped, match="send 3 first") as refused:
            await requester.request(subject, b"skip")
        with pytest.raises(EunoeError, match="append failed: ValueError: two lines") as failed:
            await requester.request(subject, b"")

    assert refused.value.detail == {"wanted": 3}
    assert failed.value.code == "error"
    assert (service.statistics()["errors"], service.statistics()["failures"]) == (1, 1)


async def test_a_refusal_is_short_whatever_it_quotes(connection: Connection, space: str) -> None:
    """A message and a detail of 9 MB, over what a server takes: the message is cut at 2 KiB, and service goes on."""

    async def handle(address: Address, data: bytes) -> bytes:
        if data == b"long":
            raise Invalid("é" * 4_500_000)
        if data == b"surrogate":
            raise Invalid("bad \ud800", what="\ud800")
        if data == b"detail":
            raise Invalid("bad", what="x" * 9_000_000)
        return data

    requester = await Requester.open(connection)
    subject = subjects.request(space, "append", WORKER)
    async with serving(connection, space, {"append": handle}, limit=1) as service:
        with pytest.raises(Invalid) as long:
            await requester.request(subject, b"long")
        with pytest.raises(Invalid, match=r"^bad \?$") as surrogate:
            await requester.request(subject, b"surrogate")
        with pytest.raises(Invalid, match=r"^bad$") as detail:
            await requester.request(subject, b"detail")
        assert await requester.request(subject, b"x") == b"x"

    assert str(long.value) == "é" * 1024 + " … (9,000,000 bytes in all)"
    assert surrogate.value.detail == detail.value.detail == {}
    assert service.statistics()["replies_lost"] == 0


async def test_an_answer_that_cannot_be_sent_ends_nothing(connection: Connection, space: str) -> None:
    """A reply subject that the protocol cannot hold: it is counted, and the next request is answered."""

    async def handle(address: Address, data: bytes) -> bytes:
        return data

    requester = await Requester.open(connection, ADA)
    subject = subjects.request(space, "append", ADA)
    async with serving(connection, space, {"append": handle}, limit=1) as service:
        await connection.publish(subject, b"x", reply=f"{ADA.inbox}.\u2028")
        assert await requester.request(subject, b"x") == b"x"

    assert service.statistics()["replies_lost"] == 1


async def test_no_request_holds_its_place_for_ever(connection: Connection, space: str) -> None:
    """Of a bound of one, a request that is not done in its time: its outcome is unknown, and the next is handled."""

    async def handle(address: Address, data: bytes) -> bytes:
        if data == b"stuck":
            await anyio.sleep_forever()
        return data

    requester = await Requester.open(connection)
    subject = subjects.request(space, "append", WORKER)
    service = Service(connection, space, "audit", {"append": handle}, 1, seconds=0.05)
    async with anyio.create_task_group() as tasks:
        await tasks.start(service.run)
        with pytest.raises(OutcomeUnknown, match=r"append was not done within 0\.05 s"):
            await requester.request(subject, b"stuck")
        assert await requester.request(subject, b"x") == b"x"
        tasks.cancel_scope.cancel()


async def test_requests_that_only_wait_leave_their_places_to_others(
    connection: Connection, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three wait aside where one is handled at once: another is answered meanwhile. No more than three may: the fourth
    waits not at all. Those that waited go on, and are answered."""
    monkeypatch.setattr(limits, "WAITING_ASIDE", 3)
    known, answered = anyio.Event(), list[bytes]()

    async def handle(address: Address, data: bytes) -> bytes:
        if data.startswith(b"wait"):
            with aside.waiting(30.0):
                await known.wait()
        return data + (b" known" if known.is_set() else b"")

    requester = await Requester.open(connection)
    subject = subjects.request(space, "append", WORKER)

    async def ask(data: bytes) -> None:
        answered.append(await requester.request(subject, data))

    async with serving(connection, space, {"append": handle}, limit=1) as service, anyio.create_task_group() as tasks:
        for number in range(3):
            tasks.start_soon(ask, b"wait %d" % number)
        await until(lambda: service.statistics()["aside"] == 3, "three wait")
        await ask(b"other")
        await ask(b"wait 3")
        assert (answered, service.statistics()["active"]) == ([b"other", b"wait 3"], 0)
        known.set()

    assert sorted(answered[2:]) == [b"wait 0 known", b"wait 1 known", b"wait 2 known"]
    assert service.statistics()["aside"] == 0


async def test_those_that_waited_hold_places_again(connection: Connection, space: str) -> None:
    """Of a bound of one, two that go on together: the next request comes in its turn when both are done."""
    known, done, order = anyio.Event(), anyio.Event(), list[bytes]()

    async def handle(address: Address, data: bytes) -> bytes:
        if data == b"wait":
            with aside.waiting(30.0):
                await known.wait()
            await done.wait()
        order.append(data)
        return data

    requester = await Requester.open(connection)
    subject = subjects.request(space, "append", WORKER)
    async with serving(connection, space, {"append": handle}, limit=1) as service, anyio.create_task_group() as tasks:
        for _ in range(2):
            tasks.start_soon(requester.request, subject, b"wait")
        await until(lambda: service.statistics()["aside"] == 2, "two wait")
        known.set()
        await until(lambda: service.statistics()["active"] == 2, "both are at work")
        tasks.start_soon(requester.request, subject, b"next")
        await until(lambda: service.statistics()["waiting"] == 1, "the next waits")
        done.set()

    assert order == [b"wait", b"wait", b"next"]


async def test_what_was_done_is_never_refused(connection: Connection, space: str) -> None:
    """The store turns out to be another: a request is refused before it is handled, and is unknown afterwards."""
    done: list[bytes] = []
    fine = True

    async def handle(address: Address, data: bytes) -> bytes:
        nonlocal fine
        done.append(data)
        fine = False
        return data

    async def sure() -> None:
        if not fine:
            raise Damaged("the log was made again")

    requester = await Requester.open(connection)
    subject = subjects.request(space, "append", WORKER)
    async with anyio.create_task_group() as tasks:
        await tasks.start(Service(connection, space, "audit", {"append": handle}, sure=sure).run)
        with pytest.raises(OutcomeUnknown, match="the log was made again"):
            await requester.request(subject, b"first")
        with pytest.raises(Damaged, match="the log was made again"):
            await requester.request(subject, b"second")
        tasks.cancel_scope.cancel()

    assert done == [b"first"]


async def test_nobody_is_answered_but_who_asked(connection: Connection, space: str) -> None:
    """A reply subject that is a log's, a verb's, JetStream's, another's inbox, or one of a longer name:

    nothing is handled, nothing is written, and each is counted."""
    handled: list[bytes] = []

    async def handle(address: Address, data: bytes) -> bytes:
        handled.append(data)
        return b"the answer"

    store = await topology.ensure(connection, space)
    chain = subjects.thread_chain("t1")
    foreign = (
        subjects.chain_subject(space, chain, "log"),
        subjects.request(space, "append", Caller("person", "eve"), chain),
        f"$JS.API.STREAM.DELETE.{subjects.log_stream(space)}",
        "$KV.x.y",
        "_INBOX_person_eve.1",
        "_INBOX_agent_adam.1",
        "_INBOX_agent_ada",
        "_INBOX.1",
        "",
    )
    requester = await Requester.open(connection, ADA)
    async with serving(connection, space, {"append": handle}) as service:
        for reply in foreign:
            await connection.publish(subjects.request(space, "append", ADA, chain), b"bad", reply=reply)
        assert await requester.request(subjects.request(space, "append", ADA, chain), b"good") == b"the answer"

    assert handled == [b"good"]
    assert service.statistics()["foreign_replies"] == len(foreign)
    assert (await store.log.info()).last == 0


async def test_the_micro_protocol_obeys_the_rule_too(connection: Connection, space: str) -> None:
    """A worker's description cannot be steered into a log."""
    store = await topology.ensure(connection, space)
    async with serving(connection, space, {}) as service:
        for verb in ("PING", "INFO", "STATS"):
            await connection.publish(f"$SRV.{verb}", b"", reply=f"eunoe.{space}.thread.t1.log")
        assert [one.worker for one in await remote.discover(connection, space)] == ["audit"]

    assert service.statistics()["foreign_replies"] == 3
    assert (await store.log.info()).last == 0


async def test_a_subject_that_is_no_request_is_dropped(connection: Connection, space: str) -> None:
    """Unknown roles and missing tokens are counted and not handled."""
    requester = await Requester.open(connection)

    async def handle(address: Address, data: bytes) -> bytes:
        return data

    async with serving(connection, space, {"append": handle}) as service:
        for subject in (f"eunoe.{space}.append.king.ada.t1", f"eunoe.{space}.append.agent", f"eunoe.{space}.append.x"):
            await connection.publish(subject, b"", reply="_INBOX_agent_ada.1")
        await requester.request(subjects.request(space, "append", WORKER), b"x")

    assert service.statistics()["malformed"] == 3


@pytest.mark.parametrize("chain", ["zzz.q", "space.erasures", "=q", "=ff", "session.=q", "a.b.c"])
async def test_a_request_about_what_cannot_be_is_refused_at_once(
    connection: Connection, space: str, chain: str
) -> None:
    """A book of no scope, that of erasures, a token that no id has, too many tokens: who asks hears that, and nobody
    else does: with another's inbox for its answer the request is dropped as before."""

    async def handle(address: Address, data: bytes) -> bytes:
        raise AssertionError(address)

    subject = f"eunoe.{space}.append.agent.ada.{chain}"
    requester = await Requester.open(connection, ADA)
    async with serving(connection, space, {"append": handle}) as service:
        for reply in ("_INBOX_agent_adam.1", "_INBOX_person_ada.1", "_INBOX_agent_ada", f"eunoe.{space}.thread.t.log"):
            await connection.publish(subject, b"", reply=reply)
        with pytest.raises(Invalid):
            await requester.request(subject, b"", timeout=5.0)

    found = service.statistics()
    assert [found[name] for name in ("malformed", "requests", "errors")] == [4, 1, 1]


async def test_requests_are_handled_at_once_under_a_bound(connection: Connection, space: str) -> None:
    """With a bound of 3, three of ten requests are in hand, the rest wait, and all are answered."""
    release, most = anyio.Event(), 0
    active = 0

    async def handle(address: Address, data: bytes) -> bytes:
        nonlocal active, most
        active += 1
        most = max(most, active)
        await release.wait()
        active -= 1
        return data

    requester = await Requester.open(connection)
    answers: list[bytes] = []

    async def ask(number: int) -> None:
        answers.append(await requester.request(subjects.request(space, "show", WORKER), b"%d" % number))

    async with (
        serving(connection, space, {"show": handle}, limit=3) as service,
        anyio.create_task_group() as asking,
    ):
        for number in range(10):
            asking.start_soon(ask, number)
        with anyio.fail_after(5):
            while service.statistics()["requests"] < 10:
                await anyio.wait_all_tasks_blocked()
        assert (service.statistics()["active"], service.statistics()["waiting"]) == (3, 7)
        release.set()

    assert most == 3
    assert sorted(map(int, answers)) == list(range(10))


async def test_a_stopping_service_finishes_what_it_has(connection: Connection, space: str) -> None:
    """Cancelled while it handles a request: that one is answered, and the next one finds nobody."""
    entered, release = anyio.Event(), anyio.Event()
    answers: list[bytes] = []

    async def handle(address: Address, data: bytes) -> bytes:
        entered.set()
        await release.wait()
        return data

    requester = await Requester.open(connection)
    subject = subjects.request(space, "show", WORKER)

    async def ask() -> None:
        answers.append(await requester.request(subject, b"x"))

    async with anyio.create_task_group() as asking, anyio.create_task_group() as tasks:
        await tasks.start(Service(connection, space, "audit", {"show": handle}).run)
        asking.start_soon(ask)
        await entered.wait()
        tasks.cancel_scope.cancel()
        release.set()

    assert answers == [b"x"]


async def test_running_workers_are_found_with_their_counts(connection: Connection, space: str) -> None:
    """Two workers of one space are found, one without verbs, none of another space; each with its statistics."""

    async def handle(address: Address, data: bytes) -> bytes:
        return data

    requester = await Requester.open(connection)
    found: list[remote.Running] = []
    async with anyio.create_task_group() as tasks:
        await tasks.start(Service(connection, space, "audit", {"append": handle}, statistics=lambda: {"open": 7}).run)
        await tasks.start(Service(connection, space, "extraction", {}).run)
        await tasks.start(Service(connection, f"{space}-b", "audit", {}).run)
        await requester.request(subjects.request(space, "append", WORKER), b"x")
        found = await remote.discover(connection, space)
        tasks.cancel_scope.cancel()

    assert [(one.worker, dict(one.verbs)) for one in found] == [("audit", {"append": (1, 0)}), ("extraction", {})]
    assert (found[0].statistics["open"], found[0].statistics["requests"]) == (7, 1)


async def test_no_worker_is_found_where_none_runs(connection: Connection, space: str) -> None:
    """Nobody answers: an empty list, at once."""
    assert await remote.discover(connection, space) == []
