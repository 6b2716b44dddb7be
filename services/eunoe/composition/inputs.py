"""What a context is a function of. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from eunoe.composition import excerpts
from eunoe.composition.carried import Carried
from eunoe.composition.contents import Item
from eunoe.composition.counter import ByteCounter, Counter
from eunoe.composition.fold import Fold, Turn
from eunoe.composition.formats import Piece
from eunoe.composition.outline import Asked
from eunoe.composition.profiles import Profile
from eunoe.composition.shelf import Facts
from eunoe.composition.showing import Manner
from eunoe.composition.summary import Summary
from eunoe.schemas import limits
from eunoe.schemas.context import Recipe


@dataclass(frozen=True, slots=True)
class Settings:
    """How to compose: ``window`` in tokens, ``target`` a share of it, ``headroom`` and ``keep`` in turns.

    ``relevant``: facts that share words with the request stand beside it. ``outline``: turns that left are named.
    ``distilling``: facts are drawn from what was said too, so that a turn is done once that is. ``model`` is the one
    that will read it, where that was said.
    """

    window: int
    manner: Manner
    target: float = limits.TARGET_SHARE
    headroom: int = limits.HEADROOM_TURNS
    counter: Counter = field(default_factory=ByteCounter)
    keep: int = 0
    relevant: bool = True
    outline: bool = True
    distilling: bool = False
    model: str = ""

    @property
    def output(self) -> int:
        """The most bytes of one output."""
        return excerpts.output_bytes(self.window)

    @property
    def profile(self) -> Profile:
        return self.window, self.counter.name, self.manner.format

    def weigh(self, pieces: Sequence[Piece]) -> int:
        """Tokens of pieces in a request, with what joins them."""
        if not pieces:
            return 0
        frame = self.manner.shape.frame
        return self.counter.count(b"".join([part for piece in pieces for part in (piece.data, frame)]))


@dataclass(frozen=True, slots=True)
class Inputs:
    """What to compose from.

    ``turn`` is the turn that asks, ``open`` that turn where it is in the log, ``request`` what is asked where
    no entry holds it. ``earlier`` and ``now`` are facts in the order in which they are shown, ``carried`` is
    what the session carries. ``before`` is the thread's last recipe of this profile, and ``named`` the prompts of the
    turns that its outline names, by turn (None while they are not read). ``kept`` are turns of the fold with what was
    said in them read whole, by number. ``anchor`` are tokens to add to every count. ``ready`` is the ordinal of the
    last committed turn whose facts are known, None where that is not asked. ``summary`` is the running one, where there
    is one. ``tools`` are those chosen for the request, and ``bearing`` ids of facts that bear on it, which come before
    those that share words with it. ``refused`` is the context in whose place this one is composed.
    """

    thread: str
    fold: Fold
    turn: int
    open: Turn | None = None
    request: str = ""
    instructions: tuple[Item, ...] = ()
    earlier: Facts = field(default_factory=Facts)
    now: Facts = field(default_factory=Facts)
    carried: Carried | None = None
    before: Recipe | None = None
    named: Mapping[int, Asked] | None = None
    kept: Mapping[int, Turn] = field(default_factory=dict)
    anchor: int = 0
    ready: int | None = None
    summary: Summary | None = None
    tools: tuple[str, ...] = ()
    bearing: tuple[str, ...] = ()
    refused: str = ""

    @property
    def mark(self) -> int:
        """The thread's cut mark for this profile, 0 for none."""
        return self.before.first_turn if self.before else 0

    @property
    def left(self) -> int:
        """The turns that had left by then."""
        return self.before.left if self.before else 0
