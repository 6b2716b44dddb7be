"""A desk with distillation workers, and distillers that say what a test has them say."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

import msgspec
from desks import whole_turn
from fact_desks import FactDesk

from eunoe.distillation.choosing import Chosen
from eunoe.distillation.door import Drawn, Item, Task, Turn
from eunoe.distillation.worker import DistillationWorker
from eunoe.runtime.doors import Auditor, Store, Stored
from eunoe.runtime.settings import Settings
from eunoe.schemas import subjects
from eunoe.schemas.distilled_events import Distiller as By
from eunoe.schemas.distilled_events import Effort
from eunoe.schemas.errors import ModelFailed
from eunoe.schemas.events import Distilled, Event, FactRecorded
from eunoe.schemas.jobs import DistilJob
from eunoe.schemas.subjects import Caller

DISTILLATION = Caller("worker", "distillation")


class ScriptedModel:
    """What asks a model and that model in one; ``script`` holds what happens at each question; an error is raised."""

    def __init__(self, *script: Any) -> None:
        self.script = deque(script)

    @property
    def by(self) -> By:
        return "model"

    @property
    def name(self) -> str:
        return "scripted:m"

    def step(self) -> Any:
        """What the script has for this question, None behind its end."""
        step = self.script.popleft() if self.script else None
        if isinstance(step, BaseException):
            raise step
        return step

    async def ask(self, *_: Any, **__: Any) -> Any:
        """Nothing is asked but what subclasses answer, and probes."""
        raise ModelFailed("it answers nothing else", reason="rejected")

    async def close(self) -> None:
        """It holds nothing."""


class Scripted(ScriptedModel):
    """A distiller and its model: of each turn it draws ``note N: what was asked``, unless the script says otherwise.

    ``script`` holds what happens at each question: an error that is raised, or what is awaited before it answers.
    ``down``: the model does not answer a probe.
    """

    def __init__(self, *script: Any, model: str = "m") -> None:
        super().__init__(*script)
        self.model = model
        self.tasks: list[Task] = []
        self.probes = 0
        self.down = False

    async def draw(self, task: Task) -> Drawn:
        self.tasks.append(task)
        step = self.step()
        if step is not None:
            await step()
        summary = None if task.batch is None else f"{len(task.batch.turns)} turns more"
        return Drawn(
            items=[_note(turn) for turn in task.turns], summary=summary, effort=Effort(model=self.model, calls=1)
        )

    async def probe(self) -> None:
        self.probes += 1
        if self.down:
            raise ModelFailed("down", reason="unreachable")


def _note(turn: Turn) -> Item:
    said = turn.said[0]
    return Item("note", str(turn.number), said.text, "person", turn.number, (said.entry,), said.at)


class DistillingDesk(FactDesk):
    """A space with the audit worker, a projector, and as many distillation workers as a test makes."""

    def __init__(self, folder: Path, store: Store | None = None, **settings: Any) -> None:
        super().__init__(folder, store)
        self.settings = Settings(data=folder, **settings)
        self._turns = 0

    def distiller(self, distiller: Scripted | None = None, auditor: Auditor | None = None) -> DistillationWorker:
        """A worker that distils by rules, or as told; ``auditor`` in the place of the real one."""
        given = (self.store, auditor or self.auditor(DISTILLATION), self.settings, self.clock)
        if distiller is None:
            return DistillationWorker(*given)
        return DistillationWorker(*given, lambda _: Chosen(distiller, distiller))

    async def said(self, *prompts: str, thread: str = "t") -> None:
        """A whole turn for each of these prompts."""
        for prompt in prompts:
            self._turns += 1
            key = f"k{self._turns}"
            await self.append(1, *whole_turn(prompt), thread=thread, turn=key, producer=key)

    async def asked(self, up_to: int = 0, thread: str = "t", **fields: Any) -> Stored:
        """A job that waits, and the message that it is."""
        job = DistilJob(thread=thread, up_to=up_to, position=0, **fields)
        subject = subjects.job(self.store.space, "distil", thread)
        data = msgspec.json.encode(job)
        done = await self.store.jobs.submit(subject, data)
        return Stored(subject, done.seq, data, self.clock.now())

    async def memory(self) -> list[tuple[Event, ...]]:
        """What distillation recorded, record by record."""
        return [record.events for record in await self.records() if record.header.caller == DISTILLATION]

    async def distilled(self) -> list[Distilled]:
        return [event for events in await self.memory() for event in events if isinstance(event, Distilled)]

    async def stated(self) -> list[tuple[str, str, str]]:
        """(subject, name, value) of every fact in the log that was distilled."""
        told = [event.fact for events in await self.memory() for event in events if isinstance(event, FactRecorded)]
        return [(fact.identity.subject, fact.identity.name, fact.value) for fact in told]
