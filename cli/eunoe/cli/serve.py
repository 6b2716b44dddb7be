"""`eunoe serve`: workers as a process of their own, beside others, at a server that runs elsewhere."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from eunoe.cli.app import App
from eunoe.cli.connect import settings_of
from eunoe.runtime import logs, loop, supervisor
from eunoe.runtime.roster import checked
from eunoe.runtime.session import located
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import Fleet


def register(app: App) -> None:
    app.command(
        "serve",
        without=("embedded", "json"),
        epilog="Example: eunoe serve audit --url nats://10.0.0.5:4222 --health 8080",
    )(serve)


def serve(
    ctx: typer.Context,
    workers: Annotated[
        list[str], typer.Argument(metavar="WORKER", help="audit, extraction, facts, composition, or all.")
    ],
    health: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, metavar="PORT", help="Serve /live, /ready, /metrics; wait for a server that is away."
        ),
    ] = None,
) -> None:
    """Run workers until SIGTERM or Ctrl-C, which drains them.

    Any number of processes may run the same worker."""
    names = checked(workers)
    settings = settings_of(ctx)
    logs.configure(settings)
    loop.run(_serve, settings, names, health)


async def _serve(settings: Settings, names: list[str], health: int | None) -> None:
    await supervisor.run(await located(settings), names, ready=_ready, health_port=health)


def _ready(fleet: Fleet) -> None:
    sys.stderr.write(f"ready: {', '.join(fleet.posts)}\n")
