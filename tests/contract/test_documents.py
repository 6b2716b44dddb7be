"""What every `doors.Documents` does, in memory and over JetStream."""

from __future__ import annotations

import anyio
import msgspec
import pytest

from eunoe.runtime import revisions
from eunoe.runtime.doors import Change, Entry, Found, Store
from eunoe.schemas import subjects
from eunoe.schemas.errors import Busy, Conflict
from eunoe.schemas.facts import Origin


async def test_put_and_get(doors: Store) -> None:
    """A document is read back with the revision that its put returned."""
    first = await doors.thread.put("fact.a.b.c", b"one")
    second = await doors.thread.put("fact.a.b.c", b"two")

    assert (first, second) == (1, 2)
    assert await doors.thread.get("fact.a.b.c") == Entry("fact.a.b.c", b"two", 2)
    assert await doors.thread.get("fact.a.b.d") is None
    assert await doors.thread.revision() == 2


async def test_buckets_are_apart(doors: Store) -> None:
    """The same key in another bucket is another document."""
    await doors.thread.put("k", b"thread")

    assert await doors.session.get("k") is None
    assert await doors.permanent.revision() == 0


async def test_compare_and_set(doors: Store) -> None:
    """A put takes the revision it was based on, and refuses a stale one."""
    await doors.thread.put("k", b"one", expect=0)
    await doors.thread.put("k", b"two", expect=1)

    for stale in (0, 1, 7):
        with pytest.raises(Conflict):
            await doors.thread.put("k", b"three", expect=stale)
    assert await doors.thread.get("k") == Entry("k", b"two", 2)


async def test_a_race_has_one_winner(doors: Store) -> None:
    """Of 32 writers of one revision, one gets through."""
    won: list[int] = []

    async def write(number: int) -> None:
        try:
            won.append(await doors.thread.put("k", b"%d" % number, expect=0))
        except Conflict:
            return

    async with anyio.create_task_group() as tasks:
        for number in range(32):
            tasks.start_soon(write, number)

    assert won == [1]


async def test_a_deleted_document_is_gone_until_it_is_written(doors: Store) -> None:
    """A delete hides a document everywhere, keeps a revision of its own, and lets the key be written as new."""
    await doors.thread.put("k", b"one")
    marker = await doors.thread.delete("k", expect=1)

    assert marker == 2
    assert await doors.thread.get("k") is None
    assert (await doors.thread.find(["k", ">"])).entries == ()
    assert [one async for one in doors.thread.scan()] == []

    assert await doors.thread.put("k", b"two", expect=0) == 3
    assert await doors.thread.get("k") == Entry("k", b"two", 3)


async def test_a_stale_delete_is_refused(doors: Store) -> None:
    """A delete that saw an older revision changes nothing."""
    await doors.thread.put("k", b"one")
    await doors.thread.put("k", b"two")

    with pytest.raises(Conflict):
        await doors.thread.delete("k", expect=1)
    assert await doors.thread.get("k") == Entry("k", b"two", 2)


async def test_a_deleted_document_can_be_written_from_its_marker(doors: Store) -> None:
    """The marker's revision is the key's revision."""
    await doors.thread.put("k", b"one")
    marker = await doors.thread.delete("k")

    assert await doors.thread.put("k", b"two", expect=marker) == 3
    with pytest.raises(Conflict):
        await doors.thread.put("k", b"three", expect=marker)


async def test_find_keeps_owners_apart(doors: Store) -> None:
    """Owners `a`, `a.b`, `a.bc`, `a*` and `>` do not see each other's documents, whatever their names hold."""
    owners = ("a", "a.b", "a.bc", "ab", "a*", ">", "a b", "ü/%_")
    for owner in owners:
        await doors.session.put(subjects.fact_key(owner, "s", "n"), owner.encode())

    for owner in owners:
        found = await doors.session.find([subjects.facts_of(owner)])
        assert [one.value.decode() for one in found.entries] == [owner]


async def test_find_is_ordered_by_key_and_says_how_far_it_speaks(doors: Store) -> None:
    """Documents come by key, each once though two filters match, with the bucket's last revision."""
    for key in ("b.x", "a.y", "a.x"):
        await doors.thread.put(key, key.encode())

    found = await doors.thread.find(["a.*", "a.x", "b.x"])

    assert [(one.key, one.revision) for one in found.entries] == [("a.x", 3), ("a.y", 2), ("b.x", 1)]
    assert found.upto == 3
    assert (await doors.thread.find(["c.>"])).entries == ()
    assert (await doors.thread.find([])).entries == ()


async def test_find_over_more_documents_than_one_answer_takes(doors: Store) -> None:
    """1,100 documents match (a direct get answers 1,024): all live ones are found."""
    async with anyio.create_task_group() as tasks:
        for number in range(1100):
            tasks.start_soon(doors.thread.put, f"k.{number:04}", b"x")
    await doors.thread.delete("k.0500")

    found = await doors.thread.find(["k.>"])

    assert [one.key for one in found.entries] == [f"k.{number:04}" for number in range(1100) if number != 500]
    assert await doors.thread.few(["k.>"]) is None
    assert await doors.thread.few(["k.0500", "k.0000", "x"]) == Found(
        (Entry("k.0000", b"x", found.entries[0].revision),), found.upto
    )
    assert await doors.thread.few([]) == Found((), 0)


async def test_a_fence_is_reached_or_busy(doors: Store) -> None:
    """A find that must reach a revision nobody wrote is refused."""
    revision = await doors.thread.put("k", b"one")

    assert (await doors.thread.find(["k"], fence=revision)).upto == revision
    assert (await doors.thread.find(["other"], fence=revision)).entries == ()
    with pytest.raises(Busy):
        await doors.thread.find(["k"], fence=revision + 1)


async def test_scan_is_ordered_by_revision(doors: Store) -> None:
    """Live documents that match come by revision, after the given one."""
    for key in ("b", "a", "c", "a"):
        await doors.thread.put(key, key.encode())

    assert [(one.key, one.revision) async for one in doors.thread.scan()] == [("b", 1), ("c", 3), ("a", 4)]
    assert [one.key async for one in doors.thread.scan(["a", "c"], after=3)] == ["a"]
    assert [one.key async for one in doors.thread.scan(after=4)] == []


async def test_scan_leaves_out_nothing_that_is_written_meanwhile(doors: Store) -> None:
    """Of 600 documents the last is written again after the first came, and a new one: both come, the newest last."""
    for number in range(600):
        await doors.thread.put(f"k.{number:03}", b"old")
    seen: list[tuple[str, bytes]] = []

    async for entry in doors.thread.scan(["k.*"]):
        if not seen:
            await doors.thread.put("k.599", b"new")
            await doors.thread.put("k.600", b"new")
            await doors.thread.put("other", b"no")
        seen.append((entry.key, entry.value))

    assert dict(seen) == {f"k.{number:03}": b"old" for number in range(599)} | {"k.599": b"new", "k.600": b"new"}
    assert len(seen) in (601, 602)


async def test_watch_tells_what_is_there_and_what_comes(doors: Store) -> None:
    """A watch gives what is there (not live), then changes and deletions (live), only of what matches."""
    await doors.thread.put("a.x", b"1")
    await doors.thread.put("b.x", b"2")

    async with doors.thread.watch(["a.>"]) as changes:
        first = await anext(changes)
        await doors.thread.put("b.x", b"3")
        await doors.thread.put("a.y", b"4")
        second = await anext(changes)
        await doors.thread.delete("a.x")
        third = await anext(changes)

    assert first == Change("a.x", b"1", 1, live=False)
    assert second == Change("a.y", b"4", 4, live=True)
    assert third == Change("a.x", None, 5, live=True)


async def test_watch_of_a_prefix_of_a_token(doors: Store) -> None:
    """A watch of `a.b.>` hears nothing of `a.bc`."""
    async with doors.thread.watch(["a.b.>"]) as changes:
        await doors.thread.put("a.bc.x", b"no")
        await doors.thread.put("a.b.x", b"yes")

        assert (await anext(changes)).key == "a.b.x"


async def test_a_watch_may_begin_after_a_revision(doors: Store) -> None:
    """What was there before is not told; what comes is, and what came since."""
    for number in range(3):
        await doors.thread.put(f"a.{number}", b"x")

    async with doors.thread.watch(["a.>"], after=2) as changes:
        await doors.thread.put("a.9", b"y")

        assert [(await anext(changes)).key for _ in range(2)] == ["a.2", "a.9"]


async def test_a_revision_that_was_asked_for_is_as_fresh_as_the_asking(doors: Store) -> None:
    """What was written before is in it; a bucket without documents has none."""
    async with doors.thread.asking() as none:
        assert await none() == await doors.thread.revision()
    for number in range(3):
        written = await doors.thread.put(f"k{number}", b"x")
        async with doors.thread.asking() as revision:
            found = await revision()
        assert found == written


async def test_a_revision_is_there_though_the_bucket_is_replaced_while_it_is_asked_for(doors: Store) -> None:
    """It is one of the generation that is in use when it is taken."""
    await doors.thread.put("k", b"old")
    async with doors.thread.asking() as revision:
        made = await doors.generations.prepare()
        for scope in reversed(subjects.BUCKETS):
            await made[scope].put(subjects.ORIGIN_KEY, msgspec.json.encode(Origin(v=1, id="next", generation=2)))
        await doors.generations.look()
        await doors.generations.drop()
        found = await revision()

    assert revisions.generation(found) in (1, 2)
    assert await doors.thread.revision() >= found
