"""What cannot be read is passed over and logged: a record of some chain, a fact's document in a listing."""

from __future__ import annotations

import logging

import pytest
from fact_desks import PERSON, FactDesk, recorded, written

from eunoe.facts.history import History
from eunoe.facts.projector import Projector
from eunoe.facts.store import FactStore
from eunoe.facts.visibility import Viewer
from eunoe.runtime.doors import Store
from eunoe.schemas import subjects
from eunoe.schemas.facts import Identity
from eunoe.schemas.requests import FactsRequest
from eunoe.testing import memory_store

IDENTITY = Identity("thread", "t", "tests", "pytest")


async def _damaged(desk: FactDesk) -> Store:
    """The desk's log again, its first record with an unknown kind of event, and in front of it no record at all."""
    store = memory_store("default", clock=desk.clock)
    await store.log.append("eunoe.default.thread.none.memory", b"\xff{")
    for index, stored in enumerate(await desk.stored()):
        data = stored.data if index else stored.data.replace(b"fact.recorded", b"fact.unknown!")
        await store.log.append(stored.subject, data)
    return store


def _actions(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.__dict__["action"] for record in caplog.records if record.levelno == logging.ERROR]


async def test_a_damaged_record_hides_no_history(desk: FactDesk, caplog: pytest.LogCaptureFixture) -> None:
    """One of ``t`` that cannot be read comes before its facts, and none of a chain that says nothing of them is
    looked at: its history and its ids are found all the same."""
    await desk.write("thread.t", recorded("lost"))
    await desk.write("thread.t", recorded("failed"), recorded("passed"))
    store = await _damaged(desk)
    history = History(store.log, store.space, desk.kinds)
    assert [event.id for event in await history.events(IDENTITY)] == [written("thread.t", 2, n) for n in (0, 1)]
    assert _actions(caplog) == ["record_damaged"]
    fact = written("thread.t", 2, 1)
    assert {name: one.identity for name, one in (await history.locate({fact}, before=3)).items()} == {fact: IDENTITY}


async def test_a_damaged_record_is_counted_and_its_chain_goes_on(desk: FactDesk) -> None:
    """The events of the first are unknown: nothing is said of them, and the second is applied."""
    await desk.write("thread.t", recorded("lost", name="a"))
    await desk.write("thread.t", recorded("kept", name="b"))
    store = await _damaged(desk)
    facts = FactStore(store, desk.kinds)
    projector = Projector(store, facts)
    await projector.apply(*[stored async for stored in store.log.scan(["eunoe.default.thread.t.memory"])])
    assert projector.statistics()["damaged"] == 1
    assert await facts.document(Identity("thread", "t", "tests", "a")) is None
    assert await facts.document(Identity("thread", "t", "tests", "b")) is not None


@pytest.mark.parametrize("data", [b"{", b"\xff", b'{"v": 1}', b'"\xff"'])
async def test_a_damaged_document_ends_no_listing(
    desk: FactDesk, caplog: pytest.LogCaptureFixture, data: bytes
) -> None:
    """Of three facts the second's document cannot be read: the other two are listed, and its key is logged."""
    for name in ("a", "b", "c"):
        await desk.write("thread.t", recorded(f"of {name}", name=name))
    await desk.catch_up()
    key = subjects.fact_key("t", "tests", "b")
    entry = await desk.store.thread.get(key)
    assert entry is not None
    await desk.store.thread.put(key, data, expect=entry.revision)
    listed = await desk.listed(Viewer(PERSON), FactsRequest(thread="t"))
    assert sorted(fact.value for fact in listed) == ["of a", "of c"]
    assert [(record.__dict__["action"], record.__dict__["key"]) for record in caplog.records] == [
        ("document_damaged", key)
    ]
