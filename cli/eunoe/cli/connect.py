"""How a command reaches the memory: settings from the options, and one session for the command's whole life."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Concatenate, ParamSpec, TypeVar

import anyio
import typer

from eunoe.cli.app import choices
from eunoe.runtime import logs
from eunoe.runtime.configuration import load
from eunoe.runtime.session import Session, session
from eunoe.runtime.settings import Settings

P = ParamSpec("P")
T = TypeVar("T")


def settings_of(ctx: typer.Context) -> Settings:
    """The settings that this command line asks for."""
    return load(choices(ctx).options()).settings


def run(
    ctx: typer.Context, fetch: Callable[Concatenate[Session, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Open a session, run ``fetch(session, …)`` in it, and return what it returns.

    With --embedded the server and all workers run inside this process, and finish their work before the
    session ends. Raises `Unreachable` when there is nothing to talk to.
    """

    settings = settings_of(ctx)
    logs.configure(settings, "error" if settings.log_level == "info" else "")

    async def within() -> T:
        async with session(settings, embedded=choices(ctx).embedded) as opened:
            return await fetch(opened, *args, **kwargs)

    return anyio.run(within)
