"""From the settings to the model that reviews."""

from __future__ import annotations

from eunoe.models import opening
from eunoe.models.door import Model
from eunoe.runtime.settings import Settings
from eunoe.schemas.errors import Misconfigured

NONE = (
    "reviews of records are on (EUNOE_REVIEW), and no model is configured for them; set EUNOE_MODEL or "
    "EUNOE_REVIEW__MODEL to PROVIDER:NAME, such as openai:gpt-5-mini, or turn them off"
)


def opened(settings: Settings, shared: Model | None) -> tuple[Model, bool]:
    """The model that reviews, and whether it is its own: ``shared``, the configured one, where no other is named.

    The address and the key are those of the configured model's provider, and go to no other one. Raises
    `Misconfigured`.
    """
    named = settings.review.model
    if shared is not None and named in ("", settings.model):
        return shared, False
    wanted = settings.model_copy(update={"model": named or settings.model})
    if settings.model and _provider(wanted) != _provider(settings):
        wanted = wanted.model_copy(update={"model_url": "", "model_key": type(settings.model_key)("")})
    try:
        model = opening.opened(wanted)
    except Misconfigured as error:
        if _provider(wanted) == _provider(settings) or not settings.model:
            raise
        raise Misconfigured(
            f"`model` of `review` is {named!r}, and cannot be opened: it is of another provider than EUNOE_MODEL, so "
            f"that provider's own variables are to set it up ({_why(error)})"
        ) from error
    if model is None:
        raise Misconfigured(NONE)
    return model, True


def _why(error: Misconfigured) -> str:
    """What a library says, without its word on how programs call it."""
    return " ".join(str(error.__cause__ or error).split()).partition(" or pass it via ")[0].rstrip(".")


def _provider(settings: Settings) -> str:
    return settings.model.partition(":")[0]
