"""The baseline sends everything whole, and drops the oldest turns at the budget's own rule."""

from __future__ import annotations

import json

from eunoe.schemas.events import Prompt, Response, ToolCall, ToolResult, TurnCommitted, TurnOpened
from evaluation.dropping import Dropping
from evaluation.strategies import Context, Size
from evaluation.threads import Thread

WINDOW = 4_000  # tokens: turns leave at 3,400 and down to 2,400
BYTES = 2_000  # of an output, 500 tokens; a turn with one takes some 560


def play(strategy: Dropping, turns: int) -> list[Context]:
    """What is sent when each turn is asked; every turn reads one output."""
    thread, sent = Thread("t"), []
    for number in range(1, turns + 1):
        key = f"k{number}"
        thread.append(TurnOpened(), Prompt(content=f"question {number}"), key=key)
        opened = thread.fold.opened(key)
        assert opened is not None
        sent.append(strategy.context(thread, opened))
        thread.append(*reads(number), Response(content=f"answer {number}"), TurnCommitted(), key=key)
    return sent


def reads(number: int) -> tuple[ToolCall, ToolResult]:
    output = f"output {number} ".ljust(BYTES, "x")
    return ToolCall(call=f"c{number}", tool="read", content="{}"), ToolResult(call=f"c{number}", content=output)


def asked(context: Context) -> list[str]:
    return [message["content"] for message in json.loads(context.messages) if message["role"] == "user"]


def test_nothing_is_dropped_while_it_fits_and_outputs_stay_whole() -> None:
    sent = play(Dropping(Size(WINDOW)), 5)

    assert asked(sent[-1]) == [f"question {number}" for number in range(1, 6)]
    outputs = [one["content"] for one in json.loads(sent[-1].messages) if one["role"] == "tool"]
    assert [len(output) for output in outputs] == [BYTES] * 4


def test_the_fewest_oldest_turns_leave_and_stay_away() -> None:
    """A turn has 562 tokens, a request 10, and one more turn is kept free: 3,400 are reached with six turns (3,372) and
    not with five (2,810), so the seventh request is the first that is due. Two turns leave, which makes 2,248; one
    alone would make 2,810, and at most 2,400 are to stay. Then it goes on until there are six again."""
    sent = play(Dropping(Size(WINDOW)), 9)

    assert [asked(context)[0] for context in sent] == ["question 1"] * 6 + ["question 3"] * 2 + ["question 5"]
    assert [context.left for context in sent] == [0] * 6 + [2] * 2 + [4]
    assert all(context.tokens <= 3_400 for context in sent)


def test_inside_a_turn_that_is_too_large_the_oldest_rounds_are_dropped_and_the_last_stays() -> None:
    thread = Thread("t")
    thread.append(TurnOpened(), Prompt(content="read them all"), key="k")
    for number in range(1, 11):
        thread.append(*reads(number), key="k")
    opened = thread.fold.opened("k")
    assert opened is not None

    context = Dropping(Size(WINDOW)).context(thread, opened)

    outputs = [one["content"] for one in json.loads(context.messages) if one["role"] == "tool"]
    assert asked(context) == ["read them all"]
    assert outputs[-1].startswith("output 10 ")
    assert len(outputs) < 10
    assert context.tokens <= 3_400
