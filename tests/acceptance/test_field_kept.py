"""Faults of what memory systems kept in a context, or let leave it, and what holds here.

F97 the newest turns that were to be kept · F98 replies without an end · F104 pinned facts that compaction dropped ·
budgets of every size.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from fields import used

from eunoe.client import Memory
from eunoe.runtime.workers import Fleet
from eunoe.schemas.context import FORMATS, Context, Format
from eunoe.schemas.errors import DoesNotFit, Invalid
from eunoe.schemas.requests import TurnsReply, TurnsRequest

WINDOW = 2048  # tokens


def story(number: int) -> str:
    """Some 80 tokens."""
    return " ".join([f"This is part {number} of the story."] * 12)


async def talk(memory: Memory, first: int, last: int, **how: Any) -> Context | None:
    """Turns of some 200 tokens, each composed for its model as it runs; the context of the last one."""
    found = None
    for number in range(first, last + 1):
        async with memory.thread("t").turn(f"Tell part {number}: {story(number)}") as turn:
            await used(turn, f"c{number}", "read_file", "a line of it\n" * 60, path=f"part{number}.txt")
            found = await turn.context(WINDOW, **how)
            await turn.reply(f"Told part {number}: {story(number)}")
    return found


def whole(context: Context) -> str:
    """Everything that the model reads, as one text."""
    said = context.messages if isinstance(context.messages, str) else json.dumps(context.messages, ensure_ascii=False)
    return f"{context.system}\n{said}"


# The newest turns (F97)


@pytest.mark.parametrize("shape", FORMATS)
async def test_the_last_three_turns_stay_word_for_word_whatever_leaves(memory: Memory, shape: Format) -> None:
    """In a window in which nothing else stays, at each of many turns, of the text that only they hold."""
    await talk(memory, 1, 12, keep=3, format=shape)
    context = await memory.thread("t").context(WINDOW, shape, keep=3, prompt="Go on.")

    said = whole(context)
    assert context.recipe.left > 0
    assert set(context.recipe.turns) >= {10, 11, 12}
    for number in (10, 11, 12):
        assert story(number) in said.split(f"Tell part {number}: ")[1]
        assert story(number) in said.split(f"Told part {number}: ")[1]


async def test_turns_that_are_to_stay_and_do_not_fit_are_refused_with_the_figures(memory: Memory) -> None:
    """They are never shortened instead, and a window that holds them takes them."""
    await talk(memory, 1, 4)
    async with memory.thread("t").turn("word " * 3_000) as turn:
        await turn.reply("Long indeed.")

    with pytest.raises(DoesNotFit, match=r"tokens of a window of 2,048"):
        await memory.thread("t").context(WINDOW, keep=1, prompt="Go on.")
    larger = await memory.thread("t").context(8_192, keep=1, prompt="Go on.")
    assert "word " * 2_999 in whole(larger)


# An end to every reply (F98)


async def test_a_list_of_turns_has_pages_and_says_that_there_is_more(memory: Memory) -> None:
    """A page holds what was asked for and not more; who asks for more than a page is told how many it has."""
    for number in range(1, 8):
        async with memory.thread("t").turn(f"question {number}") as turn:
            await turn.reply("answer")
    gate, chain = memory.gate, memory.thread("t").chain

    pages = [await gate.ask("turns", TurnsRequest(after=after, limit=3), TurnsReply, chain) for after in (0, 3, 6)]

    assert [[line.turn for line in page.turns] for page in pages] == [[1, 2, 3], [4, 5, 6], [7]]
    assert [page.more for page in pages] == [True, True, False]
    with pytest.raises(Invalid, match="a page has 1 to 1000 turns"):
        await memory.thread("t").turns(limit=1_001)


# Pinned facts (F104)


async def test_a_pinned_fact_is_in_every_context_of_a_long_thread(memory: Memory, fleet: Fleet) -> None:
    """While turns leave, in another window and format, and for another model; also where facts are held back."""
    stated = await memory.state_fact("decision", "release day", "Thursday, after the freeze")
    await memory.pin(stated.id)
    for number in range(40):
        await memory.state_fact("entity", f"thing {number}", f"the value number {number} of many", thread="t")
    contexts = [await talk(memory, number, number) for number in range(1, 13)]
    contexts.append(await memory.thread("t").context(1024, "anthropic", prompt="Go on."))
    contexts.append(await memory.thread("t").context(32_768, "responses", prompt="Go on.", model="gpt-4o"))

    assert contexts[-3] is not None
    assert contexts[-3].recipe.left > 0
    assert contexts[-3].recipe.earlier_hidden > 0
    assert all(found and "release day: Thursday, after the freeze" in whole(found) for found in contexts)


# Budgets


@pytest.mark.parametrize("budget", [0, 1, 50, 255])
async def test_a_budget_that_holds_no_context_is_refused_in_words(memory: Memory, budget: int) -> None:
    await talk(memory, 1, 1)

    with pytest.raises(Invalid, match=r"\b256\b"):
        await memory.thread("t").context(budget, prompt="Go on.")


@pytest.mark.parametrize("budget", [500, 8_000])
@pytest.mark.parametrize("shape", FORMATS)
async def test_a_budget_is_kept(memory: Memory, budget: int, shape: Format) -> None:
    """With the request as it was asked, and something of the thread or a word on what left."""
    await talk(memory, 1, 6)

    context = await memory.thread("t").context(budget, shape, prompt="Where were we?")

    assert context.tokens <= budget
    assert "Where were we?" in whole(context)
    assert "part 6" in whole(context) or "left this context" in whole(context)
