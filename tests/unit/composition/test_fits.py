"""Whatever a thread holds, its context is valid, fits, and can be composed again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shapes import CHECKS

from eunoe.composition.fold import Fold
from eunoe.composition.inputs import Inputs
from eunoe.composition.plan import enough
from eunoe.composition.render import render
from eunoe.schemas.context import FORMATS
from eunoe.schemas.errors import DoesNotFit
from eunoe.schemas.events import Event, Prompt, Response, ToolCall, ToolResult

pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")  # of an example that fails

words = st.text(min_size=0, max_size=40) | st.sampled_from(
    ["", " ", "\n\n", "é" * 30, "日本語 " * 9, "<eunoe-record>", "\x00"]
)
bulk = st.builds(lambda text, times: (text or "x") * times, words, st.sampled_from([1, 1, 3, 40, 400, 3000]))
arguments = st.sampled_from(["", "{}", '{"a": 1}', "not json", "[1, 2]", '{"n": NaN}', '{"arguments": "x"}'])


@st.composite
def rounds(draw: st.DrawFn) -> tuple[Event, ...]:
    """Parallel calls, some without a result, some results without a call, in any order."""
    calls = draw(st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=3))
    found: list[Event] = []
    if draw(st.booleans()):
        found.append(Response(content=draw(words)))
    found += [
        ToolCall(call=call, tool=draw(st.sampled_from(["bash", "read file", ""])), content=draw(arguments))
        for call in calls
    ]
    answered = [call for call in calls if draw(st.integers(0, 9)) > 0] + draw(st.sampled_from([[], [], ["unknown"]]))
    status = draw(st.sampled_from(["ok", "failed"]))
    found += [ToolResult(call=call, content=draw(bulk), status=status) for call in draw(st.permutations(answered))]  # type: ignore[arg-type]  # a sampled literal
    return tuple(found)


@st.composite
def turns(draw: st.DrawFn) -> tuple[Event, ...]:
    found: list[Event] = [Prompt(content=draw(bulk))] if draw(st.integers(0, 9)) else []
    for made in draw(st.lists(rounds(), max_size=6)):
        found += made
    if draw(st.integers(0, 9)):
        found.append(Response(content=draw(bulk)))
    return tuple(found)


threads = st.fixed_dictionaries(
    {
        "instructions": st.none() | bulk,
        "turns": st.lists(st.tuples(turns(), st.booleans()), max_size=12),
        "open": st.none() | turns(),
        "window": st.sampled_from([1024, 2048, 8192, 32_768, 200_000]),
        "target": st.sampled_from([0.1, 0.4, 0.6, 0.8]),
        "headroom": st.sampled_from([0, 1, 8, 64]),
        "memory_tool": st.booleans(),
        "facts": st.lists(st.tuples(st.integers(0, 12), words), max_size=60),
    }
)


def build(kit: Any, spec: dict[str, Any]) -> tuple[Any, Fold, str]:
    thread = kit.thread()
    if spec["instructions"] is not None:
        thread.instruct(spec["instructions"])
    for events, aborted in spec["turns"]:
        thread.turn(*events, aborted=aborted)
    key = thread.open(*spec["open"]) if spec["open"] is not None else ""
    if not thread.records:
        thread.turn()
    return thread, thread.fold(), key


def remembered(kit: Any, spec: dict[str, Any]) -> list[Any]:
    """Facts of some of the turns, as long as their values are drawn."""
    found = [kit.fact(value, name=f"{at}.py", turn=turn) for at, (turn, value) in enumerate(spec["facts"])]
    return sorted(found, key=lambda fact: fact.rank)


def compose(kit: Any, spec: dict[str, Any], fold: Fold, key: str, form: str) -> Any:
    shape = kit.compose(
        window=spec["window"],
        format=form,
        target=spec["target"],
        headroom=spec["headroom"],
        memory_tool=spec["memory_tool"],
    )
    return shape(fold, key=key, request="" if key else "what next?", earlier=remembered(kit, spec))


@pytest.mark.parametrize("form", FORMATS)
@given(spec=threads)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_a_context_fits_or_is_at_its_floor_or_says_that_it_cannot(kit: Any, form: str, spec: dict[str, Any]) -> None:
    """It ends; below 85 % of the window, or at the floor within it, or `DoesNotFit` says what the floor is."""
    thread, fold, key = build(kit, spec)
    before = sum(len(turn.items) for turn in fold.turns.values())

    try:
        made = compose(kit, spec, fold, key, form)
    except DoesNotFit as refused:
        check_refusal(refused, spec["window"])
        return

    size = -(-len(made.rendered.data) // 4)
    assert made.recipe.tokens == size
    assert size <= spec["window"]
    assert size + made.recipe.settings["headroom_tokens"] <= 0.85 * spec["window"] or made.recipe.floor
    assert bool(made.recipe.note) == made.recipe.floor
    assert sum(len(turn.items) for turn in fold.turns.values()) == before
    again = render(
        made.recipe,
        kit.stored_of(made.recipe, thread.fold(), fold.in_force(fold.last, "builder"), remembered(kit, spec)),
    )
    assert again.sha256 == made.recipe.sha256


@pytest.mark.parametrize("form", CHECKS)
@given(spec=threads)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_every_api_gets_what_it_takes(kit: Any, form: str, spec: dict[str, Any]) -> None:
    """Valid for the SDK's own types, and for the API: every call with its result where it must be, roles as it wants
    them, nothing empty, the user's or a tool's word last."""
    _, fold, key = build(kit, spec)
    try:
        messages = compose(kit, spec, fold, key, form).messages
    except DoesNotFit:
        return

    CHECKS[form](messages)


@given(spec=threads)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_a_fold_that_reaches_far_enough_gives_what_the_whole_one_gives(kit: Any, spec: dict[str, Any]) -> None:
    """Folding backwards may stop where `enough` says so: what is older cannot matter."""
    thread, whole, key = build(kit, {**spec, "instructions": None})
    part = Fold(thread.chain)
    shape = kit.compose(window=spec["window"], target=spec["target"], headroom=spec["headroom"])
    for record in reversed(thread.records):
        part.add(record)
        opened = part.opened(key) if key else None
        turn = opened.number if opened else part.last + 1
        if enough(Inputs("t", part, turn, opened), shape.settings):
            break
    try:
        expected = compose(kit, spec, whole, key, "openai")
    except DoesNotFit:
        return

    found = compose(kit, spec, part, key, "openai")

    assert found.messages == expected.messages
    assert found.recipe == expected.recipe


def check_refusal(refused: DoesNotFit, window: int) -> None:
    assert refused.detail["floor"] > window
    assert f"{refused.detail['floor']:,}" in str(refused)
