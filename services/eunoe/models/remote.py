"""A model behind an API, through pydantic-ai: one question, one answer, nothing kept between them."""

from __future__ import annotations

import math

import anyio
from pydantic_ai import models
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, SystemPromptPart, TextPart, UserPromptPart
from pydantic_ai.settings import ModelSettings

from eunoe.facts import values
from eunoe.models import answers, effort, failures
from eunoe.models.door import LIMITS, Answer, Answered, Limits, Usage
from eunoe.schemas import limits as bounds
from eunoe.schemas.errors import ModelFailed

TEMPERATURE = 0.0
PROBE = "Answer with the one word: yes"
_PROBE_LIMITS = Limits(seconds=bounds.PROBE_SECONDS, output_tokens=16, retries=0)  # fewer are refused by some servers


class RemoteModel:
    """Asks one model; see `eunoe.models.door.Model`."""

    def __init__(self, name: str, model: models.Model) -> None:
        self.name = name
        self._model = model
        self._slots = anyio.CapacityLimiter(bounds.MODEL_CALLS)

    async def ask(
        self, prompt: str, schema: type[Answered], limits: Limits = LIMITS, *, system: str = "", partial: bool = False
    ) -> Answer[Answered]:
        """See `eunoe.models.door.Model.ask`."""
        begun = anyio.current_time()
        instructed = system if schema is str else f"{system}\n\n{answers.asking(schema)}".strip()
        response = await self._within(_messages(prompt, instructed), limits, self._slots)
        text = answers.spoken("".join(part.content or "" for part in response.parts if isinstance(part, TextPart)))
        said = Answer(
            value=text,
            model=values.cut(values.one_line(response.model_name or ""), bounds.MODEL_CHARACTERS)
            or self._model.model_name,
            usage=_usage(response),
            ms=round((anyio.current_time() - begun) * 1000),
            cut_off=failures.cut_off(response),
        )
        with effort.noted(said):
            failures.check(response, text, partial=partial)
            return Answer(answers.read(text, schema), said.model, said.usage, said.ms, said.cut_off)

    async def probe(self) -> None:
        """See `eunoe.models.door.Model.probe`.

        It waits for no slot: it is to tell how the API is, and not how much is asked of it already.
        """
        await self._within(_messages(PROBE, ""), _PROBE_LIMITS, anyio.CapacityLimiter(1))

    async def close(self) -> None:
        """See `eunoe.models.door.Model.close`."""
        async with self._model:  # which closes what it opened when it is left
            pass

    async def _within(
        self, messages: list[ModelMessage], limits: Limits, slots: anyio.CapacityLimiter
    ) -> ModelResponse:
        try:
            with anyio.fail_after(math.inf if limits.patient else limits.seconds) as scope:
                async with slots:
                    if limits.patient:
                        scope.deadline = anyio.current_time() + limits.seconds
                    return await model_request(self._model, messages, model_settings=_settings(limits))
        except TimeoutError:
            raise ModelFailed(f"the model gave no answer within {limits.seconds:g} s", reason="timeout") from None
        except Exception as error:
            raise failures.failed(error) from error


def _messages(prompt: str, system: str) -> list[ModelMessage]:
    before = [SystemPromptPart(system)] if system else []
    return [ModelRequest(parts=[*before, UserPromptPart(prompt)])]


def _settings(limits: Limits) -> ModelSettings:
    return ModelSettings(
        temperature=TEMPERATURE, max_tokens=limits.output_tokens, max_retries=limits.retries, thinking=False
    )


def _usage(response: ModelResponse) -> Usage:
    try:
        cost = response.cost().total_price
    except (AssertionError, LookupError, ValueError):  # no model is named, no price is known, or nothing was counted
        cost = None
    return Usage(response.usage.input_tokens, response.usage.output_tokens, cost)
