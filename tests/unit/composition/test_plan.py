"""The budget: what leaves, in which order, and what is said about it."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from eunoe.composition import telling
from eunoe.composition.budget import Budget, facts_bytes
from eunoe.composition.counter import ByteCounter
from eunoe.composition.plan import check
from eunoe.schemas import limits
from eunoe.schemas.errors import DoesNotFit, Invalid
from eunoe.schemas.events import ContextComposed, Prompt, Response, ToolCall, ToolResult, TurnCommitted, Usage


def test_the_goal_is_the_share_or_what_leaves_room_for_an_average_turn() -> None:
    """0.6 of 10,000 is 6,000; with a prompt of 2,000 and turns of 1,500 the 0.85 leaves 5,000."""
    assert Budget(10_000, 0.6, 500, 1500).goal == 6000
    assert Budget(10_000, 0.6, 2000, 1500).goal == 5000
    assert Budget(10_000, 0.8, 0, 0).goal == 6500


def test_turns_are_due_at_085_of_the_window() -> None:
    """Context, request and headroom together, 8,500 of 10,000."""
    budget = Budget(10_000, 0.6, 500, 1000)

    assert [budget.due(6999), budget.due(7000)] == [False, True]


@pytest.mark.parametrize(
    ("target", "headroom", "refused"),
    [(0.1, 0, ""), (0.8, 64, ""), (0.09, 8, "target"), (0.81, 8, "target"), (0.6, 65, "headroom")],
)
def test_a_target_is_a_tenth_to_eight_tenths_and_headroom_is_kept_for_64_turns_at_most(
    target: float, headroom: int, refused: str
) -> None:
    """Both ends are taken, and what is just beyond them is refused by name."""
    with pytest.raises(Invalid, match=refused) if refused else nullcontext():
        check(8_192, target, headroom)


def test_facts_take_a_tenth_of_the_window_and_at_least_1_kib() -> None:
    """In bytes, at four a token, and no more than 64 KiB."""
    windows = (1024, 8192, 100_000, 1_000_000)
    assert [facts_bytes(window) for window in windows] == [1024, 3276, 40_000, 65_536]


def test_bytes_are_counted_four_a_token_rounded_up() -> None:
    """The counter needs nothing from outside and gives the same number twice."""
    assert [ByteCounter().count(b"x" * size) for size in (0, 1, 4, 5)] == [0, 1, 1, 2]
    assert ByteCounter().count("日本語".encode()) == 3


def test_everything_stays_while_there_is_room(kit: Any) -> None:
    """Three small turns in 8,192 tokens are literal, oldest first; aborted ones are not there."""
    thread = kit.thread()
    thread.turn(*kit.asks("one"))
    thread.turn(*kit.asks("lost"), aborted=True)
    thread.turn(*kit.asks("two"))

    composed = kit.compose()(thread.fold(), request="three")

    assert [message["content"] for message in composed.messages] == ["one", "done", "two", "done", "three"]
    assert (composed.recipe.turns, composed.recipe.first_turn, composed.recipe.left) == ((1, 3), 1, 0)
    assert composed.recipe.steps == ()


def test_the_fewest_oldest_turns_leave_until_the_goal_is_reached(kit: Any) -> None:
    """Ten turns of 250 tokens are over 0.85 of 2,048; with no headroom they leave down to 0.6, and four remain.

    A turn is 1,000 bytes of JSON; the goal is 1,228 tokens, of which the block of what left takes under 100.
    """
    thread = kit.thread()
    for _ in range(10):
        thread.turn(Prompt(content="q"), Response(content="x" * (1000 - 31 - 1 - 36 - 1)))

    composed = kit.compose(window=2048, headroom=0)(thread.fold(), request="next")

    assert composed.recipe.turns == (7, 8, 9, 10)
    assert composed.recipe.first_turn == 7
    assert composed.recipe.steps == ("left 6 turns",)
    assert "6 turns before turn 7 left this context" in composed.messages[0]["content"]


def test_the_cut_mark_holds_until_it_is_due_again(kit: Any) -> None:
    """What left does not come back with the next request, though there is room for it."""
    thread = kit.thread()
    for number in range(6):
        thread.turn(*kit.asks(f"q{number}"))

    composed = kit.compose()(thread.fold(), request="next", mark=4)

    assert composed.recipe.turns == (4, 5, 6)
    assert (composed.recipe.first_turn, composed.recipe.left) == (4, 3)


def test_average_turns_do_not_condense_one_after_the_other(kit: Any) -> None:
    """Turns of 200 tokens in 4,096: a quarter of the window is freed each time, room for four of them."""
    thread = kit.thread()
    recipe, condensed = None, []
    for number in range(60):
        thread.turn(Prompt(content="q"), Response(content="x" * 730))
        recipe = kit.compose(window=4096)(thread.fold(), request="next", before=recipe).recipe
        condensed += [number] if recipe.steps else []

    gaps = [later - sooner for sooner, later in pairwise(condensed)]

    assert len(gaps) >= 5
    assert min(gaps) >= 3


def test_a_last_turn_over_the_budget_is_cut_with_a_mark_and_never_empty(kit: Any) -> None:
    """20,000 tokens of reply in a window of 1,000: its head and tail are there, and what is held back is named."""
    thread = kit.thread()
    thread.turn(Prompt(content="write"), Response(content="start " + "x" * 80_000 + " end"))

    composed = kit.compose(window=1000, memory_tool=True)(thread.fold(), request="go on")

    reply = next(message["content"] for message in composed.messages if message["role"] == "assistant")
    assert reply.startswith("start xxx")
    assert reply.endswith("x end")
    assert 'bytes of entry 2 held back; memory "recall entry 2" shows it …]' in reply
    assert composed.recipe.tokens <= 850


def test_whatever_the_person_says_in_an_open_turn_is_never_cut(kit: Any) -> None:
    """8,000 bytes said after the first reply, in 4,096 tokens that a long reply of before fills: they stay whole."""
    thread = kit.thread()
    said = "word " * 1600
    key = thread.open(Prompt(content="fix it"), Response(content="r" * 30_000), Prompt(content=said))

    composed = kit.compose(window=4096)(thread.fold(), key=key)

    assert said.strip() in composed.messages[-1]["content"]
    assert composed.recipe.tokens <= 4096


def test_older_rounds_of_an_open_turn_become_references_when_it_would_pass_the_budget(kit: Any) -> None:
    """Of six rounds of 3 KiB in 4,096 tokens the last three stay whole."""
    thread = kit.thread()
    rounds = [event for n in range(6) for event in kit.reads(f"output {n}\n" * 330, call=f"c{n}")]
    key = thread.open(Prompt(content="fix it"), *rounds)

    composed = kit.compose(window=4096)(thread.fold(), key=key)

    outputs = [message["content"] for message in composed.messages if message["role"] == "tool"]
    assert [output.startswith("[output of entry") for output in outputs] == [True] * 3 + [False] * 3
    assert composed.recipe.steps == ("referenced 3 rounds",)


def test_rounds_of_an_open_turn_leave_with_a_marker_that_recalls_them(kit: Any) -> None:
    """When references are not enough, the oldest rounds go; the last one and the request stay."""
    thread = kit.thread()
    thread.turn(*kit.asks("before"))
    rounds = [event for n in range(30) for event in kit.reads(f"output {n}\n" * 90, call=f"c{n}")]
    key = thread.open(Prompt(content="fix it"), *rounds)

    composed = kit.compose(window=2048, memory_tool=True)(thread.fold(), key=key)

    texts = [message.get("content", "") for message in composed.messages]
    gone = composed.recipe.dropped_rounds
    entries = f"entries 4–{3 + 2 * gone}"  # noqa: RUF001  # the dash of a range
    marker = f'[{gone} earlier tool rounds of this turn, {entries}, held back; memory "recall turn 2" shows them]'
    assert 0 < gone < 30
    assert texts[1] == "fix it"
    assert marker in texts[2]
    assert texts[-1].startswith("output 29\n")
    assert composed.recipe.turns == ()


def test_the_last_round_of_an_open_turn_never_leaves(kit: Any) -> None:
    """Five outputs of 4 KiB in 1,024 tokens, of which the goal is 614: four rounds leave, and of the last one's output
    head and tail stay."""
    thread = kit.thread()
    rounds = [event for n in range(5) for event in kit.reads(f"begin {n}\n" + "x\n" * 2_000 + f"end {n}", call=f"c{n}")]
    key = thread.open(Prompt(content="fix it"), *rounds)

    composed = kit.compose(window=1024)(thread.fold(), key=key)

    assert composed.recipe.dropped_rounds == 4
    assert composed.messages[-1]["content"].startswith("begin 4\n")
    assert composed.messages[-1]["content"].endswith("\nend 4")


def test_the_floor_is_said_with_its_figures(kit: Any) -> None:
    """A request that leaves no room for an average turn is composed all the same, with a note."""
    thread = kit.thread()
    thread.turn(*kit.asks("a", *kit.reads("x" * 3000)))

    composed = kit.compose(window=1024)(thread.fold(), request="y" * 2800)

    assert composed.recipe.floor
    assert composed.recipe.note.startswith("context at its floor: ")
    assert "of 1,024 tokens" in composed.recipe.note
    assert composed.recipe.tokens <= 1024


@pytest.mark.parametrize("form", ["openai", "anthropic", "text"])
@pytest.mark.parametrize("size", range(40, 60))
def test_what_is_said_for_the_user_is_measured_too(kit: Any, form: str, size: int) -> None:
    """Where the first and the last word are the model's, the window that just fits is enough for what is added."""
    thread = kit.thread()
    key = thread.open(Response(content="x" * size))
    fold = thread.fold()
    with pytest.raises(DoesNotFit) as refused:
        kit.compose(window=1, format=form)(fold, key=key)
    floor = int(refused.value.detail["floor"])

    assert kit.compose(window=floor, format=form)(fold, key=key).recipe.tokens <= floor


def test_headroom_is_the_mean_of_the_last_eight_turns_less_what_the_open_one_has_taken(kit: Any) -> None:
    """Replies of 4,000 bytes in the first two of nine turns, and of 400 in the others: of the last eight one has 1,000
    tokens and seven have 100, on average 212. A turn that has said 400 bytes needs 112 more, one that said 1,200 none.
    """
    thread = kit.thread()
    for size in (4_000, 4_000, *[400] * 7):
        thread.turn(*kit.asks("q", answer="x" * size))

    found = [kit.compose()(thread.fold(), request="next").recipe.settings["headroom_tokens"]]
    for size in (400, 1_200):
        key = thread.open(Prompt(content="q"), Response(content="x" * size))
        found.append(kit.compose()(thread.fold(), key=key).recipe.settings["headroom_tokens"])

    assert found == [212, 112, 0]


def test_headroom_counts_at_most_a_quarter_of_the_window(kit: Any) -> None:
    """One turn of 13 outputs of 4 KiB (13,312 tokens) before a request in 8,192: its references stay, all of them.

    2,048 are kept free; the references take under 2,100, so that request and headroom stay below 6,963.
    """
    thread = kit.thread()
    thread.turn(*kit.asks("a", *(event for n in range(13) for event in kit.reads("x" * 4096, call=f"c{n}"))))

    recipe = kit.compose()(thread.fold(), request="next").recipe

    assert recipe.settings["headroom_tokens"] == 2048
    assert (recipe.turns, recipe.dropped_rounds, recipe.steps) == ((1,), 0, ())
    assert {one.how for one in recipe.renderings} == {"reference"}


def test_rounds_of_a_turn_that_is_over_leave_no_further_than_to_the_goal(kit: Any) -> None:
    """The facts that come in for them are reckoned with, and nothing that stays is shortened."""
    thread = kit.thread()
    rounds = [event for n in range(40) for event in kit.reads("x" * 4096, call=f"c{n}")]
    thread.turn(*kit.asks("a", *rounds))
    facts = [kit.fact("v" * 100, name=f"{n}.py", turn=1) for n in range(6)]

    made = kit.compose(window=4096)(thread.fold(), request="next", earlier=facts)

    goal, used = made.recipe.settings["goal"], made.recipe.tokens
    assert made.recipe.steps == (f"left {made.recipe.dropped_rounds} rounds",)
    assert len(made.recipe.earlier) == 6
    assert goal - 150 < used <= goal + 10  # a round with its reference is about 140 tokens, the request 8


def test_at_the_floor_without_any_room_the_note_says_so(kit: Any) -> None:
    """A request of 708 tokens in 1,024 and the most headroom (256) are over 870 by themselves."""
    thread = kit.thread()
    thread.turn(*kit.asks("a", *kit.reads("x" * 3000)))

    note = kit.compose(window=1024)(thread.fold(), request="y" * 2800).recipe.note

    assert note.endswith(
        "what an average turn still needs (256 tokens) leave no room for it within 870 of 1,024 tokens"
    )


def test_a_request_larger_than_the_window_is_refused_with_figures(kit: Any) -> None:
    """The request and the instructions are never cut: 8,000 bytes do not fit 1,024 tokens."""
    thread = kit.thread()
    thread.instruct("i" * 400)

    with pytest.raises(DoesNotFit, match="of a window of 1,024, and the least that a context can be is") as refused:
        kit.compose(window=1024)(thread.fold(), request="y" * 8000)

    assert refused.value.detail["alone"] == refused.value.detail["floor"] > 2100


def test_what_is_stored_of_a_context_is_small_in_the_largest_window(kit: Any) -> None:
    """Of 600 literal turns, each with a reference, and 4,000 short facts: under a quarter of what a record holds."""
    thread = kit.thread()
    for number in range(600):
        thread.turn(*kit.asks("q", *kit.reads("x" * 700, call=f"c{number}")))
    facts = [kit.fact("v", name=str(number), turn=0) for number in range(4000)]
    fold = thread.fold()

    recipe = kit.compose(window=200_000)(fold, request="next", earlier=facts).recipe
    stored = telling.events(recipe, kit.stored_of(recipe, fold, (), facts))

    assert (len(recipe.turns), len(recipe.earlier) > 1000) == (600, True)
    assert len(msgspec.json.encode(stored)) < limits.RECORD_BYTES // 4


def test_a_fact_is_shown_only_while_its_turn_is_not(kit: Any) -> None:
    """The earlier block does not repeat what the literal turns show."""
    thread = kit.thread()
    thread.turn(*kit.asks("one"))
    thread.turn(*kit.asks("two"))
    first, second = kit.fact("1", name="a.py", turn=1), kit.fact("2", name="b.py", turn=2)

    composed = kit.compose()(thread.fold(), request="next", earlier=[first, second], mark=2)

    assert [line.id for line in composed.recipe.earlier] == [first.shown.id]


def test_a_pending_call_of_an_open_turn_has_a_result_that_says_so(kit: Any) -> None:
    """An API takes no call without a result: what is still running is said to be."""
    thread = kit.thread()
    calls = (ToolCall(call="a", tool="t"), ToolCall(call="b", tool="t"))
    key = thread.open(Prompt(content="go"), *calls, ToolResult(call="b", content="B"))

    live = kit.compose()(thread.fold(), key=key).messages
    thread.append(TurnCommitted(), key=key)
    over = kit.compose()(thread.fold(), request="next").messages

    assert [message["content"] for message in live if message["role"] == "tool"] == ["(no result yet)", "B"]
    assert [message["content"] for message in over if message["role"] == "tool"] == ["(no result was recorded)", "B"]


def test_usage_anchors_the_next_count(kit: Any) -> None:
    """The provider counted 300 tokens more than the recipe says: so does the next context of this profile."""
    thread = kit.thread()
    key = thread.open(Prompt(content="one"))
    recipe = kit.compose()(thread.fold(), key=key).recipe
    thread.append(ContextComposed(recipe=recipe))
    thread.append(Usage(input_tokens=recipe.tokens + 300), key=key)

    fold = thread.fold()

    assert fold.anchor((8192, "bytes/4", "openai")) == 300
    assert fold.anchor((4096, "bytes/4", "openai")) == 0
    assert kit.compose()(fold, key=key, anchor=300).recipe.tokens == recipe.tokens + 300


@pytest.mark.parametrize("memory_tool", [False, True])
def test_a_request_fits_wherever_it_fits_without_the_turns_before_it(kit: Any, memory_tool: bool) -> None:
    """The last turn is shorter than what is said once it left, unless its facts are held back: then it leaves too."""
    thread = kit.thread()
    thread.turn(*kit.asks("x" * 120, answer="y" * 80))
    facts = [kit.fact("z" * 100, name=f"{number}.py", turn=1) for number in range(3)]
    compose, fold = kit.compose(window=512, memory_tool=memory_tool), thread.fold()

    def fits(size: int, **more: Any) -> bool:
        try:
            compose(fold, request="w" * size, earlier=facts, **more)
        except DoesNotFit:
            return False
        return True

    sizes = range(1_200, 2_048, 4)
    assert [size for size in sizes if fits(size)] == [size for size in sizes if fits(size, mark=2)]
    assert fits(sizes[0])
    assert not fits(sizes[-1])
