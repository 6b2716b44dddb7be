"""What `eunoe context` was asked for: which contexts, made how, and whether that can be. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import msgspec

from eunoe.cli.asking import number
from eunoe.cli.context_basis import following
from eunoe.schemas.context import FORMATS, Context, Format
from eunoe.schemas.errors import Invalid
from eunoe.schemas.requests import ComposeRequest

NEXT, TURNS = "next", "turns"
ANY = frozenset({"window", "model", "format"})  # options of every context
NEW = frozenset({"prompt", "preview"})  # those of what is new in the next request
KEPT = frozenset({"keep", "target", "headroom", "relevant", "memory-tool"})  # those that else are as before
ASKED = NEW | KEPT  # those of the next request
PAST = frozenset({"nth"})  # those of one past turn
LISTED = frozenset({"after", "limit"})  # those of a list of turns


@dataclass(frozen=True, slots=True)
class Wish:
    """How a context is to be made: what was not given is 0, -1, empty or None, as in a request."""

    window: int = 0
    model: str = ""
    format: Format | None = None
    prompt: str = ""
    keep: int = -1
    target: float = 0.0
    headroom: int = -1
    relevant: bool | None = None
    memory_tool: bool | None = None
    preview: str = ""
    nth: int = 0

    def next(self, window: int, last: Context | None = None) -> ComposeRequest:
        """The next request: as the ``last`` context was composed; where there is none, by the settings, of which
        ``window`` is this side's. What is wished for comes before either."""
        made = following(last) if last else ComposeRequest(window=window)
        return msgspec.structs.replace(made, **{name: value for name, value in self._given().items() if name != "nth"})

    def instead_of_last(self) -> tuple[str, ...]:
        """The options that stand in the place of what the last context says."""
        given = [(name.replace("_", "-"), value) for name, value in self._given().items()]
        return tuple(_option(name, value) for name, value in given if name in ANY | KEPT)

    def saw(self, turn: int) -> ComposeRequest:
        """What a past turn saw."""
        return ComposeRequest(turn=turn, nth=self.nth, format=self.format or FORMATS[0])

    def instead(self, saw: Context) -> ComposeRequest | None:
        """What that turn would have seen as it is wished for; None where that is what it saw."""
        if not self.window and not self.model and self.format in (None, saw.format):
            return None
        return ComposeRequest(
            turn=saw.turn,
            window=self.window or (0 if self.model else saw.window),
            model=self.model,
            format=self.format or saw.format,
        )

    def _given(self) -> dict[str, Any]:
        """What is wished for, by its name."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {field.name: found[field.name] for field in fields(self) if found[field.name] != field.default}


def check(whats: Sequence[str], given: Mapping[str, object], *, page: bool = False) -> None:
    """Raise `Invalid` for what is no turn, and for an option (None: not given) that none of them takes."""
    if len(whats) > 1 and TURNS in whats:
        raise Invalid("'turns' is a list, and --diff compares two contexts; give turns by their numbers, or next")
    takes = frozenset[str]()
    for what in whats:
        takes |= LISTED if what == TURNS else ANY | (PAST if turn_of(what) else ASKED)
    if len(whats) > 1:
        takes -= PAST
    for name, value in given.items():
        if value is not None and name not in takes:
            raise Invalid(
                f"{_option(name, value)} goes with {_owner(name)}, and {_said(whats, page)} asked for; leave it out"
            )

    for name in sorted(ANY):
        if given.get("nth") is not None and given.get(name) is not None:
            raise Invalid(f"--nth shows a context as it was, and --{name} asks for another one; give one of them")


def turn_of(what: str) -> int:
    """The number of a past turn, 0 for the next request; raises `Invalid` for anything else."""
    if what != NEXT and not number(what):
        raise Invalid(f"{what!r} is no turn; give its number, next (the next request) or turns (the list)")
    return number(what)


def format_of(name: str | None) -> Format | None:
    """A format by its name, None for no name; raises `Invalid` for one that there is not."""
    if name is None:
        return None
    for known in FORMATS:
        if name == known:
            return known
    raise Invalid(f"there is no format {name!r} of messages; the formats are {', '.join(FORMATS)}")


def _option(name: str, value: object) -> str:
    """An option as it was given: of one that switches something off, that name."""
    return f"--{'no-' if value is False else ''}{name}"


def _owner(name: str) -> str:
    if name in ASKED:
        return "next"
    if name in PAST:
        return "one past turn"
    return "turns" if name in LISTED else "one context"


def _said(whats: Sequence[str], page: bool) -> str:
    said = {NEXT: "next", TURNS: "a page of turns" if page else "the list of turns"}
    named = [said.get(what, f"turn {what}") for what in dict.fromkeys(whats)]
    return f"{' and '.join(named)} {'was' if len(named) == 1 else 'were'}"
