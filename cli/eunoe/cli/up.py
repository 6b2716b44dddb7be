"""`eunoe up`: the whole memory on this machine, server and workers in one process."""

from __future__ import annotations

import typer

from eunoe.cli.app import App
from eunoe.cli.connect import settings_of
from eunoe.cli.output import console
from eunoe.runtime import logs, loop, supervisor
from eunoe.runtime.embedded import embedded
from eunoe.runtime.roster import NAMES
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import Fleet
from eunoe.schemas.errors import Misconfigured


def register(app: App) -> None:
    app.command("up", without=("embedded", "url"), epilog="Example: eunoe up --data ~/memory")(up)


def up(ctx: typer.Context) -> None:
    """Run the server and every worker here until Ctrl-C.

    Ctrl-C or SIGTERM drains them: what is in hand is finished.
    """
    settings = settings_of(ctx)
    if settings.url:
        raise Misconfigured(
            f"`eunoe up` starts a server of its own, but one is named ({settings.url}); use `eunoe serve all` there"
        )
    logs.configure(settings, "warning" if settings.log_level == "info" else "")
    loop.run(_up, ctx, settings)


async def _up(ctx: typer.Context, settings: Settings) -> None:
    out = console(ctx)

    def ready(fleet: Fleet) -> None:
        out.print(f"workers  {', '.join(fleet.posts)}")
        out.print("ready    press Ctrl-C to stop")

    async with embedded(settings) as server:
        out.print(f"data     {settings.data}", soft_wrap=True)
        out.print(f"server   {server.url}" + ("" if server.owner else "  (already running; its workers are joined)"))
        await supervisor.run(settings.at(server.url, server.user, server.password), NAMES, ready=ready)
    out.print("stopped")
