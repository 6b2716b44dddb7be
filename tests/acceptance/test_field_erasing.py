"""Faults of what memory systems forget, and what holds here.

F59 deleting one user's data that takes everybody's · F63 what was derived from a deleted episode left behind ·
F64 a shortened document whose tail stays known, or comes back · F67 a name used again that meets the old data ·
F69 an agent whose archive outlives it · F70 a reset that clears one store of several.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fields import known, told, used
from shapes import CHECKS

from eunoe.audit.export import verify_export
from eunoe.audit.verify import Verifier
from eunoe.client import Memory
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import Fleet, running
from eunoe.schemas.context import FORMATS, Context, Format
from eunoe.schemas.errors import NotFound

SECRET = "hunter2-xyzzy"


def text(context: Context) -> str:
    return json.dumps(context.messages, ensure_ascii=False) + context.system


async def lines(memory: Memory, thread: str) -> list[bytes]:
    """The records of a thread as an export has them."""
    found = [line async for line in memory.thread(thread).export()]
    return [line for line in found if line.startswith(b'{"subject"')]


async def test_an_erased_entry_is_in_no_context_of_workers_that_ran_all_along(memory: Memory, fleet: Fleet) -> None:
    """Neither in a new one nor in that of an old turn, which says what it had; another thread is what it was (F59)."""
    thread = memory.thread("t")
    async with thread.turn(f"the password is {SECRET}") as turn:
        before = await turn.context()
        await turn.reply("Noted.")
    await told(memory, "u", "b.py")
    assert await fleet.settle()
    others = await lines(memory, "u")
    assert SECRET in text(await thread.context(prompt="and now?"))

    await memory.erase(thread="t", entries=[1], reason="a password was pasted")

    fresh, old = await thread.context(prompt="and now?"), await thread.context(turn=1)
    assert SECRET in text(before)
    assert SECRET not in text(fresh) + text(old)
    assert "[entry 1 was erased]" in text(fresh)
    assert "erased: entry 1" in old.differs
    assert (await thread.show(1)).content == "[entry 1 was erased]"
    assert await lines(memory, "u") == others


async def test_an_erased_turn_leaves_contexts_without_placeholders(memory: Memory, fleet: Fleet) -> None:
    """One line says so; a context from before the erasure says what it had, one from after it is the same again."""
    thread = memory.thread("t")
    for said in ("hello", SECRET):
        async with thread.turn(said) as turn:
            await turn.reply(f"You said {said}.")
    async with thread.turn("before") as turn:
        await turn.context()
        await turn.reply("Yes.")

    await memory.erase(thread="t", turns=[2], reason="asked to")
    async with thread.turn("after") as turn:
        then = await turn.context()

    before, after = await thread.context(turn=3), await thread.context(turn=4)
    assert "Everything said in 1 turn was erased." in text(then)
    assert "[entry" not in text(then)
    assert (then.recipe.turns, then.recipe.erased) == ((1, 3), 1)
    assert SECRET not in text(before)
    assert before.differs == "erased: entry 3; erased: entry 4"
    assert (after.differs, after.messages) == ("", then.messages)


@pytest.mark.parametrize("shape", FORMATS)
async def test_contexts_with_erased_calls_are_what_every_api_takes(memory: Memory, fleet: Fleet, shape: Format) -> None:
    """A call without its arguments still has its result, and the other way round."""
    thread = memory.thread("t")
    async with thread.turn("Look.") as turn:
        for number in range(3):
            await used(turn, f"c{number}", "bash", f"{SECRET} {number}", command=f"cat {SECRET}{number}")
        await turn.reply("Done.")
    await memory.erase(thread="t", entries=[2, 5], reason="a password was pasted")

    context = await thread.context(prompt="And?", format=shape)

    if shape in CHECKS:
        CHECKS[shape](context.messages)
    assert f"{SECRET} 1" not in text(context)
    assert f"cat {SECRET}0" not in text(context)
    assert f"cat {SECRET}1" in text(context)


async def test_facts_lose_the_source_that_is_erased(memory: Memory, fleet: Fleet) -> None:
    """What only the erased turn said is gone; what another said too is still known (F63)."""
    await told(memory, "t", "both.py")
    async with memory.thread("t").turn("More.") as turn:
        await used(turn, "c1", "read_file", "one line", path="both.py")
        await used(turn, "c2", "read_file", "one line", path="only.py")
        await turn.reply("Read.")
    assert set(await known(memory, fleet, "t")) == {("file", "both.py"), ("file", "only.py")}

    await memory.erase(thread="t", turns=[2], reason="asked to")

    assert set(await known(memory, fleet, "t")) == {("file", "both.py")}


def transcript(folder: Path, *turns: str) -> Path:
    path = folder / f"chat-{len(turns)}.json"
    said: list[dict[str, Any]] = []
    for one in turns:
        said += [{"role": "user", "content": one}, {"role": "assistant", "content": f"You said {one}."}]
    path.write_text(json.dumps({"messages": said}))
    return path


async def test_importing_again_brings_nothing_back(memory: Memory, fleet: Fleet, tmp_path: Path) -> None:
    """The same transcript, one that grew, and one that was shortened: only what is new goes in (F64)."""
    whole = transcript(tmp_path, "hello", SECRET)
    await memory.import_file(whole, thread="t")
    await memory.erase(thread="t", turns=[2], reason="the end was redacted")

    again = [
        (await memory.import_file(path, thread="t")).appended
        for path in (whole, transcript(tmp_path, "hello"), transcript(tmp_path, "hello", SECRET, "more"))
    ]

    assert again[:2] == [0, 0]
    contents = [(await memory.thread("t").show(number)).content for number in range(1, 7)]
    assert contents == [
        "hello", "You said hello.", "[entry 3 was erased]", "[entry 4 was erased]", "more", "You said more."
    ]  # fmt: skip


async def test_an_export_after_an_erasure_verifies_alone_and_goes_in_elsewhere(
    memory: Memory, settings: Settings, tmp_path: Path
) -> None:
    """With what is left of the records in their places."""
    await memory.import_file(transcript(tmp_path, "hello", SECRET), thread="t")
    await memory.erase(thread="t", entries=[3], reason="asked to")
    exported = tmp_path / "export.jsonl"
    exported.write_bytes(b"".join([line async for line in memory.thread("t").export()]))

    with exported.open("rb") as found:
        verdict = verify_export(found, Verifier())
    elsewhere = settings.model_copy(update={"space": f"{settings.space}-copy"})
    async with running(elsewhere, ["audit"]), Memory.connect(settings=elsewhere) as other:
        report = await other.import_file(exported)
        copies = [await other.thread("t").show(number) for number in range(1, 5)]

    said = ["hello", "You said hello.", "[entry 3 was erased]", f"You said {SECRET}."]
    assert (verdict.problems, verdict.erased) == ((), 1)
    assert not report.problems
    assert [one.content for one in copies] == said
    assert copies[2].erased


async def test_a_name_that_is_used_again_meets_nothing_old(memory: Memory, fleet: Fleet) -> None:
    """A thread that was erased and goes on at once knows only what is new (F67, F70)."""
    await told(memory, "t", f"{SECRET}.py")
    await fleet.settle()
    await memory.erase(thread="t", reason="a tenant left")

    await told(memory, "t", "new.py")

    assert set(await known(memory, fleet, "t")) == {("file", "new.py")}
    assert SECRET not in text(await memory.thread("t").context(prompt="What do you know?"))
    (state,) = [one for one in (await memory.threads()).threads if one.thread == "t"]
    assert SECRET not in repr(state)
    assert state.facts == 1


async def test_an_agent_that_is_dropped_leaves_nothing_of_its_own(memory: Memory, fleet: Fleet) -> None:
    """Its own permanent facts are gone; those that it stated for everybody stay (F69)."""
    mine = await memory.state_fact("note", "mine", SECRET, owner="builder")
    await memory.state_fact("note", "ours", "stays")

    await memory.erase(scope="permanent", owner="builder", reason="the agent was retired")

    found = (await memory.facts()).facts
    assert [(fact.identity.owner, fact.value) for fact in found] == [("shared", "stays")]
    with pytest.raises(NotFound):
        await memory.fact(mine.id)


async def test_a_fact_that_is_erased_is_unknown_everywhere(memory: Memory, fleet: Fleet) -> None:
    """By its id, in lists of all that ever was, and in contexts; what it came from is named, for it stays."""
    first = await memory.state_fact("decision", "database", f"{SECRET} one")
    await memory.state_fact("decision", "database", f"{SECRET} two")
    await memory.state_fact("decision", "language", "python")

    planned = await memory.erase(fact=first.id[:6], dry_run=True)
    reply = await memory.erase(fact=first.id[:6], reason="asked to")

    everything = (await memory.facts(all=True)).facts
    assert (planned.state, planned.counts.facts, reply.counts) == ("planned", 2, planned.counts)
    assert [fact.value for fact in everything] == ["python"]
    assert SECRET not in text(await memory.thread("t").context(prompt="?"))
