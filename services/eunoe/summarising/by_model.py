"""Updating a summary with a model, in a question of its own."""

from __future__ import annotations

from eunoe.distillation.door import Batch
from eunoe.models import effort
from eunoe.models.door import Limits, Model
from eunoe.schemas import limits
from eunoe.schemas.distilled_events import Distiller as By
from eunoe.schemas.distilled_events import Effort
from eunoe.schemas.errors import ModelFailed
from eunoe.summarising import answering, prompting


class ModelSummariser:
    """Asks a model with a window of so many tokens; see `eunoe.distillation.door.Summariser`."""

    def __init__(self, model: Model, window: int) -> None:
        self._model = model
        self._window = window

    @property
    def by(self) -> By:
        return "model"

    async def update(self, batch: Batch) -> tuple[str, Effort]:
        """See `eunoe.distillation.door.Summariser.update`. An answer that was cut off is none: what it has not come to
        is the newest."""
        answer = await self._model.ask(
            prompting.prompt(batch, self._window),
            str,
            Limits(limits.DISTILLED_SECONDS, prompting.output_tokens(batch, self._window), patient=True),
            system=prompting.SYSTEM,
        )
        with effort.noted(answer):
            return _read(answer.value, batch.size), effort.of(answer)

    async def close(self) -> None:
        """See `eunoe.distillation.door.Summariser.close`."""
        await self._model.close()


def _read(text: str, size: int) -> str:
    try:
        return answering.said(text, size)
    except ValueError as error:
        raise ModelFailed(f"the model's summary cannot be used: {error}", reason="unreadable") from None
