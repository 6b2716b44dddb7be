"""A context, and the turns, as people read them."""

from __future__ import annotations

from typing import Any

import pytest
from recipes import recipe
from views import plain

from eunoe.cli import context_told, context_view, turns_view
from eunoe.cli.context_basis import Basis
from eunoe.runtime import revisions
from eunoe.schemas.context import Context, Layer, LeftTurn, Rendering, ShownFact, ShownSummary, Watermark
from eunoe.schemas.requests import TurnLine, TurnsReply

NINE = 1_769_850_307_000  # 2026-01-31 09:05:07 UTC


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
        "counted by: bytes/4",
        "reflects: the log to position 45",
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
    """Of the next request: doubts first, then what was done and what for, then figures; each in a line of its own."""
    found = composed(
        note="At the floor.",
        differs="renderer 2, not 1",
        stale=("thread",),
        counter="o200k_base",
        summary="turn 2, by rules",
        recipe=recipe(
            refused="c0", pending=(4, 5), ahead=((6, 6), (8, 9)), left=3, first_turn=4, outline_hidden=1, erased=2,
            outline=(LeftTurn(turn=1, entries=(1, 2)), LeftTurn(turn=3, entries=(5, 9))),
            summary=ShownSummary(version=3, position=9, index=1, last=2, size=1400),
            steps=("left 3 turns", "squeezed facts"), tools=("bash", "read_file"), model="gpt-4o",
            settings={"anchor": 120.0}, bytes=2000, stable=1500,
            renderings=(
                Rendering(entry=3, how="reference"), Rendering(entry=5, how="reference"),
                Rendering(entry=6, how="cut", spans=((0, 9, 5),)), Rendering(entry=7, how="arguments", size=640),
            ),
        ),
    )  # fmt: skip

    basis = Basis(turn=2, options=("--window", "--no-relevant"), memory_tool=True, open=(1,))

    assert plain(context_view.remarks(found, basis), 200) == [
        "note: At the floor.",
        "differs: renderer 2, not 1",
        "not fresh: thread; ask again, or wait longer",
        "open: turn 1 is not over; this is the request of a turn of its own, and holds nothing of that",
        "composed: as the last context of turn 2, but for --window, --no-relevant; with the memory tool",
        "refused: composed in place of c0, which was too long for its provider; it is shorter than that, and its "
        "tokens are reckoned by the provider's count",
        "pending: facts of turns 4-5 are not drawn yet; they are once an agent goes on, or now by "
        "`eunoe distil builder`",
        "ahead: turns 6, 8-9 leave next",
        "left out: 3 turns before turn 4",
        "summary: version 3, turn 2, by rules, shortened to 1,400 bytes",
        "outline: names turns 1, 3, and leaves 1 unnamed",
        "erased: everything said in 2 turns",
        "done to fit: left 3 turns, squeezed facts",
        "in short: 2 references, 1 cut reply, 1 call without its long arguments",
        "tools: bash, read_file",
        "counted by: o200k_base for gpt-4o, +120 by what the provider counted",
        "stable: its first 1,500 of 2,000 bytes (75%) are those of the context before it",
        "reflects: the log to position 45; the stores of facts to position 3 (permanent), 2 (session), 9 (thread)",
    ]


def test_of_a_past_context_only_what_was_so_then_is_said() -> None:
    """Nobody is sent to draw facts that are there since, and no fact of today has a part in it."""
    found = composed(recipe=recipe(pending=(4, 5), ahead=((6, 6), (8, 9))), watermark=Watermark(log=45))

    assert plain(context_view.remarks(found), 200) == [
        "pending: facts of turns 4-5 were not drawn yet when it was composed",
        "ahead: turns 6, 8-9 were to leave next",
        "counted by: bytes/4",
        "reflects: the log to position 45",
    ]
    assert "ahead: turn 6 was to leave next" in plain(context_view.remarks(composed(recipe=recipe(ahead=((6, 6),)))))


def test_the_next_request_is_told_from_a_past_turn() -> None:
    """By its title, which names the turn that it would be."""
    assert context_view.title(composed()) == "thread builder, turn 3: 0 of 1,000 tokens (openai)"
    assert context_view.title(composed(), Basis()) == "thread builder, next (turn 3): 0 of 1,000 tokens (openai)"


def test_a_reconstructed_context_says_so_and_follows_none() -> None:
    """No provider holds a beginning of it."""
    found = composed(reconstructed=True, recipe=recipe(bytes=2000, stable=0))

    assert plain(context_view.remarks(found), 200) == [
        "reconstructed: no model saw this; it is what a request of this turn would have carried",
        "counted by: bytes/4",
        "reflects: the log to position 45",
    ]


def test_of_a_context_with_none_before_it_no_beginning_is_compared() -> None:
    """Of the first one, and of the first in another window; where one was before it, none of it may lead as in that."""
    first, second = (composed(recipe=recipe(bytes=2000, before=before)) for before in ("", "c0"))

    assert plain(context_view.remarks(first), 200) == [
        "counted by: bytes/4",
        "reflects: the log to position 45",
    ]
    assert plain(context_view.remarks(second), 200)[1] == (
        "stable: none of its 2,000 bytes lead as in the context before it"
    )


def test_a_thread_whose_name_needs_quotes_is_quoted_in_the_command() -> None:
    """That draws the facts which are not there yet."""
    found = composed(thread="my thread", recipe=recipe(pending=(4,)))

    assert (
        "pending: facts of turn 4 are not drawn yet; they are once an agent goes on, or now by "
        "`eunoe distil 'my thread'`"
    ) in plain(context_view.remarks(found, Basis()), 200)


def test_every_fact_is_named_with_its_layer_and_its_source() -> None:
    """By as much of its id as tells them apart; a long line goes on under its beginning."""
    found = composed(
        facts=(
            ShownFact(
                id="fabcde22222", layer="earlier", line="- tests make test: passed — from tool bash, turn 2, entry 4"
            ),
            ShownFact(id="fabcdf33333", layer="now", line="- branch current: main — from person ann"),
        )
    )

    assert plain(context_view.facts(found, 60), 60) == [
        "",
        "── 2 facts · `eunoe fact why ID` says where one is from ────",
        "fabcde  earlier  tests make test: passed — from tool bash,",
        "                 turn 2, entry 4",
        "fabcdf  now      branch current: main — from person ann",
    ]


def test_facts_that_were_made_again_are_counted_within_their_generation() -> None:
    """A bucket in which nothing was written since counts 0."""
    third = Watermark(log=109, permanent=revisions.of(3, 32), session=0, thread=revisions.of(3, 118))

    assert context_told.reflects(third) == (
        "the log to position 109; the stores of facts to position 32 (permanent), 0 (session), 118 (thread), "
        "of generation 3"
    )


def test_a_context_without_layer_texts_shows_its_messages() -> None:
    """What cannot be shown layer by layer is shown message by message."""
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": None, "tool_calls": [1]}]

    assert plain(context_view.body(composed(messages=messages, system="Be brief."), 40), 40) == [
        "", "[system]", "Be brief.", "", "[user]", "Hi", "", "[assistant calls]", "1",
    ]  # fmt: skip


def test_turns_list_what_changed() -> None:
    """A heading a turn, its prompt, its context's figures and bar, and a line for every change."""
    line = TurnLine(
        turn=2, state="committed", time=NINE, prompt="Go\non.", entries=(3, 9), agent="ann", composed=True,
        tokens=1200, window=2400, format="openai", layers={"literal": 800, "request": 400}, contexts=3, bytes=4800,
        stable=3600, changes=("condensed from 3 turns to 2, from 2,100 to 1,500 tokens: left 1 turn, squeezed facts",),
    )  # fmt: skip

    assert plain(turns_view.turns("builder", TurnsReply(turns=(line,), more=True), 59), 59) == [
        "thread builder",
        "I instructions E earlier L literal N now R request · free",
        "",
        "turn 2 · committed · 2026-01-31 09:05 · ann · entries 3-9",
        "  asked    Go on.",
        "  context  1,200 of 2,400 tokens, openai, the last of 3,",
        "           75% as before",
        "           LLLLLLLLLLLLLLLLRRRRRRRR························",
        "  changed  condensed from 3 turns to 2, from 2,100 to 1,500",
        "           tokens: left 1 turn, squeezed facts",
        "more follow: add --after 2",
    ]


@pytest.mark.parametrize(("before", "said"), [("", "0 of 900 tokens"), ("c0", "0 of 900 tokens, 0% as before")])
def test_a_turn_says_how_much_is_as_before_where_something_was_before(before: str, said: str) -> None:
    """Its first context follows none; of a later one, nothing may be as in the one before it."""
    line = TurnLine(
        turn=1, state="committed", time=NINE, prompt="Go.", entries=(1, 2), composed=True, window=900, bytes=80,
        before=before,
    )  # fmt: skip

    assert f"  context  {said}" in plain(turns_view.turns("builder", TurnsReply(turns=(line,)), 80))


def test_a_turn_says_of_its_facts_only_what_is_lacking() -> None:
    """That they are still to come, or why some of them never do; nothing where they are there."""
    facts = ({"facts": "extracted"}, {"facts": "pending"}, {"facts": "failed", "failure": "json: no such rule"})
    lines = [TurnLine(turn=1, state="committed", time=NINE, prompt="", entries=(3, 3), **one) for one in facts]  # type: ignore[arg-type]  # two of its fields

    told = [plain(turns_view.turns("t", TurnsReply(turns=(line,)), 80))[5:-2] for line in lines]

    assert told == [
        [],
        ["  facts    what tools gave in it is not extracted yet"],
        ["  facts    some of what tools gave in it could not be extracted: json: no such", "           rule"],
    ]


def test_no_turns_are_told_from_no_turns_after_one() -> None:
    """Whoever asks beyond the end does not read that there are none."""
    assert plain(turns_view.turns("builder", TurnsReply(turns=()), 80)) == ["thread builder", "no turns yet"]
    assert plain(turns_view.turns("builder", TurnsReply(turns=()), 80, after=9)) == [
        "thread builder",
        "no turns after turn 9",
    ]


def test_a_turn_without_a_context_has_neither_figures_nor_a_bar() -> None:
    """An import: what was asked, that nothing was composed, and which command shows what it would have been."""
    line = TurnLine(turn=1, state="open", time=NINE, prompt="", entries=(3, 3))

    assert plain(turns_view.turns("my thread", TurnsReply(turns=(line,)), 80)) == [
        "thread my thread",
        "",
        "turn 1 · open · 2026-01-31 09:05 · entry 3",
        "  asked    (nothing)",
        "  context  none was composed here",
        "",
        "What a turn without a context would have read: eunoe context 'my thread' TURN",
    ]
