"""From the settings to a model, or to one line that says what is missing."""

from __future__ import annotations

import sys

import pytest
from model_server import serving
from pydantic import SecretStr

import eunoe.models
from eunoe.models.opening import check, opened
from eunoe.runtime.settings import Settings
from eunoe.schemas.errors import Misconfigured


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OLLAMA_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_an_address_without_a_model_is_refused() -> None:
    """Who set it wants that asked; not so where rules are wanted, nobody distils, or reviews name a model of their
    own."""
    url = {"model_url": "http://127.0.0.1:11434/v1"}
    with pytest.raises(Misconfigured, match="EUNOE_MODEL_URL is set and EUNOE_MODEL is not, so no model is asked"):
        check(Settings.model_validate(url))

    for wanted in ({"model": "openai:x"}, {"distiller": "rules"}, {"distiller": "off"}):
        check(Settings.model_validate({**url, **wanted}))
    check(Settings.model_validate({**url, "review": {"every": "turn", "model": "openai:x"}}))


def test_no_model_is_none() -> None:
    """What is not configured is not looked for."""
    assert opened(Settings()) is None


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("gpt", "EUNOE_MODEL is 'gpt'; write PROVIDER:NAME"),
        (":gpt", "EUNOE_MODEL is ':gpt'; write PROVIDER:NAME"),
        ("openai:", "EUNOE_MODEL is 'openai:'; write PROVIDER:NAME"),
        ("opnai:gpt", "there is no provider 'opnai'; did you mean openai?"),
        ("openai:gpt", "give its key as EUNOE_MODEL_KEY, or the address of its API as EUNOE_MODEL_URL"),
        ("anthropic:claude", "(Set the `ANTHROPIC_API_KEY` environment variable)"),
        ("ollama:llama", "EUNOE_MODEL_URL"),
        ("bedrock:claude", "needs another package: Please install the `boto3` package"),
    ],
)
def test_what_cannot_be_a_model_is_said_on_one_line(model: str, said: str) -> None:
    """With the way out."""
    with pytest.raises(Misconfigured) as wrong:
        opened(Settings(model=model))

    assert said in str(wrong.value)
    assert "\n" not in str(wrong.value)


def test_without_the_extra_its_name_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """What asks models is installed only by those who want it."""
    monkeypatch.delitem(sys.modules, "eunoe.models.providers", raising=False)
    monkeypatch.delattr(eunoe.models, "providers", raising=False)
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)

    with pytest.raises(Misconfigured, match=r"pip install 'eunoe\[models\]'"):
        opened(Settings(model="openai:gpt"))


@pytest.mark.parametrize(("key", "sent"), [("", "Bearer api-key-not-set"), ("k1", "Bearer k1")])
async def test_an_address_of_ones_own_gets_the_key_that_was_given_for_it(
    key: str, sent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never the one in the provider's own variable, which is meant for the provider."""
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    with serving("yes") as server:
        model = opened(Settings(model="openai:llama", model_url=server.url, model_key=SecretStr(key)))
        assert model is not None
        await model.ask("Well?", str)
        await model.close()

    assert server.headers[0]["authorization"] == sent


async def test_an_address_in_front_of_anthropic_gets_no_key_that_was_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    with serving("yes") as server:
        model = opened(Settings(model="anthropic:claude-haiku-4-5", model_url=server.root))
        assert model is not None
        await model.ask("Well?", str)
        await model.close()

    assert "secret" not in str(server.headers)
