"""How a command reaches the memory: settings from the options, and one session for the command's whole life."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Concatenate, ParamSpec, TypeVar

import anyio
import typer

from eunoe.cli.app import choices
from eunoe.runtime import starting
from eunoe.runtime.configuration import load
from eunoe.runtime.jetstream import STREAM_NOT_FOUND, Refused
from eunoe.runtime.session import Session, session
from eunoe.runtime.settings import Settings
from eunoe.runtime.tasks import cause
from eunoe.schemas.errors import Misconfigured, NotFound, WorkerMissing

P = ParamSpec("P")
T = TypeVar("T")


def settings_of(ctx: typer.Context) -> Settings:
    """The settings that this command line asks for; raises `Misconfigured` for two servers at once."""
    settings = load(choices(ctx).options()).settings
    if choices(ctx).embedded and settings.url:
        raise Misconfigured(f"--embedded runs a server of its own, but one is named ({settings.url}); give one of them")
    return settings


def run(
    ctx: typer.Context, fetch: Callable[Concatenate[Session, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Open a session, run ``fetch(session, …)`` in it, and return what it returns.

    With --embedded the server and all workers run inside this process, and finish their work before the
    session ends. What an `eunoe up` is just starting is waited for. Raises `Unreachable` when there is nothing to talk
    to.
    """
    return anyio.run(_within, ctx, True, lambda opened: fetch(opened, *args, **kwargs))


def look(
    ctx: typer.Context, fetch: Callable[Concatenate[Session, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
) -> T:
    """As `run`, for a command that only looks: what else waits to be done is left as it is."""
    return anyio.run(_within, ctx, False, lambda opened: fetch(opened, *args, **kwargs))


async def _within(ctx: typer.Context, settle: bool, fetch: Callable[[Session], Awaitable[T]]) -> T:
    settings = settings_of(ctx)
    try:
        async with session(settings, embedded=choices(ctx).embedded, settle=settle) as opened:
            return await fetch(opened)
    except Exception as error:
        found = cause(error)
        if isinstance(found, Refused) and found.number == STREAM_NOT_FOUND:
            raise NotFound(_no_space(settings.space)) from None
        if isinstance(found, WorkerMissing) and not settings.url and starting.starting(settings.data):
            raise WorkerMissing(_still_starting(settings)) from None
        raise


def _no_space(space: str) -> str:
    return f"there is no space {space} on this server yet; `eunoe --space {space} serve all` makes and serves it"


def _still_starting(settings: Settings) -> str:
    return f"`eunoe up` is still starting its workers on {settings.data}; ask again once it has said that it is ready"
