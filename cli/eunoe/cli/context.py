"""`eunoe context`: what a model reads, what each turn changed in it, and in what two contexts differ."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from eunoe.cli import context_diff, context_diff_view, context_options, context_page, context_view, turns_view
from eunoe.cli.app import App, choices
from eunoe.cli.asking import given
from eunoe.cli.connect import look, settings_of
from eunoe.cli.context_asked import NEXT, TURNS, Wish, check, format_of, turn_of
from eunoe.cli.context_fetch import Fetched, compared, looked, paged, turns
from eunoe.cli.output import console
from eunoe.cli.pages import emit_page
from eunoe.cli.whole_file import WholeFile
from eunoe.schemas import ids
from eunoe.schemas.errors import Invalid
from eunoe.schemas.requests import TurnsRequest

EXAMPLE = "Example: eunoe context builder next --window 4096 --prompt 'What is left to do?'"
LISTED = 200  # turns in the list, where no other number is asked for
STDOUT = Path("-")


def register(app: App) -> None:
    app.command("context", epilog=EXAMPLE)(context)


def context(
    ctx: typer.Context,
    thread: context_options.Thread,
    what: context_options.What = None,
    window: context_options.Window = None,
    model: context_options.Model = None,
    format: context_options.Shape = None,  # noqa: A002
    prompt: context_options.Prompt = None,
    keep: context_options.Keep = None,
    target: context_options.Target = None,
    headroom: context_options.Headroom = None,
    relevant: context_options.Relevant = None,
    memory_tool: context_options.MemoryTool = None,
    preview: context_options.Preview = None,
    nth: context_options.Nth = None,
    after: context_options.After = None,
    limit: context_options.Limit = None,
    diff: context_options.Diff = None,
    html: context_options.Html = None,
) -> None:
    """Show what a model reads: at the next request, or at a past turn.

    The next request goes on as the newest context that was handed out to one of the newest 64 turns: its window,
    format and model, its numbers, and whether the model can call the memory tool. Where there is none, the settings
    decide. Each option changes one of these.

    A past turn is shown as its model saw it; with a window, a model or a format, as it would have been composed for
    that. With turns instead of a turn's number: the list of turns, and what changed at each.

    With --html: a page of the newest turns, each one's context beside what was said in it; with a turn's number or
    next, of that one. A file that is there is replaced.

    Looking costs no model anything and changes nothing.
    """
    options = {
        "window": window, "model": model, "format": format, "prompt": prompt, "keep": keep, "target": target,
        "headroom": headroom, "relevant": relevant, "memory-tool": memory_tool, "preview": preview, "nth": nth,
        "after": after, "limit": limit,
    }  # fmt: skip
    ids.check(thread, "thread")
    whats = _whats(ctx, what, diff, html)
    check(whats, options, page=html is not None)
    if html is not None:
        _write(ctx, thread, whats[0], options, html)
    elif diff is not None:
        _differences(ctx, thread, diff, _wish(options))
    elif whats[0] == TURNS:
        _list(ctx, thread, TurnsRequest(after=after or 0, limit=limit or LISTED))
    else:
        _show(ctx, thread, turn_of(whats[0]), _wish(options))


def _whats(ctx: typer.Context, what: str | None, diff: tuple[str, str] | None, html: Path | None) -> tuple[str, ...]:
    """The contexts that are meant; raises `Invalid` where the command line says two things."""
    if diff is not None and what is not None:
        raise Invalid(f"--diff names the two contexts that it compares; leave {what!r} out")
    if diff is not None and html is not None:
        raise Invalid("--html writes a page of contexts, and --diff compares two; give one of them")
    if html is not None and choices(ctx).json:
        raise Invalid("--html writes a page, and --json prints JSON; give one of them")
    return diff or (what if what is not None else TURNS if html is not None else NEXT,)


def _wish(options: Mapping[str, Any]) -> Wish:
    made: dict[str, Any] = {
        name.replace("-", "_"): options[name]
        for name in ("window", "prompt", "keep", "target", "headroom", "relevant", "memory-tool", "nth")
    }
    return Wish(
        format=format_of(options["format"]),
        model="" if options["model"] is None else ids.check_model(options["model"]),
        preview=given(options["preview"], "preview"),
        **{name: value for name, value in made.items() if value is not None},
    )


def _list(ctx: typer.Context, thread: str, request: TurnsRequest) -> None:
    reply = look(ctx, turns, thread, request)
    emit_page(ctx, reply, lambda found, width: turns_view.turns(thread, found, width, request.after))


def _show(ctx: typer.Context, thread: str, turn: int, wish: Wish) -> None:
    found = look(ctx, looked, thread, turn, wish, settings_of(ctx).window)
    _warn(ctx, found)
    emit_page(ctx, found.context, lambda context, width: context_view.context(context, width, found.basis))


def _differences(ctx: typer.Context, thread: str, diff: tuple[str, str], wish: Wish) -> None:
    before, after = look(ctx, compared, thread, (turn_of(diff[0]), turn_of(diff[1])), wish, settings_of(ctx).window)
    _warn(ctx, before, after)
    found = context_diff.compare(before.context, after.context)
    emit_page(
        ctx,
        found,
        lambda shown, width: context_diff_view.difference(shown, width, (before.basis, after.basis)),
    )


def _warn(ctx: typer.Context, *found: Fetched) -> None:
    """Say what a reader would otherwise take for an answer, once."""
    for nothing in dict.fromkeys(one.nothing for one in found if one.nothing):
        console(ctx, stderr=True).print(f"eunoe: {nothing}", soft_wrap=True)


def _write(ctx: typer.Context, thread: str, what: str, options: Mapping[str, Any], file: Path) -> None:
    wish, window = _wish(options), settings_of(ctx).window
    found = look(ctx, paged, thread, what, wish, window, options["after"], options["limit"])
    data = context_page.page(found)
    if file == STDOUT:
        sys.stdout.buffer.write(data)
        return
    with WholeFile(file) as out:
        out.write(data)
    console(ctx, stderr=True).print(f"{context_page.counted(found)} in {file}", soft_wrap=True)
