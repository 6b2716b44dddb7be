"""The providers that pydantic-ai knows, by name, each at its own address or at a given one."""

from __future__ import annotations

import inspect
from typing import Any

import openai
from pydantic_ai import models
from pydantic_ai.exceptions import UserError
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers import Provider, infer_provider_class
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from eunoe.models.remote import RemoteModel
from eunoe.runtime.configuration import nearest
from eunoe.schemas.errors import Misconfigured

OPENAI = ("openai", "openai-chat")
"""What is asked by the Chat Completions API, which OpenAI and nearly every other server speak."""
KEYLESS = "none"  # the key that is sent to a server of one's own that has none
PLAIN = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
"""What any server with an OpenAI-compatible API takes: its oldest field for the length of an answer."""
UNSPOKEN = ("\0<think>", "\0</think>")
"""In the place of the tags that the library takes out of texts, wherever they stand: out of a value in an answer too,
and of reasoning that never ended only the tag. `eunoe.models.answers.spoken` tells reasoning from what is said."""


def model(setting: str, url: str, key: str) -> RemoteModel:
    """The model ``PROVIDER:NAME``; ``url`` and ``key`` empty for the provider's own address, and the key of its own
    variable. Raises `Misconfigured`."""
    provider, colon, name = setting.partition(":")
    if not (provider and colon and name):
        raise Misconfigured(f"EUNOE_MODEL is {setting!r}; write PROVIDER:NAME, such as openai:gpt-5-mini")
    kind = "openai-chat" if provider in OPENAI else provider
    try:
        found = models.infer_model(f"{kind}:{name}", lambda _: _provider(kind, url, key))
    except ImportError as error:
        raise Misconfigured(f"EUNOE_MODEL is {setting!r}, and that needs another package: {_first(error)}") from error
    except (UserError, openai.OpenAIError) as error:
        raise Misconfigured(
            f"EUNOE_MODEL is {setting!r}, and cannot be opened with what is set: give its key as EUNOE_MODEL_KEY, or "
            f"the address of its API as EUNOE_MODEL_URL ({_first(error)})"
        ) from error
    found.profile["thinking_tags"] = UNSPOKEN
    return RemoteModel(setting, found)


def _provider(kind: str, url: str, key: str) -> Provider[Any]:
    if kind == "openai-chat" and url:
        return OpenAICompatibleProvider("openai-compatible", base_url=url, api_key=key or None, profile=PLAIN)
    try:
        made: Any = infer_provider_class(kind)
    except ValueError:
        raise Misconfigured(f"EUNOE_MODEL: there is no provider {kind!r}; {nearest(kind, _known())}") from None
    given = {name: value for name, value in (("base_url", url), ("api_key", key)) if value}
    if url and not key:
        given["api_key"] = KEYLESS  # never the key of the provider's own variable, to an address that is not its own
    if wrong := given.keys() - inspect.signature(made).parameters.keys():
        name = "EUNOE_MODEL_URL" if "base_url" in wrong else "EUNOE_MODEL_KEY"
        raise Misconfigured(f"the provider {kind!r} takes no {name}; it is set up by its own variables, so unset that")
    provider: Provider[Any] = made(**given)
    return provider


def _known() -> set[str]:
    return {name.partition(":")[0] for name in models.known_model_names() if ":" in name and "/" not in name}


def _first(error: Exception) -> str:
    """The first sentence of what a library says, without its word on how programs call it."""
    return " ".join(str(error).split()).partition(". ")[0].partition(" or pass it via ")[0].rstrip(".")
