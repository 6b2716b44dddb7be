"""A context that its provider refused as too long: what that says of every count, and what may be refused. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from eunoe.composition import anchoring
from eunoe.composition.fold import Composed, Fold, Profile
from eunoe.schemas import limits
from eunoe.schemas.context import Recipe
from eunoe.schemas.context_events import ContextRefused
from eunoe.schemas.context_requests import ComposeRequest, Refused
from eunoe.schemas.errors import DoesNotFit, Invalid, NotFound


@dataclass(frozen=True, slots=True)
class Overflow:
    """A refusal: the ``context`` of ``turn`` that was ``counted`` here, and at ``tokens`` by its provider.

    ``anchor`` are tokens to add to every count from now on. ``known``: the refusal is in the log already, and it was
    the answer that got lost.
    """

    thread: str
    context: str
    turn: int
    window: int
    counted: int
    tokens: int
    anchor: int
    known: bool = False

    @property
    def events(self) -> tuple[ContextRefused, ...]:
        """What the log is still to be told of it."""
        return () if self.known else (ContextRefused(context=self.context, turn=self.turn, tokens=self.tokens),)


def check(request: ComposeRequest, refused: Refused) -> None:
    """Raise `Invalid` for a request that cannot name a refused context, or names none."""
    if not (request.key and request.store) or request.turn:
        raise Invalid("a refused context is composed again for the open turn that asked; give its key, and store it")
    if not refused.context:
        raise Invalid("which context was refused is not said; name it by its id")
    if not 0 < refused.tokens <= limits.LAST_NUMBER:
        raise Invalid(f"a provider counts from 1 to {limits.LAST_NUMBER:,} tokens of a context, not {refused.tokens:,}")


def overflow(fold: Fold, turn: int, profile: Profile, refused: Refused) -> Overflow:
    """What a refusal of the turn's last context says.

    Raises `NotFound` and `Invalid` for a context that cannot have been refused now, and `DoesNotFit` for one that was
    composed in the place of another that was refused: its provider has no room for the least that it can be.
    """
    recipe = _last(fold, turn, profile, refused.context)
    window, kept = recipe.window, int(recipe.settings.get("anchor", 0))
    counted = recipe.tokens - kept
    if recipe.refused == refused.context:
        return Overflow(fold.thread, refused.context, turn, window, counted, refused.tokens, kept, known=True)
    if recipe.refused:
        raise DoesNotFit(
            f"the provider refused context {recipe.id} too, which was composed in the place of {recipe.refused}: it "
            f"counted {refused.tokens:,} tokens, where {recipe.tokens:,} were counted here, of a window of {window:,}; "
            "use a larger window, or shorten the request, the instructions or the tools",
            tokens=refused.tokens,
            counted=recipe.tokens,
            window=window,
        )
    anchor = anchoring.refused(counted, refused.tokens, window)
    return Overflow(fold.thread, refused.context, turn, window, counted, refused.tokens, anchor)


def said(refusal: Overflow) -> str:
    """What is logged of a refusal; that the window may be set too large, where it holds what was refused."""
    figures = (
        f"the provider refused context {refusal.context} of turn {refusal.turn} of {refusal.thread} at "
        f"{refusal.tokens:,} tokens, where {refusal.counted:,} were counted, of a window of {refusal.window:,}"
    )
    return f"{figures}; is the window of its model smaller?" if refusal.tokens <= refusal.window else figures


def too_large(refusal: Overflow, error: DoesNotFit) -> DoesNotFit:
    """What to say where nothing small enough can take the place of a refused context."""
    floor = int(error.detail.get("floor", 0))
    least = f", and the least that a context can be is {floor:,} by that" if floor else ""
    return DoesNotFit(
        f"the provider counted {refusal.tokens:,} tokens of context {refusal.context}, where {refusal.counted:,} were "
        f"counted here{least}, of a window of {refusal.window:,}; use a larger window, or shorten the request, the "
        "instructions or the tools",
        **{**error.detail, "tokens": refusal.tokens, "counted": refusal.counted, "window": refusal.window},
    )


def _last(fold: Fold, turn: int, profile: Profile, context: str) -> Recipe:
    """The turn's last recipe of that profile, which is the refused one or stands in its place already."""
    of_turn = {key: found.recipe for key, found in _newest_last(fold) if found.recipe.turn == turn}
    if not of_turn:
        raise NotFound(f"no context of turn {turn} was composed, so that none can have been refused")
    recipe = of_turn.get(profile)
    if recipe is not None and context in (recipe.id, recipe.refused):
        return recipe
    for (window, counter, shape), other in of_turn.items():
        if other.id == context:
            raise Invalid(
                f"context {context} was composed for {window:,} tokens ({counter}, {shape}); compose it again for these"
            )
    last = list(of_turn.values())[-1]
    raise Invalid(f"context {context!r} is not the last of turn {turn}, which is {last.id}; only that can be refused")


def _newest_last(fold: Fold) -> list[tuple[Profile, Composed]]:
    return sorted(fold.recipes.items(), key=lambda item: item[1].position)
