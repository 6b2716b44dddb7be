"""The frame of every command: `App`, which gives each command the global options, and `choices`.

A command module has a ``register(app: App)`` that adds its commands. A command is a plain function whose
first parameter is ``ctx: typer.Context``; the global options come by themselves, before and after its name.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

_PANEL = "Options of every command"

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=_PANEL)]
EmbeddedOption = Annotated[
    bool, typer.Option("--embedded", help="Run server and workers for this command.", rich_help_panel=_PANEL)
]
DataOption = Annotated[
    Path | None, typer.Option("--data", help="Folder of the embedded server.", rich_help_panel=_PANEL)
]
SpaceOption = Annotated[str | None, typer.Option("--space", help="Space to work in.", rich_help_panel=_PANEL)]
UrlOption = Annotated[str | None, typer.Option("--url", help="Server, nats://HOST:PORT.", rich_help_panel=_PANEL)]
NoColorOption = Annotated[bool, typer.Option("--no-color", help="Print no colours.", rich_help_panel=_PANEL)]


@dataclass(frozen=True, slots=True)
class Choices:
    """The global options as given."""

    json: bool = False
    embedded: bool = False
    data: Path | None = None
    space: str | None = None
    url: str | None = None
    no_color: bool = False

    @property
    def color(self) -> bool:
        return not (self.no_color or os.environ.get("NO_COLOR"))

    def options(self) -> dict[str, Any]:
        """Those that are settings."""
        return {"data": self.data, "space": self.space, "url": self.url}


GLOBALS: dict[str, Any] = {
    "json": JsonOption,
    "embedded": EmbeddedOption,
    "data": DataOption,
    "space": SpaceOption,
    "url": UrlOption,
    "no_color": NoColorOption,
}


def choices(ctx: typer.Context) -> Choices:
    """What was given before and after the command's name; what stands after it wins."""
    found = ctx.find_root().obj
    return found if isinstance(found, Choices) else Choices()


def with_globals(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the global options added to its signature, kept apart in the context."""

    @functools.wraps(function)
    def command(**arguments: Any) -> Any:
        given = {name: arguments.pop(name) for name in GLOBALS if name in added}
        context: typer.Context = arguments["ctx"]
        context.find_root().obj = _merged(choices(context), given)
        return function(**arguments)

    hints = get_type_hints(function, include_extras=True)
    signature = inspect.signature(function)
    added = [name for name in GLOBALS if name not in signature.parameters]
    own = [item.replace(annotation=hints.get(name, Any)) for name, item in signature.parameters.items()]
    extra = [_parameter(name) for name in added]
    command.__annotations__ = hints | {name: GLOBALS[name] for name in added}
    command.__signature__ = signature.replace(parameters=[*own, *extra])  # type: ignore[attr-defined]  # read by Typer
    del command.__wrapped__  # Typer would look through it to the bare signature
    return command


def _parameter(name: str) -> inspect.Parameter:
    default = next(field.default for field in fields(Choices) if field.name == name)
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=GLOBALS[name])


def _merged(before: Choices, after: dict[str, Any]) -> Choices:
    return replace(before, **{name: value for name, value in after.items() if value})


class App(typer.Typer):
    """A Typer whose commands all take the global options. Groups of commands are Apps too."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("add_completion", False)
        options.setdefault("rich_markup_mode", None)
        options.setdefault("pretty_exceptions_enable", False)
        super().__init__(**options)

    def command(  # type: ignore[override]  # Typer's keywords pass through, without naming each
        self, name: str | None = None, **options: Any
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """As Typer's; the docstring is the help, and ``epilog`` holds an example."""
        add = super().command(name, **options)

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            add(with_globals(function))
            return function

        return register
