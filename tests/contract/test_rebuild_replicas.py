"""Two replicas whose looks at the sets of buckets are not at the same moment, on a real server."""

from __future__ import annotations

from pathlib import Path

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
