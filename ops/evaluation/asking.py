"""The seven questions, asked of a model with what each strategy kept of the conversation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from eunoe.composition import marks
from eunoe.models.door import Model
from eunoe.schemas.errors import ModelFailed
from evaluation.scoring import Named, Recalled, Standing, judged, recalls
from evaluation.scripted import asked, percentile, play, strategies_at
from evaluation.story import Question
from evaluation.strategies import Size
from evaluation.threads import Thread

SIZES = (Size(8_192), Size(8_192, "at half"), Size(4_096, "at half"))
_RECALL = re.compile(r"recall (?:(entry|turn) (\d+)|fact ([^\n\"]+))", re.IGNORECASE)


@dataclass(frozen=True)
class Answered:
    """One question's answer: what it is worth, the milliseconds it took, and why there is none."""

    standing: Standing
    ms: int = 0
    failure: str = ""


@dataclass(frozen=True)
class Row:
    """One strategy at one size, by question."""

    strategy: str
    size: Size
    answers: Mapping[str, Answered]

    def count(self, wanted: Standing) -> int:
        return sum(one.standing == wanted for one in self.answers.values())

    @property
    def failures(self) -> list[str]:
        return sorted({one.failure for one in self.answers.values() if one.failure})

    @property
    def times(self) -> tuple[int, int] | None:
        """Milliseconds of an answer, p50 and p95; None where there was none."""
        taken = [one.ms for one in self.answers.values() if not one.failure]
        return (round(median(taken)), percentile(taken, 0.95)) if taken else None


async def rows(model: Model, sizes: Sequence[Size] = SIZES) -> list[Row]:
    """Every strategy at every size; the questions of one row are asked one after the other, so that times compare."""
    thread = Thread("asked")
    cast = [(size, strategy) for size in sizes for strategy in strategies_at(size, "text")]
    seen = play(thread, [strategy for _, strategy in cast])
    recalled = thread.recalled()
    found = []
    for (size, strategy), contexts in zip(cast, seen, strict=True):
        answers = {}
        for question, context in asked(contexts):
            (prompt,) = context.texts
            answers[question.name] = await ask(model, question, prompt, recalled if strategy.recalls else None)
        found.append(Row(strategy.name, size, answers))
    return found


async def ask(model: Model, question: Question, prompt: str, recalled: Recalled | None) -> Answered:
    """One question. With ``recalled`` the model may answer with a recall instead, which it is given, once."""
    try:
        first = await model.ask(prompt, str)
        found = recall(first.value, recalled) if recalled else ""
        if not found:
            return Answered(judged(question, first.value), first.ms)
        second = await model.ask(f"{prompt}\n\n{found}", str)
    except ModelFailed as failed:
        return Answered("lost", failure=str(failed))
    return Answered(judged(question, second.value), first.ms + second.ms)


def recall(answer: str, recalled: Recalled) -> str:
    """What the recalls that an answer asks for give, as a labelled record; empty where it asks for none."""
    numbers: dict[str, set[int]] = {"entry": set(), "turn": set()}
    facts: set[str] = set()
    for kind, number, name in _RECALL.findall(answer):
        if name:
            facts.add(name.strip(" .`'"))
        else:
            numbers[kind.casefold()].add(int(number))
    found = recalls(Named(frozenset(numbers["entry"]), frozenset(numbers["turn"]), frozenset(facts)), recalled)
    return marks.label("recalled", "\n\n".join(found)) if found else ""
