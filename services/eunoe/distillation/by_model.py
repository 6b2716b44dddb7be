"""Drawing facts with a model: one question for a task, and its answer read item by item."""

from __future__ import annotations

from eunoe.distillation import items, prompting
from eunoe.distillation.door import Drawn, Task
from eunoe.models import effort
from eunoe.models.door import Limits, Model
from eunoe.schemas import limits
from eunoe.schemas.distilled_events import Distiller as By


class ModelDistiller:
    """Asks a model with a window of so many tokens; see `eunoe.distillation.door.Distiller`."""

    def __init__(self, model: Model, window: int) -> None:
        self._model = model
        self._window = window

    @property
    def by(self) -> By:
        return "model"

    async def draw(self, task: Task) -> Drawn:
        """See `eunoe.distillation.door.Distiller.draw`."""
        answer = await self._model.ask(
            prompting.prompt(task, self._window),
            str,
            Limits(limits.DISTILLED_SECONDS, prompting.output_tokens(task, self._window), patient=True),
            system=prompting.system(task),
            partial=True,
        )
        with effort.noted(answer):
            return items.read(answer.value, task, cut_off=answer.cut_off, effort=effort.of(answer))

    async def close(self) -> None:
        """See `eunoe.distillation.door.Distiller.close`."""
        await self._model.close()
