"""The strategies that are compared: what each one makes of a thread when a request is asked. Pure.

*references* keeps turns and outputs as Eunoe does (an output becomes a reference once its turn is over, copies are
cut) and nothing else; *references + facts* adds the facts that tools gave; *the whole* is Eunoe as it ships. The
baseline, *dropping*, is in `evaluation.dropping`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from eunoe.composition.fold import Fold, Turn
from eunoe.composition.inputs import Inputs, Settings
from eunoe.composition.making import make
from eunoe.composition.outline import Asked, asked_in
from eunoe.composition.shelf import Facts
from eunoe.composition.showing import Manner
from eunoe.schemas import limits
from eunoe.schemas.context import Format, Recipe
from evaluation.threads import Thread

Fill = Literal["default", "to half", "at half"]
FILLS: tuple[Fill, ...] = ("default", "to half", "at half")
WHOLE = "the whole"
HALF = 0.5  # of a model's window


@dataclass(frozen=True)
class Size:
    """A model's window in tokens, and how much of it a context may fill.

    *default*: turns leave at 85 % of the window (`limits.DUE_SHARE`) and down to 60 %, as Eunoe does unless it is told
    otherwise. *to half*: they leave at 85 % and down to 50 %, which is what a request with ``target=0.5`` gets. *at
    half*: they leave at 50 % and down to 35 %; contexts are composed for a window of which the share at which turns
    leave is half of the model's, so every other share (facts, outline, outputs) is that much smaller too.
    """

    window: int
    fill: Fill = "default"

    @property
    def composed(self) -> int:
        """The window that contexts are composed for."""
        return round(self.window * HALF / limits.DUE_SHARE) if self.fill == "at half" else self.window

    @property
    def target(self) -> float:
        """The share of that window to which turns leave."""
        return HALF if self.fill == "to half" else limits.TARGET_SHARE


@dataclass(frozen=True)
class Context:
    """What a model would be sent: its serialised messages, their tokens, and how many turns had left by then.

    The formats that are used here hold the instructions among their messages.
    """

    messages: bytes
    tokens: int
    left: int

    @property
    def texts(self) -> list[str]:
        return list(strings(json.loads(self.messages)))


class Strategy(Protocol):
    """Makes the contexts of one thread, request by request: what has left stays away."""

    @property
    def name(self) -> str: ...

    @property
    def recalls(self) -> bool:
        """Whether the model has the memory tool."""
        ...

    def context(self, thread: Thread, opened: Turn) -> Context:
        """The context of the next call of the model in a turn; raises `DoesNotFit`."""
        ...


@dataclass
class Composed:
    """Eunoe's own composition, with parts of it left out."""

    name: str
    size: Size
    facts: bool = True
    whole: bool = True
    format: Format = "openai"
    _before: Recipe | None = None

    @property
    def recalls(self) -> bool:
        return self.whole

    def context(self, thread: Thread, opened: Turn) -> Context:
        settings = Settings(
            self.size.composed,
            Manner(self.format, self.whole),
            self.size.target,
            relevant=self.facts,
            outline=self.whole,
        )
        fold = thread.fold
        inputs = Inputs(
            thread=thread.name,
            fold=fold,
            turn=opened.number,
            open=opened,
            instructions=fold.in_force(opened.number, opened.agent),
            earlier=thread.facts if self.facts else Facts(),
            now=thread.tasks if self.facts else Facts(),
            before=self._before,
            named=_prompts(fold, self._before),
            ready=thread.extracted,
        )
        made = make(inputs, settings)
        self._before = made.recipe
        return Context(made.rendered.messages, made.recipe.tokens, made.recipe.left)


def _prompts(fold: Fold, before: Recipe | None) -> dict[int, Asked]:
    """The prompts of the turns that the last context's outline names, by turn."""
    named = [one.turn for one in before.outline] if before else []
    return {number: prompt for number in named if (prompt := asked_in(fold.turns[number]))}


def strings(value: Any) -> Iterator[str]:
    """Every text in messages of any shape, also the texts of arguments that are JSON themselves."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)


def composed(size: Size, form: Format = "openai") -> Sequence[Composed]:
    """The three strategies that are Eunoe's, from the least to the whole."""
    return (
        Composed("references", size, facts=False, whole=False, format=form),
        Composed("references + facts", size, whole=False, format=form),
        Composed(WHOLE, size, format=form),
    )
