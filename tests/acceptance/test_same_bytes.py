"""What any turn of any recorded thread saw, or would have seen, is the same to the byte, whatever happens after it."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

import anyio
import msgspec
import pytest
import recordings
from pydantic import SecretStr

from eunoe.client import Memory
from eunoe.runtime.connection import connect
from eunoe.runtime.requester import Requester
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import running
from eunoe.schemas import subjects
from eunoe.schemas.context import Context
from eunoe.schemas.errors import DoesNotFit
from eunoe.schemas.requests import RebuildReply, RebuildRequest
from eunoe.testing import NatsServer, RedisServer

OTHERS = ("audit", "extraction", "facts")
LONG = 30  # turns of a thread of which not every one is looked at
SAID_AGAIN = 16  # turns of a run, at most
SECONDS = 60.0  # that the workers may take to settle
LIVE: Mapping[str, dict[str, Any]] = {
    "task_00": {"window": 2560, "format": "openai"},
    "task_07": {"window": 3072, "format": "anthropic", "memory_tool": True},
    "task_23": {"window": 4096, "format": "responses", "model": "gpt-4o"},
    "edge_cases": {"window": 8192, "format": "text", "keep": 2, "model": "gpt-4"},
    "pydicom_1458": {"window": 8192, "format": "markdown", "memory_tool": True},
    "talk": {"window": 1024, "format": "openai"},
}
"""The runs that are said again, in what shape their contexts are."""
OTHERWISE: tuple[dict[str, Any], ...] = (
    {"window": 1024},
    {"window": 2048, "format": "anthropic", "memory_tool": True},
    {"model": "gpt-4o"},
    {"window": 4096, "model": "gpt-4o", "format": "responses"},
)
"""How some past turns are looked at, beside as they were."""
OTHER_SETTINGS: Mapping[str, Any] = {
    "window": 512,
    "target": 0.2,
    "headroom": 0,
    "keep": 3,
    "relevant": False,
    "assess": "rules",
    "counters": {"gpt-4": "llama3"},
    "kinds": {
        "file": {"single": False, "normaliser": "casefold"},
        "note": {"normaliser": "trim", "note": False},
        "entity": {"single": False, "normaliser": "trim"},
        "preference": {"fact_class": "dynamic"},
        "house": {"fact_class": "permanent", "description": "What a house is like."},
    },
    "labels": {"urgent": 1},
    "pinned_tokens": 1,
    "permanent_agents": (),
    "root": "/elsewhere",
    "idle_turn_seconds": 100_000,
}
Look = tuple[str, int, int]
"""A thread, a turn, and how it is looked at: -1 as it was, or an index of `OTHERWISE`."""


@dataclass(frozen=True)
class Recorded:
    """A space with every recorded run, imported, and some said again; what was handed out then, and what every turn
    saw as the workers that were there said at once."""

    settings: Settings
    given: dict[Look, Context]
    seen: dict[Look, tuple[Any, ...]]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def recorded(nats_server: NatsServer, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    folder = tmp_path_factory.mktemp("recorded")
    settings = Settings(url=nats_server.url, space="recorded", data=folder, role="person", principal="ada")
    paths = recordings.files(folder)
    given: dict[Look, Context] = {}
    async with running(settings) as fleet, Memory.connect(settings=settings) as memory:
        threads = [thread for path in paths for thread in (await memory.import_file(path)).threads]
        await remember(memory, settings)
        for path in paths:
            if how := LIVE.get(path.stem):
                name = f"live-{path.stem}"
                said = await recordings.say_again(memory, name, recordings.turns_of(path)[:SAID_AGAIN], **how)
                given |= {(name, turn, -1): context for turn, context in said.items()}
                threads.append(name)
        assert await fleet.settle(SECONDS)
        looks = [look for thread in threads for look in await all_looks(memory, thread)]
        return Recorded(settings, given, await seen(memory, looks))


async def remember(memory: Memory, settings: Settings) -> None:
    """Facts of every scope that the turns see which are said again, one of them with sources that disagree."""
    await memory.state_fact("preference", "Tone", "formal")
    await memory.state_fact("entity", "Desk", "the one by the window")
    async with Memory.connect(settings=settings.model_copy(update={"role": "caller", "principal": "app"})) as app:
        await app.state_fact("entity", "Desk", "the one by the door")
    for name in LIVE:
        await memory.state_fact("note", "Deadline", "Friday", thread=f"live-{name}")
        await memory.state_fact("machine", "Disk", "almost full", session=f"session-live-{name}")


async def all_looks(memory: Memory, thread: str) -> list[Look]:
    """Every turn of a short thread, and a sample of a long one with its first and last, as they were; one of them
    in another way too, and in each of those in a thread that was said again."""
    count = len(await memory.thread(thread).turns(limit=1000))
    chance = Random(thread)
    turns = range(1, count + 1)
    sample = turns if count <= LONG else sorted({1, count, *chance.sample(turns, LONG)})
    ways = range(len(OTHERWISE)) if thread.startswith("live-") else [chance.randrange(len(OTHERWISE))]
    otherwise = [(chance.choice(turns), at) for at in ways]
    return [(thread, number, at) for number, at in [*((number, -1) for number in sample), *otherwise]]


async def look(memory: Memory, where: Look) -> tuple[Any, ...]:
    thread, turn, otherwise = where
    how = OTHERWISE[otherwise] if otherwise >= 0 else {}
    try:
        context = await memory.thread(thread).context(turn=turn, **how)
    except DoesNotFit as error:
        return str(error), error.detail
    return (
        context.differs,
        context.reconstructed,
        msgspec.json.encode(context.messages),
        context.system,
        context.recipe,
        context.facts,
        context.layers,
    )


async def seen(memory: Memory, looks: list[Look] | dict[Look, Any]) -> dict[Look, tuple[Any, ...]]:
    return {one: await look(memory, one) for one in looks}


def differing(found: dict[Look, tuple[Any, ...]], wanted: dict[Look, tuple[Any, ...]]) -> list[Look]:
    return [one for one, what in found.items() if what != wanted[one]]


async def test_every_turn_is_there_and_what_was_handed_out_is_seen_again(recorded: Recorded) -> None:
    """The contexts of turns that were said are those that were handed out, also where their own window is named; all
    others are reconstructed."""
    for where, what in recorded.seen.items():
        if len(what) == 2:
            assert OTHERWISE[where[2]]["window"] <= 2048
            continue
        differs, reconstructed, messages, system, recipe, *_ = what
        if given := recorded.given.get(where):
            assert (differs, reconstructed, recipe) == ("", False, given.recipe)
            assert (messages, system) == (msgspec.json.encode(given.messages), given.system)
        else:
            own = recorded.given.get((where[0], where[1], -1))
            assert differs == ""
            assert reconstructed or (own is not None and recipe == own.recipe)
    assert len({thread for thread, _, _ in recorded.seen}) > 30
    assert sum(otherwise < 0 for _, _, otherwise in recorded.seen) > 300


async def test_other_settings_and_facts_made_anew_change_no_past_turn(recorded: Recorded) -> None:
    """Nor what the next request carries, as far as facts made anew go."""
    other = recorded.settings.model_copy(update=OTHER_SETTINGS)
    async with running(recorded.settings), Memory.connect(settings=recorded.settings) as memory:
        before = await everything(memory, [])
        await rebuilt(recorded.settings)
        assert await everything(memory, []) == before
    async with running(other), Memory.connect(settings=other) as memory:
        assert differing(await seen(memory, recorded.seen), recorded.seen) == []


async def test_nothing_that_happens_later_changes_a_past_turn(recorded: Recorded) -> None:
    """More turns, of other agents too; facts stated, corrected, deleted, retired and pinned; sessions that carry
    something, and end."""
    threads = {thread for thread, _, _ in recorded.seen if thread.startswith("live-")} | {"task_01", "talk"}
    async with running(recorded.settings) as fleet, Memory.connect(settings=recorded.settings) as memory:
        for thread in sorted(threads):
            await go_on(memory, thread)
        for fact in (await memory.facts(scope="permanent")).facts:
            await memory.delete_fact(fact.id, "not any more")
        await memory.state_fact("preference", "tone", "casual")
        assert await fleet.settle(SECONDS)
        assert differing(await seen(memory, recorded.seen), recorded.seen) == []


async def go_on(memory: Memory, thread: str) -> None:
    """More of a thread, by an agent that was not there before, and of what is remembered in it."""
    held = memory.thread(thread, agent="other", session=f"session-{thread}")
    async with held.turn("And now?", instructions="Be someone else.") as turn:
        await turn.call("read_file", {"path": "later.py"})
        await turn.result("a line\n" * 200)
        await turn.context(window=8192)
        await turn.reply("Later, that is.")
    async with held.turn("Never mind.") as turn:
        await turn.abort("not meant")
    facts = (await memory.facts(thread=thread, scope="thread")).facts
    for at, fact in enumerate(facts[:12]):
        if at % 3 == 0:
            await memory.delete_fact(fact.id, "wrong")
        elif at % 3 == 1:
            await memory.pin(fact.id)
            await memory.move(fact.id, "permanent")
        else:
            await memory.state_fact(fact.identity.subject, fact.identity.name, "otherwise", thread=thread)
    await memory.state_fact("note", "late", "it came late", thread=thread)
    await memory.set_session_state(f"session-{thread}", {"step": 3})
    await memory.end_session(f"session-{thread}", "over")


async def test_every_replica_gives_the_same_with_a_cache_and_without(
    recorded: Recorded, own_redis: RedisServer
) -> None:
    """Past turns and next requests, from one that reads the threads now and one that knows them, one with an empty
    cache, one that goes on from the copies there, and one whose cache died."""
    plain = recorded.settings
    cached = plain.model_copy(
        update={"redis_url": SecretStr(own_redis.url), "redis_secret": SecretStr("0123456789abcdef")}
    )
    some = Random(1).sample(sorted(recorded.seen), 24)
    found: list[dict[Any, Any]] = []
    async with running(plain, OTHERS) as fleet, Memory.connect(settings=plain) as memory:
        assert await fleet.settle(SECONDS)
        for settings in (plain, cached, cached):
            async with running(settings, ["composition"]) as composition:
                found += [await everything(memory, some) for _ in range(1 + (settings is plain))]
        hits = composition.statistics()["composition"]["cache_hits"]
        async with running(cached, ["composition"]):
            own_redis.kill()
            found.append(await everything(memory, some))

    assert hits >= len(LIVE)
    assert all(one == found[0] for one in found)
    assert {where: found[0][where] for where in some} == {where: recorded.seen[where] for where in some}


async def everything(memory: Memory, some: list[Look]) -> dict[Any, Any]:
    """Some past turns, and what the next request of the threads that were said again would carry, in several ways."""
    found: dict[Any, Any] = dict(await seen(memory, some))
    for name, how in LIVE.items():
        for window in (how["window"], 16_384):
            thread = memory.thread(f"live-{name}")
            asked: dict[str, Any] = {**how, "window": window, "prompt": "What about the deadline?"}
            context = await thread.context(**asked)
            found[name, window] = context.recipe, msgspec.json.encode(context.messages), context.system
    return found


@asynccontextmanager
async def _asking(settings: Settings) -> AsyncIterator[Requester]:
    async with await connect(settings.url, caller=settings.caller) as connection:
        yield await Requester.open(connection)


async def rebuilt(settings: Settings) -> None:
    """The facts made again in another generation."""
    start = RebuildRequest(action="start", id=secrets.token_hex(4), reason="a test")
    subject = subjects.request(settings.space, "rebuild", settings.caller)
    async with _asking(settings) as requester:
        with anyio.fail_after(SECONDS):
            while True:
                data = await requester.request(subject, msgspec.json.encode(start), timeout=SECONDS)
                run = msgspec.json.decode(data, type=RebuildReply).run
                if run is not None and run.id == start.id and run.over:
                    assert run.error == ""
                    return
                await anyio.sleep(0.02)
