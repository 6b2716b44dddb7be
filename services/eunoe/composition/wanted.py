"""What is to be composed, and the inputs that it comes to with what was read for it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from eunoe.composition import overflow
from eunoe.composition.assessing.decided import Assessed
from eunoe.composition.budget import share
from eunoe.composition.contents import Item
from eunoe.composition.fold import Fold, Turn
from eunoe.composition.inputs import Inputs, Settings
from eunoe.composition.making import Made, make
from eunoe.composition.outline import Asked
from eunoe.composition.overflow import Overflow
from eunoe.composition.place import Place
from eunoe.composition.ready import ready
from eunoe.composition.remembered import Remembered
from eunoe.composition.standing import standing
from eunoe.schemas.context import Recipe
from eunoe.schemas.errors import DoesNotFit
from eunoe.schemas.requests import ComposeRequest


@dataclass(frozen=True, slots=True)
class Read:
    """What was read for a request: its thread, the open turn that asks, where it comes from, what is remembered
    there, what was asked in the turns that its last outline names, and turns that are kept, by number."""

    fold: Fold
    opened: Turn | None
    place: Place
    remembered: Remembered
    named: Mapping[int, Asked] | None = None
    kept: Mapping[int, Turn] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be composed: a request with what was decided about it, how, and what its provider refused.

    ``ripe``: not before everything is drawn from the turns that leave.
    """

    assessed: Assessed
    settings: Settings
    ripe: bool = False
    refusal: Overflow | None = None

    @property
    def request(self) -> ComposeRequest:
        return self.assessed.request


@dataclass(frozen=True, slots=True)
class Early:
    """It is too early for a context: not everything is drawn from the committed turns up to that ordinal."""

    turns: int


def refused(wanted: Wanted, read: Read, last: Recipe | None) -> Wanted:
    """The same with what a refusal says that its request brings, where ``last`` is the last recipe of the turn that
    asks; raises what `eunoe.composition.overflow` does."""
    told = wanted.request.refused
    if told is None or read.opened is None:
        return wanted
    settings = wanted.settings
    goal = share(settings.window, settings.target)
    refusal = overflow.overflow(read.fold, read.opened.number, settings.profile, told, goal, last)
    return replace(wanted, refusal=refusal)


def early(made: Made, fold: Fold) -> Early | None:
    """Up to where something is still to be drawn from turns that left, None where nothing is."""
    pending = [fold.turns[number].ordinal for number in made.recipe.pending]
    return Early(max(pending)) if pending else None


def inputs(wanted: Wanted, read: Read, instructions: tuple[Item, ...] = ()) -> Inputs:
    """The inputs of a context."""
    fold, opened, remembered = read.fold, read.opened, read.remembered
    settings, refusal = wanted.settings, wanted.refusal
    composed = standing(fold, settings)
    counted = fold.anchor(settings.profile, settings.model) if composed else 0
    return Inputs(
        thread=fold.thread,
        fold=fold,
        turn=opened.number if opened else fold.last + 1,
        open=opened,
        request=wanted.request.prompt if opened is None or not opened.asked else "",
        instructions=instructions,
        earlier=remembered.earlier,
        now=remembered.now,
        carried=remembered.carried,
        before=composed.recipe if composed else None,
        named=read.named,
        kept=read.kept,
        anchor=refusal.anchor if refusal else counted,
        ready=ready(remembered.state, settings.distilling),
        summary=remembered.summary,
        tools=wanted.assessed.named,
        bearing=wanted.assessed.bearing,
        refused=refusal.context if refusal else "",
    )


def made(given: Inputs, wanted: Wanted) -> Made:
    """Plan and render; raises `DoesNotFit`, with the provider's figures where that refused the context before. What is
    made in its place is smaller than it was."""
    found, refusal = _made(given, wanted), wanted.refusal
    if refusal is None or refusal.known or refusal.bettered(found.recipe):
        return found
    return _made(replace(given, anchor=refusal.at_most), wanted)


def _made(given: Inputs, wanted: Wanted) -> Made:
    try:
        return make(given, wanted.settings)
    except DoesNotFit as error:
        raise (overflow.too_large(wanted.refusal, error) if wanted.refusal else error) from None
