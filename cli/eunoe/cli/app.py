"""The frame of every command: `App`, which gives each command the global options, and `choices`.

A command module has a ``register(app: App)`` that adds its commands. A command is a plain function whose
first parameter is ``ctx: typer.Context``; the global options come by themselves, before and after its name.
What means nothing to a command (``without``) is not in its help, and is refused.
"""

from __future__ import annotations

import copy
import functools
import inspect
import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import typer
from typer.core import TyperArgument, TyperCommand

from eunoe.schemas.errors import Misconfigured

_PANEL = "Options of every command"

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=_PANEL)]
EmbeddedOption = Annotated[
    bool, typer.Option("--embedded", help="Run server and workers for this command.", rich_help_panel=_PANEL)
]
DataOption = Annotated[
    Path | None,
    typer.Option("--data", metavar="FOLDER", help="Folder of the embedded server.", rich_help_panel=_PANEL),
]
SpaceOption = Annotated[
    str | None, typer.Option("--space", metavar="NAME", help="Space to work in.", rich_help_panel=_PANEL)
]
UrlOption = Annotated[
    str | None, typer.Option("--url", metavar="URL", help="Server, nats://HOST:PORT.", rich_help_panel=_PANEL)
]
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


def with_globals(function: Callable[..., Any], without: Collection[str] = ()) -> Callable[..., Any]:
    """The function with the global options added to its signature, kept apart in the context.

    Those in ``without`` mean nothing to it: the help leaves them out, and one that is given is refused.
    """

    @functools.wraps(function)
    def command(**arguments: Any) -> Any:
        given = {name: arguments.pop(name) for name in GLOBALS if name in added}
        context: typer.Context = arguments["ctx"]
        context.find_root().obj = _merged(choices(context), given)
        _refuse(context, without)
        return function(**arguments)

    hints = get_type_hints(function, include_extras=True)
    signature = inspect.signature(function)
    added = [name for name in GLOBALS if name not in signature.parameters]
    own = [item.replace(annotation=hints.get(name, Any)) for name, item in signature.parameters.items()]
    extra = [_parameter(name, name in without) for name in added]
    command.__annotations__ = hints | {item.name: item.annotation for item in extra}
    command.__signature__ = signature.replace(parameters=[*own, *extra])  # type: ignore[attr-defined]  # read by Typer
    del command.__wrapped__  # Typer would look through it to the bare signature
    return command


def _parameter(name: str, hidden: bool) -> inspect.Parameter:
    default = next(field.default for field in fields(Choices) if field.name == name)
    annotation = GLOBALS[name]
    if hidden:
        kind, option = get_args(annotation)
        option = copy.copy(option)
        option.hidden = True
        annotation = Annotated[kind, option]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _refuse(context: typer.Context, without: Collection[str]) -> None:
    given = choices(context)
    for name in GLOBALS:
        if name in without and getattr(given, name) not in (None, False):
            command = context.command_path
            raise Misconfigured(f"--{name} means nothing to `{command}`; leave it out (see `{command} --help`)")


def _merged(before: Choices, after: dict[str, Any]) -> Choices:
    return replace(before, **{name: value for name, value in after.items() if value not in (None, False)})


class Command(TyperCommand):
    """A command whose help names its arguments in words, and sets the options of every command apart."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Typer's; every error in it says of which command it is, also one that comes before a value is read."""
        try:
            return super().parse_args(ctx, args)
        except typer.TyperException as error:
            if getattr(error, "ctx", None) is None:
                vars(error)["ctx"] = ctx
            raise

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the lists of arguments and options."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": [], _PANEL: []}
        for parameter in self.get_params(ctx):
            if record := parameter.get_help_record(ctx):
                name, text = record
                if isinstance(parameter, TyperArgument):
                    sections["Arguments"].append((name.partition(" <")[0], text))
                else:
                    sections[getattr(parameter, "rich_help_panel", None) or "Options"].append((name, text))
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class App(typer.Typer):
    """A Typer whose commands all take the global options. Groups of commands are Apps too."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("add_completion", False)
        options.setdefault("rich_markup_mode", None)
        options.setdefault("pretty_exceptions_enable", False)
        super().__init__(**options)

    def command(  # type: ignore[override]  # Typer's keywords pass through, without naming each
        self, name: str | None = None, *, without: Collection[str] = (), **options: Any
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """As Typer's; the docstring is the help, ``epilog`` holds an example, ``without`` as in `with_globals`."""
        add = super().command(name, cls=Command, **options)

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            add(with_globals(function, without))
            return function

        return register


def group(app: App, name: str, text: str) -> App:
    """A group of commands in ``app``, which lists them when it is called alone."""
    made = App(name=name, help=text)
    made.callback(invoke_without_command=True)(listed)
    app.add_typer(made)
    return made


def listed(ctx: typer.Context) -> None:
    """Print the help of a group that was called without a command."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())
