"""Acts: wherever they stand, and whatever of their facts is known already, they reach the documents meant."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

from fact_desks import PERSON, FactDesk, named, recorded, written

from eunoe.facts.document import build, encode
from eunoe.facts.history import History
from eunoe.facts.store import FactStore
from eunoe.facts.visibility import Viewer
from eunoe.runtime.doors import Log, Stored
from eunoe.schemas import records, subjects
from eunoe.schemas.events import FactApproved, FactDeleted, FactRetired
from eunoe.schemas.requests import FactsRequest

CHAIN = "thread.t"


class _Scans:
    """A log that counts how often it is looked through."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.scans = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    def scan(self, *asked: Any, **named: Any) -> AsyncIterator[Stored]:
        self.scans += 1
        return self._log.scan(*asked, **named)


async def test_acts_in_other_chains_are_folded_from_the_log_too(desk: FactDesk) -> None:
    """A proposal approved in a book counts, a delete in another thread does not: the refold is the document."""
    await desk.write(CHAIN, recorded("uv", subject="decision", name="tool"), recorded("wrong", subject="note"))
    own = recorded("uv", subject="decision", name="tool", scope="permanent", owner="shared", kind="person", who="ada")
    await desk.plant("book.permanent.shared", FactApproved(id=written(CHAIN, 1), fact=own.fact), caller=PERSON)
    await desk.plant("thread.elsewhere", FactDeleted(id=written(CHAIN, 1, 1)), caller=PERSON)
    await desk.catch_up()
    history = History(desk.store.log, desk.store.space, desk.kinds)
    for subject, name, kinds in (("decision", "tool", ["approved"]), ("note", "pytest", [])):
        identity = named(subject=subject, name=name)
        document = await desk.document(identity)
        assert [act.kind for act in document.acts] == kinds
        assert encode(build(identity, await history.events(identity))) == encode(document)


async def test_acts_on_unknown_facts_read_the_log_once_a_batch(tmp_path: Path) -> None:
    """Two records of 250 retirements of nothing: one look through the log, and each is left out."""
    desk = FactDesk(tmp_path)
    await desk.write(CHAIN, recorded("kept"))
    await desk.catch_up()
    for first in (0, 250):
        await desk.plant(CHAIN, *(FactRetired(id=f"f{number:010d}") for number in range(first, first + 250)))
    log = _Scans(desk.store.log)
    facts = FactStore(dataclasses.replace(desk.store, log=cast("Log", log)), desk.kinds)
    await facts.apply(*(records.read(stored.seq, stored.data) for stored in (await desk.stored())[1:]))
    assert log.scans == 1
    assert facts.statistics()["refused"] == 500


async def test_acts_of_a_batch_find_their_targets_in_the_log(desk: FactDesk) -> None:
    """No index has two facts yet, one stands after its delete: the other two are deleted, all in one batch."""
    await desk.write("thread.u", recorded("first", owner="u", name="a"), recorded("second", owner="u", name="b"))
    gone = (written("thread.u", 1), written("thread.u", 1, 1), written("thread.u", 2))
    await desk.plant("book.permanent.shared", *(FactDeleted(id=fact) for fact in gone), caller=PERSON)
    await desk.write("thread.u", recorded("later", owner="u", name="c"))
    acts, *_ = [stored for stored in await desk.stored() if subjects.chain_of(stored.subject) != "thread.u"]
    await desk.projector.apply(acts)
    await desk.catch_up()
    listed = await desk.listed(Viewer(PERSON), FactsRequest(scope="thread", all=True))
    assert {fact.value: fact.state for fact in listed} == {"first": "deleted", "second": "deleted", "later": "current"}
