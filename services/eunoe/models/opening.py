"""From the settings to a model: which library, which provider, which address and key."""

from __future__ import annotations

from eunoe.models.door import Model
from eunoe.runtime.settings import Settings
from eunoe.schemas.errors import Misconfigured

NONE = "no model is configured; set EUNOE_MODEL to PROVIDER:NAME, such as openai:gpt-5-mini"
UNNAMED = (
    "EUNOE_MODEL_URL is set and EUNOE_MODEL is not, so no model is asked; set it to PROVIDER:NAME, such as "
    "openai:granite4.1:8b, or unset EUNOE_MODEL_URL"
)
EXTRA = "EUNOE_MODEL names a model, and what asks models is not installed; pip install 'eunoe[models]'"


def check(settings: Settings) -> None:
    """Raise `Misconfigured` for the address of a model that nobody names: who set it wants that asked."""
    if settings.model_url and not (settings.model or settings.review.model or settings.distiller in ("rules", "off")):
        raise Misconfigured(UNNAMED)


def opened(settings: Settings) -> Model | None:
    """The configured model, None where none is; raises `Misconfigured`."""
    if not settings.model:
        return None
    try:
        from eunoe.models import providers  # it takes a second, and is an extra: only who names a model needs it
    except ImportError as error:
        raise Misconfigured(EXTRA) from error
    return providers.model(settings.model, settings.model_url, settings.model_key.get_secret_value())
