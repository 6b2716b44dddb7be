"""The worker: every range of turns once, whoever works on it and however often; what fails holds up no later turn."""

from __future__ import annotations

from pathlib import Path

import pytest
from distilling_desks import DistillingDesk, Scripted

from eunoe.schemas.distilled_events import Distilled
from eunoe.schemas.events import FactRecorded


@pytest.fixture
def desk(tmp_path: Path) -> DistillingDesk:
    return DistillingDesk(tmp_path)


async def test_a_job_is_worked_off_in_ranges_of_one_record_each(desk: DistillingDesk) -> None:
    """Fourteen turns are asked for up to the thirteenth: twelve, and one."""
    await desk.said(*(f"note {number}" for number in range(1, 15)))
    await desk.catch_up()
    job = await desk.asked(13)
    worker = desk.distiller(Scripted())

    await worker.handle(job)

    assert [(one.first, one.last, one.turns, one.facts) for one in await desk.distilled()] == [
        (1, 12, ((1, 12),), 12),
        (13, 13, ((13, 13),), 1),
    ]
