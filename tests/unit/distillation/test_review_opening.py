"""Which model reviews, and what it is given of the configured one's."""

from __future__ import annotations

from pathlib import Path

import pytest
from model_server import serving

from eunoe.distillation.reviewing import opening
from eunoe.models.opening import opened
from eunoe.runtime.review_settings import Review
from eunoe.runtime.settings import Settings
from eunoe.schemas.errors import Misconfigured


def settings(tmp_path: Path, model: str = "", review: str = "", **fields: str) -> Settings:
    return Settings(data=tmp_path, model=model, review=Review(every="turn", model=review), **fields)  # type: ignore[arg-type]


async def test_the_configured_model_reviews_where_no_other_is_named(tmp_path: Path) -> None:
    """The one that distils already, which is not closed twice; or one of its own where nobody else has it."""
    with serving("yes") as server:
        given = settings(tmp_path, "openai:small", model_url=server.url)
        shared = opened(given)
        assert shared is not None
        assert opening.opened(given, shared) == (shared, False)
        own, owned = opening.opened(given, None)
        assert (own.name, owned) == ("openai:small", True)
        for model in (shared, own):
            await model.close()


async def test_another_model_of_the_same_provider_is_asked_at_the_same_address(tmp_path: Path) -> None:
    """With the same key."""
    with serving("yes") as server:
        given = settings(tmp_path, "openai:small", "openai:large", model_url=server.url, model_key="k-1")
        model, owned = opening.opened(given, opened(given))
        await model.probe()
        await model.close()
    assert (model.name, owned, server.asked[0]["model"]) == ("openai:large", True, "large")
    assert server.headers[0]["authorization"] == "Bearer k-1"


async def test_address_and_key_go_to_no_other_provider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is set up by its own variables; without its key it is refused with what is wrong."""
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with serving("yes") as server:
        given = settings(tmp_path, "openai:small", "anthropic:large", model_url=server.url, model_key="k-1")
        with pytest.raises(Misconfigured) as refused:
            opening.opened(given, None)
    assert str(refused.value).startswith(
        "`model` of `review` is 'anthropic:large', and cannot be opened: it is of another provider than EUNOE_MODEL, "
        "so that provider's own variables are to set it up ("
    )
    assert "ANTHROPIC_API_KEY" in str(refused.value)
    assert "EUNOE_MODEL_KEY" not in str(refused.value)


def test_without_any_model_it_says_what_to_set(tmp_path: Path) -> None:
    """Both ways, and how to turn reviews off."""
    with pytest.raises(Misconfigured, match=r"set EUNOE_MODEL or EUNOE_REVIEW__MODEL to PROVIDER:NAME"):
        opening.opened(settings(tmp_path), None)
