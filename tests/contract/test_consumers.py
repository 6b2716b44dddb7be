"""What every durable consumer and work queue does, in memory and over JetStream."""

from __future__ import annotations

import anyio
import anyio.lowlevel
import pytest

from eunoe.runtime import policies, streams
from eunoe.runtime.connection import Connection
from eunoe.runtime.doors import Consumer, Delivery, Store
from eunoe.runtime.jetstream import JetStream
from eunoe.runtime.jobs import JetStreamJobs
from eunoe.runtime.requester import Requester
from eunoe.schemas import subjects
from eunoe.schemas.errors import Conflict, Misconfigured

WAIT = 5.0  # seconds after which a fetch that should bring something has failed


def subject(store: Store, thread: str) -> str:
    return f"eunoe.{store.space}.thread.{thread}.log"


async def fetched(consumer: Consumer, count: int) -> list[Delivery]:
    found: list[Delivery] = []
    while len(found) < count:
        some = await consumer.fetch(count - len(found), WAIT)
        assert some, f"only {len(found)} of {count} came"
        found += some
    return found


async def settled(consumer: Consumer) -> None:
    """Wait until the store has heard every acknowledgement: they are not answered."""
    with anyio.fail_after(WAIT):
        while await consumer.pending() != (0, 0):
            await anyio.lowlevel.checkpoint()


async def test_deliveries_come_in_order_and_once(doors: Store) -> None:
    """What was acknowledged does not come again, also not to a consumer made anew under the same name."""
    for number in range(5):
        await doors.log.append(subject(doors, "a"), b"%d" % number)
    consumer = await doors.log.consumer("work", [f"eunoe.{doors.space}.thread.>"])

    found = await fetched(consumer, 5)
    for delivery in found:
        await delivery.ack()

    assert [(one.message.seq, one.attempts) for one in found] == [(n, 1) for n in range(1, 6)]
    assert found[0].message.subject == subject(doors, "a")
    assert await consumer.fetch(1, 0.05) in ((), [])
    await settled(consumer)
    again = await doors.log.consumer("work", [f"eunoe.{doors.space}.thread.>"])
    assert await again.pending() == (0, 0)


async def test_what_comes_after_a_consumer_was_closed_is_for_others(doors: Store) -> None:
    """A fetch waits, and is cut off; what is appended then is brought to the next one at once, for the first time."""
    first, second = [await doors.log.consumer("work", [f"eunoe.{doors.space}.thread.>"]) for _ in range(2)]
    with anyio.move_on_after(0.1):
        await first.fetch(1, WAIT)
    await first.close()
    await doors.log.append(subject(doors, "a"), b"x")

    (found,) = await second.fetch(1, WAIT)

    assert found.attempts == 1


async def test_filters_choose(doors: Store) -> None:
    """A consumer gets what matches one of its filters, and counts only that as pending."""
    for thread in ("a", "b", "c"):
        await doors.log.append(subject(doors, thread), thread.encode())
    consumer = await doors.log.consumer("some", [subject(doors, "a"), subject(doors, "c")])

    assert await consumer.pending() == (2, 0)
    assert [one.message.data for one in await fetched(consumer, 2)] == [b"a", b"c"]
    assert await consumer.pending() == (0, 2)


async def test_given_back_comes_again_with_its_attempt_counted(doors: Store) -> None:
    """A message that is given back comes again as the second attempt."""
    await doors.log.append(subject(doors, "a"), b"x")
    consumer = await doors.log.consumer("work", [subject(doors, "a")])

    (first,) = await fetched(consumer, 1)
    await first.nak()
    (second,) = await fetched(consumer, 1)

    assert (first.attempts, second.attempts) == (1, 2)
    assert second.message.seq == 1


async def test_unanswered_comes_again_after_the_wait(doors: Store) -> None:
    """A message that nobody acknowledged comes again once ack_wait is over."""
    await doors.log.append(subject(doors, "a"), b"x")
    consumer = await doors.log.consumer("work", [subject(doors, "a")], ack_wait=0.2)

    await fetched(consumer, 1)
    (second,) = await fetched(consumer, 1)

    assert second.attempts == 2


async def test_given_back_for_later_waits(doors: Store) -> None:
    """A message given back with a delay lets another one pass."""
    consumer = await doors.log.consumer("work", [f"eunoe.{doors.space}.thread.>"])
    await doors.log.append(subject(doors, "a"), b"x")
    (first,) = await fetched(consumer, 1)
    await first.nak(0.3)
    await doors.log.append(subject(doors, "a"), b"y")

    found = await fetched(consumer, 2)

    assert [(one.message.data, one.attempts) for one in found] == [(b"y", 1), (b"x", 2)]


async def test_terminated_never_comes_again(doors: Store) -> None:
    """A message that was given up is as done as an acknowledged one."""
    await doors.log.append(subject(doors, "a"), b"x")
    consumer = await doors.log.consumer("work", [subject(doors, "a")], ack_wait=0.2)

    (only,) = await fetched(consumer, 1)
    await only.term()

    await settled(consumer)
    assert await consumer.fetch(1, 0.5) in ((), [])


async def test_no_more_than_allowed_is_out(doors: Store) -> None:
    """With two messages out and not acknowledged, a consumer of two waits for an acknowledgement."""
    for number in range(3):
        await doors.log.append(subject(doors, "a"), b"%d" % number)
    consumer = await doors.log.consumer("work", [subject(doors, "a")], max_ack_pending=2)

    found = await fetched(consumer, 2)
    assert await consumer.fetch(1, 0.1) in ((), [])
    await found[0].ack()

    assert (await fetched(consumer, 1))[0].message.seq == 3


async def test_a_waiting_fetch_wakes(doors: Store) -> None:
    """A fetch that waits gets the message that is appended meanwhile."""
    consumer = await doors.log.consumer("work", [subject(doors, "a")])
    found: list[Delivery] = []

    async def wait() -> None:
        found.extend(await consumer.fetch(10, WAIT))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait)
        await doors.log.append(subject(doors, "a"), b"x")

    assert [one.message.data for one in found] == [b"x"]


async def test_large_messages_come_few_at_a_time_and_all(doors: Store) -> None:
    """Forty megabytes in five messages come in several fetches or in one, in order, and each once."""
    for number in range(5):
        await doors.log.append(subject(doors, "a"), b"%d" % number + bytes(8_000_000))
    consumer = await doors.log.consumer("work", [subject(doors, "a")])
    found: list[Delivery] = []

    while len(found) < 5:
        some = await consumer.fetch(256, WAIT)
        assert some
        for delivery in some:
            await delivery.ack()
        found += some

    assert [(one.message.seq, one.message.data[:1], one.attempts) for one in found] == [
        (n, b"%d" % (n - 1), 1) for n in range(1, 6)
    ]
    await settled(consumer)


async def test_two_replicas_share_the_work(doors: Store) -> None:
    """Two consumers of one name get every message once between them."""
    first = await doors.log.consumer("work", [subject(doors, "a")])
    second = await doors.log.consumer("work", [subject(doors, "a")])
    for number in range(10):
        await doors.log.append(subject(doors, "a"), b"%d" % number)

    found = await fetched(first, 4) + await fetched(second, 6)

    assert sorted(one.message.seq for one in found) == list(range(1, 11))


async def test_a_cancelled_fetch_loses_nothing(doors: Store) -> None:
    """A fetch that was cancelled while it waited does not keep what comes from the next one."""
    consumer = await doors.log.consumer("work", [subject(doors, "a")])
    with anyio.move_on_after(0.1):
        await consumer.fetch(1, WAIT)

    await doors.log.append(subject(doors, "a"), b"x")

    assert (await fetched(consumer, 1))[0].message.data == b"x"


async def test_a_space_without_jobs_has_no_stream_for_them(store: Store, connection: Connection) -> None:
    """Nobody used the queue: nothing waits, and its stream is made when the first job is submitted."""
    jetstream = JetStream(await Requester.open(connection))
    before = await jetstream.api("STREAM.NAMES", {"subject": f"eunoe.{store.space}.job.>"})
    waiting = await store.jobs.waiting()
    await store.jobs.submit(f"eunoe.{store.space}.job.distil.a", b"x")
    after = await jetstream.api("STREAM.NAMES", {"subject": f"eunoe.{store.space}.job.>"})

    assert (before["streams"], waiting) == (None, 0)
    assert after["streams"] == [f"eunoe_{store.space}_jobs"]


async def test_a_job_takes_the_place_of_the_one_that_it_is_to_replace_alone(doors: Store) -> None:
    """Of two that would, the second finds another one there, and changes nothing; so does one whose job is done."""
    job = f"eunoe.{doors.space}.job.distil.a"
    first = await doors.jobs.submit(job, b"up to 3")
    second = await doors.jobs.submit(job, b"up to 4", instead=first.seq)

    for place in (first.seq, second.seq + 1):
        with pytest.raises(Conflict):
            await doors.jobs.submit(job, b"up to 3", instead=place)

    assert await doors.jobs.held(job) == b"up to 4"
    assert await doors.jobs.waiting() == 1


async def test_a_job_is_gone_once_it_is_done(doors: Store) -> None:
    """A submitted job waits until it is acknowledged; the same id is one job."""
    job = f"eunoe.{doors.space}.job.distil.a"
    first = await doors.jobs.submit(job, b"x", msg_id="1")
    again = await doors.jobs.submit(job, b"x", msg_id="1")
    consumer = await doors.jobs.consumer("distil", [f"eunoe.{doors.space}.job.distil.*"])

    assert (again.duplicate, again.seq) == (True, first.seq)
    assert await doors.jobs.waiting() == 1
    (only,) = await fetched(consumer, 1)
    assert await doors.jobs.waiting() == 1
    await only.ack()
    await settled(consumer)
    assert await doors.jobs.waiting() == 0


async def test_a_job_is_held_until_it_is_done(doors: Store) -> None:
    """It is there while it waits and while it is in hand, and not once it is acknowledged."""
    assert await doors.jobs.held(f"eunoe.{doors.space}.job.distil.a") is None
    await doors.jobs.submit(f"eunoe.{doors.space}.job.distil.a", b"up to 3")

    assert await doors.jobs.held(f"eunoe.{doors.space}.job.distil.a") == b"up to 3"
    assert await doors.jobs.held(f"eunoe.{doors.space}.job.distil.b") is None
    consumer = await jobs_of(doors)
    (found,) = await fetched(consumer, 1)
    assert await doors.jobs.held(f"eunoe.{doors.space}.job.distil.a") == b"up to 3"
    await found.ack()
    await settled(consumer)
    assert await doors.jobs.held(f"eunoe.{doors.space}.job.distil.a") is None


async def jobs_of(doors: Store) -> Consumer:
    return await doors.jobs.consumer("distil", [subjects.jobs_filter(doors.space, "distil")])


def job(doors: Store, thread: str = "a") -> str:
    return subjects.job(doors.space, "distil", thread)


async def test_of_one_subject_only_the_newest_job_waits(doors: Store) -> None:
    """Three submitted for one thread are one job, the last; that of another thread stays."""
    for number in range(3):
        await doors.jobs.submit(job(doors), b"%d" % number)
    await doors.jobs.submit(job(doors, "b"), b"other")

    found = await fetched(await jobs_of(doors), 2)

    assert await doors.jobs.waiting() == 2
    assert [one.message.data for one in found] == [b"2", b"other"]


async def test_a_job_that_was_done_can_be_submitted_again(doors: Store) -> None:
    """What is said of a finished job does not keep the next of its subject away."""
    consumer = await jobs_of(doors)
    for number in range(2):
        await doors.jobs.submit(job(doors), b"up to %d" % number)
        (only,) = await fetched(consumer, 1)
        assert only.message.data == b"up to %d" % number
        await only.ack()
        await settled(consumer)

    assert await doors.jobs.waiting() == 0


@pytest.mark.parametrize("said", ["ack", "nak", "term", "in_progress"])
async def test_a_job_replaced_while_it_is_in_hand_gives_way(doors: Store, said: str) -> None:
    """Its successor is delivered at once, whatever is said of the old one then, and is gone only by its own ack."""
    consumer = await jobs_of(doors)
    await doors.jobs.submit(job(doors), b"old")
    (old,) = await fetched(consumer, 1)

    await doors.jobs.submit(job(doors), b"new")
    (new,) = await fetched(consumer, 1)
    await getattr(old, said)()

    assert (new.message.data, new.attempts) == (b"new", 1)
    assert await consumer.fetch(1, 0.1) in ((), [])
    assert await doors.jobs.waiting() == 1
    await new.ack()
    await settled(consumer)
    assert await doors.jobs.waiting() == 0


async def test_a_queue_that_kept_every_job_keeps_the_newest(store: Store, connection: Connection) -> None:
    """The stream of an earlier version is changed when it is used first, and what is superseded in it goes."""
    jetstream = JetStream(await Requester.open(connection))
    policy = policies.jobs(store.space)
    await streams.ensured(jetstream, policy | {"max_msgs_per_subject": -1})
    for data in (b"1", b"2", b"3"):
        await jetstream.publish(job(store), data, ())

    found = await fetched(await jobs_of(store), 1)

    assert found[0].message.data == b"3"
    assert await store.jobs.waiting() == 1
    assert (await streams.info(jetstream, policy["name"]))["config"]["max_msgs_per_subject"] == 1


async def test_a_queue_that_was_removed_is_made_again(store: Store, connection: Connection) -> None:
    """Whoever finds that nobody takes its job may submit it again."""
    jetstream = JetStream(await Requester.open(connection))
    await store.jobs.submit(job(store), b"1")
    await jetstream.api(f"STREAM.DELETE.{subjects.jobs_stream(store.space)}")
    with anyio.move_on_after(0.05) as gone:
        await store.jobs.submit(job(store), b"2")

    await store.jobs.submit(job(store), b"3")

    assert gone.cancelled_caught
    assert await store.jobs.waiting() == 1


async def test_a_stream_of_jobs_that_is_no_queue_is_refused(store: Store, connection: Connection) -> None:
    """Its retention cannot be changed, so the way out is said."""
    jetstream = JetStream(await Requester.open(connection))
    policy = policies.jobs(store.space)
    await streams.ensured(jetstream, policy | {"retention": "limits"})

    with pytest.raises(Misconfigured, match="has limits retention, not workqueue"):
        await JetStreamJobs(jetstream, policy).submit(job(store), b"x")
