"""Models at a server on this machine that answers as a test says, opened from settings as workers open theirs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from model_server import ModelServer, Reply, serving

from eunoe.models.door import Model
from eunoe.models.opening import opened
from eunoe.runtime.settings import Settings


@asynccontextmanager
async def openai(*replies: Reply | str) -> AsyncIterator[tuple[Model, ModelServer]]:
    """A server that speaks as OpenAI's does, as Ollama, vLLM and llama.cpp do, and a model at it."""
    with serving(*replies) as server:
        async with _at("openai:llama", server.url) as model:
            yield model, server


@asynccontextmanager
async def anthropic(*replies: Reply | str) -> AsyncIterator[tuple[Model, ModelServer]]:
    with serving(*replies) as server:
        async with _at("anthropic:claude-haiku-4-5", server.root) as model:
            yield model, server


@asynccontextmanager
async def _at(name: str, url: str) -> AsyncIterator[Model]:
    model = opened(Settings(model=name, model_url=url))
    assert model is not None
    try:
        yield model
    finally:
        await model.close()
