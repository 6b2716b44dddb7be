"""The frame of the command line: global options, one line for each failure, and exit codes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from rich.text import Text

from eunoe.cli.app import App, Choices, choices
from eunoe.cli.errors import WITHOUT, guarded, told
from eunoe.cli.output import clean, console, emit_json, table
from eunoe.runtime.permissions import SERVED
from eunoe.runtime.roster import NAMES
from eunoe.schemas.errors import Conflict, EunoeError, Misconfigured, NotFound, Unreachable, WorkerMissing

START = "Start one with `eunoe up`, or add --embedded (in Python: Memory.connect(embedded=True))."


class Terminal(io.StringIO):
    """What is written to it is written to a terminal."""

    def isatty(self) -> bool:
        return True


def _chosen(*arguments: str) -> Choices:
    """The global options that a command sees."""
    app = App()
    found: list[Choices] = []

    def noop(ctx: typer.Context) -> None:
        found.append(choices(ctx))

    group = App()
    group.command("leaf")(noop)
    app.add_typer(group, name="group")
    app.command("plain")(noop)
    app(list(arguments), standalone_mode=False)
    return found[0]


@pytest.mark.parametrize("place", [("plain",), ("group", "leaf")])
def test_global_options_stand_after_any_command(place: tuple[str, ...]) -> None:
    """Also after one in a group."""
    found = _chosen(*place, "--json", "--embedded", "--data", "/d", "--space", "lab", "--url", "nats://h", "--no-color")

    assert found == Choices(json=True, embedded=True, data=Path("/d"), space="lab", url="nats://h", no_color=True)


def _run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("EUNOE_", "XDG_"))}
    return subprocess.run(
        [Path(sys.prefix) / "bin" / "eunoe", *arguments],
        env=clean | {"XDG_DATA_HOME": "/nonexistent", "XDG_CONFIG_HOME": "/nonexistent"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_global_options_stand_before_the_command_and_what_stands_after_it_wins() -> None:
    """Both places mean the same."""
    before = _run("--space", "attic", "config")
    both = _run("--space", "attic", "config", "--space", "other")

    assert "attic" in before.stdout
    assert "other" in both.stdout
    assert "attic" not in both.stdout


def test_without_arguments_the_help_is_shown() -> None:
    """It is no error to be new here."""
    found = _run()

    assert found.returncode == 0
    assert "Usage: eunoe" in found.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (("status",), 3, f"eunoe: no server runs on /nonexistent/eunoe. {START}\n"),
        (("confg",), 2, "eunoe: no such command 'confg'. Did you mean 'config'?; see `eunoe --help`\n"),
        (("config", "--frobnicate"), 2, "eunoe: no such option: --frobnicate; see `eunoe config --help`\n"),
        (
            ("context", "t", "--diff", "5"),
            2,
            "eunoe: option '--diff' requires 2 arguments; see `eunoe context --help`\n",
        ),
        (("serve",), 2, "eunoe: missing argument 'WORKER'; see `eunoe serve --help`\n"),
        (
            ("context", "t", "--window", "3"),
            2,
            "eunoe: invalid value for '--window': it must be 256 or more, not '3'; see `eunoe context --help`\n",
        ),
        (
            ("facts", "--limit", "many"),
            2,
            "eunoe: invalid value for '--limit': it must be a whole number, not 'many'; see `eunoe facts --help`\n",
        ),
        (
            ("context", "t", "--target", "0.9"),
            2,
            "eunoe: invalid value for '--target': it must be 0.8 or less, not '0.9'; see `eunoe context --help`\n",
        ),
        (
            ("context", "t", "--model", "m" * 257),
            2,
            "eunoe: a model's name has at most 256 characters, not 257\n",
        ),
        (("context", "t", "--model", " "), 2, "eunoe: a model's name is empty; give one of 1 to 256 characters\n"),
        (("serve", "gardener"), 2, f"eunoe: there is no worker 'gardener'; known are {', '.join(NAMES)}, and all\n"),
    ],
)
def test_a_mistake_is_answered_with_one_line_and_an_exit_code(arguments: tuple[str, ...], code: int, line: str) -> None:
    """On standard error; standard output stays for answers."""
    found = _run(*arguments)

    assert (found.returncode, found.stderr, found.stdout) == (code, line, "")


def test_a_reader_that_goes_away_is_no_error() -> None:
    """As with `eunoe config | head -1`."""
    command = f"{Path(sys.prefix) / 'bin' / 'eunoe'} ops permissions --agent a | head -n 1"
    found = subprocess.run(["bash", "-c", f"{command}; exit ${{PIPESTATUS[0]}}"], capture_output=True, check=False)

    assert (found.returncode, found.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("error", "code"),
    [(NotFound(), 1), (Conflict(), 1), (Misconfigured(), 2), (Unreachable(), 3), (KeyboardInterrupt(), 130)],
)
def test_every_failure_has_its_exit_code(error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """0 fine, 1 the answer is no, 2 usage, 3 unreachable, 130 interrupted."""
    monkeypatch.delenv("EUNOE_DEBUG", raising=False)

    def fail() -> int:
        raise error

    assert guarded(fail) == code


def test_an_output_that_cannot_hold_a_character_says_what_to_set(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the locale is not of UTF-8."""
    monkeypatch.delenv("EUNOE_DEBUG", raising=False)

    assert guarded(lambda: len("a·b".encode("ascii"))) == 1
    assert capsys.readouterr().err == (
        "eunoe: the output is in ascii, which has no '\\xb7'; set PYTHONIOENCODING=utf-8\n"
    )


def test_of_a_group_of_failures_the_expected_one_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it brought down with it is noise."""
    monkeypatch.delenv("EUNOE_DEBUG", raising=False)

    def fail() -> int:
        raise ExceptionGroup("many", [ValueError("noise"), ExceptionGroup("more", [Unreachable("no\nserver")])])

    assert guarded(fail) == 3
    assert capsys.readouterr().err == "eunoe: no server\n"


def test_an_unexpected_failure_shows_no_traceback_but_says_how_to_get_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """EUNOE_DEBUG lets it through."""
    monkeypatch.delenv("EUNOE_DEBUG", raising=False)

    def fail() -> int:
        raise ValueError("odd")

    assert guarded(fail) == 1
    assert capsys.readouterr().err == "eunoe: unexpected ValueError: odd; set EUNOE_DEBUG=1 to see where\n"
    monkeypatch.setenv("EUNOE_DEBUG", "1")
    with pytest.raises(ValueError, match="odd"):
        guarded(fail)


def test_a_code_that_no_error_has_is_the_root_error() -> None:
    assert EunoeError.exit_code == 1


def test_text_cannot_steer_the_terminal() -> None:
    """Escape sequences in contents are shown, not obeyed; line ends and tabs stay."""
    assert clean("a\x1b[31mred\x07\tb\nc\x9b") == "a\\x1b[31mred\\x07\tb\nc\\x9b"
    assert clean("from \u202enosrep\u202c, \u05d0\u05d1") == "from \\u202enosrep\\u202c, \u05d0\u05d1"
    assert clean("a\u2028b") == "a\\u2028b"
    assert clean("\ufeffhi\u200b\U000e0041") == "\\ufeffhi\\u200b\\U000e0041"
    assert clean("\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001f469\u200d\U0001f680") == (
        "\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001f469\u200d\U0001f680"
    )


def test_json_cannot_steer_the_terminal_and_stays_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    """What a terminal would obey, or not show, is escaped; other scripts are printed as they are."""
    value = {"a": "\x9b31m \x7f \u202e \u2028 \U000e0041 \u00e9 \u05d0"}
    emit_json(value)

    printed = capsys.readouterr().out
    assert json.loads(printed) == value
    assert '"\\u009b31m \\u007f \\u202e \\u2028 \\udb40\\udc41 \u00e9 \u05d0"' in printed


def test_tables_fit_eighty_columns_and_hold_no_colour_when_piped(capsys: pytest.CaptureFixture[str]) -> None:
    """A value that is too long is cut with a mark, and brackets are not taken for markup."""
    app = App()

    def show(ctx: typer.Context) -> None:
        made = table("name", "value", right=("value",))
        made.add_row("[bold]" + "x" * 100, "1", style="red")
        console(ctx).print(made)

    app.command("show")(show)
    app.command("other")(show)
    app(["show"], standalone_mode=False)
    lines = capsys.readouterr().out.splitlines()

    assert all(len(line) <= 80 for line in lines)
    assert lines[1].startswith("[bold]xxx")
    assert "…" in lines[1]
    assert "\x1b" not in "".join(lines)


@pytest.mark.parametrize(("arguments", "styled"), [([], True), (["--no-color"], False)])
def test_a_terminal_that_wants_no_colours_gets_no_escapes(
    arguments: list[str], styled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither colours nor bold or dim text."""
    app = App()

    def show(ctx: typer.Context) -> None:
        console(ctx).print(Text("said", style="bold red"), Text("aside", style="dim"))

    app.command("show")(show)
    app.command("other")(show)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    app(["show", *arguments], standalone_mode=False)

    assert ("\x1b" in terminal.getvalue()) is styled


def test_every_command_shows_an_example() -> None:
    """`--help` of each ends in one."""
    from eunoe.cli.main import build

    app = build()
    commands = list(app.registered_commands)
    for group in app.registered_groups:
        assert group.typer_instance is not None
        commands += group.typer_instance.registered_commands

    assert commands
    assert [command.name for command in commands if "Example" not in (command.epilog or "")] == []


def test_of_every_worker_that_is_asked_it_is_known_what_is_missing_without_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In words, for whoever finds that it does not run."""
    asked = {worker for worker, verbs in SERVED.items() if verbs}

    assert set(WITHOUT) == asked
    assert told(WorkerMissing(verb="head")) == 3
    assert capsys.readouterr().err == (
        "eunoe: the audit worker does not run, so nothing can be written to a thread or read back from one; "
        "start it with `eunoe serve audit`\n"
    )
