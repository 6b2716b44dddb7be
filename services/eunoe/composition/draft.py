"""A context in the making: what is in it, and what that measures. Pure but for the draft itself."""

from __future__ import annotations

from functools import cached_property

from eunoe.composition import asking, blocks, outline, renderings
from eunoe.composition import summary as summaries
from eunoe.composition.budget import Budget, anchored, facts_bytes, outline_bytes, pinned_bytes
from eunoe.composition.choosing import Chosen, Room, choose
from eunoe.composition.fold import Turn
from eunoe.composition.handed import handed
from eunoe.composition.headroom import headroom
from eunoe.composition.inputs import Inputs, Settings
from eunoe.composition.left import left, pending
from eunoe.composition.literal import literal, of_past, oldest_kept, size
from eunoe.composition.requested import Requested
from eunoe.composition.rounds import tool_rounds
from eunoe.composition.showing import Renderings
from eunoe.composition.summary import Summary
from eunoe.schemas import limits
from eunoe.schemas.context import LeftTurn

LEAST, NO_SUMMARY = 1, 2  # how far the blocks are squeezed


class Draft:
    """Starts with everything that the cut mark allows, and as the last recipe left it; `eunoe.composition.fitting`
    takes away until it fits. ``spare`` tokens are added to what it measures.
    """

    def __init__(self, inputs: Inputs, settings: Settings, spare: int = 0) -> None:
        self.inputs = inputs
        self.settings = settings
        self.spare = spare
        self.request = Requested(inputs, settings)
        found = literal(inputs, settings)
        self.turns, self.sizes, self.first_turn = found.turns, found.sizes, found.first
        self.oldest_kept = oldest_kept(inputs.fold, settings.keep)
        self._erased = found.erased
        self.past = left(inputs, self.first_turn, self._erased)
        self.older, self.dropped, self.shrink = False, 0, 0
        self._share_out(0)
        self.pinned_bytes = pinned_bytes(settings.window)
        self.carried = inputs.carried
        self.steps: list[str] = []
        self.facts = Chosen()
        self.outline: tuple[LeftTurn, ...] = ()
        self.summary: Summary | None = None
        self.blocks = 0
        self.tail = 0
        self._go_on()

    def _go_on(self) -> None:
        """Begin as the last recipe left it, so that what was done to fit holds on."""
        before = handed(self.inputs)
        self.older = before.older and self.in_rounds
        if self.last is not None and self.last.number == before.of:
            self.dropped = min(before.dropped, max(self.rounds - 1, 0))
        self.measure_blocks()
        self.measure_tail()
        if before.squeezed and self.over:
            self.squeeze(before.squeezed)
            if self.due:
                self.squeeze(0)

    @cached_property
    def budget(self) -> Budget:
        settings = self.settings
        return Budget(settings.window, settings.target, self.request.tokens, headroom(self.inputs, settings))

    @property
    def used(self) -> int:
        """Tokens of everything but the request."""
        return self.total - self.request.tokens

    @property
    def total(self) -> int:
        return anchored(self._counted, self.inputs.anchor) + self.spare

    @property
    def needed(self) -> int:
        """Tokens of the window that holds it: what was learnt to take off the counts of this window holds for no
        other."""
        return max(self._counted + self.spare, self.total)

    @property
    def alone(self) -> int:
        """Tokens of the request and of what never leaves."""
        return anchored(self.request.beside + self.request.tokens, self.inputs.anchor) + self.spare

    @property
    def _counted(self) -> int:
        request = self.request
        return request.beside + self.blocks + sum(self.sizes) + self.tail + request.tokens

    @property
    def over(self) -> bool:
        return self.used > self.budget.goal

    @property
    def due(self) -> bool:
        """Whether turns are due to leave; in the place of a context that its provider refused, down to the goal."""
        return self.budget.due(self.used) or (bool(self.inputs.refused) and self.over)

    @property
    def rounds(self) -> int:
        """Tool rounds of the turn whose rounds may leave."""
        return len(tool_rounds(self.last.steps)) if self.last else 0

    @cached_property
    def in_rounds(self) -> bool:
        """Whether the open turn has come to tool rounds or replies, so that it is the turn that stays."""
        return asking.in_rounds(self.inputs.open)

    @property
    def last(self) -> Turn | None:
        """The one turn that never leaves whole, but may be shortened; None where turns are kept as they are instead."""
        if self.in_rounds:
            return self.inputs.open
        return self.turns[-1] if self.turns and not self.kept else None

    @property
    def kept(self) -> int:
        """How many of the literal turns never leave and are never shortened."""
        return sum(turn.number >= self.oldest_kept for turn in self.turns)

    def leave(self, count: int) -> None:
        """The ``count`` oldest literal turns leave."""
        gone = self.turns[:count]
        first = self.turns[count].number if count < len(self.turns) else gone[-1].number + 1
        self._begin_at(first, self.turns[count:], self.sizes[count:])

    def leave_unless_larger(self, count: int) -> bool:
        """The ``count`` oldest literal turns leave; not, and it is False, where what is said of them instead takes no
        less room."""
        used, first, turns, sizes = self.used, self.first_turn, self.turns, self.sizes
        self.leave(count)
        if self.used < used:
            return True
        self._begin_at(first, turns, sizes)
        return False

    def _begin_at(self, first: int, turns: list[Turn], sizes: list[int]) -> None:
        self.first_turn, self.turns, self.sizes = first, turns, sizes
        self.past = left(self.inputs, first, self._erased)
        self.measure_blocks()

    def squeeze(self, squeezed: int) -> None:
        """The blocks shrink, to their `LEAST` or until there is `NO_SUMMARY`; at 0 they grow again."""
        self._share_out(squeezed)
        self.measure_blocks()

    def _share_out(self, squeezed: int) -> None:
        """The room that the parts of the blocks have: at their least few facts, and none for naming turns that left."""
        window, self.squeezed = self.settings.window, squeezed
        facts = facts_bytes(window)
        self.facts_bytes = self.now_bytes = min(facts, limits.FACTS_BYTES_MIN) if squeezed else facts
        self.outline_bytes = outline_bytes(window) if self.settings.outline and not squeezed else 0
        self.summary_bytes = outline_bytes(window) if squeezed < NO_SUMMARY else 0

    def renderings_of(self, turn: Turn) -> Renderings:
        live = turn is self.inputs.open
        if live:
            output, memory = self.settings.output, self.settings.manner.memory_tool
            found = renderings.during(turn, output, memory, older=self.older)
        else:
            found = of_past(turn, self.settings, whole=turn.number >= self.oldest_kept)
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
            asked = 0 if self.inputs.request else self.request.tokens  # which is then beside the turn, not in it
            self.tail = max(measured - asked, 0)

    def measure_blocks(self) -> None:
        """Choose the facts, and what is said of turns that left, again for the turns that are literal now, and measure
        the two blocks."""
        room = Room(self.facts_bytes, self.now_bytes, self.pinned_bytes)
        inputs, request = self.inputs, self.request
        self.facts = choose(inputs.earlier, inputs.now, lambda: request.words, self._view, room, request.bearing)
        self.outline = outline.within(self.past.turns, self.past.prompts, self.outline_bytes)
        said = inputs.summary if self.left else None
        self.summary = summaries.within(said, self.summary_bytes) if said else None
        self.blocks = self.weight(self.earlier_text) + self.weight(self.now_text)

    def weight(self, text: str) -> int:
        """Tokens of the text of a block, 0 where that says nothing."""
        return self.settings.weigh(self.settings.manner.shape.derived(text)) if text else 0

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
            summary=self.summary.lines if self.summary else (),
            outline=outline.lines(self.outline, self.past.prompts, self.outline_bytes),
            outline_hidden=self.outline_hidden,
        )

    @property
    def now_text(self) -> str:
        carried = self.carried.line if self.carried else ""
        lines = [fact.line for fact in self.facts.now]
        return blocks.now(lines, self.facts.hidden[1], carried, self.inputs.tools)

    def hold_back_state(self) -> bool:
        """Say of what the session carries only how much it is; False where that is done, or there is none."""
        if self.carried is None or self.carried.shown.note:
            return False
        self.carried = self.carried.held_back
        self.measure_blocks()
        return True

    @property
    def left(self) -> int:
        """Committed turns before the first literal one that have something to say."""
        header = self.inputs.fold.header
        return max(header.committed - len(self.turns) - self.erased, 0) if header else 0

    @property
    def left_now(self) -> int:
        """Those of them that were literal in the last context, or would have been."""
        return max(self.left - max(self.inputs.left - self.past.found, 0), 0)

    @property
    def erased(self) -> int:
        """Committed turns that are left out because everything that was said in them was erased, as far as known."""
        return self.past.erased + sum(number >= self.first_turn for number in self._erased)

    @property
    def outline_hidden(self) -> int:
        """Turns that left and are not named where others are."""
        return max(self.left - len(self.outline), 0) if self.outline else 0

    @property
    def pending(self) -> tuple[int, ...]:
        """Committed turns that left before everything was drawn from them."""
        return pending(self.inputs, self.first_turn) if self.left else ()

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
