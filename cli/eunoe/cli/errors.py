"""How every failure of a command ends: one line on standard error and an exit code, never a traceback.

The line is the same with --json, and standard output stays empty then; a terminal gets it wrapped at words.

0 it went well, 1 the answer is no, 2 wrong use, 3 nothing can be reached, 130 interrupted.
``EUNOE_DEBUG`` (set to anything) lets tracebacks through.
"""

from __future__ import annotations

import os
import reprlib
import shutil
import sys
import textwrap
from collections.abc import Callable

import typer
from pydantic import ValidationError

from eunoe.runtime.configuration import must_be
from eunoe.runtime.permissions import SERVED
from eunoe.runtime.status import DEFAULT_SPACE
from eunoe.runtime.tasks import cause
from eunoe.schemas.errors import EunoeError, WorkerMissing

INTERRUPTED = 130
WITHOUT = {
    "audit": "nothing can be written to a thread or read back from one",
    "facts": "no facts, threads, sessions or summaries can be shown",
    "composition": "no context can be composed or shown, and no turns listed",
    "distillation": "nothing can be distilled",
    "summarising": "nothing can be summarised",
}  # what nobody can have while a worker that is asked for things does not run


def guarded(command: Callable[[], int]) -> int:
    """Run a command to its exit code; what it raises is told in one line."""
    try:
        code = command()
        sys.stdout.flush()
    except BaseException as error:
        if _reader_left(error):
            return _quiet()
        if os.environ.get("EUNOE_DEBUG"):
            raise
        return told(error)
    return code


def told(error: BaseException) -> int:
    """Say on standard error what went wrong, and return the exit code that goes with it."""
    found = cause(error)
    if isinstance(found, KeyboardInterrupt | typer.Abort):
        return INTERRUPTED
    if isinstance(found, SystemExit):
        return found.code if isinstance(found.code, int) else 1
    if isinstance(found, WorkerMissing):
        return _say(_missing(found), found.exit_code)
    if isinstance(found, EunoeError):
        return _say(str(found), found.exit_code)
    if isinstance(found, typer.TyperException):
        return _say(f"{_sentence(_in_our_words(found).format_message())}{_hint(found)}", found.exit_code)
    if isinstance(found, UnicodeEncodeError) and found.encoding != "utf-8":
        character = found.object[found.start]
        return _say(f"the output is in {found.encoding}, which has no {character!a}; set PYTHONIOENCODING=utf-8", 1)
    if isinstance(found, OSError):
        return _say(f"{found.filename or 'the system'}: {found.strerror or found}", 1)
    return _say(f"unexpected {type(found).__name__}: {found}; set EUNOE_DEBUG=1 to see where", 1)


def _say(message: str, code: int) -> int:
    line = f"eunoe: {' '.join(message.split())}"
    if sys.stderr.isatty():
        width = shutil.get_terminal_size().columns
        line = textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)
    sys.stderr.write(line + "\n")
    return code


def _missing(error: WorkerMissing) -> str:
    """Which worker it is that nobody runs, where the request that it would have answered is known."""
    verb = error.detail.get("verb")
    for worker, verbs in SERVED.items():
        if verb in verbs:
            return _nobody(worker, str(error.detail.get("space", "")))
    return str(error)


def _nobody(worker: str, space: str) -> str:
    if space in ("", DEFAULT_SPACE):
        return f"the {worker} worker does not run, so {WITHOUT[worker]}; start it with `eunoe serve {worker}`"
    return (
        f"no {worker} worker serves the space {space}, so {WITHOUT[worker]}; "
        f"start the workers of that space with `eunoe --space {space} serve all`"
    )


def _in_our_words(error: typer.TyperException) -> typer.TyperException:
    """The same error, saying what a value has to be where its check was pydantic's."""
    if isinstance(error, typer.BadParameter) and isinstance(error.__cause__, ValidationError):
        first = error.__cause__.errors(include_url=False)[0]
        if must := must_be(first):
            error.message = f"it must be {must}, not {reprlib.repr(first['input'])}"
    return error


def _sentence(message: str) -> str:
    return message[:1].lower() + message[1:].rstrip(".")


def _hint(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    return f"; see `{context.command_path} --help`" if context else ""


def _reader_left(error: BaseException) -> bool:
    """Whether a pipe was closed at its other end; Typer makes an exit of its own of that."""
    found = cause(error)
    return isinstance(found, BrokenPipeError) or (
        isinstance(found, SystemExit) and isinstance(found.__context__, BrokenPipeError)
    )


def _quiet() -> int:
    """The reader went away: nothing more can be said, not even by Python's last flush."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
