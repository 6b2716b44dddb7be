"""`eunoe demo`: the tour, on a server of its own in a temporary folder."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

import anyio
import typer

from eunoe.cli import demo_view
from eunoe.cli.app import App, choices
from eunoe.cli.asking import gate
from eunoe.cli.connect import settings_of
from eunoe.cli.demo_tour import Scene, tour
from eunoe.cli.output import emit_json
from eunoe.cli.pages import print_page
from eunoe.client.memory import Memory, opened
from eunoe.client.receipts import FILE
from eunoe.runtime.session import session
from eunoe.runtime.settings import Settings


def register(app: App) -> None:
    app.command("demo", without=("embedded", "data", "space", "url"), epilog="Example: eunoe demo | less")(demo)


def demo(ctx: typer.Context) -> None:
    """See what Eunoe does, in a few seconds, with two recorded agents.

    Everything runs on this machine in a temporary folder, which is removed at the end. No model is called.
    """
    scenes: list[Scene] = []
    as_json = choices(ctx).json
    show = scenes.append if as_json else lambda scene: print_page(ctx, lambda width: demo_view.scene(scene, width))
    if not as_json:
        print_page(ctx, demo_view.opening)
    with tempfile.TemporaryDirectory(prefix="eunoe-demo-") as folder:
        anyio.run(_run, _apart(settings_of(ctx), Path(folder)), show)
    if as_json:
        emit_json(scenes)
    else:
        print_page(ctx, demo_view.closing)


async def _run(settings: Settings, show: Callable[[Scene], None]) -> None:
    async with (
        session(settings, embedded=True) as visit,
        opened(Memory, gate(visit), settings.data / FILE) as memory,
        aclosing(tour(visit, memory)) as scenes,
    ):
        async for scene in scenes:
            show(scene)


def _apart(settings: Settings, folder: Path) -> Settings:
    """Settings that touch nothing of whoever runs the demo."""
    changes = {"data": folder, "url": "", "port": 0, "anchors": None, "space": "demo", "role": "person"}
    return settings.model_copy(update={**changes, "principal": "dana"})
