"""`eunoe up`: the whole memory on this machine, server and workers in one process."""

from __future__ import annotations

import os

import typer

from eunoe.cli.app import App, choices
from eunoe.cli.connect import settings_of
from eunoe.cli.output import console, emit_line
from eunoe.runtime import endpoint, logs, loop, supervisor
from eunoe.runtime.embedded import embedded
from eunoe.runtime.files import data_folder
from eunoe.runtime.holding import Hold, held
from eunoe.runtime.roster import NAMES
from eunoe.runtime.settings import Settings
from eunoe.runtime.starting import HOLD
from eunoe.runtime.workers import Fleet
from eunoe.schemas.errors import EunoeError, Misconfigured


def register(app: App) -> None:
    app.command("up", without=("embedded", "url"), epilog="Example: eunoe up --data ~/memory")(up)


def up(ctx: typer.Context) -> None:
    """Run the server and every worker here until Ctrl-C.

    Ctrl-C or SIGTERM drains them: what is in hand is finished. With --json, one line of JSON says that all is
    ready. Where it runs on the same data already, nothing is started (exit code 1).
    """
    settings = settings_of(ctx)
    if settings.url:
        raise Misconfigured(
            f"`eunoe up` starts a server of its own, but one is named ({settings.url}); use `eunoe serve all` there"
        )
    logs.configure(settings, "warning" if settings.log_level == "info" else "")
    with held(data_folder(settings.data) / HOLD) as hold:
        if hold.other:
            raise EunoeError(_running(settings, hold.other))
        loop.run(_up, ctx, settings, hold)


def _running(settings: Settings, pid: int) -> str:
    found = endpoint.find(settings.data)
    said = [f"pid {pid}"] if pid > 0 else []
    said += [found.url] if found else []
    return f"already running on {settings.data}" + (f" ({', '.join(said)})" if said else "")


async def _up(ctx: typer.Context, settings: Settings, hold: Hold) -> None:
    async with embedded(settings) as server:
        told = _as_json if choices(ctx).json else _as_text

        def ready(fleet: Fleet) -> None:
            hold.ready()
            told(ctx, settings, server.url, fleet)

        await supervisor.run(settings.at(server.url, server.user, server.password), NAMES, ready=ready)
    if not choices(ctx).json:
        console(ctx).print("stopped")


def _as_text(ctx: typer.Context, settings: Settings, url: str, fleet: Fleet) -> None:
    out = console(ctx)
    out.print(f"data     {settings.data}", soft_wrap=True)
    out.print(f"server   {url}", soft_wrap=True)
    out.print(f"workers  {', '.join(fleet.posts)}")
    out.print(f"distils  {_distils(settings)}", soft_wrap=True)
    out.print("ready    press Ctrl-C to stop")


def _as_json(ctx: typer.Context, settings: Settings, url: str, fleet: Fleet) -> None:
    ready = {
        "data": settings.data,
        "space": settings.space,
        "url": url,
        "workers": list(fleet.posts),
        "distils": _distils(settings),
        "pid": os.getpid(),
    }
    emit_line(ctx, ready, str)


def _distils(settings: Settings) -> str:
    """What draws facts from what is said: ``rules``, the model by its name, or ``off``."""
    if settings.distiller in ("rules", "off"):
        return settings.distiller
    return settings.model or "rules"
