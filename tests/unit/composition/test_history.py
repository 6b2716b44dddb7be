"""Past turns: what each one's model saw, or would have seen; and the list of them with what their contexts changed."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from composition_desks import System, block, texts

from eunoe.audit.worker import LocalAuditor
from eunoe.composition import turnlines
from eunoe.composition.counters.counters import Counters
from eunoe.composition.recording import CALLER, PRODUCER
from eunoe.composition.worker import CompositionWorker
from eunoe.runtime.settings import Settings
from eunoe.schemas import limits
from eunoe.schemas.context import Context, Format, LayerName, Recipe, Rendering
from eunoe.schemas.errors import EunoeError, Invalid, NotFound
from eunoe.schemas.events import ContextComposed, Event, Prompt, Response, TurnCommitted
from eunoe.schemas.requests import AppendRequest, TurnLine
from eunoe.schemas.subjects import Caller


@pytest.fixture
def system() -> System:
    return System()


def replica(system: System, **settings: Any) -> CompositionWorker:
    """Another worker of the space, with settings of its own."""
    return CompositionWorker(
        system.store, LocalAuditor(system.audit, Caller("worker", "composition")), Settings(**settings), system.clock
    )


async def turns(system: System, count: int, size: int = 400) -> None:
    for number in range(1, count + 1):
        await system.turn(
            Prompt(content=f"question {number}"), Response(content=f"answer {number} " + "word " * (size // 5))
        )


async def asked(system: System, *events: Event, **request: Any) -> Context:
    """One more turn whose context is composed and stored."""
    key = await system.open(*(events or (Prompt(content="and now?"),)))
    context = await system.compose(key=key, store=True, **request)
    await system.append(TurnCommitted(), key=key)
    return context


async def stored(system: System, n: int, recipe: Recipe) -> None:
    """Such a recipe, as the ``n``-th of the composition workers."""
    request = AppendRequest(v=limits.SCHEMA_VERSION, producer=PRODUCER, n=n, events=(ContextComposed(recipe=recipe),))
    await LocalAuditor(system.audit, CALLER).append(system.chain, request)


async def lines(system: System, **request: Any) -> tuple[TurnLine, ...]:
    return (await system.turns(**request)).turns


async def test_a_turn_without_a_recipe_is_the_same_whatever_is_set_today(system: System) -> None:
    """It is composed for the window of where nothing is set, as far as anything decides its bytes."""
    await turns(system, 30)
    other = replica(system, window=1024, target=0.2, headroom=1, keep=5, relevant=False)

    here, there = await system.compose(turn=30), await system.compose(other, turn=30)

    assert (here.window, there.window, here.reconstructed) == (limits.WINDOW, limits.WINDOW, True)
    assert here.recipe == there.recipe
    assert here.messages == there.messages


async def test_a_turn_with_a_recipe_is_what_its_model_saw(system: System) -> None:
    """In the format that it was composed in, whichever is asked for beside no window and no model."""
    await turns(system, 3)
    saw = await asked(system, window=2048, format="anthropic")

    formats: tuple[Format, ...] = ("openai", "text")
    for form in formats:
        again = await system.compose(turn=4, format=form)
        assert (again.id, again.format, again.messages, again.differs) == (saw.id, "anthropic", saw.messages, "")
        assert not again.reconstructed


async def test_a_turn_is_composed_for_another_window_as_it_would_have_been_then(system: System) -> None:
    """In the window and format that are named, from what was there before it; and its own recipe stays what it is."""
    await turns(system, 6)
    saw = await asked(system, window=8192)
    await turns(system, 3)

    other = await system.compose(turn=7, window=512, format="text")

    assert (other.window, other.format, other.reconstructed, other.turn) == (512, "text", True, 7)
    assert other.tokens <= 512
    assert other.recipe.left > 0
    assert max(other.recipe.turns, default=0) < 7
    assert "and now?" in other.messages
    assert (await system.compose(turn=7)).messages == saw.messages


async def test_a_turn_is_composed_for_another_model_in_its_own_window(system: System) -> None:
    """The model decides what counts, and the window is the recipe's."""
    await turns(system, 3)
    await asked(system, window=2048)

    other = await system.compose(turn=4, model="gpt-4o")

    counter = Counters({}).of("gpt-4o").name
    assert (other.window, other.recipe.model, other.counter, other.reconstructed) == (2048, "gpt-4o", counter, True)
    assert counter != "bytes/4"


@pytest.mark.parametrize(
    ("how", "anew"),
    [
        ({}, False),
        ({"window": 2048, "target": 0.5, "headroom": 3, "keep": 1, "relevant": False, "memory_tool": True}, False),
        ({"model": "gpt-4o", "keep": 1}, False),
        ({"window": 2048, "format": "text"}, True),
        ({"window": 2048, "target": 0.4}, True),
        ({"window": 2048, "headroom": 0}, True),
        ({"window": 2048, "keep": 5}, True),
        ({"window": 2048, "relevant": True}, True),
        ({"model": "gpt-4o", "keep": 5}, True),
    ],
)
async def test_a_turn_made_otherwise_is_composed_anew_in_its_own_window_too(
    system: System, how: dict[str, Any], anew: bool
) -> None:
    """What is said as its recipe has it asks for that; nothing that is asked for otherwise goes by in silence."""
    made: dict[str, Any] = {"target": 0.5, "headroom": 3, "keep": 1, "relevant": False, "memory_tool": True}
    await turns(system, 6)
    await asked(system, window=2048, model="gpt-4o", **made)

    found = await system.compose(turn=7, **how)

    assert found.reconstructed == anew
    for name in {"target", "headroom", "keep", "relevant"} & how.keys():
        assert found.recipe.settings[name] == how[name]


async def test_looking_names_every_fact_with_its_layer_and_its_line(system: System) -> None:
    """At the next request and at a past turn; a context that is handed to a model goes without."""
    await turns(system, 1)
    await system.fact("blue", scope="permanent", owner="shared", name="colour")
    await system.project()

    given = await asked(system)
    next_one, past = await system.compose(prompt="which colour?"), await system.compose(turn=2)

    assert given.facts == ()
    for context in (next_one, past):
        (fact,) = context.facts
        assert (fact.layer, fact.line) == ("earlier", "- note colour: blue — from person alice")
        assert fact.line in block(context, "earlier").replace("\\n", "\n")
        assert fact.id == context.recipe.earlier[0].id


async def test_a_recipe_whose_counter_is_not_there_is_composed_again(system: System) -> None:
    """Its tokens are those that it was stored with, and its bytes need no counting."""
    await turns(system, 2)
    key = await system.open(Prompt(content="and now?"))
    saw = await system.compose(key=key, store=True)
    shares: dict[LayerName, int] = {"literal": 70, "request": 7}
    strange = msgspec.structs.replace(saw.recipe, counter="of_another_time", model="lost-1", tokens=77, layers=shares)
    await stored(system, 2, strange)

    again = await system.compose(turn=3)

    assert (again.counter, again.tokens, again.differs, again.messages) == ("of_another_time", 77, "", saw.messages)
    assert [(layer.name, layer.tokens) for layer in again.layers] == [("literal", 70), ("request", 7)]


async def test_a_replay_names_the_prompt_that_its_outline_has_lost(system: System) -> None:
    """The entry is not in any turn that is shown, and its line says that it is gone."""
    key = await system.open()
    secret = await system.append(Prompt(content="the secret question"), key=key)
    await system.append(Response(content="word " * 400), TurnCommitted(), key=key)
    await turns(system, 4)
    context = await asked(system, window=512)
    assert context.recipe.outline[0].turn == 1
    await system.store.log.erase(secret.position)

    again = await system.compose(turn=6)

    assert again.differs == "erased: entry 1"
    assert "turn 1 (entries 1–2): (its prompt is gone)" in block(again, "earlier")  # noqa: RUF001


async def test_each_of_the_contexts_of_a_turn_is_shown_as_it_was(system: System, kit: Any) -> None:
    """The first, the second and the last, whatever format each was for, byte for byte."""
    await turns(system, 2)
    key = await system.open(Prompt(content="look"))
    saw = [await system.compose(key=key, store=True, window=4096, format="anthropic")]
    await system.append(*kit.reads("row 1"), key=key)
    saw.append(await system.compose(key=key, store=True, window=2048))
    await system.append(*kit.reads("row 2"), key=key)
    saw.append(await system.compose(key=key, store=True, window=2048))
    await system.append(TurnCommitted(), key=key)
    await turns(system, 1)

    shown = [await system.compose(turn=3, nth=nth) for nth in (1, 2, 3, 0)]

    assert [one.id for one in shown] == [saw[0].id, saw[1].id, saw[2].id, saw[2].id]
    assert [one.messages for one in shown] == [one.messages for one in (*saw, saw[2])]
    assert [one.differs for one in shown] == [""] * 4


@pytest.mark.parametrize(
    ("asked_for", "error", "said"),
    [
        ({"turn": 3, "nth": 2}, NotFound, "turn 3 has no context 2; it has 1"),
        (
            {"turn": 1, "nth": 1},
            NotFound,
            "turn 1 has no context 1; none was composed here; without a number it is reconstructed",
        ),
        ({"turn": 3, "nth": -1}, Invalid, "the contexts of a turn are counted from 1, and -1 was asked for"),
        ({"nth": 1}, Invalid, "context 1 of no turn was asked for; say of which"),
        (
            {"turn": 3, "nth": 1, "model": "m"},
            Invalid,
            "one of the contexts of a turn is shown as it was; leave the wi",
        ),
        (
            {"turn": 3, "nth": 1, "window": 512},
            Invalid,
            "one of the contexts of a turn is shown as it was; leave the w",
        ),
    ],
)
async def test_a_context_of_a_turn_that_there_is_not_is_said_to_be_none(
    system: System, asked_for: dict[str, Any], error: type[EunoeError], said: str
) -> None:
    """And so is one that cannot be meant."""
    await turns(system, 2)
    await asked(system)

    with pytest.raises(error) as refused:
        await system.compose(**asked_for)

    assert str(refused.value).startswith(said)


async def test_a_line_has_the_figures_of_the_turns_last_context(system: System, kit: Any) -> None:
    """Its window, format, counter and layers, how much of it led as before, and how many there were."""
    await turns(system, 2)
    key = await system.open(Prompt(content="look"))
    before = await system.compose(key=key, store=True, window=4096, format="anthropic")
    await system.append(*kit.reads("row 1"), key=key)
    last = await system.compose(key=key, store=True, window=4096, format="anthropic")

    first, _, third = await lines(system)

    assert (first.composed, first.contexts, first.layers, first.bytes) == (False, 0, {}, 0)
    assert (third.tokens, third.window, third.format, third.counter) == (last.tokens, 4096, "anthropic", "bytes/4")
    assert (third.contexts, third.bytes, third.stable) == (2, last.recipe.bytes, last.recipe.stable)
    assert third.before == before.id
    assert third.layers == {layer.name: layer.tokens for layer in last.layers}
    assert sum(third.layers.values()) == last.tokens
    assert 0 < third.stable <= third.bytes


async def test_a_line_is_compared_with_the_last_context_of_its_kind(system: System, kit: Any) -> None:
    """Not with the turn before, which was composed in another window; and over the edge of a page too."""
    await system.turn(*kit.asks("read it", *kit.reads("line\n" * 400)))
    await asked(system, window=8192)
    await asked(system, window=4096)
    await asked(system, window=8192)

    _, second, third, fourth = await lines(system)

    assert (second.changes, third.changes, fourth.changes) == (("referenced entry 3",), ("referenced entry 3",), ())
    assert await lines(system, after=3) == (fourth,)
    assert await lines(system, after=1, limit=1) == (second,)


async def test_what_lies_too_far_back_is_not_compared_with(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then a recipe that says nothing of itself names no change, rather than all that it shows as one."""
    bare = (await asked(system)).recipe
    old = msgspec.structs.replace(bare, layers={}, renderings=(Rendering(entry=3, how="reference"),))
    new = msgspec.structs.replace(old, turn=9, renderings=(*old.renderings, Rendering(entry=4, how="reference")))
    await stored(system, 2, old)
    await turns(system, 7)
    await system.open(Prompt(content="and now?"))
    await stored(system, 3, new)

    (known,) = await lines(system, after=8)
    monkeypatch.setattr(turnlines, "LOOKED_BACK", 0)
    (unknown,) = await lines(system, after=8)

    assert (known.changes, unknown.changes) == (("referenced entry 4",), ())


async def test_a_line_says_what_left(system: System) -> None:
    """With the turns before and after."""
    await turns(system, 6)
    context = await asked(system, window=512)

    changes = (await lines(system))[-1].changes

    assert context.recipe.steps[0].startswith("left ")
    assert changes[0].startswith("condensed from ")
    assert ", ".join(context.recipe.steps) in changes[0]
    assert texts(context)
