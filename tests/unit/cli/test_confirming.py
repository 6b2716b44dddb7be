"""Asking before what cannot be taken back is done."""

from __future__ import annotations

import io

import pytest
import typer
from rich.text import Text

from eunoe.cli.app import App
from eunoe.cli.confirming import confirm
from eunoe.cli.errors import guarded


class Terminal(io.StringIO):
    """Somebody who types."""

    def isatty(self) -> bool:
        return True


def ask(stdin: io.StringIO, monkeypatch: pytest.MonkeyPatch, *options: str) -> int:
    """The exit code of a command that asks first, and prints ``done`` when it may."""
    app = App()

    def burn(ctx: typer.Context) -> None:
        confirm(ctx, "Burn it?", lambda width: [Text(f"a house, in {width} columns")], "nobody can be asked")
        typer.echo("done")

    def run() -> int:
        code = app(["burn", *options], standalone_mode=False)
        return code if isinstance(code, int) else 0

    app.command("burn")(burn)
    app.command("other")(burn)
    monkeypatch.setattr("sys.stdin", stdin)
    return guarded(run)


def test_a_yes_goes_on_and_only_the_answer_is_on_standard_output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What would be done, and the question, are told on standard error."""
    assert ask(Terminal("y\n"), monkeypatch) == 0
    out, err = capsys.readouterr()
    assert out == "done\n"
    assert err.startswith("a house, in 80 columns\nBurn it? [y/N]: ")


@pytest.mark.parametrize(("typed", "code"), [("n\n", 1), ("\n", 1), ("", 130)])
def test_a_no_leaves_everything_as_it_is(
    typed: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """So does no answer at all."""
    assert ask(Terminal(typed), monkeypatch) == code
    assert capsys.readouterr().out == ""


def test_where_nobody_can_answer_nothing_is_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A script, or a program that reads JSON, says --yes instead."""
    assert ask(io.StringIO("y\n"), monkeypatch) == 2
    assert ask(Terminal("y\n"), monkeypatch, "--json") == 2
    assert capsys.readouterr() == ("", "eunoe: nobody can be asked\n" * 2)
