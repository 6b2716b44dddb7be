"""Every setting, with its default and its check. `eunoe.runtime.configuration` finds the values."""

from __future__ import annotations

import getpass
import os
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from eunoe.facts.labels import Labels
from eunoe.runtime import addresses
from eunoe.runtime.review_settings import Review
from eunoe.schemas import ids, limits
from eunoe.schemas.errors import EunoeError, Misconfigured
from eunoe.schemas.subjects import Caller, Role

PREFIX = "EUNOE_"
SECRET_LENGTH = 16  # characters of a secret that signs, at least


def home(variable: str, fallback: str) -> Path:
    """An XDG base directory; the specification says that a relative one is to be ignored."""
    named = Path(os.environ.get(variable, ""))
    return named if named.is_absolute() else Path.home() / fallback


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid-{os.getuid()}"


class Settings(BaseSettings):
    """What is in force, fixed for the life of a process. Made by `eunoe.runtime.configuration.load`."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", env_ignore_empty=True, frozen=True, extra="forbid"
    )

    url: str = Field(default="", description="server to use, nats://HOST:PORT[,…]; empty for the embedded one")
    user: str = Field(default="", description="user name at the server")
    password: SecretStr = Field(default=SecretStr(""), description="password at the server")
    space: str = Field(default="default", description="the space (tenant) to work in")
    data: Path = Field(
        default_factory=lambda: home("XDG_DATA_HOME", ".local/share") / "eunoe",
        description="folder of the embedded server",
    )
    port: int = Field(default=0, ge=0, le=65535, description="port of the embedded server; 0 takes a free one")
    role: Role = Field(default="person", description="role in which the command line asks")
    principal: str = Field(default_factory=_user, description="name in which the command line asks")
    replicas: int = Field(default=1, ge=1, le=5, description="copies of every stream on a cluster")
    sync: str = Field(
        default="always", pattern=r"^(always|\d+(ms|s|m|h))$", description="when the embedded server syncs its files"
    )
    server_memory: str = Field(
        default="1GiB", pattern=r"^\d+([KMGT]i)?B$", description="memory that the embedded server aims to stay under"
    )
    idle_turn_seconds: int = Field(
        default=limits.IDLE_TURN_SECONDS, ge=1, description="seconds after which an untouched open turn is aborted"
    )
    kinds: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="subject kinds of facts, changed or added field by field"
    )
    labels: dict[str, int] = Field(
        default_factory=dict, description="labels of facts, each with a number of its own that is never used again"
    )
    pinned_tokens: int = Field(
        default=limits.PINNED_TOKENS, ge=0, description="tokens that the pinned facts of one owner may have together"
    )
    permanent_agents: tuple[str, ...] = Field(
        default=("*",), description="agents that may keep permanent facts of their own; names, in which * is anything"
    )
    mappings: tuple[dict[str, Any], ...] = Field(
        default=(),
        description="rules that read facts out of JSON results: tools, each, where, subject, name, value, content",
    )
    tools: dict[str, str] = Field(
        default_factory=dict, description="tools of a fleet's own (or other ones), and the shape that each is read as"
    )
    root: str = Field(
        default="", description="the repository's root, to which names of files are relative; else a thread's own"
    )
    window: int = Field(
        default=limits.WINDOW, ge=limits.WINDOW_MIN, le=limits.WINDOW_MAX, description="tokens of a context"
    )
    target: float = Field(
        default=limits.TARGET_SHARE,
        ge=0.1,
        le=0.8,
        description="share of the window to which turns leave, once they do",
    )
    headroom: int = Field(
        default=limits.HEADROOM_TURNS, ge=0, le=64, description="newest turns whose mean size is kept free for the next"
    )
    keep: int = Field(
        default=0, ge=0, le=limits.KEEP_TURNS_MAX, description="newest turns that never leave and are never shortened"
    )
    relevant: bool = Field(default=True, description="whether facts that share words with a request stand beside it")
    assess: Literal["off", "rules", "model"] = Field(
        default="off",
        description="how the tools and the task of a request are chosen: not, by rules, or by a model too",
    )
    counters: dict[str, str] = Field(
        default_factory=dict, description="models by name (* is anything), and the vocabulary that counts their tokens"
    )
    model: str = Field(default="", description="model for what needs one, PROVIDER:NAME; empty for none")
    model_url: str = Field(default="", description="address of the model's API, where it is not its provider's own")
    model_key: SecretStr = Field(default=SecretStr(""), description="key for the model's API")
    model_window: int = Field(
        default=limits.WINDOW, ge=limits.WINDOW_MIN, le=limits.WINDOW_MAX, description="tokens of that model's window"
    )
    distiller: Literal["", "rules", "model", "off"] = Field(
        default="",
        description="what draws facts from prose: rules, model or off; empty for the model where one is configured, "
        "else rules",
    )
    summary: Literal["together", "apart", "off"] = Field(
        default="together",
        description="how the running summary is written: together with the facts, in calls of its own, or not",
    )
    review: Review = Field(
        default_factory=Review, description="review of agents' records at the end of turns: every, scope, prompt, model"
    )
    redis_url: SecretStr = Field(
        default=SecretStr(""), description="Redis that keeps folded threads for every replica; empty for none"
    )
    redis_secret: SecretStr = Field(
        default=SecretStr(""),
        validate_default=True,
        description="secret, the same for every worker, that signs what is kept in Redis",
    )
    anchors: Path | None = Field(default=None, description="file of anchors; <data>/anchors.jsonl when not set")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="least level that is logged"
    )
    log_format: Literal["text", "json"] = Field(default="text", description="form of the log")

    @property
    def caller(self) -> Caller:
        return Caller(self.role, self.principal)

    @property
    def anchors_path(self) -> Path:
        return self.anchors or self.data / "anchors.jsonl"

    @model_validator(mode="before")
    @classmethod
    def _take_login(cls, values: Any) -> Any:
        """A login in the URL becomes user and password, so that no address that is printed or logged has it."""
        url = values.get("url") if isinstance(values, dict) else None
        if not isinstance(url, str) or "@" not in url:
            return values
        try:
            plain, user, password = addresses.login(url)
        except Misconfigured:
            return values  # which the check of the URL says better
        if values.get("user") not in (None, "", user):
            raise ValueError(f"the URL names another user than {values['user']}; name one of them")
        return values | {"url": plain, "user": user, "password": password}

    @field_validator("url")
    @classmethod
    def _check_url(cls, value: str) -> str:
        try:
            return addresses.login(value)[0] if value else value
        except Misconfigured as error:
            raise ValueError(str(error)) from None

    @field_validator("data", "anchors")
    @classmethod
    def _expand(cls, value: Path | None) -> Path | None:
        return None if value is None else value.expanduser().absolute()

    @field_validator("labels")
    @classmethod
    def _check_labels(cls, value: dict[str, int]) -> dict[str, int]:
        try:
            return Labels(value).items()
        except Misconfigured as error:
            raise ValueError(str(error)) from None

    @field_validator("model_url")
    @classmethod
    def _check_model_url(cls, value: str) -> str:
        if value and not addresses.of_http(value):
            raise ValueError("it must be http://HOST[:PORT][/PATH] or https://HOST[:PORT][/PATH]")
        return value

    @field_validator("redis_url")
    @classmethod
    def _check_redis(cls, value: SecretStr) -> SecretStr:
        if value.get_secret_value() and not value.get_secret_value().startswith(("redis://", "rediss://", "unix://")):
            raise ValueError("it must be redis://HOST:PORT, rediss://HOST:PORT or unix:///PATH")
        return value

    @field_validator("redis_secret")
    @classmethod
    def _check_secret(cls, value: SecretStr, info: Any) -> SecretStr:
        url = info.data.get("redis_url")
        if url is not None and url.get_secret_value() and len(value.get_secret_value()) < SECRET_LENGTH:
            raise ValueError(
                f"redis_url needs one of {SECRET_LENGTH} characters or more, the same for every worker: "
                "`openssl rand -hex 32` makes one"
            )
        return value

    @field_validator("space", "principal")
    @classmethod
    def _check_id(cls, value: str, info: Any) -> str:
        try:
            return ids.check_space(value) if info.field_name == "space" else ids.check(value, "principal")
        except EunoeError as error:
            raise ValueError(str(error)) from None

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what is given: the environment is read in one place, which also knows what came from where."""
        return (init_settings,)

    def at(self, url: str, user: str, password: str) -> Settings:
        """The same settings, for the server at ``url``."""
        return self.model_copy(update={"url": url, "user": user, "password": SecretStr(password)})
