"""By what `eunoe context` composes the next request."""

from __future__ import annotations

import pytest

from eunoe.cli.context_basis import Basis, described, newest
from eunoe.schemas.requests import TurnLine
from eunoe.schemas.subjects import Caller


def line(turn: int, agent: str = "builder", *, composed: bool = True) -> TurnLine:
    return TurnLine(turn=turn, state="committed", time=1, prompt="Go.", entries=(1, 2), agent=agent, composed=composed)


def test_the_newest_turn_that_has_a_context_is_followed() -> None:
    """Not one that was only imported; without any, there is none."""
    person = Caller("person", "ann")

    assert newest([line(1), line(2), line(3, composed=False)], person) == line(2)
    assert newest([line(3, composed=False)], person) is None
    assert newest([], person) is None


@pytest.mark.parametrize(
    ("caller", "turn"),
    [
        (Caller("agent", "builder"), 2),
        (Caller("agent", "reviewer"), 3),
        (Caller("agent", "planner"), 1),
        (Caller("tool", "reviewer"), 1),
        (Caller("caller", "app"), 3),
    ],
)
def test_an_agent_goes_on_as_itself(caller: Caller, turn: int) -> None:
    """Of what another agent was given it sees nothing; what was nobody's is for everybody."""
    found = newest([line(1, ""), line(2, "builder"), line(3, "reviewer")], caller)

    assert found is not None
    assert found.turn == turn


def test_it_is_said_what_is_followed() -> None:
    """The turn, or the settings, and what the command line said instead."""
    assert described(Basis(turn=13, memory_tool=True)) == "as the last context of turn 13; with the memory tool"
    assert described(Basis(turn=13, options=("--window", "--no-memory-tool"))) == (
        "as the last context of turn 13, but for --window, --no-memory-tool; no memory tool"
    )
    assert described(Basis()) == "by the settings, with no recent context to follow; no memory tool"
