"""Another model, and back: another window, counter and format are another profile, and no profile forgets."""

from __future__ import annotations

from typing import Any

import pytest
from composition_desks import System

from eunoe.composition.counters import vocabularies
from eunoe.composition.fold import Fold
from eunoe.schemas.context import FORMATS, Context, Format
from eunoe.schemas.events import ContextComposed, Prompt, Response, TurnCommitted, Usage

O200K = vocabularies.load("o200k_base")
LARGE: dict[str, Any] = {"window": 32_768, "model": "gpt-4o"}
SMALL: dict[str, Any] = {"window": 8192, "model": "claude-sonnet-4"}


def last(fold: Fold, shape: Any) -> Any:
    composed = fold.recipes.get(shape.settings.profile)
    return composed.recipe if composed else None


def compose(kit: Any, thread: Any, shape: Any) -> Any:
    """A context that is stored, as the next of its profile."""
    fold = thread.fold()
    made = shape(fold, request="go on", before=last(fold, shape))
    thread.append(ContextComposed(recipe=made.recipe))
    return made


@pytest.mark.parametrize("form", FORMATS)
def test_switching_to_a_smaller_model_and_back_gives_the_same_bytes(kit: Any, form: Format) -> None:
    """Of sixty turns of 700 tokens 32,768 hold some, and 8,192 fewer; back again they hold those that they held."""
    thread = kit.thread()
    for number in range(60):
        thread.turn(*kit.asks(f"question {number}", answer=f"answer {number}: " + "word " * 680))
    large, small = kit.compose(window=32_768, counter=O200K), kit.compose(window=8192, format=form)
    first = compose(kit, thread, large)
    stayed = large(thread.fold(), request="go on", before=first.recipe)
    other = compose(kit, thread, small)

    back = compose(kit, thread, large)

    assert first.recipe.turns == back.recipe.turns == tuple(range(back.recipe.first_turn, 61))
    assert 1 < first.recipe.first_turn < other.recipe.first_turn < 61
    assert back.rendered.messages == stayed.rendered.messages
    assert (back.recipe.counter, other.recipe.counter) == ("o200k_base", "bytes/4")


def test_turns_asked_of_another_model_in_between_are_there_too(kit: Any) -> None:
    """The first profile goes on from its own mark: what it held, and every turn since, as far as it has room."""
    thread = kit.thread()
    for number in range(40):
        thread.turn(*kit.asks(f"question {number}", answer="word " * 680))
    large, small = kit.compose(window=32_768, counter=O200K), kit.compose(window=8192, format="anthropic")
    first = compose(kit, thread, large)
    marks = []
    for number in range(6):
        marks.append(compose(kit, thread, small).recipe.first_turn)
        thread.turn(*kit.asks(f"between {number}", answer="short"))

    back = compose(kit, thread, large)

    assert back.recipe.first_turn == first.recipe.first_turn
    assert back.recipe.turns == (*first.recipe.turns, *range(41, 47))
    assert [one["content"] for one in back.messages if one["content"].startswith("between")] == [
        f"between {number}" for number in range(6)
    ]
    assert marks == [marks[0]] * 6


# What a provider counted


def asked(kit: Any, *, model: str = "", window: int = 8192) -> tuple[Any, str, Any]:
    """A thread whose open turn has a stored context for a model."""
    thread = kit.thread()
    key = thread.open(Prompt(content="one"))
    made = kit.compose(window=window, model=model)(thread.fold(), key=key)
    thread.append(ContextComposed(recipe=made.recipe))
    return thread, key, made.recipe


def test_what_was_learned_under_one_profile_is_added_to_no_other(kit: Any) -> None:
    """Neither to another window, nor to another counter, nor to another format."""
    thread, key, recipe = asked(kit)
    thread.append(Usage(input_tokens=recipe.tokens + 300), key=key)

    fold = thread.fold()

    assert fold.anchor((8192, "bytes/4", "openai")) == 300
    others = [(4096, "bytes/4", "openai"), (8192, "o200k_base", "openai"), (8192, "bytes/4", "anthropic")]
    assert [fold.anchor(other) for other in others] == [0, 0, 0]


def test_what_was_learned_of_one_model_is_added_to_no_other_with_the_same_counter(kit: Any) -> None:
    """Two models that are both counted by bytes are off by different amounts."""
    thread, key, recipe = asked(kit, model="anthropic:claude-sonnet-4")
    thread.append(Usage(model="claude-sonnet-4-20250514", input_tokens=recipe.tokens + 300), key=key)

    fold = thread.fold()

    models = ("anthropic:claude-sonnet-4", "claude-sonnet-4-latest", "", "gemini-2.5-pro", "claude-opus-4")
    assert [fold.anchor((8192, "bytes/4", "openai"), model) for model in models] == [300, 300, 300, 0, 0]


def test_what_another_model_used_in_the_same_turn_is_not_taken(kit: Any) -> None:
    """A small model that names the thread reports first; the report of the model that was asked comes after it."""
    thread, key, recipe = asked(kit, model="gpt-5")
    thread.append(Usage(model="gpt-5-nano", input_tokens=40), key=key)
    assert thread.fold().anchor((8192, "bytes/4", "openai"), "gpt-5") == 0

    thread.append(Usage(model="gpt-5-2025-08-07", input_tokens=recipe.tokens + 200), key=key)
    assert thread.fold().anchor((8192, "bytes/4", "openai"), "gpt-5") == 200


def test_a_report_of_another_context_is_not_taken(kit: Any) -> None:
    """Of a turn that was not asked with it, of before it, and of the context of another profile that came after it."""
    thread, key, recipe = asked(kit)
    thread.append(TurnCommitted(), key=key)
    thread.append(Usage(input_tokens=recipe.tokens + 300), key=thread.open(Prompt(content="two")))
    assert thread.fold().anchor((8192, "bytes/4", "openai")) == 0

    thread, key, recipe = asked(kit)
    other = kit.compose(window=4096)(thread.fold(), key=key)
    thread.append(ContextComposed(recipe=other.recipe))
    thread.append(Usage(input_tokens=other.recipe.tokens + 500), key=key)
    fold = thread.fold()
    assert (fold.anchor((8192, "bytes/4", "openai")), fold.anchor((4096, "bytes/4", "openai"))) == (0, 500)


@pytest.mark.parametrize(("reported", "expected"), [(1, -5), (1_000_000, 4096), (0, 0), (-5, 0)])
def test_a_report_that_is_far_off_is_bounded(kit: Any, reported: int, expected: int) -> None:
    """`[{"role":"user","content":"one"}]` is 33 bytes, nine tokens, of which half at most is taken away, rounded up;
    half of the window is the most that is added; and a provider that reports nothing teaches nothing."""
    thread, key, recipe = asked(kit)
    thread.append(Usage(input_tokens=reported), key=key)

    assert recipe.tokens == 9
    assert thread.fold().anchor((8192, "bytes/4", "openai")) == expected


# Over the log, with replicas


async def answered(system: System, text: str) -> None:
    await system.turn(Prompt(content=text), Response(content="word " * 680))


def shown(context: Context) -> tuple[Any, ...]:
    recipe = context.recipe
    return context.messages, context.tokens, context.counter, recipe.turns, recipe.first_turn, recipe.sha256


@pytest.mark.parametrize("form", ["openai", "anthropic"])
async def test_two_replicas_agree_before_a_switch_after_it_and_back(form: Format) -> None:
    """Either stores the contexts of one model and then of another; both look the same, and nothing stored changes."""
    system = System()
    other = system.replica()
    for number in range(60):
        await answered(system, f"question {number}")
    key = await system.open(Prompt(content="and now?"))
    before = [one async for one in system.store.log.scan()]

    first = await system.compose(key=key, store=True, **LARGE)
    switched = await system.compose(other, key=key, store=True, format=form, **SMALL)
    back = await system.compose(key=key, store=True, **LARGE)

    for model in (LARGE, {"format": form, **SMALL}):
        here, there = [await system.compose(worker, key=key, **model) for worker in (system.worker, other)]
        assert shown(here) == shown(there)
    assert (first.counter, switched.counter, back.counter) == ("o200k_base", "bytes/4", "o200k_base")
    assert (first.messages, first.recipe.turns) == (back.messages, back.recipe.turns)
    assert 1 < first.recipe.first_turn < switched.recipe.first_turn
    assert [one async for one in system.store.log.scan()][: len(before)] == before


async def test_a_past_turn_is_replayed_where_its_counter_is_no_longer_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The recipe says what counted it and what each layer takes: nothing is counted again."""
    system = System()
    await answered(system, "question")
    key = await system.open(Prompt(content="and now?"))
    then = await system.compose(key=key, store=True, **LARGE)
    await system.append(Response(content="done"), TurnCommitted(), key=key)

    monkeypatch.setattr(vocabularies, "installed", lambda: ())
    again = await system.compose(system.replica(), turn=2)
    later = await system.compose(system.replica(), prompt="next", **LARGE)

    assert (again.messages, again.tokens, again.counter) == (then.messages, then.tokens, "o200k_base")
    assert {layer.name: layer.tokens for layer in again.layers} == {layer.name: layer.tokens for layer in then.layers}
    assert again.differs == ""
    assert later.counter == "bytes/4"
