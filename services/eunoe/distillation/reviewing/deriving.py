"""One review: its model asked, its answer compared with the records that there are, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eunoe.distillation import rules
from eunoe.distillation.reviewing import candidates, prompting, recording
from eunoe.distillation.reviewing.candidates import Answered, Candidate
from eunoe.distillation.reviewing.deciding import decide
from eunoe.distillation.reviewing.likeness import near as alike
from eunoe.distillation.reviewing.records import Known, Near, Part, bearing, nearest, text
from eunoe.distillation.reviewing.surveying import Survey
from eunoe.models import effort
from eunoe.models.door import Answer, Limits, Model
from eunoe.schemas import limits
from eunoe.schemas.distilled_events import Effort
from eunoe.schemas.events import Event
from eunoe.schemas.facts import Identity


class Reviewer:
    """Reviews turns with one model, whose window has so many tokens; ``prompt`` stands in the place of the shipped
    one, ``keepers`` are the patterns of names of agents that may keep permanent facts of their own."""

    def __init__(self, model: Model, survey: Survey, window: int, prompt: str, keepers: Sequence[str]) -> None:
        self.model = model
        self._survey = survey
        self._window = window
        self._prompt = prompt
        self._keepers = keepers

    async def review(self, part: Part) -> tuple[Event, ...]:
        """The events of a review; without any records where there is nothing to ask a model. Raises `ModelFailed`."""
        if not part.place.agent or not any(map(rules.speaks, part.turns)):
            return (recording.nothing(part),)
        if refusal := part.place.refusal(self._keepers):
            return (recording.nothing(part, refusal),)
        ranked = bearing(await self._survey.seen(part), part.turns)[: limits.REVIEW_SHOWN]
        shown = prompting.fitting(await self._survey.bodies(ranked), part.place, self._window)
        answer = await self._asked(part, shown)
        kinds = [name for name, _ in self._survey.kinds]
        with effort.noted(answer):
            answered = candidates.read(answer.value, part.turns, kinds, cut_off=answer.cut_off)
        return await self._compared(part, answered, shown, effort.of(answer))

    async def _asked(self, part: Part, shown: Sequence[Known]) -> Answer[str]:
        return await self.model.ask(
            prompting.prompt(part.turns, shown, self._survey.kinds, part.place, self._window),
            str,
            Limits(limits.DISTILLED_SECONDS, prompting.output_tokens(self._window), patient=True),
            system=prompting.system(self._prompt),
            partial=True,
        )

    async def _compared(
        self, part: Part, answered: Answered, shown: Sequence[Known], took: Effort
    ) -> tuple[Event, ...]:
        """What comes of an answer, by the records as they are now: others were written while the model was asked."""
        seen = await self._survey.seen(part)
        there = {one.id for one in seen}
        barred, since = await self._survey.past(part, _said(part, answered))
        near = {one.summary: await self._near(one, seen) for one in answered.candidates}
        named = {one.id: one for one in shown if one.id in there}
        decided = decide(answered.candidates, near, named, part.place, barred)
        decided.set_aside[:0] = answered.set_aside
        return recording.events(part, decided, took, since)

    async def _near(self, one: Candidate, seen: Sequence[Known]) -> Sequence[Near]:
        """The records most like a candidate, with the bodies of those that may say the same."""
        found = nearest(one.summary, seen, limits.REVIEW_RECORDS)
        if not one.body:
            return found
        same = [other.record for other in found if alike(other.record.summary, one.summary)]
        whole = {record.id: record for record in await self._survey.bodies(same)}
        return [Near(whole.get(other.record.id, other.record), other.likeness) for other in found]


def _said(part: Part, answered: Answered) -> Mapping[Identity, int]:
    """When what may become a record was said, by its identity."""
    return {
        part.place.identity(one.kind, text(one.summary, one.body)): recording.said_at(one.turn)
        for one in answered.candidates
        if one.turn is not None
    }
