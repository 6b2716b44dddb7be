"""The last recipe of a profile, as long as a plan goes on from it. Pure.

A thread that is read cold is read back until its turns fill the window, and `LOOKED_AT` turns more. A recipe from
before that is passed over by whoever happens to know of it, so that everybody makes the same plan: of what it showed,
nothing could be shown any more.
"""

from __future__ import annotations

from eunoe.composition.fold import Fold
from eunoe.composition.inputs import Inputs, Settings
from eunoe.composition.left import LOOKED_AT
from eunoe.composition.literal import literal
from eunoe.composition.profiles import Composed


def standing(fold: Fold, settings: Settings) -> Composed | None:
    """The last recipe of this profile that a plan may go on from, None where there is none."""
    composed = fold.recipes.get(settings.profile)
    if composed is None:
        return None
    newest = max((composed.recipe.turn, *composed.recipe.turns[-1:]))
    if newest > fold.last - LOOKED_AT:
        return composed
    found = literal(Inputs(thread=fold.thread, fold=fold, turn=fold.last + 1), settings)
    passed = found.reach > settings.window and newest <= found.first - LOOKED_AT
    return None if passed else composed
