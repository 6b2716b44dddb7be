"""What is to be done of a thread next, and what a distiller is given for it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from eunoe.distillation import words
from eunoe.distillation.door import Drawn, Kind, Known, Said, Task, Turn
from eunoe.schemas import limits
from eunoe.schemas.distilled_events import Distiller, Effort
from eunoe.schemas.events import Summarised, SummaryKept
from eunoe.summarising.updating import Update

NO_SUMMARY = "nothing came back as the summary"

Ordinals = tuple[int, int]
"""The first and the last of committed turns."""


def following(done: int, last: int) -> Ordinals | None:
    """The turns that are next, where those up to ``done`` are distilled and those up to ``last`` are to be; None where
    nothing is left."""
    return (done + 1, min(done + limits.DISTILLED_TURNS, last)) if done < last else None


def failed(undistilled: Sequence[tuple[int, int, str]], last: int) -> Ordinals | None:
    """The first of the turns up to ``last`` from which nothing could be drawn, as many as one piece of work takes."""
    first, end, _ = next((one for one in undistilled if one[0] <= last), (1, 0, ""))
    return following(first - 1, min(end, last))


def split(turns: Sequence[Turn], last: int) -> tuple[Sequence[Turn], Sequence[Turn]]:
    """Turns up to the ordinal ``last``, and of those after it what persons asked."""
    after = [replace(turn, said=_prompts(turn), called=()) for turn in turns if turn.ordinal > last]
    return [turn for turn in turns if turn.ordinal <= last], [turn for turn in after if speaks(turn)]


def speaks(turn: Turn) -> bool:
    """Whether anything can be drawn from a turn."""
    return any(words.speaks(one.text) for one in turn.said)


def task(
    turns: Sequence[Turn],
    after: Sequence[Turn],
    kinds: Sequence[Kind],
    known: Sequence[Known],
    update: Update | None,
) -> Task:
    """What a distiller is given: of the turns, those from which anything can be drawn."""
    batch = update.batch if update else None
    return Task(turns=[turn for turn in turns if speaks(turn)], kinds=kinds, known=known, after=after, batch=batch)


def summary(update: Update | None, drawn: Drawn, by: Distiller) -> tuple[Summarised | SummaryKept, ...]:
    """What became of the summary that was to be updated; what that took is told with the facts."""
    if update is None:
        return ()
    if drawn.summary is None:
        return (update.kept(drawn.kept or NO_SUMMARY, by, Effort()),)
    return (update.event(drawn.summary, by, Effort(model=drawn.effort.model)),)


def _prompts(turn: Turn) -> Sequence[Said]:
    return [one for one in turn.said if one.speaker == "person"]
