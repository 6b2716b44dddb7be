"""The loop of consuming workers, on the store in memory."""

from __future__ import annotations

from dataclasses import replace

import anyio
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eunoe.runtime import dead_letters
from eunoe.runtime.backoff import backoff
from eunoe.runtime.doors import Consumer, Delivery, Store, Stored, SystemClock
from eunoe.runtime.pump import FETCH, Pump
from eunoe.runtime.tries import Handle
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Invalid, Unreachable
from eunoe.schemas.requests import DeadLetter
from eunoe.testing.consumer import MemoryDelivery
from eunoe.testing.store import memory_store


async def _filled(*messages: tuple[str, str]) -> tuple[Store, Consumer]:
    store = memory_store()
    for thread, text in messages:
        await store.log.append(subjects.chain_subject("test", subjects.thread_chain(thread), "log"), text.encode())
    return store, await store.log.consumer("extraction", [subjects.happened_filter("test")])


def _pump(store: Store, handle: object, concurrency: int = 8, together: int = 1) -> Pump:
    return Pump(
        store,
        "extraction",
        handle,  # type: ignore[arg-type]  # most tests give an async function of one message
        key=lambda message: subjects.chain_of(message.subject),
        clock=SystemClock(),
        together=together,
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


@pytest.mark.parametrize(("done", "letters"), [(True, 0), (False, 1), (Unreachable("nobody is there"), 1)], ids=str)
async def test_what_was_delivered_too_often_and_is_done_is_laid_aside_by_nobody(
    done: bool | Unreachable, letters: int
) -> None:
    """A server that is killed forgets what was acknowledged, and delivers it again. It is not handled again, and is no
    failure where what it leads to is there; where that cannot be told, a person is to look."""
    store, consumer = await _filled(("a", "often"))
    for _ in range(limits.ATTEMPTS):
        (delivery,) = await consumer.fetch(1, 1.0)
        await delivery.nak()
    handled: list[bytes] = []

    async def handle(*messages: Stored) -> None:
        handled.extend(message.data for message in messages)

    async def known(message: Stored) -> bool:
        if isinstance(done, Unreachable):
            raise done
        return done

    pump = Pump(store, "extraction", handle, key=lambda message: message.subject, clock=SystemClock(), done=known)
    await _until_done(pump, consumer)

    assert handled == []
    assert (await store.dead.info()).count == letters


async def test_what_waits_for_a_key_is_handled_together_and_in_order() -> None:
    """Five messages of one thread, three at a time at most; another thread's is not among them."""
    store, consumer = await _filled(*(("a", str(number)) for number in range(5)), ("b", "x"))
    batches: list[list[bytes]] = []

    async def handle(*messages: Stored) -> None:
        batches.append([message.data for message in messages])

    pump = _pump(store, handle, together=3)
    await _until_done(pump, consumer)

    assert [batch for batch in batches if batch != [b"x"]] == [[b"0", b"1", b"2"], [b"3", b"4"]]
    assert pump.statistics() == {"handled": 6, "failed": 0, "dead": 0, "in_hand": 0}


async def test_of_a_batch_that_fails_only_the_poison_is_laid_aside() -> None:
    """Handled one by one the others pass, in order; afterwards the thread's messages come together again."""
    texts = ["1", "poison", "2", "3", "4", "5"]
    store, consumer = await _filled(*(("a", text) for text in texts))
    batches: list[list[str]] = []

    async def handle(*messages: Stored) -> None:
        found = [message.data.decode() for message in messages]
        batches.append(found)
        if "poison" in found:
            raise Invalid("it is poison")

    await _until_done(_pump(store, handle, together=4), consumer)

    letters = [msgspec.json.decode(found.data, type=DeadLetter).position async for found in store.dead.scan()]
    assert batches == [texts[:4], ["1"], *[["poison"]] * limits.ATTEMPTS, ["2"], ["3"], ["4", "5"]]
    assert letters == [2]


async def test_what_was_delivered_before_is_handled_alone() -> None:
    """It may have ended the worker that had it: nothing may be laid aside with it (F27)."""
    store, consumer = await _filled(*(("a", str(number)) for number in range(5)))
    batches: list[list[bytes]] = []

    async def handle(*messages: Stored) -> None:
        batches.append([message.data for message in messages])

    await _until_done(_pump(store, handle, together=4), SecondTime(consumer, 3))

    assert batches == [[b"0", b"1"], [b"2"], [b"3", b"4"]]


async def test_after_a_kill_what_waits_for_long_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """One message at a time is taken as long as what the killed worker had may come again, and no longer."""
    monkeypatch.setattr("eunoe.runtime.pump.CAREFUL_SECONDS", 0.05)
    store, consumer = await _filled(("killed", "x"), ("stuck", "y"), ("fine", "z"))
    assert await consumer.fetch(1, 1.0)
    handled, release = anyio.Event(), anyio.Event()

    async def handle(*messages: Stored) -> None:
        if messages[0].data == b"y":
            await release.wait()
        handled.set()

    pump = Pump(store, "extraction", handle, key=lambda message: message.subject, clock=SystemClock(), ack_wait=0.0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(pump.run, consumer)
        await handled.wait()
        release.set()
        tasks.cancel_scope.cancel()


class SecondTime:
    """A consumer that says of one position that it was delivered once before."""

    def __init__(self, inner: Consumer, position: int) -> None:
        self._inner = inner
        self._position = position

    async def fetch(self, batch: int, wait: float) -> list[Delivery]:
        found = [one for one in await self._inner.fetch(batch, wait) if isinstance(one, MemoryDelivery)]
        return [replace(one, attempts=1 + (one.message.seq == self._position)) for one in found]

    async def pending(self) -> tuple[int, int]:
        return await self._inner.pending()

    async def close(self) -> None:
        await self._inner.close()


async def test_no_more_than_twice_a_fetch_is_in_hand() -> None:
    """While one thread is stuck with everything behind it, what it holds back stays bounded."""
    store, consumer = await _filled(*(("a", "x") for _ in range(3 * FETCH)))
    release = anyio.Event()

    async def handle(message: Stored) -> None:
        await release.wait()

    pump = _pump(store, handle)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(pump.run, consumer)
        while pump.statistics()["in_hand"] < 2 * FETCH:
            await anyio.lowlevel.checkpoint()
        await anyio.wait_all_tasks_blocked()
        assert await consumer.pending() == (FETCH, 2 * FETCH)
        release.set()
        while await consumer.pending() != (0, 0):
            await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()


@given(st.integers(min_value=1, max_value=1000), st.floats(min_value=0, max_value=1))
def test_back_off_stays_within_its_bounds(attempt: int, jitter: float) -> None:
    """A wait is positive, never longer than the longest, and never shorter than half of what it is without jitter."""
    wait = backoff(attempt, jitter=jitter)

    assert 0.125 <= wait <= 8.0


def test_back_off_doubles_up_to_the_longest() -> None:
    """0.25, 0.5, 1, 2, 4, 8, 8 seconds."""
    assert [backoff(attempt) for attempt in range(1, 8)] == [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0]


async def test_what_takes_long_is_not_taken_from_other_workers() -> None:
    """Of ten jobs, one worker has four in hand while it is held, and another is given the rest."""
    store = memory_store()
    for thread in range(10):
        await store.jobs.submit(subjects.job("test", "distil", f"t{thread}"), b"{}")
    consumer = await store.jobs.consumer("distillation", [subjects.jobs_filter("test", "distil")])
    held, release = [0], anyio.Event()

    async def hold(*_: Stored) -> None:
        held[0] += 1
        await release.wait()

    pump = Pump(store, "distillation", hold, key=lambda job: job.subject, clock=SystemClock(), fetch=2)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(pump.run, consumer)
        while held[0] < 4:
            await anyio.lowlevel.checkpoint()
        assert pump.statistics()["in_hand"] == 4
        assert len(await consumer.fetch(10, 1.0)) == 6
        release.set()
        tasks.cancel_scope.cancel()


async def test_a_job_that_was_cut_off_waits_as_if_nobody_had_tried_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """More workers than it has attempts have it in hand as their time to stop is over: the next one does it."""
    monkeypatch.setattr(limits, "DRAIN_SECONDS", 0.0)
    store = memory_store()
    await store.jobs.submit(subjects.job("test", "distil", "t"), b"{}")
    consumer = await store.jobs.consumer("distillation", [subjects.jobs_filter("test", "distil")])
    begun, done = [0], [0]

    async def hang(*_: Stored) -> None:
        begun[0] += 1
        await anyio.sleep_forever()

    async def do(*_: Stored) -> None:
        done[0] += 1

    def pump(handle: Handle) -> Pump:
        return Pump(store, "distillation", handle, key=lambda job: job.subject, clock=SystemClock(), jobs=True)

    for stopped in range(1, limits.ATTEMPTS + 2):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(pump(hang).run, consumer)
            while begun[0] < stopped:
                await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
    await _until_done(pump(do), consumer)

    assert done == [1]
    assert (await store.dead.info()).count == 0


async def test_a_job_is_laid_aside_with_what_it_asks_for() -> None:
    """Its letter names the thread and no position of the log; a job with the same number in another queue has its
    own, and one that has something done again names the thread of its letter."""
    store = memory_store()
    letter = DeadLetter(v=1, worker="distillation", reason="no", attempts=5, time=1, thread="u", payload="{}")
    jobs = [
        Stored(subjects.job("test", "distil", "t"), 1, b'{"thread":"t"}', 5),
        Stored(subjects.job_again("test", "distillation", 7), 1, msgspec.json.encode({"letter": letter}), 6),
    ]
    for job in jobs:
        await dead_letters.write(store, "distillation", job, 5, "no", 9)
        await dead_letters.write(store, "distillation", job, 5, "no", 9)
    await dead_letters.write(store, "distillation", jobs[0], 5, "no", 9, "1-12")

    found = [msgspec.json.decode(stored.data, type=DeadLetter) async for stored in store.dead.scan()]
    assert [(one.thread, one.position, one.payload) for one in found] == [
        ("t", 0, '{"thread":"t"}'),
        ("u", 0, jobs[1].data.decode()),
        ("t", 0, '{"thread":"t"}'),
    ]
