"""The fold of a thread: its records as turns with their entries, as far back as a context needs.

Records may be added in any order, newer ones as they come and older ones when a window needs them; the
same records give the same fold. Whether the fold reaches back far enough is the reader's business.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from dataclasses import replace
from typing import get_args

from eunoe.composition import contents, given, profiles
from eunoe.composition.contents import Item, item_of
from eunoe.composition.outline import Asked
from eunoe.composition.profiles import Composed, Profile
from eunoe.composition.turn import Turn as Turn
from eunoe.composition.turn import TurnState as TurnState
from eunoe.schemas import subjects
from eunoe.schemas.events import (
    ContextAssessed,
    ContextComposed,
    DistilledEvent,
    Event,
    Extracted,
    FactEvent,
    Instructions,
    Prompt,
    Response,
    ToolCall,
    ToolResult,
    TurnAborted,
    TurnCommitted,
    TurnOpened,
    Usage,
)
from eunoe.schemas.records import Header, Record

KEPT = 64  # newest reports of usage, and records of memory, that are kept in mind
_REMEMBERED = frozenset(
    {*get_args(FactEvent), Extracted, *get_args(DistilledEvent)}
)  # kinds of events that change what is remembered


class Fold:
    """Turns of one thread, from turn ``base`` on. Not pure: `add` changes it in place.

    ``erasures`` is the position of the newest step of an erasure when it was read.
    ``older`` are the instructions from before what is folded that hold for an agent when none since do; it
    has none for an agent for which they were not looked for. ``lost`` are the numbers of records that are missing or
    cannot be read, and were passed over. ``assessed`` is what was decided last about a request, and where that is.
    ``asked`` is what was asked in turns that an outline names, as far as it was read from the log alone.
    """

    def __init__(self, chain: str) -> None:
        self.chain = chain
        self.header: Header | None = None
        self.hash = ""
        self.position = 0
        self.upto = 0
        self.oldest = 0
        self.base = 0
        self.size = 0
        self.turns: dict[int, Turn] = {}
        self.instructions: list[Item] = []
        self.back: tuple[int, ...] = ()
        self.trimmed = False
        self.lost: set[int] = set()
        self.older: dict[str, tuple[Item, ...]] = {}
        self.recipes: dict[Profile, Composed] = {}
        self.usages: list[tuple[int, Usage]] = []
        self.remembered: list[int] = []
        self.erasures = 0
        self.assessed: tuple[int, ContextAssessed] | None = None
        self.asked: dict[int, Asked] = {}

    @property
    def record(self) -> int:
        """The number of the newest record folded, 0 for none."""
        return self.header.record if self.header else 0

    @property
    def complete(self) -> bool:
        """Whether nothing of the thread before the newest record is missing."""
        return self.oldest <= 1 and not self.trimmed

    @property
    def last(self) -> int:
        """The number of the newest turn."""
        return self.header.turns if self.header else 0

    def add(self, record: Record) -> None:
        """Take in one more record, newer or older than what is here; one that is here already changes nothing."""
        number = record.header.record
        if self.header is not None and self.oldest <= number <= self.header.record:
            return
        if number > self.record:
            self.header, self.hash, self.position = record.header, record.hash, record.position
        if not self.oldest or number < self.oldest:
            self.oldest, self.back = number, record.header.back
        if not _REMEMBERED.isdisjoint(map(type, record.events)):
            insort(self.remembered, record.position)
            del self.remembered[:-KEPT]
        for event in record.events:
            self._event(event, record)
        if self.complete:
            self.base = 1

    def begin(self) -> None:
        """Take it that the thread begins with what is folded: nothing before that can be read."""
        self.oldest = self.base = 1

    def committed(self, down_to: int = 0) -> Iterator[Turn]:
        """Committed turns that are whole, newest first, from the newest to ``down_to``."""
        for number in range(self.last, max(down_to, self.base, 1) - 1, -1):
            turn = self.turns.get(number)
            if turn is not None and turn.state == "committed":
                yield turn

    def opened(self, key: str) -> Turn | None:
        """The open turn of that key; where its opening cannot be read, with what the newest record tells of it."""
        found = self.header.open.get(key) if self.header else None
        if found is None:
            return None
        turn = self.turns.get(found.turn) or Turn(found.turn)
        if turn.whole:
            return turn
        return replace(turn, key=key, agent=found.agent, session=found.session, preview=found.preview)

    def trim(self, before: int) -> None:
        """Forget the turns before that one but for those that are open, and instructions that no turn to come has; who
        needs them again folds the thread anew."""
        self._forget_instructions()
        old = [number for number, turn in self.turns.items() if number < before and turn.state != "open"]
        for number in old:
            self.size -= self.turns.pop(number).size
            self.trimmed = True
        self.base = max(self.base, before)

    def _forget_instructions(self) -> None:
        """Forget those of aborted turns, and those in whose place newer ones hold for good."""
        replaced = given.replaced([item for item in self.instructions if self._holds(item.event.turn, 0)])
        aborted = {number for number, turn in self.turns.items() if turn.state == "aborted"}
        kept = [item for item in self.instructions if not (item.entry in replaced or item.event.turn in aborted)]
        self.size += sum(contents.held(item.event) for item in kept)
        self.size -= sum(contents.held(item.event) for item in self.instructions)
        self.instructions = kept

    @property
    def thread(self) -> str:
        return subjects.chain_thread(self.chain)

    def remembered_up_to(self, position: int) -> int:
        """The position of the last record up to that one that can change a fact, 0 for none known."""
        return next((at for at in reversed(self.remembered) if at <= position), 0)

    def holds(self, position: int) -> bool:
        """Whether a record at that position is known to be of this chain."""
        return self.header is not None and position in (self.position, *self.header.back)

    def restart(self, fresh: Fold) -> None:
        """Become ``fresh``, a fold of the same chain."""
        self.__dict__.update(fresh.__dict__)

    def anchor(self, wanted: Profile, model: str = "") -> int:
        """Tokens between what the provider counted for the last context of this profile, and its recipe."""
        return profiles.anchor(self.recipes, self.usages, wanted, model)

    def in_force(self, turn: int, agent: str) -> tuple[Item, ...]:
        """The newest instructions that hold for an agent in that turn: those given together, of no turn, of a
        committed one, or of that one itself; never those that another agent gave."""
        return given.newest(self._held(turn, agent), self.older.get(agent, ()))

    def begun_before(self, turn: int, agent: str) -> int | None:
        """The turn of the instructions in force, where some of them may be from before what is folded, 0 where none are
        folded; None where they are folded all."""
        held = self._held(turn, agent)
        if self.complete or (held and not 0 < held[-1].event.turn < self.base):
            return None
        return held[-1].event.turn if held else 0

    def _held(self, turn: int, agent: str) -> list[Item]:
        """The instructions that are folded and hold for an agent in that turn, oldest first."""
        return [item for item in self.instructions if item.giver in ("", agent) and self._holds(item.event.turn, turn)]

    def _holds(self, source: int, turn: int) -> bool:
        if source in (0, turn):
            return True
        found = self.turns.get(source)
        if found is not None:
            return found.state == "committed"
        open_turns = self.header.open.values() if self.header else ()
        return source < self.base and all(known.turn != source for known in open_turns)

    def _turn(self, number: int) -> Turn:
        turn = self.turns.get(number)
        if turn is None:
            turn = self.turns[number] = Turn(number)
        return turn

    def _event(self, event: Event, record: Record) -> None:
        match event:
            case TurnOpened():
                self._opened(event, record)
            case TurnCommitted():
                turn = self._turn(event.turn)
                turn.state, turn.ordinal = "committed", event.ordinal
                self.older = self.older if event.turn >= self.base else {}
            case TurnAborted():
                self._turn(event.turn).state = "aborted"
            case ContextComposed():
                profiles.take(self.recipes, event.recipe, record.position)
            case ContextAssessed():
                if self.assessed is None or self.assessed[0] < record.position:
                    self.assessed = (record.position, event)
            case Usage():
                insort(self.usages, (record.position, event), key=lambda held: held[0])
                del self.usages[:-KEPT]
            case Instructions() | Prompt() | Response() | ToolCall() | ToolResult():
                self._entry(item_of(event, record))
            case _:
                pass

    def _opened(self, event: TurnOpened, record: Record) -> None:
        turn = self._turn(event.turn)
        turn.key, turn.agent, turn.session, turn.preview = event.key, event.agent, event.session, event.preview
        turn.time, turn.whole = event.at or record.header.time, True
        self.base = min(self.base, event.turn) if self.base else event.turn

    def _entry(self, item: Item) -> None:
        if isinstance(item.event, Instructions):
            insort(self.instructions, item, key=lambda held: held.entry)
            self.size += contents.held(item.event)
            return
        turn = self._turn(item.event.turn)
        before = turn.size
        turn.add(item)
        self.size += turn.size - before
