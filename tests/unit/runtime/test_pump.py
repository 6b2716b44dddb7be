"""The loop of consuming workers, on the store in memory."""

from __future__ import annotations

import anyio
import msgspec
from hypothesis import given
from hypothesis import strategies as st

from eunoe.runtime.backoff import backoff
from eunoe.runtime.doors import Consumer, Store, Stored, SystemClock
from eunoe.runtime.pump import Pump
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Invalid, Unreachable
from eunoe.schemas.requests import DeadLetter
from eunoe.testing.store import memory_store


async def _filled(*messages: tuple[str, str]) -> tuple[Store, Consumer]:
    store = memory_store()
    for thread, text in messages:
        await store.log.append(subjects.chain_subject("test", subjects.thread_chain(thread), "log"), text.encode())
    return store, await store.log.consumer("extraction", [subjects.happened_filter("test")])


def _pump(store: Store, handle: object, concurrency: int = 8) -> Pump:
    return Pump(
        store,
        "extraction",
        handle,  # type: ignore[arg-type]  # each test gives an async function of one message
        key=lambda message: subjects.chain_of(message.subject),
        clock=SystemClock(),
        concurrency=concurrency,
        retry_seconds=0.001,
    )


async def _until_done(pump: Pump, consumer: Consumer) -> None:
    """Run the pump until nothing is pending."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(pump.run, consumer)
        while await consumer.pending() != (0, 0):
            await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()


async def test_messages_of_one_thread_are_handled_one_at_a_time_and_in_order() -> None:
    """While a thread's first message is handled its second waits, and other threads go on."""
    store, consumer = await _filled(("a", "1"), ("a", "2"), ("b", "3"))
    seen: list[str] = []
    release = anyio.Event()

    async def handle(message: Stored) -> None:
        seen.append(message.data.decode())
        if message.data == b"1":
            await release.wait()
        if message.data == b"3":
            release.set()

    await _until_done(_pump(store, handle), consumer)

    assert seen == ["1", "3", "2"]


async def test_a_message_that_fails_is_tried_again_before_its_successor() -> None:
    """A failure keeps the order of its thread."""
    store, consumer = await _filled(("a", "1"), ("a", "2"))
    seen: list[str] = []

    async def handle(message: Stored) -> None:
        seen.append(message.data.decode())
        if seen == ["1"]:
            raise ValueError("once")

    pump = _pump(store, handle)
    await _until_done(pump, consumer)

    assert seen == ["1", "1", "2"]
    assert pump.statistics() == {"handled": 2, "failed": 1, "dead": 0, "in_hand": 0}


async def test_what_fails_for_good_becomes_a_dead_letter_and_lets_others_pass() -> None:
    """After the last attempt the reason and the position are laid aside; the thread goes on."""
    store, consumer = await _filled(("a", "poison"), ("a", "fine"))
    seen: list[bytes] = []

    async def handle(message: Stored) -> None:
        seen.append(message.data)
        if message.data == b"poison":
            raise Invalid("it is poison")

    await _until_done(_pump(store, handle), consumer)

    letters = [msgspec.json.decode(found.data, type=DeadLetter) async for found in store.dead.scan()]
    assert seen == [b"poison"] * limits.ATTEMPTS + [b"fine"]
    assert [(letter.worker, letter.position, letter.thread, letter.attempts) for letter in letters] == [
        ("extraction", 1, "a", 5)
    ]
    assert letters[0].reason == "Invalid: it is poison"


async def test_nothing_reachable_is_waited_out_and_never_a_dead_letter() -> None:
    """Transient failures do not count as attempts."""
    store, consumer = await _filled(("a", "1"))
    tries = 0

    async def handle(message: Stored) -> None:
        nonlocal tries
        tries += 1
        if tries <= limits.ATTEMPTS + 1:
            raise Unreachable

    pump = _pump(store, handle)
    await _until_done(pump, consumer)

    assert pump.statistics()["handled"] == 1
    assert pump.statistics()["dead"] == 0


async def test_a_cancelled_pump_finishes_what_it_handles_and_gives_back_the_rest() -> None:
    """On the way out the message being handled is acknowledged, and its successor is not begun."""
    store, consumer = await _filled(("a", "1"), ("a", "2"))
    begun, release = anyio.Event(), anyio.Event()
    done: list[str] = []

    async def handle(message: Stored) -> None:
        begun.set()
        await release.wait()
        done.append(message.data.decode())

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_pump(store, handle).run, consumer)
        await begun.wait()
        tasks.cancel_scope.cancel()
        release.set()

    assert done == ["1"]
    assert await consumer.pending() == (0, 1)


async def test_a_message_that_killed_its_worker_too_often_is_laid_aside_unhandled() -> None:
    """Deliveries that never ended count as attempts, so poison cannot kill workers for ever."""
    store, _ = await _filled(("a", "poison"), ("b", "fine"))
    consumer = await store.log.consumer("facts", [subjects.happened_filter("test")])
    for _ in range(limits.ATTEMPTS):
        (delivery,) = await consumer.fetch(1, 1.0)
        await delivery.nak()
    handled: list[bytes] = []

    async def handle(message: Stored) -> None:
        handled.append(message.data)

    pump = _pump(store, handle)
    await _until_done(pump, consumer)

    assert handled == [b"fine"]
    assert pump.statistics()["dead"] == 1


@given(st.integers(min_value=1, max_value=1000), st.floats(min_value=0, max_value=1))
def test_back_off_stays_within_its_bounds(attempt: int, jitter: float) -> None:
    """A wait is positive, never longer than the longest, and never shorter than half of what it is without jitter."""
    wait = backoff(attempt, jitter=jitter)

    assert 0.125 <= wait <= 8.0


def test_back_off_doubles_up_to_the_longest() -> None:
    """0.25, 0.5, 1, 2, 4, 8, 8 seconds."""
    assert [backoff(attempt) for attempt in range(1, 8)] == [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0]
