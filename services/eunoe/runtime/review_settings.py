"""The setting of reviews: when they are due, where they write, and by what."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from eunoe.schemas import limits


class Messages(BaseModel):
    """Every so many messages."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    messages: int = Field(ge=1, le=limits.REVIEW_MESSAGES_MAX)


class Review(BaseModel):
    """When an agent's records are reviewed: after every turn, or once so many prompts and replies were said since the
    last review; with which prompt (empty: the shipped one), and by which model (empty: the one that is configured).
    ``scope`` is where it writes: into the turn's session, or among the permanent records of the agent itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    every: Literal["off", "turn"] | Messages = "off"
    scope: Literal["session", "agent"] = "session"
    prompt: str = Field(default="", max_length=limits.REVIEW_PROMPT_LENGTH)
    model: str = ""

    @property
    def on(self) -> bool:
        return self.every != "off"

    @field_validator("every", mode="before")
    @classmethod
    def _check_every(cls, value: Any) -> Any:
        if isinstance(value, Messages) or value in ("off", "turn"):
            return value
        try:
            return Messages.model_validate(value)
        except ValidationError:
            most = f"{limits.REVIEW_MESSAGES_MAX:,}"
            raise ValueError(f"it must be 'off', 'turn' or a table {{messages: N}} with N from 1 to {most}") from None

    @field_validator("prompt")
    @classmethod
    def _strip(cls, value: str) -> str:
        return value.strip()

    @field_validator("model")
    @classmethod
    def _check_model(cls, value: str) -> str:
        provider, _, name = value.partition(":")
        if value and not (provider and name):
            raise ValueError("it must be PROVIDER:NAME, such as openai:gpt-5-mini")
        return value
