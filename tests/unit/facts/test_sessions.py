"""Sessions: what records say of them, when they expire, and what their end takes away."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from random import Random
from typing import Any, cast

import msgspec
import pytest
from desks import NOON
from fact_desks import EXTRACTION, PERSON, FactDesk, recorded, written
from hypothesis import given
from hypothesis import strategies as st

from eunoe.facts import sessions
from eunoe.facts.projector import Projector
from eunoe.facts.sessions import merge
from eunoe.facts.store import FactStore
from eunoe.runtime.doors import Documents, Stored
from eunoe.schemas import subjects
from eunoe.schemas.events import FactDeleted, FactRecorded, Prompt, SessionEnded, SessionStateSet, TurnOpened
from eunoe.schemas.facts import SessionRecord

BOOK = subjects.book_chain("session", "s")
MINUTE = 60_000
DAY = 24 * 3_600_000


def stated(value: str, *, session: str = "s", name: str = "port", at: int = 0, content: str = "") -> FactRecorded:
    event = recorded(value, subject="service", name=name, scope="session", owner=session, kind="person", who="ada")
    fact = msgspec.structs.replace(event.fact, at=at, content=content)
    return msgspec.structs.replace(event, fact=fact)


async def record_of(desk: FactDesk, session: str = "s") -> SessionRecord:
    found = await desk.facts.sessions.get(session)
    assert found is not None
    return found


async def session_keys(desk: FactDesk) -> set[str]:
    """The keys of the session bucket, without the marks of books."""
    return {entry.key async for entry in desk.store.session.scan() if not entry.key.startswith("mark.")}


# The record


async def test_opening_and_using_a_turn_touches_its_session(tmp_path: Path) -> None:
    """A session begins with the first turn in it, changes with what that turn says, and lasts a day from then on."""
    desk = FactDesk(tmp_path)
    await desk.append(1, TurnOpened(session="s"))
    desk.clock.advance(ms=5 * MINUTE + 10)
    await desk.append(2, Prompt(content="go"))

    await desk.catch_up()

    record = await record_of(desk)
    assert (record.started, record.changed) == (NOON, NOON + 5 * MINUTE)
    assert record.expires_at == NOON + 5 * MINUTE + DAY
    assert (record.agents, record.threads) == (("builder",), ("t",))


async def test_a_busy_session_is_written_once_a_minute(tmp_path: Path) -> None:
    """Records of one minute change the session's record once."""
    desk = FactDesk(tmp_path)
    await desk.append(1, TurnOpened(session="s"))
    for n in range(2, 20):
        desk.clock.advance(ms=100)
        await desk.append(n, Prompt(content="more"))

    await desk.catch_up()

    entry = await desk.store.session.get(subjects.session_key("s"))
    assert entry is not None
    assert entry.revision == 1


async def test_a_fact_that_changes_moves_the_expiry_of_its_session_and_never_drops_it(tmp_path: Path) -> None:
    """An update keeps the session alive: its expiry is a day after the update, its fact counts on."""
    desk = FactDesk(tmp_path)
    await desk.write(BOOK, stated("80"), caller=PERSON)
    desk.clock.advance(ms=20 * 3_600_000)
    await desk.write(BOOK, stated("8080"), caller=PERSON)

    await desk.catch_up()

    record = await record_of(desk)
    assert record.expires_at == NOON + 20 * 3_600_000 + DAY
    assert not sessions.expired(record, NOON + 40 * 3_600_000)


async def test_a_late_fact_of_a_worker_does_not_reopen_a_session(tmp_path: Path) -> None:
    """What is derived long after a turn is as old as that turn."""
    desk = FactDesk(tmp_path)
    await desk.append(1, TurnOpened(session="s"))
    desk.clock.advance(ms=3 * DAY)
    fact = recorded("up", scope="session", owner="s", kind="tool", who="bash", at=NOON)
    await desk.write("thread.t", fact, caller=EXTRACTION)

    await desk.catch_up()

    assert (await record_of(desk)).changed == NOON


# Its state


async def test_the_state_that_was_set_last_is_carried(tmp_path: Path) -> None:
    """A session carries the JSON text that its newest event set, under that event's id."""
    desk = FactDesk(tmp_path)
    await desk.write(BOOK, SessionStateSet(state='{"step": 1}'), caller=PERSON)
    await desk.write(BOOK, SessionStateSet(state='{"step": 2}'), caller=PERSON)

    await desk.catch_up()

    record = await record_of(desk)
    assert (record.state, record.state_by) == ('{"step": 2}', "person ada")
    assert record.state_id == written(BOOK, 2, caller=PERSON)


async def test_an_ended_session_carries_nothing(tmp_path: Path) -> None:
    """The end of a session takes its state; what is set afterwards is carried again."""
    desk = FactDesk(tmp_path)
    await desk.write(BOOK, SessionStateSet(state="1"), caller=PERSON)
    desk.clock.advance(ms=1)
    await desk.write(BOOK, SessionEnded(reason="done"), caller=PERSON)
    await desk.catch_up()
    after_end = await record_of(desk)

    desk.clock.advance(ms=1)
    await desk.write(BOOK, SessionStateSet(state="2"), caller=PERSON)
    await desk.catch_up()

    assert (after_end.state, after_end.state_id, after_end.reason) == ("", "", "done")
    assert (await record_of(desk)).state == "2"


# Its end


async def test_an_end_takes_documents_bodies_and_ids_away(tmp_path: Path) -> None:
    """Nothing of an ended session is left but its record."""
    desk = FactDesk(tmp_path)
    await desk.write(BOOK, stated("80", content="the whole log"), stated("x", name="other"), caller=PERSON)
    await desk.catch_up()
    before = await session_keys(desk)
    desk.clock.advance(ms=1)
    await desk.write(BOOK, SessionEnded(), caller=PERSON)

    await desk.catch_up()

    assert len(before) == 6  # two documents, two ids, a body, the record
    assert await session_keys(desk) == {subjects.session_key("s")}


async def test_a_session_made_again_at_once_is_empty_and_keeps_what_is_new(tmp_path: Path) -> None:
    """F67: the cleaning up of the old session, whenever it comes, does not touch what the new one holds."""
    desk = FactDesk(tmp_path)
    await desk.write(BOOK, stated("old"), stated("gone", name="other"), caller=PERSON)
    desk.clock.advance(ms=1)
    await desk.write(BOOK, SessionEnded(), caller=PERSON)
    desk.clock.advance(ms=1)
    await desk.write(BOOK, stated("new"), caller=PERSON)

    for stored in reversed(await desk.stored()):
        await desk.projector.apply(stored)
    await desk.catch_up()

    documents = [entry async for entry in desk.store.session.scan([subjects.facts_of("s")])]
    assert len(documents) == 1
    assert b'"new"' in documents[0].value
    assert b'"old"' not in documents[0].value
    assert {key for key in await session_keys(desk) if key.startswith("id.")} == {
        subjects.index_key(written(BOOK, 3, caller=PERSON))
    }


async def test_an_end_of_one_session_leaves_its_neighbours_alone(tmp_path: Path) -> None:
    """Session ``1`` is not ``10``, and ``s.*`` is a name like any other."""
    desk = FactDesk(tmp_path)
    for session in ("1", "10", "s.*", "s.a"):
        await desk.write(subjects.book_chain("session", session), stated("v", session=session), caller=PERSON)
    desk.clock.advance(ms=1)
    for session in ("1", "s.*"):
        await desk.write(subjects.book_chain("session", session), SessionEnded(), caller=PERSON)

    await desk.catch_up()

    documents = {entry.key async for entry in desk.store.session.scan(["fact.>"])}
    assert documents == {subjects.fact_key(owner, "service", "port") for owner in ("10", "s.a")}


async def test_a_late_fact_from_before_the_end_is_not_added(tmp_path: Path) -> None:
    """What was derived of a turn of the ended session after its end stays away, with its id."""
    desk = FactDesk(tmp_path)
    await desk.append(1, TurnOpened(session="s"))
    desk.clock.advance(ms=1_000)
    await desk.write(BOOK, SessionEnded(), caller=PERSON)
    await desk.catch_up()
    late = recorded("up", scope="session", owner="s", kind="tool", who="bash", at=NOON)
    await desk.write("thread.t", late, caller=EXTRACTION)

    await desk.catch_up()

    assert await session_keys(desk) == {subjects.session_key("s")}


async def test_an_end_takes_a_long_history_with_every_id(tmp_path: Path) -> None:
    """A fact that changed more often than its document shows leaves nothing behind."""
    desk = FactDesk(tmp_path)
    for value in range(40):
        desk.clock.advance(ms=1)
        await desk.write(BOOK, stated(str(value)), caller=PERSON)
    await desk.catch_up()
    desk.clock.advance(ms=1)
    await desk.write(BOOK, SessionEnded(), caller=PERSON)

    await desk.catch_up()

    assert await session_keys(desk) == {subjects.session_key("s")}


class Interrupted:
    """A bucket where something else happens just before a document, an id or a body is written."""

    def __init__(self, bucket: Documents, before: str, then: Callable[[], Awaitable[None]]) -> None:
        self._bucket = bucket
        self._before = before
        self._then: Callable[[], Awaitable[None]] | None = then

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bucket, name)

    async def put(self, key: str, value: bytes, *, expect: int | None = None) -> int:
        if self._then and key.startswith(self._before):
            then, self._then = self._then, None
            await then()
        return await self._bucket.put(key, value, expect=expect)


@pytest.mark.parametrize("before", ["session.", "content.", "id.", "fact."])
async def test_an_end_that_comes_while_a_fact_is_written_leaves_nothing(tmp_path: Path, before: str) -> None:
    """Whichever of two replicas is first at any step, what is from before the end goes, with its id and body."""
    desk = FactDesk(tmp_path)
    await desk.write(BOOK, stated("first", name="other"), caller=PERSON)
    await desk.catch_up()
    desk.clock.advance(ms=2 * MINUTE)
    await desk.write("thread.t", stated("late", content="long"), caller=PERSON)
    desk.clock.advance(ms=1)
    await desk.write(BOOK, SessionEnded(), caller=PERSON)
    *_, fact, end = await desk.stored()
    other = desk.replica()
    session = cast("Documents", Interrupted(desk.store.session, before, lambda: other.apply(end)))
    store = replace(desk.store, session=session)

    await Projector(store, FactStore(store, desk.kinds)).apply(fact)

    assert await session_keys(desk) == {subjects.session_key("s")}


# Any order


async def written_log(folder: Path) -> FactDesk:
    """A space in which two sessions are used from threads and books, end, and are used again."""
    desk = FactDesk(folder)
    await desk.append(1, TurnOpened(session="s"), Prompt(content="go"))
    for value in range(20):
        desk.clock.advance(ms=MINUTE)
        await desk.write(BOOK, stated(str(value), content="long"), caller=PERSON)
    await desk.write(subjects.book_chain("session", "z"), stated("kept", session="z"), caller=PERSON)
    desk.clock.advance(ms=1)
    await desk.write(BOOK, SessionStateSet(state="{}"), SessionEnded(reason="over"), caller=PERSON)
    early = recorded("up", scope="session", owner="s", kind="tool", who="bash", at=NOON)
    await desk.write("thread.t", early, caller=EXTRACTION)
    desk.clock.advance(ms=1)
    await desk.append(2, Prompt(content="again"))
    await desk.plant(BOOK, stated("fresh"), FactDeleted(id=written(BOOK, 3, caller=PERSON)), caller=PERSON)
    return desk


async def contents_after(desk: FactDesk, chains: Sequence[Sequence[Stored]]) -> dict[str, bytes]:
    """What documents hold when records came in runs of chains, to two projectors that take turns."""
    replicas = [desk.replica(), desk.replica()]
    for number, run in enumerate(chains):
        await replicas[number % 2].apply(*run)
    found = await desk.contents()
    for bucket in (desk.store.session, desk.store.thread, desk.store.permanent):
        async for entry in bucket.scan():
            await bucket.delete(entry.key)
    return found


async def test_any_order_of_arrival_leaves_the_same_keys_and_bytes(tmp_path: Path) -> None:
    """Chains come in any order, cut anywhere, each record once or more: documents, ids and bodies are the same."""
    desk = await written_log(tmp_path)
    chains: dict[str, list[Stored]] = {}
    for stored in await desk.stored():
        chains.setdefault(subjects.chain_of(stored.subject), []).append(stored)
    in_order = [[stored] for stored in await desk.stored()]
    expected = await contents_after(desk, in_order)

    for seed in range(12):
        random = Random(seed)
        runs = [run for chain in chains.values() for run in _cut(chain, random)]
        random.shuffle(runs)
        assert await contents_after(desk, [*runs, *runs[:2]]) == expected, seed

    assert {key for key in expected if key.startswith("session fact.")} == {
        f"session {subjects.fact_key(owner, 'service', 'port')}" for owner in ("s", "z")
    }


def _cut(chain: list[Stored], random: Random) -> list[list[Stored]]:
    at = random.randrange(len(chain))
    return [part for part in (chain[:at], chain[at:]) if part]


def _said(seed: int) -> SessionRecord:
    """A record that says some of what can be said of a session, at times that the seed picks."""
    at, kind = NOON + seed * 17_000, seed % 3
    if kind == 0:
        return SessionRecord(v=1, session="s", ended=(at, seed, 0), ended_by="person ada", reason=str(seed))
    changed = at - at % MINUTE
    touched = SessionRecord(
        v=1, session="s", started=changed, changed=changed, expires_at=changed + DAY, agents=(f"a{seed % 5}",)
    )
    if kind == 1:
        return touched
    return msgspec.structs.replace(touched, state=str(seed), state_id=f"f{seed}", state_order=(at, seed, 0))


@given(st.lists(st.integers(1, 60), min_size=1, max_size=8), st.randoms())
def test_a_record_depends_on_the_set_of_what_was_said(seeds: list[int], random: Random) -> None:
    """Any order, any grouping and any repetition give the same record."""
    said = [_said(seed) for seed in seeds]
    shuffled = [*said, *said[: len(said) // 2]]
    random.shuffle(shuffled)
    half = len(shuffled) // 2

    grouped = [reduce(merge, part) for part in (shuffled[:half], shuffled[half:]) if part]

    assert reduce(merge, grouped) == reduce(merge, said, said[0])
