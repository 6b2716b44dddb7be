"""A context, and the turns, as people read them."""

from __future__ import annotations

from typing import Any

from views import plain

from eunoe.cli import context_view, turns_view
from eunoe.runtime import revisions
from eunoe.schemas.context import Context, Layer, Recipe, Watermark
from eunoe.schemas.requests import TurnLine, TurnsReply

NINE = 1_769_850_307_000  # 2026-01-31 09:05:07 UTC


def recipe(**rest: Any) -> Recipe:
    given: dict[str, Any] = {
        "v": 1, "id": "c1", "turn": 3, "window": 1000, "format": "openai", "counter": "bytes/4", "renderer": 1,
        "position": 45, "turns": (2,), "first_turn": 2, "sha256": "0" * 64,
    }  # fmt: skip
    return Recipe(**{**given, **rest})


def composed(**rest: Any) -> Context:
    given: dict[str, Any] = {
        "id": "c1", "thread": "builder", "turn": 3, "window": 1000, "format": "openai", "messages": [],
        "layers": (), "recipe": recipe(), "watermark": Watermark(log=45, permanent=3, session=2, thread=9),
    }  # fmt: skip
    return Context(**{**given, **rest})


def test_a_context_shows_its_window_and_then_its_layers() -> None:
    """Title, bar, legend, what it reflects, then each layer that holds something, word for word."""
    found = composed(
        tokens=500,
        layers=(
            Layer(name="instructions", tokens=0),
            Layer(name="earlier", tokens=100, text="- tests make test: passed"),
            Layer(name="literal", tokens=350, text='{"role":"user","content":"' + "x" * 90 + '"}'),
            Layer(name="request", tokens=50, text="Go on."),
        ),
    )

    assert plain(context_view.context(found, 60), 60) == [
        "thread builder, turn 3: 500 of 1,000 tokens (openai)",
        "EEEEEELLLLLLLLLLLLLLLLLLLLLRRR······························",
        "E earlier 100   L literal 350   R request 50   · free 500",
        "reflects: the log to 45; facts: permanent 3, session 2,",
        "thread 9",
        "",
        "── earlier · 100 tokens · what memory knows from before th…",
        "- tests make test: passed",
        "",
        "── literal · 350 tokens · turns word for word, oldest first",
        "",
        "[user]",
        "x" * 90,
        "",
        "── request · 50 tokens · what is asked ─────────────────────",
        "Go on.",
    ]


def test_everything_a_reader_must_know_is_said() -> None:
    """Note, difference, reconstruction, staleness, pending facts, what left and the steps each have a line."""
    found = composed(
        note="At the floor.",
        differs="renderer 2, not 1",
        reconstructed=True,
        stale=("thread",),
        recipe=recipe(pending=(4, 5), left=1, erased=2, steps=("references", "turns")),
    )

    assert plain(context_view.remarks(found), 200) == [
        "note: At the floor.",
        "differs: renderer 2, not 1",
        "reconstructed: no request was made here through Eunoe, so this is what one would have carried",
        "not fresh: thread; ask again, or wait longer",
        "pending: facts of turns 4, 5 are still to come",
        "left out: 1 turn before turn 2",
        "erased: everything said in 2 turns",
        "done to fit: references, turns",
        "reflects: the log to 45; facts: permanent 3, session 2, thread 9",
    ]


def test_facts_that_were_made_again_are_counted_within_their_generation() -> None:
    """A bucket in which nothing was written since counts 0."""
    third = Watermark(log=109, permanent=revisions.of(3, 32), session=0, thread=revisions.of(3, 118))

    assert context_view.reflects(third) == (
        "the log to 109; facts: permanent 32, session 0, thread 118, of generation 3"
    )


def test_a_context_without_layer_texts_shows_its_messages() -> None:
    """What cannot be shown layer by layer is shown message by message."""
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": None, "tool_calls": [1]}]

    assert plain(context_view.body(composed(messages=messages, system="Be brief."), 40), 40) == [
        "", "[system]", "Be brief.", "", "[user]", "Hi", "", "[assistant calls]", "1",
    ]  # fmt: skip


def test_turns_list_what_changed() -> None:
    """A heading a turn, its prompt, and a line for every change of its context."""
    line = TurnLine(
        turn=2, state="committed", time=NINE, prompt="Go\non.", entries=(3, 9), agent="ann", composed=True,
        tokens=640, window=8192, changes=("turn 1 left", "2 outputs became references"),
    )  # fmt: skip

    assert plain(turns_view.turns("builder", TurnsReply(turns=(line,), more=True), 80)) == [
        "thread builder",
        "",
        "turn 2 · committed · 2026-01-31 09:05 · ann · entries 3-9",
        "  asked    Go on.",
        "  context  640 of 8,192 tokens",
        "  changed  turn 1 left",
        "  changed  2 outputs became references",
        "more follow: add --after 2",
    ]
