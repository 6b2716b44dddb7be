"""A summariser that asks no model."""

from __future__ import annotations

from eunoe.distillation import door
from eunoe.schemas.distilled_events import Distiller, Effort
from eunoe.summarising import extractive


class RulesSummariser:
    """Takes sentences as they stand (`eunoe.summarising.extractive`); it never fails."""

    @property
    def by(self) -> Distiller:
        return "rules"

    async def update(self, batch: door.Batch) -> tuple[str, Effort]:
        return extractive.updated(batch), Effort()

    async def close(self) -> None:
        """It holds nothing."""
