"""From the settings to a model: which library, which provider, which address and key."""

from __future__ import annotations

from eunoe.models.door import Model
from eunoe.runtime.settings import Settings
from eunoe.schemas.errors import Misconfigured

NONE = "no model is configured; set EUNOE_MODEL to PROVIDER:NAME, such as openai:gpt-5-mini"
EXTRA = "EUNOE_MODEL names a model, and what asks models is not installed; pip install 'eunoe[models]'"


def opened(settings: Settings) -> Model | None:
    """The configured model, None where none is; raises `Misconfigured`."""
    if not settings.model:
        return None
    try:
        from eunoe.models import providers  # it takes a second, and is an extra: only who names a model needs it
    except ImportError as error:
        raise Misconfigured(EXTRA) from error
    return providers.model(settings.model, settings.model_url, settings.model_key.get_secret_value())
