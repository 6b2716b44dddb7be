"""By what the next request is composed: as the newest context that was handed out, else by the settings. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from eunoe.facts.visibility import Viewer
from eunoe.schemas.context import Context
from eunoe.schemas.requests import ComposeRequest, TurnLine
from eunoe.schemas.subjects import Caller

RECENT = 64  # newest turns of a thread among which that context is looked for


@dataclass(frozen=True, slots=True)
class Basis:
    """``turn`` is the one whose last context the next request follows, 0 where the settings decide; ``options`` are
    those that were given instead of what it says. ``memory_tool``: it is for a model that can call that. ``open`` are
    the turns that are not over, of which it holds nothing."""

    turn: int = 0
    options: tuple[str, ...] = ()
    memory_tool: bool = False
    open: tuple[int, ...] = ()


def newest(lines: Iterable[TurnLine], caller: Caller) -> TurnLine | None:
    """The newest of these turns, oldest first, that has a context which the caller may see."""
    own = ("", caller.principal) if caller.role == "agent" else ("",)
    seen = [line for line in lines if line.composed and (Viewer(caller).trusted or line.agent in own)]
    return seen[-1] if seen else None


def following(last: Context) -> ComposeRequest:
    """The next request, composed as ``last`` was: in its window and format, for its model, with its numbers."""
    recipe, numbers = last.recipe, last.recipe.settings
    return ComposeRequest(
        window=recipe.window,
        format=recipe.format,
        model=recipe.model,
        memory_tool=recipe.memory_tool,
        target=numbers.get("target", 0.0),
        headroom=int(numbers.get("headroom", -1)),
        keep=int(numbers.get("keep", -1)),
        relevant=bool(numbers["relevant"]) if "relevant" in numbers else None,
    )


def described(basis: Basis) -> str:
    """``as the last context of turn 13, but for --window; with the memory tool``."""
    by = (
        f"as the last context of turn {basis.turn}"
        if basis.turn
        else "by the settings, with no recent context to follow"
    )
    but = f", but for {', '.join(basis.options)}" if basis.options else ""
    return f"{by}{but}; {'with the' if basis.memory_tool else 'no'} memory tool"
