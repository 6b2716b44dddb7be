"""Who writes summaries: the configured model, or rules where there is none. What asks models is loaded only then."""

from __future__ import annotations

from dataclasses import dataclass

from eunoe.distillation.door import Summariser
from eunoe.models import opening
from eunoe.models.door import Model
from eunoe.runtime.settings import Settings
from eunoe.schemas.errors import Misconfigured
from eunoe.summarising.by_rules import RulesSummariser


@dataclass(frozen=True, slots=True)
class Chosen:
    """Who writes summaries, and the model that is asked, None where none is."""

    summariser: Summariser
    model: Model | None


def chosen(settings: Settings) -> Chosen:
    """What the settings say: as facts are distilled, and where they are not, by the model if there is one. Raises
    `Misconfigured` for a model that there is not, and for an address alone."""
    opening.check(settings)
    if settings.distiller == "rules" or not (settings.model or settings.distiller == "model"):
        return Chosen(RulesSummariser(), None)
    model = opening.opened(settings)
    if model is None:
        raise Misconfigured(f"EUNOE_DISTILLER is model, and {opening.NONE}, or EUNOE_DISTILLER to rules")
    from eunoe.summarising.by_model import ModelSummariser

    return Chosen(ModelSummariser(model, settings.model_window), model)
