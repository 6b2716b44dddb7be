"""The door to a model: what is asked, within what limits, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Generic, Protocol, TypeVar

from eunoe.schemas import limits

Answered = TypeVar("Answered")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one question may take: ``seconds`` for everything together (the wait for a free slot, every attempt and
    the pauses between them), ``output_tokens`` of the answer, and ``retries`` after a failure that may pass.

    ``patient``: the seconds begin once there is a free slot, for that much else is asked is no failure of the model.
    """

    seconds: float = limits.MODEL_SECONDS
    output_tokens: int = limits.MODEL_OUTPUT_TOKENS
    retries: int = limits.MODEL_RETRIES
    patient: bool = False


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them, 0 where it did not; ``cost`` in US dollars, None where no price is known."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Answer(Generic[Answered]):
    """An answer that was checked, the model that gave it as the provider names it, and what it took.

    ``ms`` is the whole time in milliseconds, with the wait for a free slot. ``cut_off``: it ended at the limit of its
    tokens, and was asked for as far as it went.
    """

    value: Answered
    model: str
    usage: Usage
    ms: int
    cut_off: bool = False


class Model(Protocol):
    """Answers questions, at most `limits.MODEL_CALLS` at once; the others wait their turn."""

    @property
    def name(self) -> str:
        """The model as it is configured, ``PROVIDER:NAME``."""
        ...

    async def ask(
        self, prompt: str, schema: type[Answered], limits: Limits = LIMITS, *, system: str = "", partial: bool = False
    ) -> Answer[Answered]:
        """The answer to a prompt, as one value of ``schema``: `str` for its plain text, else anything that pydantic
        validates, which the model is shown as a JSON schema. ``partial``: one that is cut off is an answer too.

        Raises `ModelFailed`, whose ``reason`` says how.
        """
        ...

    async def probe(self) -> None:
        """Ask for one word, once and beside every other question, to see whether the model answers at all: whatever it
        says within `limits.PROBE_SECONDS` will do. Raises `ModelFailed`."""
        ...

    async def close(self) -> None:
        """Give the connections back. Nothing is asked after it."""
        ...
