"""What is said of turns that left: a summary and an outline, each in a share of its own, and which goes first."""

from __future__ import annotations

from typing import Any

import pytest

from eunoe.composition.summary import Summary
from eunoe.schemas.context import Recipe, ShownSummary

WINDOW = 4_096  # tokens: a twentieth of it are 819 bytes, and a context is due at 3,481 tokens and goes down to 2,457
LEFT = 12
TEXT = "\n".join(f"Turn {number}: person: {'word ' * 10}" for number in range(1, LEFT + 1))  # 800 bytes and more
SUMMARY = Summary(ShownSummary(version=1, position=9, index=0, last=LEFT), TEXT, ((1, LEFT),), "rules")


class Thread:
    """Twelve turns that left, and one that is shown, whose reply is of so many bytes."""

    def __init__(self, kit: Any, **settings: Any) -> None:
        self.kit, self.compose = kit, kit.compose(window=WINDOW, headroom=0, **settings)

    def asked(self, size: int = 8, prompt: int = 8, **more: Any) -> Recipe:
        thread = self.kit.thread()
        for number in range(1, LEFT + 1):
            thread.turn(*self.kit.asks(f"question {number} ".ljust(40, "?")))
        thread.turn(*self.kit.asks("now", answer="x" * size))
        more = {"before": self.compose.marked(LEFT + 1), "summary": SUMMARY, **more}
        return self.compose(thread.fold(), request="w" * prompt, **more).recipe  # type: ignore[no-any-return]


def test_the_outline_does_not_depend_on_the_summary(kit: Any) -> None:
    """A summary that fills its share, and covers every turn that left, takes nothing from the lines of those."""
    thread = Thread(kit)

    with_it, without = thread.asked(), thread.asked(summary=None)

    assert [one.turn for one in with_it.outline] == list(range(1, LEFT + 1))
    assert (with_it.outline, with_it.outline_hidden) == (without.outline, 0)
    assert with_it.summary is not None
    assert 700 < with_it.summary.size < 819


@pytest.mark.parametrize(
    ("prompt", "outlined", "summarised", "steps"),
    [
        (10_900, True, True, ()),
        (11_700, False, True, ("left the outline out",)),
        (12_500, False, False, ("left the outline out", "left the summary out")),
    ],
)
def test_the_outline_goes_before_the_summary(
    kit: Any, prompt: int, outlined: bool, summarised: bool, steps: tuple[str, ...]
) -> None:
    """Beside a turn that is kept there is 200 tokens less room each time, and each takes about that."""
    found = Thread(kit, keep=1).asked(1_000, prompt)

    assert (bool(found.outline), found.summary is not None) == (outlined, summarised)
    assert found.steps == steps


def test_a_summary_that_left_stays_away_until_turns_are_due_again(kit: Any) -> None:
    """So that the next request begins with the same bytes; once there is room it is back."""
    thread = Thread(kit, keep=1)
    first = thread.asked(1_000, 12_500)

    second, third = thread.asked(1_000, 12_400, before=first), thread.asked(1_000, 8, before=first)

    assert (second.summary, second.outline, second.steps) == (None, (), ())
    assert (third.summary is not None, len(third.outline)) == (True, LEFT)


def test_where_turns_are_not_named_the_summary_is_there_all_the_same(kit: Any) -> None:
    found = Thread(kit, outline=False).asked()

    assert (found.outline, found.outline_hidden, found.summary is not None) == ((), 0, True)
