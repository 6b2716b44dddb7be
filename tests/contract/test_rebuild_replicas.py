"""Two replicas whose looks at the sets of buckets are not at the same moment, on a real server."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from fact_desks import FactDesk
from rebuilding import busy_space, project

from eunoe.facts.rebuild import Rebuild
from eunoe.facts.recovery import Recovery
from eunoe.runtime import topology
from eunoe.runtime.connection import Connection
from eunoe.runtime.doors import Buckets, Store
from eunoe.schemas import limits, subjects
from eunoe.schemas.errors import Busy
from eunoe.schemas.facts import Origin
from eunoe.schemas.requests import RebuildRun


@pytest.fixture
async def replica(connection: Connection, store: Store) -> Store:
    """The doors of another process to the same space."""
    return await topology.ensure(connection, store.space)


async def filled(store: Store, folder: Path) -> FactDesk:
    desk = FactDesk(folder, store)
    await Recovery(store).settle()
    await busy_space(desk, 20)
    await desk.catch_up()
    return desk


async def test_who_begins_while_another_ends_clears_nothing(
    store: Store, replica: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between its look at what is in use and its lease, another replica's set came into use: that one stays."""
    desk = await filled(store, tmp_path)
    before = await desk.contents()
    prepare = replica.generations.prepare

    async def late() -> Buckets:
        await Rebuild(store, project, desk.clock).swap("first")
        return await prepare()

    monkeypatch.setattr(replica.generations, "prepare", late)
    with pytest.raises(Busy):
        await Rebuild(replica, project, desk.clock).begin(RebuildRun(v=limits.SCHEMA_VERSION, id="second", holder=""))

    own = (f"permanent {subjects.REBUILD_KEY}", *(f"{scope} {subjects.ORIGIN_KEY}" for scope in subjects.BUCKETS))
    after = await desk.contents()
    assert {key: value for key, value in after.items() if key not in own} == {
        key: value for key, value in before.items() if key not in own
    }
    assert await Recovery(store, desk.clock).reason() == ""
    monkeypatch.undo()
    assert (await Rebuild(replica, project, desk.clock).swap("second")).generation == 3


async def test_who_asks_how_far_a_bucket_is_hears_of_a_set_that_came_into_use(store: Store, replica: Store) -> None:
    """Another replica put it in use and was killed before it could delete the old one; a document was written since."""
    await Recovery(store).settle()
    made = await store.generations.prepare()
    await store.generations.seal()
    for scope in reversed(subjects.BUCKETS):
        await made[scope].put(subjects.ORIGIN_KEY, msgspec.json.encode(Origin(v=1, id="x", generation=2)))
    await store.generations.look()
    written = await store.thread.put("k", b"new")

    async with replica.thread.asking() as last:
        found = await last()

    assert found == written
    assert await replica.session.revision() == await store.session.revision()
    entry = await replica.thread.get("k")
    assert entry is not None
    assert entry.revision == written


async def test_a_sealed_set_without_successor_says_how_far_it_is(store: Store, replica: Store) -> None:
    """While its successor is made it is the one that is read."""
    await Recovery(store).settle()
    written = await store.thread.put("k", b"old")
    await store.generations.seal()

    async with replica.thread.asking() as last:
        assert await last() == written
    assert await replica.thread.revision() == written
