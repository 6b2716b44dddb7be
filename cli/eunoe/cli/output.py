"""How commands speak: JSON through msgspec, tables of 80 columns, colours only on a terminal that wants them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
import typer
from rich.console import Console, RenderableType
from rich.table import Table

from eunoe.cli.app import choices

WIDTH = 80  # columns where the output is no terminal

_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # embeddings, overrides, isolates
_ENDING = frozenset("\u2028\u2029")  # lines and paragraphs
_UNSEEN = frozenset("\u200b\u2060\u2061\u2062\u2063\u2064\ufeff") | {chr(code) for code in range(0xE0000, 0xE0080)}
"""What takes no room in any script, so that words of it are read by a model and by nobody who looks."""

_WRITTEN_OUT = _TURNING | _ENDING | _UNSEEN
_IN_JSON = re.compile(f"[\x7f-\x9f{''.join(sorted(_WRITTEN_OUT))}]")  # the others JSON escapes anyway
_END_SPACES = re.compile(r" +$", re.MULTILINE)

T = TypeVar("T")


class _Console(Console):
    """A console whose reader may go away: that is told like any other end of a pipe.

    Where it is no terminal, no line ends in the spaces that fill a table or a wrapped text; what is printed as it
    is (``soft_wrap``) stays so.
    """

    def print(self, *objects: Any, **options: Any) -> None:
        """As Rich's."""
        if self.is_terminal or options.get("soft_wrap"):
            super().print(*objects, **options)
            return
        with self.capture() as held:
            super().print(*objects, **options)
        self.file.write(_END_SPACES.sub("", held.get()))
        self.file.flush()

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console(ctx: typer.Context, *, stderr: bool = False) -> Console:
    """Where people read: no markup, emoji codes or highlighting in what is printed, for contents hold anything."""
    stream = sys.stderr if stderr else sys.stdout
    return _Console(
        file=stream,
        width=None if stream.isatty() else WIDTH,
        color_system="auto" if choices(ctx).color else None,  # None: no bold and no dim either
        markup=False,
        emoji=False,
        highlight=False,
    )


def emit(ctx: typer.Context, value: T, render: Callable[[T], RenderableType]) -> None:
    """Print an answer: as JSON with --json, else as ``render`` shows it."""
    if choices(ctx).json:
        emit_json(value)
    else:
        console(ctx).print(render(value))


def emit_json(value: Any) -> None:
    """One JSON document, indented; structs, dataclasses, paths and dates as msgspec writes them."""
    raw = msgspec.json.encode(value, enc_hook=str)
    sys.stdout.write(_unsteering(msgspec.json.format(raw, indent=2).decode()) + "\n")


def emit_line(ctx: typer.Context, value: T, line: Callable[[T], RenderableType]) -> None:
    """One item of a stream: a line of JSON with --json, else as ``line`` shows it; flushed at once."""
    if choices(ctx).json:
        sys.stdout.write(_unsteering(msgspec.json.encode(value, enc_hook=str).decode()) + "\n")
    else:
        console(ctx).print(line(value), soft_wrap=True)
    sys.stdout.flush()


def table(*headers: str, right: tuple[str, ...] = (), fold: tuple[str, ...] = ()) -> Table:
    """A table without frames. Columns in ``right`` hold numbers; those in ``fold`` wrap instead of being cut."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for header in headers:
        made.add_column(
            header,
            justify="right" if header in right else "left",
            overflow="fold" if header in fold else "ellipsis",
            no_wrap=header not in fold,
        )
    return made


def clean(text: str) -> str:
    """Text that cannot steer a terminal, and hides nothing: control characters, but for line ends and tabs, are written
    as ``\\xNN``, and as ``\\uNNNN`` what turns the direction of all that follows (scripts that run from right to left
    do not need that), what ends lines in some places only, and what cannot be seen.
    """
    return "".join(character if _harmless(character) else _escaped(ord(character)) for character in text)


def _unsteering(json_text: str) -> str:
    """The same JSON, in which what `clean` writes out is escaped: a terminal obeys control characters there, too."""
    return _IN_JSON.sub(lambda found: _in_json(found[0]), json_text)


def _in_json(character: str) -> str:
    units = character.encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _harmless(character: str) -> bool:
    if character in _WRITTEN_OUT:
        return False
    return character in "\n\t" or not (ord(character) < 32 or 0x7F <= ord(character) < 0xA0)


def _escaped(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
