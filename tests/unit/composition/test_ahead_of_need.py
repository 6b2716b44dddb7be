"""That every turn which leaves was named a whole turn before, at the pace of ordinary turns: time to distil it.

In 8,192 tokens turns leave from 6,963 on (0.85), with the request and what an average turn still needs, down to 4,915
(0.6); which ones leave next is told from 4,875 on (0.7 of 6,963).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from eunoe.composition import outline
from eunoe.composition.known import Known
from eunoe.composition.summary import Summary
from eunoe.schemas import limits
from eunoe.schemas.context import Recipe, ShownSummary
from eunoe.schemas.events import Prompt, Response, TurnCommitted

FRAME = 68  # bytes of a turn beside its reply: its request, and what frames both
ROUND = 472  # bytes of a round of tools that is over: the call, and a reference in the place of the output
OUTPUT = 1_200  # bytes of that output, while its turn is open
LINE = "Turn 1: person: " + "word " * 20


class Played:
    """A thread of turns of the same size, each with a context before its round of tools and after it; what leaves next
    is distilled by the next turn: so many ``facts`` of each turn, and a summary that grows."""

    def __init__(self, kit: Any, tokens: int, *, tools: bool = False, facts: int = 0) -> None:
        self.kit, self.facts, self.tools = kit, facts, tools
        self.reply = "x" * (tokens * limits.BYTES_PER_TOKEN - FRAME - ROUND * tools)
        self.thread, self.compose = kit.thread(), kit.compose(window=8_192)
        self.known: list[Known] = []
        self.summary: Summary | None = None
        self.before: Recipe | None = None

    def turns(self, count: int) -> Iterator[tuple[int, Recipe]]:
        """Each context, with the number of its turn."""
        for number in range(1, count + 1):
            key = self.thread.open(Prompt(content="q"))
            yield number, self.asked(key)
            if self.tools:
                self.thread.append(*self.kit.reads("z" * OUTPUT, call=f"c{number}"), key=key)
                yield number, self.asked(key)
            self.thread.append(Response(content=self.reply), TurnCommitted(), key=key)
            self.distil()

    def asked(self, key: str) -> Recipe:
        fold = self.thread.fold()
        left = [fold.turns[one.turn] for one in self.before.outline] if self.before else []
        named = {turn.number: said for turn in left if (said := outline.asked_in(turn))} if self.before else None
        given = {"earlier": self.known, "before": self.before, "named": named, "summary": self.summary}
        recipe: Recipe = self.compose(fold, key=key, **given).recipe
        self.before = recipe
        return recipe

    def distil(self) -> None:
        assert self.before is not None
        done = self.summary.shown.last if self.summary else 0
        last = max([done, *(last for _, last in self.before.ahead)])
        for turn in range(done + 1, last + 1) if self.facts else ():
            names = [f"part/{turn}/{number}.py" for number in range(self.facts)]
            self.known += [self.kit.fact("what there is to know", name=name, turn=turn) for name in names]
        if self.facts and last > done:
            shown = ShownSummary(version=1, position=1, index=0, last=last)
            self.summary = Summary(shown, "\n".join([LINE] * min(last, 14)), ((1, last),), "rules")


@pytest.mark.parametrize(
    ("tokens", "tools", "named", "leavings"),
    [
        # 283 tokens of 300 and 5 of the request: 16 turns of 300 and those are the first above 4,875, 23 above 6,963.
        # Seven leave for 6,900 - 4,915 tokens and what is said of them, 60 to 115; 16 x 300 with that come to 6,963
        # again six turns later.
        (300, False, 17, [24, 30]),
        # 583 and 5: 8 turns, and 11. Three leave for 1,685 tokens and as much; 8 x 600 take three turns more.
        (600, False, 9, [12, 15]),
        # 1,024 (no more of a reply is reckoned with) and 5: 4 turns, and 5. One leaves, and one more in each turn.
        (1_200, False, 5, [6, 7]),
        # 304 of a reply and call, 300 of the output and 5: 8 turns of 600, and 11: 6,600. In the eleventh turn, 6,000
        # with the output and the rest of the reply are not there yet.
        (600, True, 8, [12, 15]),
    ],
)
def test_turns_are_named_whole_turns_before_they_leave(
    kit: Any, tokens: int, tools: bool, named: int, leavings: list[int]
) -> None:
    """In the context of which turn the first are named, and in which turns the first two times turns leave."""
    contexts = list(Played(kit, tokens, tools=tools).turns(leavings[-1]))

    assert next(number for number, recipe in contexts if recipe.ahead) == named
    assert sorted({number for number, recipe in contexts if recipe.settings["turns_left"]}) == leavings


@pytest.mark.parametrize("facts", [0, 4, limits.DISTILLED_FACTS])
@pytest.mark.parametrize("tools", [False, True])
@pytest.mark.parametrize("tokens", [300, 600, 1_200])
def test_no_turn_leaves_that_was_not_named_a_turn_before(kit: Any, tokens: int, tools: bool, facts: int) -> None:
    """With as many facts as a turn may have, too, which come in as turns leave and have more of them leave."""
    named: dict[int, int] = {}
    left: dict[int, int] = {}
    for number, recipe in Played(kit, tokens, tools=tools, facts=facts).turns(40):
        for turn in range(1, recipe.first_turn):
            left.setdefault(turn, number)
        for first, last in recipe.ahead:
            named.update({turn: number for turn in range(first, last + 1) if turn not in named})

    assert len(left) > 14
    assert {turn: number for turn, number in left.items() if named.get(turn, number) >= number} == {}
