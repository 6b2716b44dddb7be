"""What is left of erased records stands at their old places, in memory and over JetStream."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import anyio
import msgspec
import pytest
from desks import Desk, whole_turn

from eunoe.runtime.closing import closing
from eunoe.runtime.doors import Snapshot, Store, Stored
from eunoe.runtime.kept_log import KeptLog
from eunoe.schemas import records, subjects
from eunoe.schemas.erasures import EraseReply, EraseRequest, ErasureTarget
from eunoe.schemas.events import EntryBase, RecordKept
from eunoe.schemas.subjects import Address, Caller

ADA = Caller("person", "ada")


@pytest.fixture
async def erased(doors: Store, tmp_path: Path) -> Desk:
    """Threads t and u, two records each, of which one entry of each record of t is erased."""
    desk = Desk(tmp_path, doors)
    for n, thread in enumerate("tutu"):
        await desk.append(n // 2 + 1, *whole_turn(f"{thread}{n}"), thread=thread, turn=f"k{n}")
    target = ErasureTarget(thread="t", entries=((1, 1), (3, 3)))
    request = EraseRequest(target=target, id="e", reason="asked to")
    data = await desk.worker.handlers()["erase"](Address("erase", ADA, ""), msgspec.json.encode(request))
    assert msgspec.json.decode(data, type=EraseReply).state == "done"
    return desk


def said(data: bytes) -> list[str]:
    events = records.read(0, data).events
    return [event.gone or event.content for event in events if isinstance(event, EntryBase)]


async def test_a_record_is_read_where_it_was(erased: Desk) -> None:
    """By its position, with its subject, among others that are whole."""
    found = await erased.store.log.get([1, 2, 3, 99])

    assert [stored and (stored.seq, said(stored.data)) for stored in found] == [
        (1, ["[entry 1 was erased]", "done"]), (2, ["u1", "done"]), (3, ["[entry 3 was erased]", "done"]), None
    ]  # fmt: skip
    assert found[0] is not None
    assert found[0].subject == f"eunoe.{erased.store.space}.thread.t.log"


@pytest.mark.parametrize(("start", "wanted"), [(1, [1, 2, 3, 4]), (2, [2, 3, 4]), (3, [3, 4]), (4, [4])])
async def test_a_scan_has_everything_in_order(erased: Desk, start: int, wanted: list[int]) -> None:
    """From any place on."""
    found = [stored async for stored in erased.store.log.scan(start=start)]

    assert [stored.seq for stored in found] == sorted({stored.seq for stored in found})
    assert [stored.seq for stored in found if stored.subject.endswith(".log")] == wanted


async def test_a_filtered_scan_has_what_its_filters_mean(erased: Desk) -> None:
    """What is left of a record is under the record's own subject."""
    space = erased.store.space
    filters = (f"eunoe.{space}.thread.u.log", f"eunoe.{space}.thread.t.log", f"eunoe.{space}.thread.*.memory")

    found = [[stored.seq async for stored in erased.store.log.scan([one])] for one in filters]

    assert found[:2] == [[2, 4], [1, 3]]
    assert all(seq > 4 for seq in found[2])


async def test_who_follows_sees_it_too(erased: Desk) -> None:
    """First what was there, then what comes."""
    space, seen, new = erased.store.space, list[int](), list[int]()
    with anyio.fail_after(10):
        async with closing(erased.store.log.follow([f"eunoe.{space}.thread.t.log"])) as following:
            async for stored in following:
                seen.append(stored.seq)
                if len(seen) == 2:
                    new.append((await erased.append(3, *whole_turn("after"), turn="after")).position)
                if len(seen) == 3:
                    break

    assert seen == [1, 3, *new]


async def test_it_is_no_gap(erased: Desk) -> None:
    """The first and the third message are gone, and nothing is missing; a message that is lost still is."""
    whole = await erased.store.log.info(gaps=True)
    await erased.store.log.erase(2)

    assert (whole.first, whole.gaps) == (1, ())
    assert (await erased.store.log.info(gaps=True)).gaps == (2,)


async def test_another_reader_finds_it_however_long_it_was_open(erased: Desk) -> None:
    """One that read before the erasure reads what is left after it."""
    store = erased.store
    late = KeptLog(store.log._log, store.space)  # type: ignore[attr-defined]  # the store beneath
    before = await late.get([1])
    request = EraseRequest(target=ErasureTarget(thread="t", entries=((2, 2),)), id="e2", reason="asked to")
    await erased.worker.handlers()["erase"](Address("erase", ADA, ""), msgspec.json.encode(request))

    after = await late.get([1])

    assert [said(stored.data) for stored in (*before, *after) if stored] == [
        ["[entry 1 was erased]", "done"], ["[entry 1 was erased]", "[entry 2 was erased]"]
    ]  # fmt: skip


async def test_what_is_left_is_in_its_own_chain(erased: Desk) -> None:
    """Each record that holds what is left of others names their numbers, and its own chain goes on."""
    chain = subjects.chain_subject(erased.store.space, "thread.t", "memory")
    found = [records.read(one.seq, one.data) async for one in erased.store.log.scan([chain])]

    assert [event.record for record in found for event in record.events if isinstance(event, RecordKept)] == [1, 2]
    assert [record.header.record for record in found] == [3]


async def test_a_scan_that_began_before_leaves_nothing_out(doors: Store, tmp_path: Path) -> None:
    """Of what is erased while everything is read what is left comes, or what was there: no gap, and in order."""
    desk = Desk(tmp_path, doors)
    for n in range(4):
        await desk.append(n + 1, *whole_turn(f"t{n}"), turn=f"k{n}")
    seen: list[int] = []
    async with closing(desk.store.log.scan()) as found:
        async for stored in found:
            seen.append(stored.seq)
            if stored.seq == 1:
                request = EraseRequest(target=ErasureTarget(thread="t", entries=((3, 5),)), id="e", reason="asked to")
                await desk.worker.handlers()["erase"](Address("erase", ADA, ""), msgspec.json.encode(request))

    assert seen[:4] == [1, 2, 3, 4]
    assert seen == sorted(set(seen))


async def test_readers_do_not_take_what_is_left_from_each_other(erased: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one reads what it lacks, another one has what it remembers forgotten."""
    request = EraseRequest(target=ErasureTarget(thread="u"), id="e2", reason="asked to")
    await erased.worker.handlers()["erase"](Address("erase", ADA, ""), msgspec.json.encode(request))
    log = KeptLog(erased.store.log._log, erased.store.space)  # type: ignore[attr-defined]  # the log beneath
    assert await log.get([1]) != [None]
    beneath = log._log.get

    async def get(seqs: Sequence[int]) -> list[Stored | None]:
        if 1 not in seqs:
            log._read.clear()
        return await beneath(seqs)

    monkeypatch.setattr(log._log, "get", get)

    assert None not in await log.get([1, 2, 3, 4])


async def test_what_a_replica_does_not_know_yet_is_asked_of_the_leader(
    erased: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message is gone at the leader, and the replica that is asked for the chain of erasures lags."""
    log = KeptLog(erased.store.log._log, erased.store.space)  # type: ignore[attr-defined]  # the log beneath
    beneath = log._log.last

    async def last(filters: Sequence[str], *, fence: int = 0) -> Snapshot:
        return await beneath(filters, fence=fence) if fence else Snapshot((), 0)

    monkeypatch.setattr(log._log, "last", last)

    (found,) = await log.get([1])
    scanned = [stored.seq async for stored in KeptLog(log._log, erased.store.space).scan()]

    assert found is not None
    assert scanned[:4] == [1, 2, 3, 4]
