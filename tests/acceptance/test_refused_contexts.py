"""Providers that refuse contexts, what is asked for ahead, and what is waited for, over a real server."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from doomed import Doom, Trap, serve
from nursery import nursery
from polling import until

from eunoe.client import Memory, Thread, Turn
from eunoe.runtime import topology
from eunoe.runtime.connection import Connection
from eunoe.runtime.doors import Store
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import running
from eunoe.schemas import limits, records, subjects
from eunoe.schemas.context import Context
from eunoe.schemas.errors import DoesNotFit, Invalid, OutcomeUnknown
from eunoe.schemas.events import ContextRefused
from eunoe.testing import NatsServer

WINDOW = 2048
WITHOUT_EXTRACTION = ("audit", "facts", "composition")
WITHOUT_DISTILLATION = (*WITHOUT_EXTRACTION, "extraction")


@pytest.fixture
def settings(nats_server: NatsServer, space: str, tmp_path: Path) -> Settings:
    return Settings(url=nats_server.url, space=space, data=tmp_path, role="agent", principal="builder")


class TooLong(Exception):
    """A scripted provider's refusal: it counted ``tokens``."""

    def __init__(self, tokens: int) -> None:
        self.tokens = tokens


class Provider:
    """Takes contexts up to its limit. What it counts of each is what they are, and the tools that it knows of."""

    def __init__(self, tools: int, limit: int = WINDOW) -> None:
        self.tools = tools
        self.limit = limit
        self.calls = 0

    def ask(self, context: Context) -> str:
        self.calls += 1
        tokens = -(-len(json.dumps(context.messages).encode()) // 4) + self.tools
        if tokens > self.limit:
            raise TooLong(tokens)
        return "word " * 125


async def answered(turn: Turn, provider: Provider) -> Context:
    """What a turn's model was sent in the end: the context, or the one that took its place."""
    context = await turn.context(WINDOW)
    try:
        reply = provider.ask(context)
    except TooLong as refusal:
        context = await turn.refused(refusal.tokens)
        reply = provider.ask(context)
    await turn.reply(reply)
    return context


async def refusals(store: Store) -> list[ContextRefused]:
    found = [records.read(one.seq, one.data) async for one in store.log.scan()]
    return [event for record in found for event in record.events if isinstance(event, ContextRefused)]


async def test_a_provider_that_refuses_a_context_takes_the_next(settings: Settings, store: Store) -> None:
    """Its tools are 700 tokens that nobody told of. It refuses once, and is never sent too much again, whichever of
    two composition workers answers."""
    provider, sent = Provider(tools=700), list[Context]()
    async with running(settings), running(settings, ["composition"]), Memory.connect(settings=settings) as memory:
        for number in range(14):
            async with memory.thread("t").turn(f"question {number}") as turn:
                sent.append(await answered(turn, provider))
        past = await memory.thread("t").context(turn=next(one.turn for one in sent if one.recipe.refused))

    assert provider.calls == 15
    assert [one.recipe.refused != "" for one in sent].count(True) == 1
    assert len(await refusals(store)) == 1
    assert past.differs == ""
    assert past.messages == next(one.messages for one in sent if one.recipe.refused)


async def asked_until_refused(thread: Thread, provider: Provider) -> None:
    """A turn whose every context the provider refuses; raises what the client says then."""
    async with thread.turn("And now?") as turn:
        context = await turn.context(WINDOW)
        while True:
            try:
                provider.ask(context)
            except TooLong as refusal:
                context = await turn.refused(refusal.tokens)


async def refused_too_early(thread: Thread) -> None:
    async with thread.turn("Too early") as turn:
        await turn.refused(9_000)


async def test_a_provider_that_refuses_again_gets_nothing(settings: Settings, store: Store) -> None:
    """The client hears the figures, and the turn is aborted; so is one that has nothing to refuse yet."""
    provider = Provider(tools=0, limit=10)
    async with running(settings, WITHOUT_EXTRACTION), Memory.connect(settings=settings) as memory:
        thread = memory.thread("t")
        for number in range(8):
            async with thread.turn(f"question {number}") as turn:
                await turn.reply("word " * 125)
        with pytest.raises(Invalid, match="no context of this turn was handed out"):
            await refused_too_early(thread)
        with pytest.raises(DoesNotFit, match=r"refused context c\w+ too.*of a window of 2,048") as error:
            await asked_until_refused(thread, provider)
        lines = await thread.turns()

    assert provider.calls == 2
    assert error.value.detail["tokens"] > 10
    assert error.value.detail["window"] == WINDOW
    assert [line.state for line in lines[-2:]] == ["aborted", "aborted"]
    assert len(await refusals(store)) == 1


async def test_composition_is_killed_between_a_refusals_record_and_its_answer(
    settings: Settings, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client asks again, and gets what was composed: one refusal is in the log, and none of them was the second."""
    victim = tmp_path / "pid"
    doom = Doom((Trap("after-publish", ".memory", 2),), victim)
    with nursery(tmp_path) as workers:
        composition = await workers.started("composition", serve, settings, ["composition"], Doom())
        victim.write_text(str(composition.pid))
        await workers.started("audit", serve, settings, ["audit"], doom)
        async with Memory.connect(settings=settings) as memory:
            for number in range(8):
                async with memory.thread("t").turn(f"question {number}") as turn:
                    await turn.reply("word " * 125)
            async with memory.thread("t").turn("And now?") as turn:
                first = await turn.context(WINDOW)
                with monkeypatch.context() as patch:
                    patch.setattr(limits, "REQUEST_SECONDS", 0.5)  # nobody is there to answer
                    with pytest.raises(OutcomeUnknown):
                        await turn.refused(2_600)
                await until(lambda: not composition.alive, "composition is killed")
                assert composition.code == -signal.SIGKILL
                await workers.started("successor", serve, settings, ["composition"], Doom())

                second = await turn.refused(2_600)

    assert second.recipe.refused == first.id
    assert second.tokens <= WINDOW
    assert [(one.context, one.tokens) for one in await refusals(store)] == [(first.id, 2_600)]


async def test_turns_that_leave_too_early_are_named_until_their_facts_are_known(settings: Settings) -> None:
    """Without extraction they are named; a context that may wait has them once extraction runs."""
    settings = settings.model_copy(update={"distiller": "off"})
    async with running(settings, WITHOUT_EXTRACTION), Memory.connect(settings=settings) as memory:
        thread = memory.thread("t")
        for number in range(12):
            async with thread.turn(f"question {number}") as turn:
                await turn.reply("word " * 125)
        early = await thread.context(WINDOW, prompt="And?", wait=0.05)
        async with running(settings, ["extraction"]):
            late = await thread.context(WINDOW, prompt="And?", wait=30)

    assert early.recipe.pending == tuple(range(1, early.recipe.first_turn))
    assert late.recipe.pending == ()
    assert late.recipe.first_turn == early.recipe.first_turn


async def test_what_leaves_next_is_one_job_of_its_thread(
    settings: Settings, connection: Connection, space: str
) -> None:
    """Of two threads one grows until turns are near leaving; two workers answer, and one job waits, the newest."""
    both = (running(settings, WITHOUT_DISTILLATION), running(settings, ["composition"]))
    async with both[0], both[1], Memory.connect(settings=settings) as memory:
        async with memory.thread("short").turn("Hi") as turn:
            await turn.context(WINDOW)
        last = 0
        for number in range(12):
            async with memory.thread("long").turn(f"question {number}") as turn:
                recipe = (await turn.context(WINDOW)).recipe
                await turn.reply("word " * 125)
            last = max([last, recipe.first_turn - 1 if recipe.left else 0, *(end for _, end in recipe.ahead)])
    store = await topology.ensure(connection, space)
    consumer = await store.jobs.consumer("distil", [subjects.jobs_filter(space, "distil")])

    (job,) = await consumer.fetch(10, 5.0)

    assert json.loads(job.message.data)["up_to"] == last > 0
    assert job.message.subject == subjects.job(space, "distil", "long")
    assert await store.jobs.waiting() == 1
