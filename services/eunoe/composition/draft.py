"""A context in the making: what is in it, and what that measures. Pure but for the draft itself."""

from __future__ import annotations

from functools import cached_property

from eunoe.composition import blocks, contents, renderings
from eunoe.composition.budget import Budget, facts_bytes, headroom_most, pinned_bytes
from eunoe.composition.choosing import Chosen, Room, choose
from eunoe.composition.fold import Turn
from eunoe.composition.formats.shape import GO_ON
from eunoe.composition.inputs import Inputs, Settings
from eunoe.composition.known import words
from eunoe.composition.literal import literal, size
from eunoe.composition.rounds import Said, tool_rounds
from eunoe.composition.showing import Renderings
from eunoe.schemas.events import Response, ToolCall, ToolResult

WORDS_LOOKED_AT = 32_768  # characters of a request that are looked at for the facts that bear on it
PENDING_LOOKED_AT = 64  # turns before the cut mark that are looked at for facts still to come


class Draft:
    """Starts with everything that the cut mark allows; `eunoe.composition.fitting` takes away until it fits."""

    def __init__(self, inputs: Inputs, settings: Settings) -> None:
        self.inputs = inputs
        self.settings = settings
        found = literal(inputs, settings)
        self.turns, self.sizes, self.first_turn = found.turns, found.sizes, found.first
        self._erased = found.erased
        self.older = False
        self.dropped = 0
        self.shrink = 0
        self.facts_bytes = facts_bytes(settings.window)
        self.now_bytes = self.facts_bytes
        self.pinned_bytes = pinned_bytes(settings.window)
        self.carried = inputs.carried
        self.steps: list[str] = []
        self.facts = Chosen()
        self.blocks = 0
        self.tail = 0
        self.measure_blocks()
        self.measure_tail()

    @cached_property
    def budget(self) -> Budget:
        return Budget(self.settings.window, self.settings.target, self.prompt, self._headroom())

    @cached_property
    def prompt(self) -> int:
        """Tokens of the request."""
        return self.settings.weigh(self.settings.manner.shape.user(self.asked)) if self.asked else 0

    @cached_property
    def asked(self) -> str:
        """The text of the request."""
        opened = self.inputs.open
        entry = renderings.request_entry(opened) if opened else 0
        items = opened.items if opened else []
        return next((contents.text(item.event) for item in items if item.entry == entry), "") or self.inputs.request

    @cached_property
    def fixed(self) -> int:
        """Tokens of the instructions, of what is said for the user where the first or the last word is the
        model's, and what the anchor adds."""
        texts = [contents.text(item.event) for item in self.inputs.instructions]
        shape = self.settings.manner.shape
        messages, system = shape.request(texts, ())
        said = [shape.begin] if shape.begin else []
        said += [] if self._asks else [GO_ON]
        beside = sum(self.settings.weigh(shape.user(text)) for text in said)
        return self.settings.counter.count(messages + system.encode()) + beside + self.inputs.anchor

    @property
    def _asks(self) -> bool:
        """Whether the last word is the user's, or a tool's."""
        opened = self.inputs.open
        if opened is None or not opened.steps:
            return bool(self.inputs.request)
        last = opened.steps[-1]
        return isinstance(last, Said) or bool(last.calls)

    @property
    def used(self) -> int:
        """Tokens of everything but the request."""
        return self.fixed + self.blocks + sum(self.sizes) + self.tail

    @property
    def total(self) -> int:
        return self.used + self.prompt

    @property
    def over(self) -> bool:
        return self.used > self.budget.goal

    @property
    def due(self) -> bool:
        return self.budget.due(self.used)

    @property
    def rounds(self) -> int:
        """Tool rounds of the turn whose rounds may leave."""
        return len(tool_rounds(self.last.steps)) if self.last else 0

    @cached_property
    def in_rounds(self) -> bool:
        """Whether the open turn has come to tool rounds or replies, so that it is the turn that stays."""
        opened = self.inputs.open
        if opened is None:
            return False
        return bool(tool_rounds(opened.steps)) or any(isinstance(item.event, Response) for item in opened.items)

    @property
    def last(self) -> Turn | None:
        """The one turn that never leaves whole."""
        if self.in_rounds:
            return self.inputs.open
        return self.turns[-1] if self.turns else None

    def leave(self, count: int) -> None:
        """The ``count`` oldest literal turns leave."""
        gone = self.turns[:count]
        self.turns, self.sizes = self.turns[count:], self.sizes[count:]
        self.first_turn = self.turns[0].number if self.turns else gone[-1].number + 1
        self.measure_blocks()

    def renderings_of(self, turn: Turn) -> Renderings:
        output, memory = self.settings.output, self.settings.manner.memory_tool
        live = turn is self.inputs.open
        if live:
            found = renderings.during(turn, output, memory, older=self.older)
        else:
            found = renderings.after(turn, output, memory)
        if self.shrink and turn is self.last:
            return renderings.shrunk(turn, found, self.shrink, asked=live)
        return found

    def measure_tail(self) -> None:
        """Measure the open turn beside its request, and the last literal turn, as they are now."""
        if self.turns:
            turn = self.turns[-1]
            drop = self.dropped if turn is self.last else 0
            self.sizes[-1] = size(turn, self.renderings_of(turn), drop, self.settings)
        if self.inputs.open is not None:
            opened = self.inputs.open
            drop = self.dropped if opened is self.last else 0
            measured = size(opened, self.renderings_of(opened), drop, self.settings, live=True)
            self.tail = max(measured - self.prompt, 0)

    def measure_blocks(self) -> None:
        """Choose the facts again for the turns that are literal now, and measure the two blocks."""
        room = Room(self.facts_bytes, self.now_bytes, self.pinned_bytes)
        self.facts = choose(self.inputs.earlier, self.inputs.now, lambda: self._words, self._view, room)
        shape = self.settings.manner.shape
        texts = [text for text in (self.earlier_text, self.now_text) if text]
        self.blocks = sum(self.settings.weigh(shape.derived(text)) for text in texts)

    @property
    def earlier_text(self) -> str:
        return blocks.earlier(
            [fact.line for fact in self.facts.earlier],
            self.facts.hidden[0],
            left=self.left,
            erased=self.erased,
            first_turn=self.first_turn,
            pending=self.pending,
            memory_tool=self.settings.manner.memory_tool,
        )

    @property
    def now_text(self) -> str:
        carried = self.carried.line if self.carried else ""
        return blocks.now([fact.line for fact in self.facts.now], self.facts.hidden[1], carried)

    def hold_back_state(self) -> bool:
        """Say of what the session carries only how much it is; False where that is done, or there is none."""
        if self.carried is None or self.carried.shown.note:
            return False
        self.carried = self.carried.held_back
        self.measure_blocks()
        return True

    @property
    def left(self) -> int:
        header = self.inputs.fold.header
        return header.committed - len(self.turns) - self.erased if header else 0

    @property
    def erased(self) -> int:
        """Turns from the cut mark on that are left out because everything that was said in them was erased."""
        return sum(number >= self.first_turn for number in self._erased)

    @property
    def pending(self) -> tuple[int, ...]:
        """Committed turns that left before their facts were extracted."""
        extracted = self.inputs.extracted
        if extracted is None or not self.left:
            return ()
        numbers = range(max(self.first_turn - PENDING_LOOKED_AT, 1), self.first_turn)
        turns = [turn for number in numbers if (turn := self.inputs.fold.turns.get(number))]
        return tuple(turn.number for turn in turns if turn.state == "committed" and turn.ordinal > extracted)

    @property
    def gone(self) -> set[int]:
        """The entries of the rounds that left."""
        if not self.dropped or self.last is None:
            return set()
        return {entry for step in tool_rounds(self.last.steps)[: self.dropped] for entry in step.entries}

    @property
    def _view(self) -> frozenset[int]:
        """The turns whose facts need not be said: those shown with everything that they say."""
        found = {turn.number for turn in self.turns}
        if self.inputs.open is not None:
            found.add(self.inputs.open.number)
        if self.last is not None and (self.dropped or self.shrink):
            found.discard(self.last.number)
        return frozenset(found)

    @cached_property
    def _words(self) -> frozenset[str]:
        return words(self.asked[:WORDS_LOOKED_AT])

    def _headroom(self) -> int:
        """The mean size of the newest turns, less what the open turn has used of it already."""
        count = self.settings.headroom
        newest = [turn for turn, _ in zip(self.inputs.fold.committed(), range(count), strict=False)] if count else []
        if not newest:
            return 0
        mean = sum(_own_tokens(turn, self.settings) for turn in newest) // len(newest)
        used = _own_tokens(self.inputs.open, self.settings) if self.inputs.open else 0
        return max(min(mean, headroom_most(self.settings.window)) - used, 0)


def reaches(inputs: Inputs, settings: Settings) -> bool:
    """Whether the turns that are folded fill the window."""
    return literal(inputs, settings).reach > settings.window


def _own_tokens(turn: Turn, settings: Settings) -> int:
    """What a turn takes while it is asked, beside its prompt: calls, outputs whole, and replies."""
    key = ("own", settings.output, settings.counter.name)
    found: int | None = turn.cache.get(key)
    if found is None:
        own = [item.event for item in turn.items if isinstance(item.event, Response | ToolCall | ToolResult)]
        sizes = [contents.size(event) for event in own]
        found = turn.cache[key] = settings.counter.count(b" " * sum(min(size, settings.output) for size in sizes))
    return found
