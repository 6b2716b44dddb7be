"""Records become documents and states: in any order, by several replicas, delivered again and again."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import random
from collections import Counter
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from desks import whole_turn
from fact_desks import EXTRACTION, PERSON, FactDesk, named, recorded, written
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eunoe.facts import state
from eunoe.facts.document import build, decode, encode
from eunoe.facts.history import History
from eunoe.facts.projector import Projector
from eunoe.runtime.doors import Documents, Entry, Stored
from eunoe.schemas import records, subjects
from eunoe.schemas.errors import Unreachable
from eunoe.schemas.events import FactApproved, FactDeleted, FactRetired
from eunoe.schemas.facts import Mark
from eunoe.schemas.subjects import Caller

CHAIN = "thread.t"


async def _history(desk: FactDesk) -> None:
    """Two threads, a book, supports, another value, a delete, a retirement, a proposal and its approval."""
    await desk.write(CHAIN, recorded("failed"), recorded("x", subject="note", name="a"))
    await desk.append(1, *whole_turn("one"))
    await desk.write(CHAIN, recorded("passed"), recorded("tabs", subject="preference", name="Indent"))
    await desk.append(1, *whole_turn("two"), thread="u")
    await desk.write("thread.u", recorded("failed", owner="u"))
    book = recorded(
        "blue", subject="entity", name="colour", scope="permanent", owner="shared", kind="person", who="ada"
    )
    await desk.write("book.permanent.shared", book, caller=PERSON)
    await desk.plant(CHAIN, FactRetired(id=written(CHAIN, 1, 1)))
    approved = recorded("tabs", subject="preference", name="indent", scope="permanent", owner="shared", kind="person")
    fact = msgspec.structs.replace(approved.fact, source=msgspec.structs.replace(approved.fact.source, principal="ada"))
    await desk.plant(CHAIN, FactApproved(id=written(CHAIN, 2, 1), fact=fact), caller=PERSON)
    await desk.plant(CHAIN, FactDeleted(id=written(CHAIN, 1)), caller=PERSON)
    await desk.write(CHAIN, recorded("failed"))


async def test_any_interleaving_by_two_replicas_gives_the_same_buckets(tmp_path: Path) -> None:
    """Twenty shuffles with duplicates, two replicas at once: the same bytes as in order, once (F5, F112)."""
    desk = FactDesk(tmp_path)
    await _history(desk)
    await desk.catch_up()
    expected = await desk.contents()
    stored = await desk.stored()
    for seed in range(20):
        other = FactDesk(tmp_path)
        for one in stored:
            await other.store.log.append(one.subject, one.data)
        replicas = [other.projector, other.replica()]
        shuffler = random.Random(seed)
        async with anyio.create_task_group() as tasks:
            for replica in replicas:
                arrivals = [*await other.stored()] * 2
                shuffler.shuffle(arrivals)
                tasks.start_soon(_apply_all, replica, arrivals)
        assert await other.contents() == expected


async def _apply_all(replica: Projector, arrivals: list[Stored]) -> None:
    for one in arrivals:
        await replica.apply(one)


async def test_what_the_history_says(desk: FactDesk) -> None:
    """Worked by hand: failed, passed, deleted, failed again; the note retired; the proposal approved."""
    await _history(desk)
    await desk.catch_up()
    view = desk.view(await desk.document(named()))
    assert [(v.value, v.state) for v in view.versions] == [
        ("failed", "superseded"),
        ("passed", "deleted"),
        ("failed", "current"),
    ]
    note = desk.view(await desk.document(named(subject="note", name="a")))
    assert [v.state for v in note.versions] == ["retired"]
    proposal = desk.view(await desk.document(named(subject="preference", name="indent")))
    assert [(v.state, v.rule) for v in proposal.versions] == [("approved", "approved")]
    shared = desk.view(await desk.document(named("permanent", "shared", "preference", "indent")))
    assert shared.current is not None
    assert (shared.current.value, shared.current.lineage) == ("tabs", "person/ada")


async def test_the_state_is_the_fold_of_the_records(desk: FactDesk) -> None:
    """Bytes of the state equal those of folding the chain in order; its counts are counted by hand."""
    await _history(desk)
    await desk.catch_up()
    folded = state.new("t")
    for stored in await desk.stored():
        record = records.read(stored.seq, stored.data)
        if record.header.chain == CHAIN:
            folded = state.fold(folded, record)
    found = await desk.state()
    assert found == folded
    assert (found.record, found.turns, found.committed, found.entries, found.facts) == (7, 1, 1, 2, 6)
    assert (found.title, found.agents) == ("one", ("builder",))


async def test_a_delivery_out_of_order_brings_its_predecessors_along(desk: FactDesk) -> None:
    """Only the last of 200 records is delivered: all of them are applied, in order."""
    for _ in range(200):
        await desk.write(CHAIN, recorded("v"))
    await desk.projector.apply((await desk.stored())[-1])
    assert (await desk.state()).record == 200
    view = desk.view(await desk.document(named()))
    assert [(v.number, v.supports) for v in view.versions] == [(1, 200)]
    assert desk.projector.statistics()["records"] == 200


async def test_a_record_delivered_again_is_not_applied_again(desk: FactDesk) -> None:
    """Redelivery after a kill costs a read: nothing is refolded, nothing written."""
    for index in range(40):
        await desk.write(CHAIN, recorded(f"v{index}"))
    await desk.catch_up()
    revision = await desk.store.thread.revision()
    replica = desk.replica()
    await _apply_all(replica, await desk.stored())
    assert await desk.store.thread.revision() == revision
    assert replica.statistics()["repeated"] == 40


async def test_an_old_assertion_below_the_floor_is_folded_from_the_log(desk: FactDesk) -> None:
    """Twenty newer assertions, then an import of one from before them: it is version 1 of 21."""
    for index in range(20):
        await desk.write(CHAIN, recorded(f"v{index}"))
        desk.clock.advance(seconds=1)
    await desk.catch_up()
    await desk.write(CHAIN, recorded("old", at=1_000))
    await desk.catch_up()
    document = await desk.document(named())
    assert desk.facts.statistics()["refolded"] == 1
    assert (document.floors["model/builder"].count, document.floors["model/builder"].versions) == (5, 5)
    complete = desk.view(await desk.facts.complete(named()))
    assert [v.value for v in complete.versions] == ["old", *(f"v{index}" for index in range(20))]


async def test_only_its_author_retires_and_only_a_person_deletes(desk: FactDesk) -> None:
    """Another agent's retirement is left out and counted (F82: no payload claims more than its writer may)."""
    await desk.write(CHAIN, recorded("mine"))
    fact = written(CHAIN, 1)
    await desk.plant(CHAIN, FactRetired(id=fact), caller=Caller("agent", "other"))
    await desk.plant(CHAIN, FactRetired(id="fzzzzzzzzzz"))
    await desk.catch_up()
    view = desk.view(await desk.document(named()))
    assert view.current is not None
    assert desk.facts.statistics()["refused"] == 2


async def test_a_tools_permanent_fact_is_a_proposal_of_its_thread(desk: FactDesk) -> None:
    """What the extraction worker says of a permanent kind waits for a person."""
    await desk.write(CHAIN, recorded("uv", subject="decision", name="Packaging", kind="tool"), caller=EXTRACTION)
    await desk.catch_up()
    view = desk.view(await desk.document(named(subject="decision", name="packaging")))
    assert [v.state for v in view.versions] == ["proposed"]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9)), min_size=1, max_size=40),
    st.integers(0, 99),
    st.integers(1, 9),
)
def test_documents_equal_the_set_in_the_log(
    tmp_path: Path, said: list[tuple[str, int]], seed: int, together: int
) -> None:
    """Random values at random times, in batches in a random order, by two replicas: the document is the set's."""

    async def go() -> None:
        desk = FactDesk(tmp_path)
        for value, at in said:
            await desk.write(CHAIN, recorded(value, at=at + 1))
        arrivals = [*await desk.stored(), *await desk.stored()]
        random.Random(seed).shuffle(arrivals)
        replicas = [desk.projector, desk.replica()]
        for index in range(0, len(arrivals), together):
            await replicas[index % 2].apply(*arrivals[index : index + together])
        events = await History(desk.store.log, desk.store.space, desk.kinds).events(named())
        entry = await desk.store.thread.get(subjects.fact_key("t", "tests", "pytest"))
        assert entry is not None
        assert entry.value == encode(build(named(), events))
        assert len(decode(entry.value).assertions) == min(16, len(said))

    anyio.run(go)


class Dying:
    """A bucket whose writes fail once a number of them, over all buckets, is done: the process was killed."""

    def __init__(self, inner: Documents, left: list[int]) -> None:
        self._inner = inner
        self._left = left

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def put(self, key: str, value: bytes, *, expect: int | None = None) -> int:
        if not self._left[0]:
            raise Unreachable
        self._left[0] -= 1
        return await self._inner.put(key, value, expect=expect)


@pytest.mark.parametrize("together", [1, 8])
async def test_a_kill_between_any_two_writes_loses_and_doubles_nothing(tmp_path: Path, together: int) -> None:
    """After every other number of writes the process ends; the next one gets the same delivered from the start."""
    desk = FactDesk(tmp_path)
    await _history(desk)
    for index in range(20):
        await desk.write(CHAIN, recorded(f"v{index}"))
    await desk.catch_up()
    expected, stored = await desk.contents(), await desk.stored()
    left, writes = [0], 0
    for writes in itertools.takewhile(lambda _: not left[0], itertools.count(1, 2)):
        other = FactDesk(tmp_path)
        for one in stored:
            await other.store.log.append(one.subject, one.data)
        left[0] = writes
        permanent, session, thread = (Dying(other.store.bucket(scope), left) for scope in subjects.BUCKETS)
        store = dataclasses.replace(other.store, permanent=permanent, session=session, thread=thread)
        dying = FactDesk(tmp_path, store)
        with contextlib.suppress(Unreachable):
            await _apply_together(dying.projector, stored, together)
        await _apply_together(other.projector, stored, together)
        assert await other.contents() == expected
    assert writes > (60 if together == 1 else 30)


async def _apply_together(projector: Projector, arrivals: list[Stored], together: int) -> None:
    """Apply what came of each chain, in order, so many at a time."""
    chains: dict[str, list[Stored]] = {}
    for stored in arrivals:
        chains.setdefault(subjects.chain_of(stored.subject), []).append(stored)
    for chain in chains.values():
        for start in range(0, len(chain), together):
            await projector.apply(*chain[start : start + together])


class Counting:
    """A bucket that counts what is read of facts and what is written, by the first token of the key."""

    def __init__(self, inner: Documents) -> None:
        self._inner = inner
        self.gets: Counter[str] = Counter()
        self.puts: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def get(self, key: str) -> Entry | None:
        self.gets[key.partition(".")[0]] += 1
        return await self._inner.get(key)

    async def put(self, key: str, value: bytes, *, expect: int | None = None) -> int:
        self.puts[key.partition(".")[0]] += 1
        return await self._inner.put(key, value, expect=expect)


async def test_a_batch_writes_each_document_and_the_state_once(tmp_path: Path) -> None:
    """Ten records of two facts each, five at a time: for the second batch nothing is read."""
    desk = FactDesk(tmp_path)
    for number in range(10):
        await desk.write(CHAIN, recorded(f"v{number}"), recorded(f"w{number}", name="ruff"))
    bucket = Counting(desk.store.thread)
    counted = FactDesk(tmp_path, dataclasses.replace(desk.store, thread=bucket))
    await _apply_together(counted.projector, await desk.stored(), 5)
    assert bucket.puts == {"id": 20, "fact": 4, "state": 2}
    assert bucket.gets == {"fact": 2, "state": 1}
    view = counted.view(await counted.document(named()))
    assert [version.value for version in view.versions] == [f"v{number}" for number in range(10)]


async def test_a_remembered_document_that_was_changed_elsewhere_is_read_again(tmp_path: Path) -> None:
    """Two replicas in turn: what each remembers is stale each time, and nothing is lost."""
    desk = FactDesk(tmp_path)
    replicas = [desk.projector, desk.replica()]
    for number in range(6):
        await desk.write(CHAIN, recorded(f"v{number}"))
        await replicas[number % 2].apply((await desk.stored())[-1])
    view = desk.view(await desk.document(named()))
    assert [version.value for version in view.versions] == [f"v{number}" for number in range(6)]
    assert desk.facts.statistics()["conflicts"] > 0


async def test_a_document_that_vanished_is_written_though_it_is_remembered_as_it_should_be(desk: FactDesk) -> None:
    """Another replica emptied the bucket: the same record applied again must not trust memory (F114)."""
    await desk.write(CHAIN, recorded("v"))
    await desk.catch_up()
    expected = await desk.contents()
    async for entry in desk.store.thread.scan():
        await desk.store.thread.delete(entry.key)
    desk.projector.forget()
    await desk.catch_up()
    assert await desk.contents() == expected


async def test_an_act_before_its_target_counts_for_nothing_however_they_are_batched(tmp_path: Path) -> None:
    """A delete that names the id of the next record: in one batch, or one by one, the fact stays."""
    desk = FactDesk(tmp_path)
    await desk.plant(CHAIN, FactDeleted(id=written(CHAIN, 1)), caller=PERSON)
    await desk.write(CHAIN, recorded("kept"))
    stored = await desk.stored()
    for together in (1, 2):
        other = FactDesk(tmp_path)
        for one in stored:
            await other.store.log.append(one.subject, one.data)
        await _apply_together(other.projector, stored, together)
        view = other.view(await other.document(named()))
        assert [(version.value, version.state) for version in view.versions] == [("kept", "current")]
        assert other.facts.statistics()["refused"] == 1


async def test_a_books_mark_knows_its_producers(desk: FactDesk) -> None:
    """As a thread's state does: which number each producer reached, in which record, and where."""
    for value in ("a", "b"):
        fact = recorded(value, subject="entity", scope="permanent", owner="shared", kind="person", who="ada")
        await desk.write("book.permanent.shared", fact, caller=PERSON)
    await desk.catch_up()
    entry = await desk.store.permanent.get(subjects.mark_key("shared"))
    assert entry is not None
    mark = msgspec.json.decode(entry.value, type=Mark)
    assert (mark.record, mark.producers) == (2, {"person/ada/desk": (2, 2, 2)})
