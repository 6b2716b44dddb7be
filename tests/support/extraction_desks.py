"""A desk with extraction workers, turns for them to read, and what they recorded of these."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from fact_desks import EXTRACTION, FactDesk
from turns import turn, used

from eunoe.extraction.worker import ExtractionWorker
from eunoe.runtime.doors import Stored
from eunoe.schemas import records
from eunoe.schemas.events import Event


class ExtractionDesk(FactDesk):
    """A space with the audit worker, a projector, and as many extraction workers as a test makes."""

    def extractor(self) -> ExtractionWorker:
        return ExtractionWorker(self.store, self.auditor(EXTRACTION), self.settings, self.clock)

    async def ran(self, n: int, status: int) -> Stored:
        """A whole turn that ran pytest with this exit status; the record that holds it."""
        events = turn(*used(1, "Bash", {"command": "pytest"}, "", exit_status=status))
        await self.append(n, *events, turn=f"k{n}")
        return (await self.stored())[-1]

    async def happened(self) -> list[Stored]:
        """The records of what happened, which are those that a worker handles."""
        return [stored for stored in await self.stored() if stored.subject.endswith(".log")]

    async def extractions(self) -> list[tuple[Event, ...]]:
        """What extraction recorded, record by record."""
        memory = [stored for stored in await self.stored() if stored.subject.endswith(".memory")]
        return [records.read(stored.seq, stored.data).events for stored in memory]


@contextmanager
def poisoned() -> Iterator[None]:
    """No turn can be derived for as long as the context is open."""

    def poison(*_: object) -> None:
        raise RuntimeError("cannot be read")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("eunoe.extraction.rules.Turn.feed", poison)
        yield
