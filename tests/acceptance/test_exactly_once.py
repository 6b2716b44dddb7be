"""Appends on a real server: whatever is retried, raced or mixed up, each happens once and in order."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest
from desks import Desk, whole_turn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eunoe.audit.verify import Verifier
from eunoe.runtime import topology
from eunoe.runtime.connection import Connection, connect
from eunoe.runtime.doors import Store
from eunoe.runtime.jetstream import JetStream
from eunoe.runtime.requester import Requester
from eunoe.schemas import records, subjects
from eunoe.schemas.errors import NumberSkipped, TurnNotOpen
from eunoe.schemas.events import Prompt, Response, TurnCommitted, TurnOpened
from eunoe.schemas.subjects import Caller
from eunoe.testing import NatsServer


@pytest.fixture
def desk(tmp_path: Path, store: Store) -> Desk:
    """An audit worker over the real server."""
    return Desk(tmp_path, store)


async def prompts(desk: Desk, thread: str = "t") -> list[str]:
    """What was asked in a thread, in the log's order, after its chain was checked."""
    verifier = Verifier(thread=thread)
    found = []
    async for stored in desk.store.log.scan():
        verifier.feed(stored)
        if subjects.chain_of(stored.subject) == subjects.thread_chain(thread):
            events = records.read(stored.seq, stored.data).events
            found += [event.content for event in events if isinstance(event, Prompt)]
    assert verifier.verdict().fine
    return found


async def forget_ids(connection: Connection, desk: Desk) -> None:
    """Shrink the server's duplicate window, and wait until an id that it knew is taken for new."""
    jetstream = JetStream(await Requester.open(connection))
    stream = subjects.log_stream(desk.store.space)
    config = (await jetstream.api(f"STREAM.INFO.{stream}"))["config"]
    await jetstream.api(f"STREAM.UPDATE.{stream}", config | {"duplicate_window": 100_000_000})
    probe = subjects.chain_subject(desk.store.space, "thread.probe", "log")
    first = await desk.store.log.append(probe, b"probe", msg_id="probe")
    with anyio.fail_after(30):
        while (await desk.store.log.append(probe, b"probe", msg_id="probe")).duplicate:  # noqa: ASYNC110 - no event tells
            await anyio.sleep(0.05)
    for seq in (first.seq, first.seq + 1):
        await desk.store.log.erase(seq)


async def test_a_retry_after_the_duplicate_window_is_a_duplicate(connection: Connection, desk: Desk) -> None:
    """The server has forgotten the id; the chain has not, also for a worker that was not there."""
    first = await desk.append(1, *whole_turn("once"))
    await forget_ids(connection, desk)

    again = await desk.append(1, *whole_turn("once"), worker=desk.new_worker())

    assert (again.duplicate, again.position, again.hash) == (True, first.position, first.hash)
    assert await prompts(desk) == ["once"]


async def test_a_batch_retried_after_its_turn_was_committed_is_a_duplicate(desk: Desk) -> None:
    """Nothing is appended to the turn that ended, and nothing is refused that was done."""
    opening = (TurnOpened(), Prompt(content="hello"))
    first = await desk.append(1, *opening)
    await desk.append(2, Response(content="hi"), TurnCommitted())

    again = await desk.append(1, *opening, worker=desk.new_worker())

    assert (again.duplicate, again.entries) == (True, first.entries)
    with pytest.raises(TurnNotOpen, match="turn 1 was committed"):
        await desk.append(3, Response(content="late"))


async def test_one_key_on_two_threads_is_two_appends(desk: Desk) -> None:
    """JetStream's dedupe ignores the subject; ours does not."""
    replies = [await desk.append(1, *whole_turn("hello"), thread=thread) for thread in ("a", "b")]

    assert [reply.duplicate for reply in replies] == [False, False]
    assert (await prompts(desk, "a"), await prompts(desk, "b")) == (["hello"], ["hello"])


async def test_two_producers_at_replicas_that_know_nothing_of_each_other(desk: Desk) -> None:
    """Every append of both is there once, each producer's in its order."""
    replicas = desk.new_worker(), desk.new_worker()

    async def produce(name: str, index: int) -> None:
        for n in range(1, 26):
            key = f"{name}{n}"
            await desk.append(n, *whole_turn(key), turn=key, producer=name, worker=replicas[index])

    async with anyio.create_task_group() as tasks:
        for index, name in enumerate("xy"):
            tasks.start_soon(produce, name, index)

    found = await prompts(desk)
    assert len(found) == 50
    for name in "xy":
        assert [key for key in found if key.startswith(name)] == [f"{name}{n}" for n in range(1, 26)]


# Any pattern of sends, repeats and skips gives the log that the first sends alone give.
sends = st.lists(st.tuples(st.sampled_from("xy"), st.integers(1, 4), st.booleans()), min_size=1, max_size=25)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sends)
async def test_any_order_of_sends_and_repeats_gives_each_append_once(
    nats_server: NatsServer, tmp_path: Path, pattern: list[tuple[str, int, bool]]
) -> None:
    """The model: a number is taken when it is the next of its producer, repeated when it was taken, else refused."""
    async with await connect(nats_server.url, caller=Caller("worker", "test")) as connection:
        desk = Desk(tmp_path, await topology.ensure(connection, f"sends{next(SPACES)}"))
        expected: list[str] = []
        reached = {"x": 0, "y": 0}
        for producer, n, fresh_worker in pattern:
            key = f"{producer}{n}"
            worker = desk.new_worker() if fresh_worker else desk.worker
            send = desk.append(n, *whole_turn(key), turn=key, producer=producer, worker=worker)
            if n > reached[producer] + 1:
                with pytest.raises(NumberSkipped):
                    await send
                continue
            reply = await send
            assert reply.duplicate == (n <= reached[producer])
            if not reply.duplicate:
                expected.append(key)
                reached[producer] = n
        assert await prompts(desk) == expected


SPACES = iter(range(1, 10_000))
