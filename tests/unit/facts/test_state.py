"""A thread's state and a book's mark stay small, however many wrote there."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import Desk

from eunoe.facts import state as states
from eunoe.schemas import limits, records, subjects
from eunoe.schemas.events import Instructions
from eunoe.schemas.facts import Mark
from eunoe.schemas.records import Record
from eunoe.schemas.subjects import Caller

WORKER = Caller("worker", "facts")


@pytest.fixture
async def written(tmp_path: Path) -> list[Record]:
    """A thread where ten producers of one agent wrote once each."""
    desk = Desk(tmp_path)
    for number in range(10):
        await desk.append(1, Instructions(content="x"), turn="", producer=f"p{number}")
    return [records.read(stored.seq, stored.data) async for stored in desk.store.log.scan()]


async def test_the_newest_producers_are_remembered(written: list[Record], monkeypatch: pytest.MonkeyPatch) -> None:
    """Four of ten: those that wrote last, with their number, record and position."""
    monkeypatch.setattr(limits, "PRODUCERS_IN_STATE", 4)
    state, mark = states.new("t"), Mark(v=1, chain="thread.t")
    for record in written:
        state, mark = states.fold(state, record), states.follow(mark, record)

    kept = {f"agent/builder/p{number}": (1, number + 1, number + 1) for number in range(6, 10)}
    assert state.producers == kept
    assert mark.producers == kept


async def test_a_worker_s_numbers_are_never_forgotten(written: list[Record], monkeypatch: pytest.MonkeyPatch) -> None:
    """What it numbers has to go on where it was, whoever else wrote meanwhile."""
    monkeypatch.setattr(limits, "PRODUCERS_IN_STATE", 2)
    key = records.producer_key(WORKER, "conflicts")
    mark = Mark(v=1, chain=subjects.book_chain("permanent", "shared"), producers={key: (7, 0, 0)})
    for record in written:
        mark = states.follow(mark, record)

    assert mark.producers == {key: (7, 0, 0), "agent/builder/p9": (1, 10, 10)}
