"""Copies of folded threads in a cache that replicas share: the same fold, sooner, or none."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from composition_desks import System

from eunoe.composition.fold import Fold
from eunoe.composition.packed import pack, unpack
from eunoe.composition.second_level import SecondLevel
from eunoe.composition.threads import Threads
from eunoe.schemas.events import Instructions, Prompt, Response, TurnAborted, Usage
from eunoe.testing import MemoryCache


class Replica:
    """The folded threads of one composition worker."""

    def __init__(self, system: System, cache: MemoryCache) -> None:
        self.second = SecondLevel(cache)
        self.threads = Threads(system.store, self.second)
        self._chain = system.chain

    async def fold(self, *, whole: bool = False) -> Fold:
        """The fold as it is after one use, put into the cache as well."""
        async with self.threads.using(self._chain) as fold:
            if whole:
                await self.threads.reach(fold, lambda: fold.complete)
        await self.second.flush()
        return fold

    @property
    def read(self) -> int:
        """Records read from the log."""
        return self.threads.statistics()["records_read"]


@pytest.fixture
def system() -> System:
    return System()


@pytest.fixture
def cache() -> MemoryCache:
    return MemoryCache()


def told(fold: Fold) -> dict[str, Any]:
    """Everything that a fold knows of its thread, without what was derived and kept with it and its turns."""
    found = {name: what for name, what in vars(fold).items() if name != "asked"}
    found["turns"] = {
        number: {name: getattr(turn, name) for name in turn.__slots__ if name not in ("cache", "kept")}
        for number, turn in fold.turns.items()
    }
    return found


async def busy(system: System, kit: Any) -> None:
    """A thread with something of everything that a fold keeps."""
    await system.append(Instructions(content="Be brief."))
    for number in range(3):
        await system.turn(*kit.asks(f"q{number}", *kit.reads("line\n" * 9, call=f"c{number}")))
    await system.fact("seen", name="file", turn=2)
    await system.turn(Prompt(content="\U0001f30a at sea"), Response(content="", thinking="hm"))
    await system.append(Prompt(content="never"), TurnAborted(reason="test"), key=await system.open())
    key = await system.open(Prompt(content="and now?"))
    await system.compose(key=key, store=True)
    await system.append(Usage(input_tokens=77), key=key)


async def test_a_packed_fold_is_the_same_fold_again(system: System, kit: Any) -> None:
    """Every attribute of it: one that is added to folds and not to what is packed fails here."""
    await busy(system, kit)
    fold = await Replica(system, MemoryCache()).fold(whole=True)
    fold.older["builder"] = tuple(fold.instructions)
    assert all((fold.recipes, fold.usages, fold.remembered, fold.instructions, fold.header))

    again = unpack(pack(fold), fold.chain)

    assert again is not None
    assert told(again) == told(fold)


async def test_a_fold_goes_on_from_a_copy_with_only_what_is_new(system: System, cache: MemoryCache, kit: Any) -> None:
    await busy(system, kit)
    await Replica(system, cache).fold(whole=True)
    await system.turn(Prompt(content="later"), Response(content="yes"))

    other = Replica(system, cache)
    fold = await other.fold()

    assert other.read == 2, "the record that opened and asked, and the one that committed"
    assert told(fold) == told(await Replica(system, MemoryCache()).fold(whole=True))


async def test_a_copy_of_where_the_thread_is_needs_no_record_at_all(
    system: System, cache: MemoryCache, kit: Any
) -> None:
    await busy(system, kit)
    first = await Replica(system, cache).fold(whole=True)

    other = Replica(system, cache)
    assert told(await other.fold()) == told(first)
    assert other.read == 0


async def test_a_copy_of_another_history_is_not_gone_on_from(system: System, cache: MemoryCache, kit: Any) -> None:
    """Whether the log went on since or not: its hash is not what the log says stands there."""
    await busy(system, kit)
    fold = await Replica(system, cache).fold(whole=True)
    right = told(fold)
    fold.hash = "f" * 64
    (key,) = cache.values
    forged = pack(fold)

    cache.values[key] = forged
    assert told(await Replica(system, cache).fold(whole=True)) == right

    cache.values[key] = forged
    await system.turn(Prompt(content="later"))
    fresh = await Replica(system, MemoryCache()).fold(whole=True)
    assert told(await Replica(system, cache).fold(whole=True)) == told(fresh)


async def test_a_copy_beyond_the_logs_end_is_not_gone_on_from(system: System, cache: MemoryCache, kit: Any) -> None:
    await busy(system, kit)
    fold = await Replica(system, cache).fold(whole=True)
    right = told(fold)
    fold.position += 1
    (key,) = cache.values
    cache.values[key] = pack(fold)

    assert told(await Replica(system, cache).fold(whole=True)) == right


async def test_a_copy_from_before_an_erasure_is_none(system: System, cache: MemoryCache, kit: Any) -> None:
    await busy(system, kit)
    fold = await Replica(system, cache).fold(whole=True)
    fold.erasures = 1
    (key,) = cache.values
    cache.values[key] = pack(fold)

    other = Replica(system, cache)
    assert (await other.fold(whole=True)).erasures == 0
    assert other.read > 0


@pytest.mark.parametrize("damage", [b"", b"\xff\xfe", b"{}", msgspec.msgpack.encode([99, "x"])])
async def test_what_is_no_copy_is_none(system: System, cache: MemoryCache, kit: Any, damage: bytes) -> None:
    await busy(system, kit)
    right = told(await Replica(system, cache).fold(whole=True))
    (key,) = cache.values
    cache.values[key] = damage

    assert told(await Replica(system, cache).fold(whole=True)) == right


async def test_a_copy_of_one_thread_is_none_of_another(system: System, kit: Any) -> None:
    await busy(system, kit)
    fold = await Replica(system, MemoryCache()).fold()
    assert unpack(pack(fold), "thread.other") is None


async def test_a_thread_that_did_not_change_is_not_put_there_again(
    system: System, cache: MemoryCache, kit: Any
) -> None:
    await busy(system, kit)
    replica = Replica(system, cache)
    await replica.fold(whole=True)
    cache.values.clear()

    await replica.fold()
    assert cache.values == {}
    await system.turn(Prompt(content="new"))
    await replica.fold()
    assert len(cache.values) == 1
