"""Two sets of buckets that take turns, in memory and over JetStream: what everybody sees of a change."""

from __future__ import annotations

import anyio
import msgspec
import pytest

from eunoe.runtime import revisions
from eunoe.runtime.doors import Buckets, Change, Store
from eunoe.schemas import subjects
from eunoe.schemas.errors import Conflict, Unreachable
from eunoe.schemas.facts import Origin


async def mark(buckets: Buckets, generation: int) -> None:
    """Say of three buckets that they are a set of that generation, the permanent one last."""
    data = msgspec.json.encode(Origin(v=1, id=f"set {generation}", generation=generation))
    for scope in reversed(subjects.BUCKETS):
        await buckets[scope].put(subjects.ORIGIN_KEY, data)


async def replaced(doors: Store, **documents: bytes) -> None:
    """Let another set be in use, in whose bucket of threads are these documents."""
    made = await doors.generations.prepare()
    for key, value in documents.items():
        await made["thread"].put(key, value)
    await mark(made, doors.generations.current + 1)
    await doors.generations.look()
    await doors.generations.drop()


async def test_a_fresh_space_is_of_the_first_generation(doors: Store) -> None:
    """It is in use at once; whole once its three buckets say so."""
    fresh = await doors.generations.look()
    assert (fresh.slot, fresh.generation, fresh.whole, fresh.sealed, fresh.new) == (1, 1, False, False, True)
    assert await doors.generations.other("thread") is None

    await mark({scope: doors.bucket(scope) for scope in subjects.BUCKETS}, 1)
    marked = await doors.generations.look()

    assert (marked.generation, marked.whole, marked.new) == (1, True, False)


async def test_a_set_is_in_use_with_its_last_origin(doors: Store) -> None:
    """Until then the old one is read; then the same doors lead to the new one, and the old one can go."""
    await mark({scope: doors.bucket(scope) for scope in subjects.BUCKETS}, 1)
    await doors.thread.put("k", b"old")
    made = await doors.generations.prepare()
    await made["thread"].put("k", b"new")
    data = msgspec.json.encode(Origin(v=1, id="x", generation=2))
    told: list[int] = []
    doors.generations.changed.append(lambda: told.append(doors.generations.current))

    for scope in ("thread", "session"):
        await made[scope].put(subjects.ORIGIN_KEY, data)
        assert (await doors.generations.look()).generation == 1
    assert await doors.thread.get("k") == (await doors.thread.find(["k"])).entries[0]
    assert [one.value async for one in doors.thread.scan(["k"])] == [b"old"]
    await made["permanent"].put(subjects.ORIGIN_KEY, data)
    found = await doors.generations.look()

    assert (found.slot, found.generation, found.whole, doors.generations.current, told) == (2, 2, True, 2, [2])
    assert [one.value async for one in doors.thread.scan(["k"])] == [b"new"]
    await doors.generations.drop()
    entry = await doors.thread.get("k")
    assert entry is not None
    assert entry.value == b"new"


async def test_revisions_go_on_over_generations(doors: Store) -> None:
    """What was seen of an older one is reached by the new one, and is no document's revision there."""
    old = 0
    for number in range(5):
        old = await doors.thread.put("k", b"%d" % number)
    await replaced(doors, k=b"new", other=b"new")

    entry = await doors.thread.get("k")
    assert entry is not None
    assert entry.revision > old
    assert revisions.generation(entry.revision) == 2
    assert await doors.thread.revision() > old
    assert (await doors.thread.find(["k"], fence=old)).entries == (entry,)
    assert (await doors.thread.find(["k"])).upto > old
    assert [one.key async for one in doors.thread.scan(["k", "other"], after=old)] == ["k", "other"]
    assert [one.key async for one in doors.thread.scan(["k", "other"], after=entry.revision)] == ["other"]
    for expect in (old, 1):
        with pytest.raises(Conflict):
            await doors.thread.put("k", b"stale", expect=expect)
        with pytest.raises(Conflict):
            await doors.thread.delete("k", expect=expect)
    with pytest.raises(Conflict):
        await doors.thread.put("k", b"stale", expect=0)
    assert await doors.thread.put("k", b"newer", expect=entry.revision) > entry.revision


async def test_a_deleted_document_is_new_in_any_generation(doors: Store) -> None:
    made = await doors.generations.prepare()
    await made["thread"].put("k", b"x")
    await made["thread"].delete("k")
    await mark(made, 2)
    await doors.generations.look()

    assert await doors.thread.get("k") is None
    assert revisions.generation(await doors.thread.put("k", b"y", expect=0)) == 2


async def test_a_watch_that_must_miss_nothing_ends(doors: Store) -> None:
    """Who holds what it told drops that, and reads anew."""
    await doors.thread.put("k", b"old")

    with anyio.fail_after(5):
        async with doors.thread.watch(["k"], resume=False) as changes:
            assert (await anext(changes)).value == b"old"
            await replaced(doors, k=b"new")
            with pytest.raises(Unreachable):
                await anext(changes)


async def test_a_watch_that_goes_on_tells_everything_of_the_new_set(doors: Store) -> None:
    await doors.thread.put("k", b"old")

    with anyio.fail_after(5):
        async with doors.thread.watch(["k", "l"]) as changes:
            assert (await anext(changes)).live is False
            await replaced(doors, k=b"new")
            first = await anext(changes)
            await doors.thread.delete("k")
            second = await anext(changes)

    assert (first.key, first.value, first.live) == ("k", b"new", True)
    assert second == Change("k", None, second.revision, live=True)
    assert second.revision > first.revision


async def test_a_scan_over_a_change_leaves_nothing_out(doors: Store) -> None:
    """Begun in the old set, ended in the new: every document of the new one comes, once more where it came already."""
    for number in range(600):
        await doors.thread.put(f"k{number:03}", b"old")
    seen: dict[str, bytes] = {}

    async for entry in doors.thread.scan(["*"]):
        if not seen:
            await replaced(doors, **{f"k{number:03}": b"new" for number in range(5, 600)}, extra=b"new")
        seen[entry.key] = entry.value

    assert {key for key, value in seen.items() if value == b"new"} >= {f"k{number:03}" for number in range(5, 600)}
    assert seen["extra"] == b"new"


async def test_nobody_writes_to_a_sealed_set(doors: Store) -> None:
    """It is read on; who writes waits for the next one, and writes there."""
    revision = await doors.thread.put("k", b"old")
    await doors.generations.seal()
    assert (await doors.generations.look()).sealed
    done: list[str] = []

    async def write() -> None:
        await doors.thread.put("l", b"new", expect=0)
        done.append("put")

    async def update() -> None:
        with pytest.raises(Conflict):
            await doors.thread.put("k", b"stale", expect=revision)
        done.append("refused")

    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(write)
            tasks.start_soon(update)
            await anyio.lowlevel.checkpoint()
            entry = await doors.thread.get("k")
            assert entry is not None
            assert (entry.value, done) == (b"old", [])
            await replaced(doors, k=b"new")

    assert sorted(done) == ["put", "refused"]
    assert {one.key: one.value async for one in doors.thread.scan(["k", "l"])} == {"k": b"new", "l": b"new"}


async def test_what_is_left_of_another_set_is_cleared_and_its_revisions_go_on(doors: Store) -> None:
    """So what somebody still expects of it is never found in the one that is made."""
    made = await doors.generations.prepare()
    last = 0
    for number in range(3):
        last = await made["thread"].put("k", b"%d" % number)
    await made["permanent"].put("k", b"x")

    await doors.generations.clear()

    assert [one for bucket in made.values() async for one in bucket.scan()] == []
    assert await made["thread"].put("k", b"y", expect=0) == last + 1
    assert await doors.thread.get("k") is None


async def test_a_set_that_was_in_use_is_made_anew(doors: Store) -> None:
    """What was left sealed is no place to write to: the next set that is prepared there is empty."""
    await doors.thread.put("k", b"first")
    await doors.generations.seal()
    made = await doors.generations.prepare()
    await mark(made, 2)
    await doors.generations.look()
    assert await doors.generations.other("thread") is None

    again = await doors.generations.prepare()

    assert [one async for one in again["thread"].scan()] == []
    await again["thread"].put("k", b"third")
    await mark(again, 3)
    assert (await doors.generations.look()).slot == 1
    entry = await doors.thread.get("k")
    assert entry is not None
    assert (entry.value, revisions.generation(entry.revision)) == (b"third", 3)
