"""Documents held in memory: one watch brings what changes, and what may have been missed is read again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager

import anyio
import pytest

from eunoe.composition.following import Following
from eunoe.composition.owned import Owned
from eunoe.facts.document import build, encode
from eunoe.facts.kinds import Kinds
from eunoe.runtime.doors import Change, Entry, Found
from eunoe.schemas import subjects
from eunoe.schemas.errors import Busy, Unreachable
from eunoe.schemas.facts import Assertion, Document, Identity, Source, Stated
from eunoe.testing.documents import MemoryDocuments


class Bucket(MemoryDocuments):
    """A bucket in memory that counts its reads, and whose watches can be broken off or held back."""

    def __init__(self) -> None:
        super().__init__()
        self.finds = 0
        self.scans = 0
        self.broken = anyio.Event()
        self.held_back = False

    async def find(self, filters: Sequence[str], *, fence: int = 0) -> Found:
        self.finds += 1
        return await super().find(filters, fence=fence)

    async def scan(self, filters: Sequence[str] = (), *, after: int = 0) -> AsyncIterator[Entry]:
        self.scans += 1
        async for entry in super().scan(filters, after=after):
            yield entry

    @asynccontextmanager
    async def watch(
        self, filters: Sequence[str] = (), *, after: int = 0, resume: bool = True
    ) -> AsyncIterator[AsyncIterator[Change]]:
        assert not resume
        async with super().watch(filters, after=after) as changes:
            yield self._until_broken(changes)

    async def _until_broken(self, changes: AsyncIterator[Change]) -> AsyncIterator[Change]:
        while True:
            found: list[Change] = []

            async def take(scope: anyio.CancelScope, into: list[Change] = found) -> None:
                into.append(await anext(changes))
                scope.cancel()

            async def end(scope: anyio.CancelScope) -> None:
                await self.broken.wait()
                scope.cancel()

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(take, tasks.cancel_scope)
                tasks.start_soon(end, tasks.cancel_scope)
            if not found:
                raise Unreachable("the connection was lost")
            if not self.held_back:
                yield found[0]

    async def say(self, owner: str, value: str, name: str = "drink") -> int:
        identity = Identity("session", owner, "note", name)
        fact = Assertion(identity=identity, value=value, source=Source(kind="person", principal="ann"), at=1)
        stated = Stated(id=f"f{name}", position=1, index=0, fact=fact)
        return await self.put(subjects.fact_key(owner, "note", name), encode(build(identity, [stated])))


async def whole(lacking: Collection[Identity]) -> Mapping[Identity, Document]:
    """These documents tell everything."""
    raise AssertionError(f"{lacking} was to be read from the log")


@pytest.fixture
def bucket() -> Bucket:
    return Bucket()


@asynccontextmanager
async def followed(bucket: Bucket, most: int = 1 << 20) -> AsyncIterator[Following]:
    following = Following(bucket, lambda owner: Owned(owner, Kinds()), whole, most)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(following.run)
        await anyio.wait_all_tasks_blocked()
        yield following
        tasks.cancel_scope.cancel()


async def revision(following: Following) -> int:
    async with following.asking() as latest:
        return await latest()


async def values(following: Following, owner: str, **fresh: int) -> list[str]:
    found = await following.of(owner, **fresh)
    return [fact.line.split(" — ")[0].removeprefix("- note ") for fact in found.owned.facts]


async def test_an_owner_is_read_once_and_then_followed(bucket: Bucket) -> None:
    """Changes and deletions come by the watch; nobody else's are kept."""
    await bucket.say("a", "tea")
    async with followed(bucket) as following:
        first = await values(following, "a")
        await bucket.say("a", "coffee")
        await bucket.say("b", "water")
        await anyio.wait_all_tasks_blocked()
        second = await values(following, "a")
        await bucket.delete(subjects.fact_key("a", "note", "drink"))
        await anyio.wait_all_tasks_blocked()
        third = await following.of("a")

    assert (first, second, list(third.owned.facts)) == (["drink: tea"], ["drink: coffee"], [])
    assert third.upto == 4
    assert bucket.finds == 1
    assert following.statistics()["changes"] == 2


async def test_without_a_watch_everything_is_read_each_time(bucket: Bucket) -> None:
    """Before it is there, nothing is held."""
    following = Following(bucket, lambda owner: Owned(owner, Kinds()), whole)
    await bucket.say("a", "tea")
    first = await values(following, "a")
    await bucket.say("a", "coffee")

    assert (first, await values(following, "a")) == (["drink: tea"], ["drink: coffee"])
    assert following.statistics()["owners"] == 0


async def test_what_the_watch_is_still_to_bring_is_read_when_it_is_asked_for(bucket: Bucket) -> None:
    """An owner that must be as new as revision 2 is; without that, it is as the watch left it, and says so."""
    await bucket.say("a", "tea")
    bucket.held_back = True
    async with followed(bucket) as following:
        await values(following, "a")
        revision = await bucket.say("a", "coffee")
        await anyio.wait_all_tasks_blocked()
        old = await following.of("a")
        before = (old.upto, [fact.line for fact in old.owned.facts])
        new = await values(following, "a", revision=revision)
        reached = (await following.of("a")).upto

    assert before == (1, ["- note drink: tea — from person ann"])
    assert (new, reached, revision) == (["drink: coffee"], 2, 2)
    assert (bucket.finds, bucket.scans) == (1, 1)


async def test_what_was_written_before_is_seen_though_the_watch_is_late(bucket: Bucket) -> None:
    """Who reads from where the bucket was when the reading began misses nothing; waiting for the watch is enough."""
    await bucket.say("a", "tea")
    async with followed(bucket) as following:
        await values(following, "a")
        latest = await revision(following)
        await bucket.say("a", "coffee")
        at_once = await values(following, "a", revision=await revision(following))
        bucket.held_back = True
        await bucket.say("a", "water")
        held_back = await values(following, "a", revision=await revision(following))
        scans = bucket.scans

    assert (latest, at_once, held_back) == (1, ["drink: coffee"], ["drink: water"])
    assert scans == 1


async def test_after_an_interruption_everything_is_read_again(bucket: Bucket) -> None:
    """What was missed meanwhile is there; until the watch is back, documents are read each time."""
    await bucket.say("a", "tea")
    async with followed(bucket) as following:
        await values(following, "a")
        bucket.broken.set()
        await anyio.wait_all_tasks_blocked()
        bucket.broken = anyio.Event()
        await bucket.say("a", "coffee")

        assert await values(following, "a") == ["drink: coffee"]
        assert following.statistics()["dropped"] == 1


async def test_an_older_revision_never_takes_the_place_of_a_newer_one() -> None:
    """Whatever comes first, the newest revision of a document counts, and so does its deletion."""
    bucket, owned = Bucket(), Owned("a", Kinds())
    await bucket.say("a", "tea")
    await bucket.say("a", "coffee")
    key = subjects.fact_key("a", "note", "drink")
    entry = await bucket.get(key)
    assert entry is not None

    owned.take(key, entry.value, entry.revision)
    owned.take(key, None, 1)
    assert len(owned.facts) == 1
    owned.take(key, None, 3)
    owned.take(key, entry.value, entry.revision)
    assert len(owned.facts) == 0


async def test_a_document_that_cannot_be_read_is_left_out(bucket: Bucket, caplog: pytest.LogCaptureFixture) -> None:
    """It is told by its key, and the others are shown."""
    await bucket.say("a", "tea")
    await bucket.put(subjects.fact_key("a", "note", "broken"), b"{")

    assert await values(Following(bucket, lambda owner: Owned(owner, Kinds()), whole), "a") == ["drink: tea"]
    assert "document fact.a.note.broken is left out" in caplog.text


async def test_beyond_its_bytes_the_least_recently_used_is_forgotten(bucket: Bucket) -> None:
    """Room for two owners: of three, the first is read again."""
    for owner in ("a", "b", "c"):
        await bucket.say(owner, "tea")
    one = (await Following(bucket, lambda owner: Owned(owner, Kinds()), whole).of("a")).owned.size
    bucket.finds = 0
    async with followed(bucket, most=2 * one) as following:
        for owner in ("a", "b", "a", "c", "a", "b"):
            assert await values(following, owner) == ["drink: tea"]
        assert following.statistics()["bytes"] == 2 * one

    assert bucket.finds == 4


async def test_a_read_that_fails_leaves_nothing_behind(bucket: Bucket) -> None:
    """The next request reads again."""

    class Refusing(Bucket):
        async def find(self, filters: Sequence[str], *, fence: int = 0) -> Found:
            if not self.finds:
                self.finds += 1
                raise Busy("not yet; try again")
            return await super().find(filters, fence=fence)

    bucket = Refusing()
    await bucket.say("a", "tea")
    async with followed(bucket) as following:
        with pytest.raises(Busy):
            await following.of("a")
        assert await values(following, "a") == ["drink: tea"]
        assert following.statistics()["owners"] == 1


async def test_an_owner_that_was_prepared_is_not_read_again(bucket: Bucket) -> None:
    """Whoever asks for it meanwhile waits for that reading, and what is written after it is seen all the same."""
    await bucket.say("a", "tea")
    async with followed(bucket) as following:
        lacking = following.lacks("a")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(following.prepare, "a")
            tasks.start_soon(following.prepare, "a")
            tasks.start_soon(values, following, "a")
        known = following.lacks("a")
        newest = await bucket.say("a", "coffee")
        found = await values(following, "a", revision=newest)

    assert (lacking, known, bucket.finds) == (True, False, 1)
    assert found == ["drink: coffee"]


async def test_nothing_is_prepared_without_a_watch(bucket: Bucket) -> None:
    """What is not followed is not held."""
    await bucket.say("a", "tea")
    following = Following(bucket, lambda owner: Owned(owner, Kinds()), whole)

    await following.prepare("a")

    assert (following.lacks("a"), bucket.finds, following.statistics()["owners"]) == (False, 0, 0)
