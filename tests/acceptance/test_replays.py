"""Contexts of past turns after something of them was erased, or by other rules: they say in what they differ."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import msgspec
import pytest

from eunoe.client import Memory
from eunoe.composition.recording import CALLER
from eunoe.runtime.connection import connect
from eunoe.runtime.requester import Requester
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import Fleet
from eunoe.schemas import limits, subjects
from eunoe.schemas.context import Context, Recipe
from eunoe.schemas.events import ContextComposed
from eunoe.schemas.requests import AppendRequest

SECRET = "4711-0815"


@dataclass(frozen=True)
class Told:
    """A thread whose sixth turn was composed: turn 1 had left and is named, the others are there."""

    memory: Memory
    name: str
    saw: Context

    async def again(self) -> Context:
        return await self.memory.thread(self.name).context(turn=6)


Erase = Callable[[Told], Awaitable[str]]
"""Erases something of a thread, and returns what a replay then says."""


def holds(context: Context) -> bool:
    return SECRET in msgspec.json.encode(context).decode()


async def told(memory: Memory, name: str, secret: str) -> Told:
    """A thread with a secret at one place: of its ``instructions``, in what was asked first and is only named
    (``named``), in a ``reply``, in an ``output``, in a ``fact``, or in the ``request``."""

    def at(place: str, text: str) -> str:
        return f"{text} {SECRET}" if place == secret else text

    await memory.state_fact("note", "colour", at("fact", "blue"), thread=name)
    thread = memory.thread(name)
    async with thread.turn(at("named", "How is it?"), instructions=at("instructions", "Be brief.")) as turn:
        await turn.reply("word " * 1_200)
    for number in range(2, 6):
        async with thread.turn(f"Question {number}") as turn:
            if number == 3:
                await turn.call("lookup", {"query": "it"})
                await turn.result(at("output", "found"))
            await turn.reply(at("reply", f"Answer {number}.") if number == 4 else f"Answer {number}.")
    async with thread.turn(at("request", "And now?")) as turn:
        saw = await turn.context(window=1024)
        await turn.reply("So it is.")
    return Told(memory, name, saw)


@pytest.mark.parametrize("place", ["instructions", "named", "reply", "output", "fact", "request"])
async def test_a_replay_says_what_was_erased_and_shows_nothing_of_it(memory: Memory, fleet: Fleet, place: str) -> None:
    """Exactly that, wherever in the context it stood; and everything else is as it was."""
    work = await told(memory, f"erased-{place}", place)
    assert await fleet.settle(60)
    before = await work.again()
    assert (before.differs, before.recipe, holds(before)) == ("", work.saw.recipe, True)
    if place == "fact":
        fact = work.saw.recipe.earlier[0].id
        await memory.erase(fact=fact, reason="a test")
        lost = f"fact {fact}"
    else:
        entries = (await memory.thread(work.name).entries(limit=100)).entries
        (entry,) = [e.entry for e in entries if SECRET in (await memory.thread(work.name).show(e.entry)).content]
        await memory.erase(thread=work.name, entries=[entry], reason="a test")
        lost = f"entry {entry}"

    after = await work.again()

    assert after.differs == f"erased: {lost}"
    assert not after.reconstructed
    assert not holds(after)
    assert after.recipe == work.saw.recipe


async def test_a_recipe_that_held_erased_words_is_said_to_be_gone(
    memory: Memory, fleet: Fleet, settings: Settings
) -> None:
    """The turn is reconstructed as far as that goes, and nobody takes that, or an earlier context, for what it saw."""
    program = settings.model_copy(update={"role": "caller", "principal": "app"})
    thread = memory.thread("quoted")
    async with thread.turn("And now?") as turn:
        await turn.context(window=2048)
        stated = await memory.state_fact("note", "colour", "blue", thread="quoted")
        async with Memory.connect(settings=program) as app:
            other = await app.state_fact("note", "colour", f"red {SECRET}", thread="quoted")
        saw = await turn.context(window=2048)
        await turn.reply("So it is.")
    assert await fleet.settle(60)
    assert [fact.id for fact in saw.recipe.earlier] == [stated.id]
    assert holds(saw)

    await memory.erase(fact=other.id, reason="a test")
    after = await thread.context(turn=1)

    assert after.differs == "erased: the recipe, which held words of what was erased"
    assert (after.reconstructed, after.window, after.messages[-1]["content"]) == (True, 2048, "And now?")
    assert not holds(after)


async def test_rounds_that_had_left_may_be_erased_without_a_difference(memory: Memory, fleet: Fleet) -> None:
    """Their marker says the same; of those that are shown, it is told."""
    thread = memory.thread("rounds")
    async with thread.turn("Fix it") as turn:
        for number in range(12):
            await turn.call("lookup", {"query": f"part {number}"})
            await turn.result(f"line of part {number}\n" * 30)
        saw = await turn.context(window=1024)
        await turn.reply("Done.")
    assert await fleet.settle(60)
    assert saw.recipe.dropped_rounds > 1

    await memory.erase(thread="rounds", entries=[2, 3], reason="a test")
    hidden = await thread.context(turn=1)
    await memory.erase(thread="rounds", entries=[25], reason="a test")
    shown = await thread.context(turn=1)

    assert (hidden.differs, hidden.messages) == ("", saw.messages)
    assert shown.differs == "erased: entry 25"


async def test_what_was_shown_in_short_is_said_to_be_erased_all_the_same(memory: Memory, fleet: Fleet) -> None:
    """An output that was a reference, a reply that copied it and was cut, and a call whose arguments were held back."""
    thread, rows = memory.thread("short"), "".join(f"row {number} holds {number * number}\n" for number in range(60))
    async with thread.turn("Show it") as turn:
        await turn.call("lookup", {"query": "word " * 300})
        await turn.result(rows)
        await turn.reply(f"Here it is:\n\n{rows}\nThat is all.")
    async with thread.turn("And now?") as turn:
        saw = await turn.context(window=8192)
        await turn.reply("So it is.")
    assert await fleet.settle(60)
    assert [one.how for one in saw.recipe.renderings] == ["arguments", "reference", "cut"]

    await memory.erase(thread="short", entries=[(2, 4)], reason="a test")
    after = await thread.context(turn=2)

    _, call, output, reply, _ = after.messages
    assert after.differs == "erased: entry 2; erased: entry 3; erased: entry 4"
    assert call["tool_calls"][0]["function"]["arguments"] == '{"arguments":"[entry 2 was erased]"}'
    assert (output["content"], reply["content"]) == ("[entry 3 was erased]", "[entry 4 was erased]")


async def test_a_recipe_of_another_renderer_says_so_where_its_bytes_differ(
    memory: Memory, fleet: Fleet, settings: Settings
) -> None:
    """By its digest: the same bytes are the same context, whichever version wrote them."""
    thread = memory.thread("older")
    for number in (1, 2):
        async with thread.turn(f"Question {number}") as turn:
            saw = await turn.context(window=1024)
            digest = saw.recipe.sha256 if number == 1 else "0" * 64
            await store_recipe(settings, msgspec.structs.replace(saw.recipe, renderer=1, sha256=digest))
            await turn.reply("So it is.")

    same, other = [await thread.context(turn=number) for number in (1, 2)]

    assert (same.recipe.renderer, same.differs) == (1, "")
    assert (other.recipe.renderer, other.differs) == (1, f"renderer 1 → {limits.RENDERER_VERSION}")


async def store_recipe(settings: Settings, recipe: Recipe) -> None:
    """Append a recipe to the thread "older" as a composition worker does."""
    request = AppendRequest(
        v=limits.SCHEMA_VERSION, producer="another", n=recipe.turn, events=(ContextComposed(recipe=recipe),)
    )
    async with await connect(settings.url, caller=CALLER) as connection:
        requester = await Requester.open(connection)
        subject = subjects.request(settings.space, "append", CALLER, subjects.thread_chain("older"))
        await requester.request(subject, msgspec.json.encode(request), timeout=10.0)
