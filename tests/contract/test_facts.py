"""Facts over the doors in memory and over JetStream: extraction and projector end to end, races, and recovery."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from extraction_desks import ExtractionDesk
from fact_desks import EXTRACTION, PERSON, FactDesk, recorded, written
from fact_workers import facts_worker

from eunoe.facts.document import decode
from eunoe.facts.projector import Projector
from eunoe.facts.visibility import Viewer
from eunoe.facts.worker import FactsWorker
from eunoe.runtime.doors import Store, Stored
from eunoe.schemas import subjects
from eunoe.schemas.context import Watermark
from eunoe.schemas.events import FactDeleted, SessionEnded
from eunoe.schemas.requests import FactsReply, FactsRequest
from eunoe.schemas.subjects import Address


@pytest.fixture
def desk(doors: Store, tmp_path: Path) -> ExtractionDesk:
    return ExtractionDesk(tmp_path, doors)


async def _ask(worker: FactsWorker, request: FactsRequest) -> FactsReply:
    data = await worker.handlers()["facts"](Address("facts", PERSON, "thread.t"), msgspec.json.encode(request))
    return msgspec.json.decode(data, type=FactsReply)


async def test_turns_become_facts_that_a_waiting_reader_sees(desk: ExtractionDesk) -> None:
    """Both workers run on their durable consumers: failed, passed, failed is three versions, in order."""
    extraction, facts = desk.extractor(), facts_worker(desk)
    found = FactsReply(facts=())
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(extraction.run)
        tasks.start_soon(facts.run)
        for n, status in enumerate((1, 0, 1), start=1):
            await desk.ran(n, status)
        request = FactsRequest(thread="t", all=True, after=Watermark(log=6), wait=20.0)
        found = await _ask(facts, request)
        tasks.cancel_scope.cancel()
    assert found.watermark.log == 6
    assert [(fact.value, fact.version, fact.state) for fact in found.facts] == [
        ("failed, exit status 1", 1, "superseded"),
        ("passed", 2, "superseded"),
        ("failed, exit status 1", 3, "current"),
    ]


async def test_two_replicas_write_every_document_once(desk: FactDesk) -> None:
    """Sixty assertions of one identity and a delete, each delivered to both: one document, conflicts only counted."""
    for index in range(60):
        await desk.write("thread.t", recorded(f"v{index}"))
    await desk.write("thread.t", FactDeleted(id=written("thread.t", 60)), caller=PERSON)
    stored = await desk.stored()
    async with anyio.create_task_group() as tasks:
        for seed, replica in enumerate((desk.projector, desk.replica())):
            arrivals = [*stored, *stored]
            random.Random(seed).shuffle(arrivals)
            tasks.start_soon(_apply, replica, arrivals)
    every = await desk.listed(Viewer(PERSON), FactsRequest(scope="thread", all=True))
    assert [fact.version for fact in every] == list(range(44, 61))
    assert every[-1].state == "deleted"
    assert await desk.listed(Viewer(PERSON), FactsRequest(scope="thread")) == []


async def _apply(replica: Projector, arrivals: list[Stored]) -> None:
    for one in arrivals:
        await replica.apply(one)


async def test_chains_that_change_one_document_at_once_lose_no_race(desk: FactDesk) -> None:
    """Twenty threads assert the same fact of a session: each writes in its turn, without a conflict (F2)."""
    for number in range(20):
        fact = recorded(f"v{number}", subject="service", name="db", scope="session", owner="s", kind="tool", who="bash")
        await desk.write(f"thread.t{number}", fact, caller=EXTRACTION)
    async with anyio.create_task_group() as tasks:
        for stored in await desk.stored():
            tasks.start_soon(desk.projector.apply, stored)
    assert desk.facts.statistics()["conflicts"] == 0
    entry = await desk.store.session.get(subjects.fact_key("s", "service", "db"))
    assert entry is not None
    document = decode(entry.value)
    assert len(document.assertions) + sum(floor.count for floor in document.floors.values()) == 20


async def test_a_document_deleted_and_written_again(desk: FactDesk) -> None:
    """A rebuild deletes every key and fills it again: what it makes equals what was there."""
    for value in ("a", "b"):
        await desk.write("thread.t", recorded(value))
    await desk.catch_up()
    before = await desk.contents()
    facts = facts_worker(desk)
    await facts.check()
    after = {key: value for key, value in (await desk.contents()).items() if not key.endswith(" origin")}
    assert facts.statistics()["rebuilt"] == 1
    assert after == before
    await facts.check()
    assert facts.statistics()["rebuilt"] == 1


async def test_a_bucket_that_was_replaced_is_found_out(desk: FactDesk) -> None:
    """Buckets that were filled together stay; one that lost its origin makes all of them anew (F114)."""
    facts = facts_worker(desk)
    await facts.check()
    await desk.write("thread.t", recorded("a"))
    await desk.catch_up()
    await facts.check()
    assert facts.statistics()["rebuilt"] == 0
    await desk.store.session.delete("origin")
    await facts.check()
    assert facts.statistics()["rebuilt"] == 1


async def test_an_ended_session_leaves_its_record_alone(desk: FactDesk) -> None:
    """Its documents, bodies and ids go, those that a document folded away too; what comes afterwards is there."""
    book = subjects.book_chain("session", "s.*")
    about = {"subject": "service", "name": "web", "scope": "session", "owner": "s.*"}
    for value in range(20):
        event = recorded(f"v{value}", kind="person", who="ada", **about)  # type: ignore[arg-type]  # literals
        fact = msgspec.structs.replace(event.fact, content="body")
        await desk.write(book, msgspec.structs.replace(event, fact=fact), caller=PERSON)
    await desk.catch_up()
    before = [entry.key async for entry in desk.store.session.scan()]
    desk.clock.advance(seconds=1)
    await desk.write(book, SessionEnded(), caller=PERSON)
    await desk.catch_up()
    ended = {entry.key async for entry in desk.store.session.scan()}
    desk.clock.advance(seconds=1)
    await desk.write(book, recorded("new", kind="person", who="ada", **about), caller=PERSON)  # type: ignore[arg-type]
    await desk.catch_up()
    found = [entry async for entry in desk.store.session.scan([subjects.facts_of("s.*")])]

    assert len(before) == 20 + 20 + 1 + 2  # bodies, ids, the document, the session's record and the book's mark
    assert ended == {subjects.session_key("s.*"), subjects.mark_key("s.*")}
    assert [fact.fact.value for entry in found for fact in decode(entry.value).assertions] == ["new"]


_PARTS = (
    ("thread", "t", "thread.t"),
    ("session", "s", "book.session.s"),
    ("permanent", "shared", "book.permanent.shared"),
)


@pytest.mark.parametrize("order", ["grouped", "by revision"])
async def test_pages_of_a_list_hold_each_fact_once(desk: FactDesk, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixty facts of a thread, a session and everyone, seven a page, in both orders of a list, and of one subject."""
    for scope, owner, chain in _PARTS:
        for subject in ("note", "tests"):
            about: dict[str, Any] = {"scope": scope, "owner": owner, "subject": subject, "kind": "person", "who": "ada"}
            facts = [recorded(f"{scope} {subject}", name=f"n{number}", **about) for number in range(10)]
            await desk.write(chain, *facts, caller=PERSON)
    await desk.catch_up()
    if order == "by revision":

        async def too_many(*_: object) -> None:
            """As a bucket answers that has more than one answer takes."""

        monkeypatch.setattr(type(desk.store.thread), "few", too_many)
    viewer = Viewer(PERSON, "t", "s")
    for subject, count in (("", 60), ("note", 30)):
        found: list[tuple[str, str]] = []
        cursor, more = "", True
        while more:
            request = FactsRequest(thread="t", session="s", subject=subject, limit=7, cursor=cursor)
            page = await desk.reading.list(request, viewer)
            found += [(fact.value, fact.identity.name) for fact in page.facts]
            cursor, more = page.cursor, bool(page.cursor)
        assert len(found) == len(set(found)) == count
