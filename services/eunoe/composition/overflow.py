"""A context that its provider refused as too long: what that says of every count, and what may be refused. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from eunoe.composition import anchoring
from eunoe.composition.floor import enough
from eunoe.composition.fold import Fold
from eunoe.composition.profiles import Profile
from eunoe.composition.profiles import profile as profile_of
from eunoe.schemas import limits
from eunoe.schemas.context import Recipe
from eunoe.schemas.context_events import ContextRefused
from eunoe.schemas.context_requests import ComposeRequest, Refused
from eunoe.schemas.errors import DoesNotFit, Invalid, NotFound


@dataclass(frozen=True, slots=True)
class Overflow:
    """A refusal: the ``context`` of ``turn`` that was ``counted`` here, and at ``tokens`` by its provider.

    ``anchor`` are tokens to add to every count from now on, ``at_most`` those to add where what is composed with them
    would be refused again. ``known``: the refusal is in the log already, and it was the answer
    that got lost.
    """

    thread: str
    context: str
    turn: int
    window: int
    counted: int
    tokens: int
    anchor: int
    at_most: int
    known: bool = False

    @property
    def events(self) -> tuple[ContextRefused, ...]:
        """What the log is still to be told of it."""
        return () if self.known else (ContextRefused(context=self.context, turn=self.turn, tokens=self.tokens),)

    def bettered(self, recipe: Recipe) -> bool:
        """Whether a recipe is of a context that is smaller than the refused one, by the same count, and small enough by
        the provider's if that counts as many times as much of it."""
        counted = recipe.tokens - int(recipe.settings["anchor"])
        return counted < self.counted and counted * (self.counted + self.at_most) <= self.window * self.counted


def check(request: ComposeRequest, refused: Refused) -> None:
    """Raise `Invalid` for a request that cannot name a refused context, or names none."""
    if not (request.key and request.store) or request.turn:
        raise Invalid("a refused context is composed again for the open turn that asked; give its key, and store it")
    if not refused.context:
        raise Invalid("which context was refused is not said; name it by its id")
    if not 0 < refused.tokens <= limits.LAST_NUMBER:
        raise Invalid(f"a provider counts from 1 to {limits.LAST_NUMBER:,} tokens of a context, not {refused.tokens:,}")


def overflow(
    fold: Fold, turn: int, profile: Profile, refused: Refused, goal: int, last: Recipe | None = None
) -> Overflow:
    """What a refusal of the turn's last context says; ``goal`` are the tokens that the next one may take, ``last`` is
    the refused one's recipe where the fold has another turn's since.

    Raises `NotFound` and `Invalid` for a context that cannot have been refused now, and `DoesNotFit` for one that was
    composed in the place of another that was refused: its provider has no room for the least that it can be.
    """
    recipe = _last(_of_turn(fold, turn, last), turn, profile, refused.context)
    window, kept = recipe.window, int(recipe.settings.get("anchor", 0))
    counted = recipe.tokens - kept
    if recipe.refused == refused.context:
        return Overflow(fold.thread, refused.context, turn, window, counted, refused.tokens, kept, kept, known=True)
    if recipe.refused:
        raise DoesNotFit(
            f"the provider refused context {recipe.id} too, which was composed in the place of {recipe.refused}: it "
            f"counted {refused.tokens:,} tokens, where {recipe.tokens:,} were counted here, of a window of {window:,}; "
            "use a larger window, or shorten the request, the instructions or the tools",
            tokens=refused.tokens,
            counted=recipe.tokens,
            window=window,
        )
    anchor = anchoring.refused(counted, refused.tokens, window, goal)
    most = anchoring.at_most(counted, refused.tokens, window)
    return Overflow(fold.thread, refused.context, turn, window, counted, refused.tokens, anchor, most)


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
    fits = f", and {enough(floor, least=bool(error.detail['least']))} by that" if floor else ""
    return DoesNotFit(
        f"the provider counted {refusal.tokens:,} tokens of context {refusal.context}, where {refusal.counted:,} were "
        f"counted here{fits}, of a window of {refusal.window:,}; use a larger window, or shorten the request, the "
        "instructions or the tools",
        **{**error.detail, "tokens": refusal.tokens, "counted": refusal.counted, "window": refusal.window},
    )


def _of_turn(fold: Fold, turn: int, last: Recipe | None) -> dict[Profile, Recipe]:
    """The turn's last recipe of each profile that is known, oldest first."""
    newest = sorted(fold.recipes.values(), key=lambda composed: composed.position)
    known = [composed.recipe for composed in newest if composed.recipe.turn == turn]
    return {profile_of(recipe): recipe for recipe in ([last] if last else []) + known}


def _last(of_turn: Mapping[Profile, Recipe], turn: int, profile: Profile, context: str) -> Recipe:
    """The turn's last recipe of that profile, which is the refused one or stands in its place already."""
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
    newest = list(of_turn.values())[-1]
    raise Invalid(f"context {context!r} is not the last of turn {turn}, which is {newest.id}; only that can be refused")
