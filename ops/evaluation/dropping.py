"""The baseline: everything is sent whole, and the oldest turns are dropped when they fill the window. Pure.

The rule of the budget is Eunoe's own: turns leave at the same fill, the fewest oldest ones, down to the same goal.
Inside one turn that is larger than that, its oldest tool rounds are dropped, without a word about them.
"""

from __future__ import annotations

from dataclasses import dataclass

from eunoe.composition.budget import Budget, headroom_most
from eunoe.composition.contents import text
from eunoe.composition.fold import Turn
from eunoe.composition.formats import Piece
from eunoe.composition.inputs import Settings
from eunoe.composition.rounds import Round
from eunoe.composition.showing import Manner, step_pieces
from eunoe.schemas import limits
from eunoe.schemas.context import Format
from evaluation.strategies import Context, Size
from evaluation.threads import Thread


@dataclass
class Dropping:
    """``first`` is the oldest turn that is still sent."""

    size: Size
    format: Format = "openai"
    first: int = 1
    name: str = "dropping"
    recalls: bool = False

    def context(self, thread: Thread, opened: Turn) -> Context:
        settings = Settings(self.size.composed, Manner(self.format, memory_tool=False), self.size.target)
        committed = list(thread.fold.committed(self.first))[::-1]
        turns = [_steps(turn, settings, live=False) for turn in committed]
        live = _steps(opened, settings, live=True)
        instructions = [text(item.event) for item in thread.fold.in_force(opened.number, opened.agent)]
        fixed = settings.counter.count(b"".join(settings.manner.shape.request(instructions, ())[:1]))
        sizes = [sum(settings.weigh(pieces) for pieces, _ in turn) for turn in turns]
        asked = sum(settings.weigh(pieces) for pieces, _ in live[: opened.asked])
        own = sum(settings.weigh(pieces) for pieces, _ in live[opened.asked :])
        headroom = _headroom(sizes, own, settings.window)
        budget = Budget(settings.window, settings.target, asked, headroom)
        gone = _leaving(sizes, fixed + own, budget)
        self.first = committed[gone].number if gone < len(committed) else opened.number
        kept = [pieces for turn in turns[gone:] for pieces, _ in turn]
        kept += _rounds(live, fixed + sum(sizes[gone:]) + own, budget, settings)
        messages, _ = settings.manner.shape.request(instructions, [piece for pieces in kept for piece in pieces])
        return Context(messages, settings.counter.count(messages), self.first - 1)


Step = tuple[tuple[Piece, ...], bool]
"""The pieces of one step of a turn, and whether it is a round of tool calls."""


def _steps(turn: Turn, settings: Settings, *, live: bool) -> list[Step]:
    return [
        (tuple(step_pieces(turn, step, {}, settings.manner, live=live)), isinstance(step, Round) and bool(step.calls))
        for step in turn.steps
    ]


def _headroom(sizes: list[int], own: int, window: int) -> int:
    newest = sizes[-limits.HEADROOM_TURNS :]
    return max(min(sum(newest) // len(newest), headroom_most(window)) - own, 0) if newest else 0


def _leaving(sizes: list[int], beside: int, budget: Budget) -> int:
    """How many of the oldest turns leave."""
    used, gone = sum(sizes) + beside, 0
    if not budget.due(used):
        return 0
    while used > budget.goal and gone < len(sizes):
        used -= sizes[gone]
        gone += 1
    return gone


def _rounds(live: list[Step], used: int, budget: Budget, settings: Settings) -> list[tuple[Piece, ...]]:
    """The steps of the open turn, without its oldest rounds where all of them are too much; the last one stays."""
    kept = list(live)
    while used + budget.prompt > budget.limit and sum(called for _, called in kept) > 1:
        oldest = next(at for at, (_, called) in enumerate(kept) if called)
        used -= settings.weigh(kept.pop(oldest)[0])
    return [pieces for pieces, _ in kept]
