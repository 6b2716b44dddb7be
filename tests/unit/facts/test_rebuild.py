"""Making the facts again: it equals what is there, replaces it without a loss, and is ended by whoever comes."""

from __future__ import annotations

from pathlib import Path

import anyio
import msgspec
import pytest
from fact_desks import FactDesk, recorded, written
from rebuilding import busy_space, project

from eunoe.facts import lease as leases
from eunoe.facts.comparison import Comparison
from eunoe.facts.making import Making
from eunoe.facts.rebuild import KEPT_SECONDS, Rebuild
from eunoe.facts.recovery import Recovery
from eunoe.facts.refilling import Apply
from eunoe.runtime.doors import Store, Stored
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Busy, Conflict, Damaged, Unreachable
from eunoe.schemas.events import FactRetired
from eunoe.schemas.requests import Difference, RebuildRun


@pytest.fixture
async def desk(tmp_path: Path) -> FactDesk:
    """A space with facts of every scope, projected, whose buckets are marked."""
    desk = FactDesk(tmp_path)
    await Recovery(desk.store).settle()
    await busy_space(desk, 40)
    await desk.catch_up()
    return desk


def rebuild(desk: FactDesk) -> Rebuild:
    return Rebuild(desk.store, project, desk.clock, steady=0.05)


def wanted(*, check: bool = False, name: str = "run") -> RebuildRun:
    return RebuildRun(v=limits.SCHEMA_VERSION, id=name, holder="", check=check)


async def contents(desk: FactDesk) -> dict[str, bytes]:
    """The documents of the set in use, without what the set says of itself."""
    own = (f"permanent {subjects.REBUILD_KEY}", *(f"{scope} {subjects.ORIGIN_KEY}" for scope in subjects.BUCKETS))
    return {key: value for key, value in (await desk.contents()).items() if key not in own}


async def test_what_is_made_again_is_what_was_there(desk: FactDesk) -> None:
    """Key by key and byte by byte, in a newer generation; the old set is gone."""
    before = await contents(desk)

    run = await rebuild(desk).swap("a test")

    assert await contents(desk) == before
    assert (desk.store.generations.current, run.generation, run.phase) == (2, 2, "done")
    assert run.documents == len(before)
    assert await desk.store.generations.other("permanent") is None


async def test_generations_take_turns(desk: FactDesk) -> None:
    """Four swaps in a row: each leaves the same documents, and revisions that are higher than all before."""
    before, highest = await contents(desk), 0

    for generation in (2, 3, 4, 5):
        await rebuild(desk).swap("a test")
        assert desk.store.generations.current == generation
        assert await contents(desk) == before
        entries = [one async for one in desk.store.thread.scan()]
        assert min(one.revision for one in entries) > highest
        highest = await desk.store.thread.revision()


async def test_a_check_finds_nothing_and_leaves_nothing(desk: FactDesk) -> None:
    before = await contents(desk)

    made = rebuild(desk)
    run = await made.run(await made.begin(wanted(check=True)))

    assert (run.differences, run.documents, run.generation) == (0, len(before), 2)
    assert desk.store.generations.current == 1
    assert await contents(desk) == before
    assert await desk.store.generations.other("permanent") is None
    assert (await made.status()).state == "done"


async def test_a_check_names_what_is_not_what_the_log_says(desk: FactDesk) -> None:
    """One document changed, one gone, one that nobody wrote: each under its key; nothing is mended."""
    keys = sorted(key.partition(" ")[2] for key in await contents(desk) if key.startswith("thread fact."))
    await desk.store.thread.put(keys[0], b"{}")
    await desk.store.thread.delete(keys[1])
    await desk.store.session.put("fact.x.y.z", b"{}")

    made = rebuild(desk)
    run = await made.run(await made.begin(wanted(check=True)))

    assert run.differences == 3
    assert list(run.differing) == [
        Difference(scope="session", key="fact.x.y.z", what="extra"),
        Difference(scope="thread", key=keys[0], what="other"),
        Difference(scope="thread", key=keys[1], what="missing"),
    ]
    assert await desk.store.thread.get(keys[1]) is None


async def test_what_is_behind_only_is_no_difference(desk: FactDesk) -> None:
    """The documents in use lack the last records while they are compared, and then reflect them."""
    made = (await desk.store.generations.prepare(), 0)[0]
    store = desk.store.over(made)
    apply = project(store)
    await desk.write("thread.t0", recorded("later", owner="t0"))
    looks = 0

    async def catch_up() -> None:
        nonlocal looks
        looks += 1
        for stored in await desk.stored():
            await apply(stored)
        if looks == 3:
            await desk.catch_up()

    await catch_up()
    found = await Comparison(desk.store, store, catch_up, steady=5.0).run()

    assert (found.count, looks >= 3) == (0, True)


async def test_one_run_at_a_time(desk: FactDesk) -> None:
    """Two replicas are asked at once: one does it, the other hears who."""
    first, second = rebuild(desk), rebuild(desk)
    lease = await first.begin(msgspec.structs.replace(wanted(), by="person ada"))

    with pytest.raises(Busy, match=r"being made again already .*person ada"):
        await second.begin(wanted(name="other"))
    assert (await second.status()).state == "running"
    await first.run(lease)

    assert (await second.status()).state == "done"
    assert (await second.swap("again")).generation == 3


@pytest.mark.parametrize(
    "point", ["lease", "half", "built", "sealed", "caught up", "session", "thread", "in use", "dropping"]
)
async def test_whoever_comes_after_a_kill_brings_it_to_its_end(desk: FactDesk, point: str) -> None:
    """At every step: the facts are served whole before and after, and there is one set in the end."""
    before = await contents(desk)
    await killed_at(desk, point)
    assert await contents(desk) == before

    with pytest.raises(Busy):
        await rebuild(desk).begin(wanted(name="other"))
    desk.clock.advance(seconds=leases.LEASE_SECONDS + 1)
    recovery, successor = Recovery(desk.store, desk.clock), rebuild(desk)
    if reason := await recovery.reason():
        assert point in ("sealed", "caught up", "session", "thread")
        await successor.swap(reason)
    await successor.resume()

    assert await recovery.reason() == ""
    assert await contents(desk) == before
    assert desk.store.generations.current == 2
    assert await desk.store.generations.other("permanent") is None
    found = await successor.status()
    assert (found.state, found.run and found.run.id) == ("done", "run")


@pytest.mark.parametrize("point", ["in use", "dropping"])
async def test_a_run_whose_set_is_in_use_is_finished_and_not_begun_again(desk: FactDesk, point: str) -> None:
    """Its own caller asks again and hears that it is done; the next run is another one, of the next generation."""
    await killed_at(desk, point)
    desk.clock.advance(seconds=leases.LEASE_SECONDS + 1)
    successor = rebuild(desk)

    with pytest.raises(Busy, match="that run is done"):
        await successor.begin(wanted())
    assert (await successor.status()).state == "done"
    assert desk.store.generations.current == 2
    assert await desk.store.generations.other("permanent") is None

    assert (await successor.run(await successor.begin(wanted(name="next")))).generation == 3


async def test_who_begins_and_who_ends_what_was_left_do_not_meet(desk: FactDesk) -> None:
    """Asked at once, ten times each: one run is finished, and nothing that it left is taken for another's."""
    await killed_at(desk, "dropping")
    desk.clock.advance(seconds=leases.LEASE_SECONDS + 1)
    successor = rebuild(desk)

    async def begin() -> None:
        with pytest.raises(Busy, match=r"that run is done|being made again"):
            await successor.begin(wanted())

    async with anyio.create_task_group() as tasks:
        for _ in range(10):
            tasks.start_soon(begin)
            tasks.start_soon(successor.resume)

    assert desk.store.generations.current == 2
    assert await desk.store.generations.other("permanent") is None


async def killed_at(desk: FactDesk, point: str) -> None:
    """Do the steps of a run up to that point, and nothing more."""
    made = rebuild(desk)
    lease = await made.begin(wanted())
    buckets = await desk.store.generations.prepare()
    store = desk.store.over(buckets)
    records = await desk.stored()
    order = ["lease", "half", "built", "sealed", "caught up", "thread", "session", "in use", "dropping"]
    reached = order.index(point)
    if reached >= 1:
        apply = project(store)
        for stored in records[: len(records) // 2 if reached == 1 else None]:
            await apply(stored)
    if reached >= 3:
        await lease.step(phase="sealing")
        await desk.store.generations.seal()
    if reached >= 4:
        await lease.step(phase="swapping")
    origin = msgspec.json.encode({"v": 1, "id": "x", "generation": 2})
    for step, scope in ((5, "thread"), (6, "session"), (7, "permanent")):
        if reached >= step:
            await store.bucket(scope).put(subjects.ORIGIN_KEY, origin)
    if reached >= 8:
        await desk.store.generations.look()
        await lease.step(phase="dropping")


async def test_who_lost_the_lease_writes_nothing_any_more(desk: FactDesk) -> None:
    """A process that was stopped for longer than its lease wakes up while another one makes the set."""
    first, second = rebuild(desk), rebuild(desk)
    lost = await first.begin(wanted())
    desk.clock.advance(seconds=leases.LEASE_SECONDS + 1)
    kept = await second.begin(wanted(name="other"))

    with pytest.raises(Busy, match="taken over"):
        await first.run(lost)

    assert (await second.run(kept)).id == "other"
    assert desk.store.generations.current == 2


async def test_a_write_to_a_sealed_set_waits_for_the_next(desk: FactDesk) -> None:
    """And is done there; where none comes, it fails as what passes by itself does."""
    entry = await desk.store.thread.get("state.t0")
    assert entry is not None
    made = rebuild(desk)
    lease = await made.begin(wanted())
    await desk.store.generations.seal()
    written_at: list[int] = []

    async def write() -> None:
        written_at.append(await desk.store.thread.put("k", b"x"))
        with pytest.raises(Conflict):
            await desk.store.thread.put("state.t0", b"stale", expect=entry.revision)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write)
        await made.run(lease)

    found = await desk.store.thread.get("k")
    assert found is not None
    assert found.revision == written_at[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("eunoe.testing.documents.SEALED_SECONDS", 0.0)
        await desk.store.generations.seal()
        with pytest.raises(Unreachable, match="successor"):
            await desk.store.thread.put("k", b"y")


async def test_records_that_come_while_it_is_made_are_in_it(desk: FactDesk) -> None:
    """Facts are stated, and one is retired, while the log is read: the new set and the old would be the same."""
    made = rebuild(desk)
    lease = await made.begin(wanted())
    number = 0

    async def write() -> None:
        nonlocal number
        for number in range(20):
            await desk.write(f"thread.t{number % 4}", recorded(f"late {number}", owner=f"t{number % 4}"))
            await desk.projector.apply((await desk.stored())[-1])
            await anyio.lowlevel.checkpoint()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write)
        await made.run(lease)
    await desk.write("thread.t0", FactRetired(id=written("thread.t0", 1), reason="wrong"))
    await desk.catch_up()

    again = rebuild(desk)
    run = await again.run(await again.begin(wanted(check=True, name="check")))
    assert (number, run.differences) == (19, 0)


async def test_writers_wait_for_little(desk: FactDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is appended while the set is filled is in it before the old one is sealed, not after."""
    monkeypatch.setattr("eunoe.facts.making.FEW", 0)
    more = 5

    def growing(store: Store) -> Apply:
        inner = project(store)

        async def applying(*batch: Stored) -> None:
            nonlocal more
            await inner(*batch)
            if more:
                more -= 1
                await desk.write("thread.late", recorded(f"late {more}", owner="late"))

        return applying

    made = Rebuild(desk.store, growing, desk.clock)
    lease = await made.begin(wanted())
    sealed = desk.store.generations.seal
    records: list[int] = []

    async def seal() -> None:
        records.append(lease.run.records)
        await sealed()

    monkeypatch.setattr(desk.store.generations, "seal", seal)
    await made.run(lease)

    assert records == [(await desk.store.log.info()).count]
    assert more == 0


async def test_nothing_is_read_through_while_writers_wait(desk: FactDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """How many documents there are is counted when the new set is in use, for a scan of many takes long."""
    made = rebuild(desk)
    lease = await made.begin(wanted())
    counted: list[int] = []
    count = Making.count

    async def counting(making: Making) -> int:
        counted.append((await desk.store.generations.look()).generation)
        return await count(making)

    monkeypatch.setattr(Making, "count", counting)
    await made.run(lease)

    assert counted == [2]


async def test_what_is_left_over_is_deleted(desk: FactDesk) -> None:
    """A set that was in use, at once; what a failed run had made, with why it failed, after an hour."""
    before = await contents(desk)
    failing = Rebuild(desk.store, lambda store: broken, desk.clock)
    with pytest.raises(Damaged):
        await failing.swap("a test")
    found = await failing.status()
    assert (found.state, found.run and found.run.error) == ("failed", "the store is broken")

    await rebuild(desk).resume()
    assert (await failing.status()).state == "failed"
    desk.clock.advance(seconds=KEPT_SECONDS + 1)
    await rebuild(desk).resume()

    assert await desk.store.generations.other("permanent") is None
    assert (await failing.status()).state == "none"
    assert await contents(desk) == before


async def broken(*batch: Stored) -> None:
    raise Damaged("the store is broken")
