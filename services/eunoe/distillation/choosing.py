"""Who distils: the configured model, or rules where there is none. What asks models is loaded only where it is used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

from eunoe.distillation.door import Distiller
from eunoe.models import opening
from eunoe.models.door import Model
from eunoe.runtime.doors import Auditor, Clock, Store
from eunoe.runtime.settings import Settings
from eunoe.schemas.errors import Misconfigured

if TYPE_CHECKING:
    from eunoe.distillation.reviewing.worker import Reviewing


@dataclass(frozen=True, slots=True)
class Chosen:
    """Who distils, None where nobody is to; and the model that is asked, None where none is."""

    distiller: Distiller | None
    model: Model | None


def chosen(settings: Settings) -> Chosen:
    """What the settings say; raises `Misconfigured` for a model that there is not, and for an address alone."""
    opening.check(settings)
    wanted = settings.distiller or ("model" if settings.model else "rules")
    if wanted == "off":
        return Chosen(None, None)
    if wanted == "rules":
        from eunoe.distillation.by_rules import RulesDistiller

        return Chosen(RulesDistiller(), None)
    model = opening.opened(settings)
    if model is None:
        raise Misconfigured(f"EUNOE_DISTILLER is model, and {opening.NONE}, or EUNOE_DISTILLER to rules")
    from eunoe.distillation.by_model import ModelDistiller

    return Chosen(ModelDistiller(model, settings.model_window), model)


def reviewing(
    store: Store, auditor: Auditor, settings: Settings, clock: Clock, model: Model | None, stopping: anyio.Event
) -> Reviewing:
    """Who handles the jobs of the kind ``review``; raises `Misconfigured` for a model that there is not."""
    from eunoe.distillation.reviewing.worker import Reviewing

    return Reviewing(store, auditor, settings, clock, model, stopping)
