"""Outlines through the real workers: what one context named, the next one and a replay read again from the log."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from composition_desks import System, texts
from msgspec.structs import replace

from eunoe.composition.named import Named
from eunoe.composition.remembered import Memory
from eunoe.schemas.context import LeftTurn
from eunoe.schemas.events import Prompt, TurnCommitted

WINDOW = 2048


@pytest.fixture
async def system() -> System:
    found = System()
    for number in range(120):
        await found.turn(Prompt(content=f"question {number + 1}"))
    return found


async def asked(system: System, **more: Any) -> Any:
    """The context of one more turn, which is committed then."""
    key = await system.open(Prompt(content="word " * 600))
    context = await system.compose(key=key, store=True, window=WINDOW, **more)
    await system.append(TurnCommitted(), key=key)
    return context


async def test_a_context_with_an_outline_is_composed_again_byte_for_byte(system: System) -> None:
    """From its recipe and the prompts where it says they are, by a worker that never saw the thread."""
    context = await asked(system)

    again = await system.compose(system.replica(), turn=context.turn)

    assert context.recipe.outline
    assert again.differs == ""
    assert again.messages == context.messages


async def test_cold_and_warm_workers_name_the_same_turns(system: System) -> None:
    """What the last outline named is read from the log where it is not folded."""
    first = await asked(system)
    await asked(system)
    key = await system.open(Prompt(content="and now?"))

    warm = await system.compose(key=key, window=WINDOW)
    cold = await system.compose(system.replica(), key=key, window=WINDOW)

    assert cold.messages == warm.messages
    assert cold.recipe.outline == warm.recipe.outline
    assert cold.recipe.outline[0] == first.recipe.outline[0]
    oldest = first.recipe.outline[0].turn
    assert f'turn {oldest} (entry {oldest}): "question {oldest}"' in texts(warm)[0]


async def test_the_prompts_that_an_outline_names_are_read_while_the_facts_are(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that never saw the thread asks for them before the facts are there."""
    context, begun = await asked(system), anyio.Event()
    names, facts = Named.read, Memory.read

    async def heard(self: Named, turns: Any) -> Any:
        begun.set()
        return await names(self, turns)

    async def late(self: Memory, *given: Any) -> Any:
        with anyio.fail_after(10):
            await begun.wait()
        return await facts(self, *given)

    monkeypatch.setattr(Named, "read", heard)
    monkeypatch.setattr(Memory, "read", late)

    again = await system.compose(system.replica(), prompt="next", window=WINDOW)

    assert again.recipe.outline[0] == context.recipe.outline[0]


async def test_prompts_are_read_in_one_round_trip_and_what_is_gone_is_no_error(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of three turns one has its record overwritten, one names a position that never was."""
    asks = [await system.append(Prompt(content=f"more {n}"), key=await system.open()) for n in range(2)]
    turns = [LeftTurn(turn=121 + n, entries=(1, 1), position=reply.position) for n, reply in enumerate(asks)]
    reads: list[list[int]] = []
    log, get = system.store.log, system.store.log.get

    async def counted(seqs: Any) -> Any:
        reads.append(list(seqs))
        found = await get(seqs)
        damaged = asks[1].position
        return [replace(one, data=b"overwritten") if one and one.seq == damaged else one for one in found]

    monkeypatch.setattr(log, "get", counted)

    found = await Named(log).read([*turns, LeftTurn(turn=9, entries=(1, 1), position=1 << 40)])

    assert {turn: said.words for turn, said in found.items()} == {121: "more 0"}
    assert len(reads) == 1
