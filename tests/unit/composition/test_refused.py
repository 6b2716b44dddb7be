"""A provider that refuses contexts, and the composition worker that composes for it, over a store in memory."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from composition_desks import ALICE, System, texts

from eunoe.schemas import limits, records
from eunoe.schemas.context import Context
from eunoe.schemas.errors import Denied, DoesNotFit, Invalid, OutcomeUnknown
from eunoe.schemas.events import ContextComposed, ContextRefused, Prompt, Response, TurnCommitted
from eunoe.schemas.requests import AppendReply, AppendRequest, HeadReply, Refused
from eunoe.schemas.subjects import Caller

WINDOW = 2048


@pytest.fixture
def system() -> System:
    return System()


class Provider:
    """Counts as many tokens of what it is sent as our counter does, and more: what it adds by itself. It refuses what
    is over its limit."""

    def __init__(self, limit: int, adds: int) -> None:
        self.limit = limit
        self.adds = adds

    def count(self, context: Context) -> int:
        return -(-len(msgspec.json.encode(context.messages)) // 4) + self.adds

    def takes(self, context: Context) -> bool:
        return self.count(context) <= self.limit


async def composed(system: System, key: str, refused: Refused | None = None, **request: Any) -> Context:
    return await system.compose(key=key, store=True, window=WINDOW, refused=refused, **request)


async def log_of(system: System) -> list[records.Record]:
    return [records.read(one.seq, one.data) async for one in system.store.log.scan()]


async def test_a_refused_context_is_composed_smaller_and_the_log_says_so(system: System) -> None:
    """The provider adds 700 tokens of tools that nobody told of; one more context, and it takes it. By a factor 819
    tokens of ours are the goal of 1,228 to it, so 409 are added, of the 700."""
    key = await system.talked(8)
    provider = Provider(WINDOW, adds=700)
    first = await composed(system, key)
    assert not provider.takes(first)

    second = await composed(system, key, Refused(context=first.id, tokens=provider.count(first)))

    assert provider.takes(second)
    assert second.recipe.refused == first.id
    assert (first.tokens, provider.count(first)) == (1406, 2106)
    assert second.recipe.settings["anchor"] == 409
    assert abs(provider.count(second) - second.tokens - 291) <= 2
    assert second.recipe.settings["fill_after"] <= second.recipe.settings["goal"]
    refused, *rest = (await log_of(system))[-1].events
    assert refused == ContextRefused(context=first.id, turn=9, tokens=provider.count(first))
    assert isinstance(rest[0], ContextComposed)


async def test_what_a_refusal_taught_holds_for_the_turns_after(system: System) -> None:
    """The next context is counted as the provider does, here as on another replica, and is not refused."""
    key = await system.talked(8)
    provider = Provider(WINDOW, adds=700)
    first = await composed(system, key)
    await composed(system, key, Refused(context=first.id, tokens=provider.count(first)))
    await system.append(Response(content="ok"), TurnCommitted(), key=key)
    for number in range(6):
        await system.turn(Prompt(content=f"question {number}"), Response(content="word " * 125))
    key = await system.open(Prompt(content="And now?"))

    found = await composed(system, key)
    other = await system.compose(system.replica(), key=key, window=WINDOW)

    assert provider.takes(found)
    assert found.recipe.refused == ""
    assert other.messages == found.messages


async def test_what_is_refused_twice_does_not_fit(system: System) -> None:
    """The error has the figures, nothing is stored, and asking again says the same."""
    key = await system.talked(8)
    first = await composed(system, key)
    second = await composed(system, key, Refused(context=first.id, tokens=2100))
    before = await system.last_seq()

    details = []
    for _ in range(2):
        with pytest.raises(DoesNotFit, match=rf"refused context {second.id} too.*counted 2,050 tokens") as error:
            await composed(system, key, Refused(context=second.id, tokens=2050))
        details.append(error.value.detail)

    assert details == [{"tokens": 2050, "counted": second.tokens, "window": WINDOW}] * 2
    assert await system.last_seq() == before


async def test_where_nothing_is_small_enough_the_refusal_says_the_figures(system: System) -> None:
    """The request alone is over the window by the provider's count; the refused context stays the turn's last."""
    key = await system.talked(8)
    first = await composed(system, key)

    with pytest.raises(DoesNotFit) as error:
        await composed(system, key, Refused(context=first.id, tokens=50_000))

    floor = error.value.detail["floor"]
    assert floor > WINDOW
    assert str(error.value) == (
        f"the provider counted 50,000 tokens of context {first.id}, where {first.tokens:,} were counted here, and the "
        f"least that a context can be is {floor:,} by that, of a window of 2,048; use a larger window, or shorten the "
        "request, the instructions or the tools"
    )
    again = await composed(system, key, Refused(context=first.id, tokens=2100))
    assert again.tokens <= WINDOW


async def test_a_resent_refusal_is_the_same_refusal(system: System, caplog: pytest.LogCaptureFixture) -> None:
    """The answer was lost: the same context comes, here or from a replica, and it is noted once."""
    key = await system.talked(8)
    first = await composed(system, key)
    refused = Refused(context=first.id, tokens=2600)

    second = await composed(system, key, refused)
    third = await composed(system, key, refused)
    fourth = await system.compose(system.replica(), key=key, store=True, window=WINDOW, refused=refused)

    assert third.messages == second.messages == fourth.messages
    assert {one.recipe.refused for one in (second, third, fourth)} == {first.id}
    assert system.worker.statistics()["refused"] == 1
    assert caplog.text.count(f"the provider refused context {first.id} of turn 9 of t at 2,600 tokens") == 1
    events = [event for record in await log_of(system) for event in record.events]
    assert sum(isinstance(event, ContextRefused) for event in events) == 1
    with pytest.raises(DoesNotFit):
        await composed(system, key, Refused(context=fourth.id, tokens=2050))


@pytest.mark.parametrize("others", [1, 40])
async def test_a_context_is_refused_though_other_turns_composed_since(system: System, others: int) -> None:
    """Turns of several agents are open at once: each has its own last context, here as on a replica, and of what one
    of them refused the others have what it taught."""
    key = await system.talked(8)
    first = await composed(system, key)
    beside = [await composed(system, await system.open(Prompt(content="Me too."))) for _ in range(others)]
    refused = Refused(context=first.id, tokens=2600)

    second = await composed(system, key, refused)
    third = await composed(system, await system.open(Prompt(content="And me.")))
    again = await system.compose(system.replica(), key=key, store=True, window=WINDOW, refused=refused)

    assert (second.turn, second.recipe.refused) == (9, first.id)
    assert second.tokens <= WINDOW
    assert third.recipe.settings["anchor"] == second.recipe.settings["anchor"] == 1228 - 1228 * 1406 // 2600
    assert again.recipe.refused == first.id
    events = [event for record in await log_of(system) for event in record.events]
    assert sum(isinstance(event, ContextRefused) for event in events) == 1
    with pytest.raises(Invalid, match=f"context '{beside[-1].id}' is not the last of turn 9, which is {again.id}"):
        await composed(system, key, Refused(context=beside[-1].id, tokens=2600))


class Lossy:
    """An auditor whose first answer gets lost, whatever it did."""

    def __init__(self, auditor: Any) -> None:
        self._auditor = auditor
        self.lost = False

    async def append(self, chain: str, request: AppendRequest) -> AppendReply:
        reply: AppendReply = await self._auditor.append(chain, request)
        if not self.lost:
            self.lost = True
            raise OutcomeUnknown
        return reply

    async def head(self, chain: str, producer: str = "") -> HeadReply:
        found: HeadReply = await self._auditor.head(chain, producer)
        return found


async def test_a_refusal_whose_record_was_not_answered_is_recorded_once(system: System) -> None:
    """The append is sent again under its number."""
    key = await system.talked(8)
    first = await composed(system, key)
    recorder: Any = system.worker._recorder
    recorder._auditor = Lossy(recorder._auditor)

    await composed(system, key, Refused(context=first.id, tokens=2600))

    events = [event for record in await log_of(system) for event in record.events]
    assert sum(isinstance(event, ContextRefused) for event in events) == 1


async def test_an_agent_refuses_only_for_its_own_turns_and_a_viewer_nothing(system: System) -> None:
    """As with everything that is stored."""
    key = await system.talked(8)
    first = await composed(system, key)
    refused = Refused(context=first.id, tokens=2600)

    with pytest.raises(Denied, match="turn 9 is builder's"):
        await composed(system, key, refused, caller=Caller("agent", "other"))
    with pytest.raises(Denied, match="a viewer may look at a context"):
        await composed(system, key, refused, caller=Caller("viewer", "wall"))
    with pytest.raises(Invalid, match="give its key, and store it"):
        await system.compose(key=key, window=WINDOW, refused=refused)
    with pytest.raises(Invalid, match="give its key, and store it"):
        await system.compose(turn=1, refused=refused)
    assert (await composed(system, key, refused, caller=ALICE)).recipe.refused == first.id


@pytest.mark.parametrize("budget", [1, 50, 255])
async def test_a_window_that_holds_nothing_is_refused(system: System, budget: int) -> None:
    """With the least that there is."""
    await system.talked(1)

    with pytest.raises(Invalid, match=f"a window of {budget} tokens is too small; the least is 256"):
        await system.compose(window=budget)


@pytest.mark.parametrize("budget", [0, 256, 500, 8_000])
async def test_a_budget_gives_a_context_within_it(system: System, budget: int, kit: Any) -> None:
    """0 is the setting; a turn far larger than the budget is shortened, and never left out without a word (F95)."""
    await system.turn(*kit.asks("Read it.", *kit.reads("line\n" * 16_000), answer="word " * 4_000))

    found = await system.compose(window=budget, prompt="And?")

    window = budget or limits.WINDOW
    assert found.window == window
    assert found.tokens <= window
    assert texts(found)[-1] == "And?"
    assert len(texts(found)) > 1 or "1 turn before turn 2 left" in texts(found)[0]


@pytest.mark.parametrize("budget", [256, 500])
async def test_a_request_over_its_budget_is_refused_with_the_figures(system: System, budget: int) -> None:
    """What it takes, of what, and the least window that would do."""
    with pytest.raises(DoesNotFit, match=rf"take 3,\d+ tokens of a window of {budget}, and the least .* is 3,\d+"):
        await system.compose(window=budget, prompt="word " * 2_500)


@pytest.mark.parametrize("times", [1.8, 2.0, 2.5, 3.0])
async def test_what_is_counted_for_a_fraction_keeps_what_fits_of_it(system: System, times: float) -> None:
    """The provider counts so many times as much: what stands in for the refused context is not small beyond need."""
    key = await system.talked(16)
    first = await composed(system, key, target=0.65)
    real = int(first.tokens * times)
    assert real > WINDOW

    second = await composed(system, key, Refused(context=first.id, tokens=real), target=0.65)

    counted = second.tokens - second.recipe.settings["anchor"]
    assert WINDOW // 4 <= counted * times <= WINDOW
