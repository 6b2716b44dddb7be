"""Every failure that crosses a boundary, one class a situation.

The docstring of a class is its default message: the fact, then the way out. ``code`` is its name on
the wire, ``exit_code`` what the command line leaves with (1 the answer is no, 2 usage, 3 unreachable).
"""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

START = "Start one with `eunoe up`, or add --embedded (in Python: Memory.connect(embedded=True))."


class EunoeError(Exception):
    """Something went wrong in Eunoe."""

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str = "", **detail: Any) -> None:
        super().__init__(message or " ".join((type(self).__doc__ or "").split()))
        self.detail = detail

    @property
    def logged(self) -> str:
        """The message as logs may have it: nothing is ever erased from them, so it holds nothing that was said."""
        return str(self)


class Invalid(EunoeError):
    """The input is not valid."""

    code = "invalid"
    exit_code = 2


class NewerSchema(EunoeError):
    """This was written by a newer version of Eunoe. Upgrade this side to read it."""

    code = "newer_schema"


class TooLarge(EunoeError):
    """The content is over the limit of 64 MiB. Store it elsewhere and append a reference to it."""

    code = "too_large"
    exit_code = 2


class NotFound(EunoeError):
    """There is no such thing here."""

    code = "not_found"


class Denied(EunoeError):
    """This principal may not do that."""

    code = "denied"


class NumberSkipped(EunoeError):
    """The append skips a number of its producer. Send the missing one first."""

    code = "number_skipped"


class NumberReused(EunoeError):
    """Another payload was already appended under this number. Start a new producer."""

    code = "number_reused"


class TurnNotOpen(EunoeError):
    """The turn is not open, so nothing can be appended to it."""

    code = "turn_not_open"


class Busy(EunoeError):
    """The thread is too busy to take this now. Try again."""

    code = "busy"
    exit_code = 3


class DoesNotFit(EunoeError):
    """A context from which nothing more can leave is larger than the window."""

    code = "does_not_fit"


class Damaged(EunoeError):
    """The store is damaged. Run `eunoe audit verify` to see what is wrong and what is missing."""

    code = "damaged"


class Conflict(EunoeError):
    """Somebody else wrote first."""

    code = "conflict"


class Stale(EunoeError):
    """The fact changed since it was seen. Look at it again, and decide anew."""

    code = "stale"


class Unreachable(EunoeError):
    """No server can be reached.

    Start one with `eunoe up`, or add --embedded (in Python: Memory.connect(embedded=True)).
    """

    code = "unreachable"
    exit_code = 3


class WorkerMissing(EunoeError):
    """No worker answers. Start one with `eunoe serve`."""

    code = "worker_missing"
    exit_code = 3


class OutcomeUnknown(EunoeError):
    """No answer came in time, so it may or may not have been done. Retry under the same key."""

    code = "unknown"
    exit_code = 3


_MAY_QUOTE = ("refused", "cut_off", "unreadable")  # reasons of a `ModelFailed` whose message may quote an answer


class ModelFailed(EunoeError):
    """The model gave no answer that can be used."""

    # ``reason`` in the detail: ``unreachable``, ``timeout``, ``rate_limited``, ``server``, ``rejected`` (the request),
    # ``refused`` (the model would not), ``cut_off``, ``empty`` or ``unreadable``; ``effort``: what that answer took.
    code = "model_failed"

    @property
    def logged(self) -> str:
        """The reason alone where the message may quote what the model said."""
        reason = self.detail.get("reason", "")
        return f"the model gave no answer that can be used ({reason})" if reason in _MAY_QUOTE else str(self)


class Misconfigured(EunoeError):
    """The configuration is not valid."""

    code = "misconfigured"
    exit_code = 2


def _tree(root: type[EunoeError]) -> dict[str, type[EunoeError]]:
    """Every class by its code. A class that only narrows another keeps its code, and is not made from a reply."""
    found: dict[str, type[EunoeError]] = {}
    for child in root.__subclasses__():
        found.update(_tree(child))
    return {**found, root.code: root}


class ErrorReply(msgspec.Struct, frozen=True, omit_defaults=True):
    """An error as it crosses the wire. ``detail`` holds what a program may want to act on."""

    code: str
    message: str
    detail: dict[str, Any] = {}


def to_reply(error: EunoeError) -> ErrorReply:
    return ErrorReply(code=error.code, message=str(error), detail=error.detail)


def from_reply(reply: ErrorReply) -> EunoeError:
    """The error that a reply stands for; an unknown code becomes the root class."""
    return _tree(EunoeError).get(reply.code, EunoeError)(reply.message, **reply.detail)
