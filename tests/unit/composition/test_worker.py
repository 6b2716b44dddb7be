"""The composition worker over a store in memory, with the real audit worker and the real projector."""

from __future__ import annotations

from typing import Any

import anyio
import msgspec
import pytest
from composition_desks import ALICE, BUILDER, System, block, running, texts

from eunoe.schemas import limits, records
from eunoe.schemas.blobs import split
from eunoe.schemas.context import Context, Watermark
from eunoe.schemas.errors import Denied, DoesNotFit, Invalid, NotFound, TooLarge, TurnNotOpen
from eunoe.schemas.events import (
    ContextComposed,
    Event,
    Instructions,
    MemoryUsed,
    Prompt,
    Response,
    ToolCall,
    ToolResult,
    TurnAborted,
    TurnCommitted,
    TurnOpened,
)
from eunoe.schemas.requests import AppendReply, AppendRequest
from eunoe.schemas.subjects import Address, Caller


@pytest.fixture
def system() -> System:
    return System()


def outputs(call: str) -> tuple[Event, Event]:
    """A call, and an output that is longer than its reference."""
    return ToolCall(call=call, tool="ls"), ToolResult(call=call, content="a line\n" * 40)


async def test_a_recipe_is_stored_before_the_context_is_handed_out(system: System) -> None:
    """One record holds the recipe and what reached the model, under the worker's own producer."""
    await system.turn(Prompt(content="one"), Response(content="1"))
    key = await system.open(Prompt(content="two"))

    context = await system.compose(key=key, store=True)

    last = (await system.store.log.get([await system.last_seq()]))[0]
    assert last is not None
    record = records.read(last.seq, last.data)
    composed, used = record.events
    assert isinstance(composed, ContextComposed)
    assert composed.recipe == context.recipe
    assert used == MemoryUsed(context=context.id, turn=2, entries=((1, 3),))
    assert (record.header.role, record.header.principal, record.header.n) == ("worker", "composition", 1)
    assert texts(context) == ["one", "1", "two"]


class Narrow:
    """An auditor whose records hold 8 KiB, so that fewer parts are too many for one."""

    def __init__(self, auditor: Any) -> None:
        self._auditor = auditor

    async def append(self, chain: str, request: AppendRequest) -> AppendReply:
        if len(msgspec.json.encode(request)) > 8_192:
            raise TooLarge("the append makes too large a record")
        reply: AppendReply = await self._auditor.append(chain, request)
        return reply


async def test_a_context_of_more_parts_than_a_record_can_name_is_not_handed_out(system: System) -> None:
    """Of 200 outputs each takes some 50 bytes of a recipe. A smaller window does it; the refusal stored nothing."""
    recorder: Any = system.worker._recorder
    recorder._auditor = Narrow(recorder._auditor)
    reads = [event for number in range(20) for event in outputs(f"c{number}")]
    for _ in range(10):
        await system.turn(Prompt(content="Read all."), *reads, Response(content="done"))
    key = await system.open(Prompt(content="And?"))
    before = await system.last_seq()

    with pytest.raises(DoesNotFit, match=r"more than a record of 1,048,576 bytes holds.*use a smaller window"):
        await system.compose(key=key, store=True, window=64_000)

    assert await system.last_seq() == before
    assert (await system.compose(key=key, store=True, window=8_000)).recipe.left > 0


async def test_turns_in_which_nothing_was_said_are_not_read_to_the_first(system: System) -> None:
    """Of 1,500 of them a window of 256 tokens takes one for a token."""
    for _ in range(1_500):
        await system.turn()

    context = await system.compose(prompt="next", window=256)

    assert len(context.recipe.turns) <= 257
    assert context.recipe.left >= 1_500 - 257
    assert system.worker.statistics()["records_read"] < 1_000


async def test_looking_stores_nothing_and_shows_the_text_of_each_layer(system: System) -> None:
    """What the next request would carry costs nothing and changes nothing."""
    await system.append(Instructions(content="Be brief."))
    await system.turn(Prompt(content="one"), Response(content="1"))
    before = await system.last_seq()

    context = await system.compose(prompt="what next?")

    assert await system.last_seq() == before
    assert [layer.name for layer in context.layers] == ["instructions", "literal", "request"]
    assert sum(layer.tokens for layer in context.layers) == context.tokens
    assert "what next?" in block(context, "request")
    assert texts(context) == ["Be brief.", "one", "1", "what next?"]


@pytest.mark.parametrize("form", ["openai", "anthropic", "text"])
async def test_a_past_turn_is_replayed_byte_for_byte(system: System, form: str, kit: Any) -> None:
    """Whatever happened since, the stored recipe gives what the model saw, and says so."""
    await system.append(Instructions(content="Be brief."))
    await system.fact("tea", scope="permanent", owner="shared", name="drink")
    for number in range(12):
        await system.turn(*kit.asks(f"q{number}", *kit.reads("line\n" * 400, call=f"c{number}")))
    await system.fact("seen", name="file", turn=3)
    await system.project()
    key = await system.open(Prompt(content="two"), *kit.reads("more\n" * 900))
    then = await system.compose(key=key, store=True, format=form, window=2048, memory_tool=True)
    await system.fact("coffee", scope="permanent", owner="shared", name="drink")
    await system.append(*kit.reads("later"), Response(content="done"), TurnCommitted(), key=key)
    await system.append(Instructions(content="Be long."))
    await system.project()

    again = await system.compose(system.replica(), turn=13)

    assert again.differs == ""
    assert not again.reconstructed
    assert (again.messages, again.system, again.tokens) == (then.messages, then.system, then.tokens)
    assert "tea" in block(again, "earlier")
    assert then.recipe.left > 0


async def test_a_replay_of_what_was_erased_says_what_is_missing(system: System, kit: Any) -> None:
    """The digest does not match, and the reason is named."""
    await system.turn(*kit.asks("q", *kit.reads("line\n" * 400)))
    fact = await system.fact("tea", scope="permanent", owner="shared", name="drink")
    await system.project()
    key = await system.open(Prompt(content="two"))
    context = await system.compose(key=key, store=True)
    await system.store.log.erase(fact.position)

    again = await system.compose(turn=2)

    assert again.differs == f"erased: fact {context.recipe.earlier[0].id}"


async def test_an_erased_record_is_passed_over_and_named(system: System) -> None:
    """The next context does without it, and the replay says which entries are gone."""
    system.opened = 1
    await system.append(TurnOpened(), Prompt(content="one"), key="k1")
    secret = await system.append(Response(content="the secret"), key="k1")
    await system.append(TurnCommitted(), key="k1")
    key = await system.open(Prompt(content="two"))
    await system.compose(key=key, store=True)
    await system.store.log.erase(secret.position)

    again = await system.compose(turn=2)
    fresh = await system.compose(system.replica(), key=key)

    assert again.differs == "erased: entry 2"
    assert texts(fresh) == texts(again) == ["one", "two"]


async def test_a_turn_without_a_recipe_is_reconstructed_and_says_so(system: System) -> None:
    """Turns before it, its own prompt, and deterministic facts of order before it; nothing that came later."""
    await system.turn(Prompt(content="one"), Response(content="1"))
    await system.turn(Prompt(content="two"), Response(content="2"))
    await system.turn(Prompt(content="three"), Response(content="3"))
    await system.fact("early", name="a", turn=1)
    await system.fact("late", name="b", turn=3)
    await system.project()

    context = await system.compose(turn=2)

    assert context.reconstructed
    assert texts(context) == ["one", "1", "two"]
    assert context.recipe.earlier == ()
    assert "late" not in block(await system.compose(turn=3), "earlier")


async def test_a_reconstructed_turn_saw_the_value_of_before_it_and_not_its_own(system: System) -> None:
    """A tool of the second turn gave another value: that turn was asked with the first, the third with the turn that
    says the second."""
    await system.fact("old", name="a")
    await system.turn(Prompt(content="one"), Response(content="1"))
    await system.turn(Prompt(content="two"), Response(content="2"))
    await system.fact("new", name="a", turn=2)
    await system.turn(Prompt(content="three"), Response(content="3"))
    await system.project()

    first, second, third = [await system.compose(turn=number) for number in (1, 2, 3)]

    assert "note a: old" in block(first, "earlier")
    assert "note a: old" in block(second, "earlier")
    assert block(third, "earlier") == ""


async def test_a_reconstructed_turn_saw_what_has_left_its_document_since(system: System) -> None:
    """A value of before the turn, and after it more values than a document keeps."""
    await system.fact("old", scope="permanent", owner="shared", name="a")
    await system.turn(Prompt(content="one"), Response(content="1"))
    for number in range(limits.INLINE_ASSERTIONS + 1):
        await system.fact(f"new {number}", scope="permanent", owner="shared", name="a")
    await system.project()

    assert "note a: old" in block(await system.compose(turn=1), "earlier")


async def test_a_turn_that_is_not_there_is_not_found(system: System) -> None:
    """The refusal says how many turns there are."""
    await system.turn(Prompt(content="one"))

    with pytest.raises(NotFound, match="no turn 5 in this thread; it has 1"):
        await system.compose(turn=5)


async def test_only_what_the_agent_may_see_reaches_its_context(system: System) -> None:
    """Shared facts and its own, its thread's and its session's; the watch and the bucket give the same."""
    for scope, owner in (("permanent", "shared"), ("permanent", "builder"), ("permanent", "other")):
        await system.fact(f"{scope} {owner}", scope=scope, owner=owner, name=f"n {owner}")
    for owner in ("s1", "s2"):
        await system.fact(f"session {owner}", scope="session", owner=owner, name="n")
    await system.fact("mine", name="own")
    await system.project()
    key = await system.open(Prompt(content="go"), session="s1")

    read = await system.compose(key=key)
    async with running(system.worker):
        watched = await system.compose(key=key)
        person = await system.compose(key=key, caller=ALICE)

    earlier, now = block(read, "earlier"), block(read, "now")
    assert all(text in earlier for text in ("permanent shared", "permanent builder", "mine"))
    assert "permanent other" not in earlier
    assert "session s1" in now
    assert "s2" not in earlier + now
    assert watched.messages == read.messages == person.messages


async def test_looking_shows_what_the_newest_turn_may_see_however_far_back_it_is(system: System) -> None:
    """Its session's and its agent's facts, though a hundred facts were stated since and this worker knew no turn."""
    key = await system.open(Prompt(content="go"), session="s1")
    await system.append(TurnCommitted(), key=key)
    await system.fact("mine", scope="session", owner="s1", name="n")
    await system.fact("own", scope="permanent", owner="builder", name="n")
    for number in range(100):
        await system.fact(f"v{number}", name="x")
    await system.project()

    context = await system.compose(caller=ALICE, prompt="next")

    assert "note n: mine" in block(context, "now")
    assert "note n: own" in block(context, "earlier")


async def test_a_fact_that_is_written_later_reaches_the_next_context_by_the_watch(system: System) -> None:
    """The permanent facts in memory follow their bucket."""
    key = await system.open(Prompt(content="go"))
    async with running(system.worker):
        before = await system.compose(key=key)
        await system.fact("tea", scope="permanent", owner="shared", name="drink")
        await system.project()
        await anyio.wait_all_tasks_blocked()
        after = await system.compose(key=key)

    assert block(before, "earlier") == ""
    assert "note drink: tea — from person alice" in block(after, "earlier")


async def test_after_says_what_is_not_fresh_and_is_silent_once_it_is(system: System) -> None:
    """The entries are read at once; facts of that position are there when the projector has been there."""
    key = await system.open(Prompt(content="go"))
    told = await system.fact("mine", name="own")

    early = await system.compose(key=key, after=Watermark(log=told.position), wait=0.0)
    ahead = await system.compose(key=key, after=Watermark(log=told.position + 99), wait=0.0)
    await system.project()
    late = await system.compose(key=key, after=Watermark(log=told.position), wait=0.0)

    assert (early.stale, ahead.stale, late.stale) == (("facts",), ("log",), ())
    assert late.watermark.log == told.position
    assert late.watermark.thread > 0
    assert "mine" in block(late, "earlier")


async def test_after_waits_until_it_is_that_fresh(system: System) -> None:
    """A write that is projected while the request waits is in its context."""
    key = await system.open(Prompt(content="go"))
    told = await system.fact("mine", name="own")
    found: list[Context] = []

    async def ask() -> None:
        found.append(await system.compose(key=key, after=Watermark(log=told.position), wait=30.0))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        await system.project()

    assert found[0].stale == ()
    assert "mine" in block(found[0], "earlier")


async def test_replicas_store_recipes_of_one_thread_without_a_gap(system: System) -> None:
    """Each takes the next number of the shared producer, and the one that is late takes another."""
    keys = [await system.open(Prompt(content=f"q{number}")) for number in range(6)]
    workers = [system.replica() for _ in range(3)]

    async def ask(number: int) -> None:
        await system.compose(workers[number % 3], key=keys[number], store=True)

    async with anyio.create_task_group() as tasks:
        for number in range(6):
            tasks.start_soon(ask, number)

    stored = [records.read(one.seq, one.data) async for one in system.store.log.scan()]
    assert [one.header.n for one in stored if one.header.principal == "composition"] == [1, 2, 3, 4, 5, 6]


async def test_a_turn_that_is_not_open_has_no_next_request(system: System) -> None:
    """The refusal says what became of it."""
    key = await system.open(Prompt(content="go"))
    await system.append(TurnAborted(reason="stopped"), key=key)

    with pytest.raises(TurnNotOpen, match="turn 1 was aborted"):
        await system.compose(key=key)
    with pytest.raises(TurnNotOpen, match="no turn 'other' is open"):
        await system.compose(key="other")


async def test_a_cold_fold_reads_only_what_the_window_can_need(system: System, kit: Any) -> None:
    """Of 600 turns with a recipe, a new worker reads some hundred records, and a warm one only what is new."""
    await system.append(Instructions(content="Be brief."))
    for number in range(600):
        await system.turn(*kit.asks(f"q{number}", answer="words " * 40))
    await system.compose(key=await system.open(Prompt(content="a")), store=True)
    fresh, key = system.replica(), await system.open(Prompt(content="b"))

    cold = await system.compose(fresh, key=key)
    read = fresh.statistics()["records_read"]
    warm = await system.compose(fresh, key=key)

    assert read < 400
    assert fresh.statistics()["records_read"] == read
    assert cold.messages == warm.messages == (await system.compose(key=key)).messages
    assert texts(cold)[0] == "Be brief."


async def test_instructions_are_found_however_far_back_they_were_given(system: System, kit: Any) -> None:
    """Without any recipe the chain is read back to the newest ones that hold; those of an aborted turn do not."""
    await system.append(Instructions(content="Be brief."), Instructions(content="Be kind."))
    key = await system.open(Instructions(content="Shout."), Prompt(content="gone"))
    await system.append(TurnAborted(reason="stopped"), key=key)
    for number in range(200):
        await system.turn(*kit.asks(f"q{number}", answer="words " * 40))

    context = await system.compose(prompt="next", window=1024)

    assert texts(context)[:2] == ["Be brief.", "Be kind."]
    assert len(context.recipe.turns) < 20


@pytest.mark.parametrize(("instructions", "read"), [("", 1 + 34 + 3 * 64), ("Be brief.", 1 + 35 + 3 * 64)])
async def test_a_thread_without_a_recipe_is_read_no_further_than_its_window(
    system: System, kit: Any, instructions: str, read: int
) -> None:
    """Of 1,200 records, or of 1,201, the head, as many as 16 turns of two records have on average and 2 more, and
    three times 64 (27 turns, and 64 before them whose facts are to come): where instructions are, and that there are
    none, the header says."""
    if instructions:
        await system.append(Instructions(content=instructions))
    for number in range(600):
        await system.turn(*kit.asks(f"q{number}", answer="words " * 40))

    context = await system.compose(prompt="next", window=2048)

    assert texts(context)[0].startswith(instructions or "<eunoe-record")
    assert system.worker.statistics()["records_read"] == read


async def test_a_thread_with_a_recipe_is_read_no_further_than_that_reaches(system: System, kit: Any) -> None:
    """Each turn has two records. A worker that never saw the thread reads those of the turns that its recipe shows, and
    of 64 before them whose facts are to come, and few more: by what turns have on average."""
    for number in range(300):
        await system.turn(*kit.asks(f"q{number}", answer="words " * 40))
    key = await system.open(Prompt(content="now"))
    stored = await system.compose(key=key, store=True, window=2048)
    await system.append(TurnCommitted(), key=key)
    replica = system.replica()

    context = await system.compose(replica, prompt="next", window=2048)

    needed = 2 * (len(stored.recipe.turns) + 64)
    assert context.recipe.first_turn == stored.recipe.first_turn
    assert needed <= replica.statistics()["records_read"] <= needed + 16


async def test_instructions_of_a_turn_that_is_committed_late_hold_from_then_on(system: System, kit: Any) -> None:
    """While it was open they did not, and what was found before it is not held on to."""
    await system.append(Instructions(content="Be brief."))
    key = await system.open(Instructions(content="Be "), Prompt(content="slow"))
    await system.append(Instructions(content="kind."), key=key)
    for number in range(100):
        await system.turn(*kit.asks(f"q{number}", answer="words " * 40))

    before = await system.compose(prompt="next", window=1024)
    await system.append(TurnCommitted(), key=key)
    after = await system.compose(prompt="next", window=1024)

    assert texts(before)[0] == "Be brief."
    assert texts(after)[:2] == ["Be ", "kind."]


async def test_a_wider_window_reads_further_back_and_the_narrow_one_stays_as_it_was(system: System, kit: Any) -> None:
    """Switching models recomposes from the same log; each profile has its own cut mark."""
    for number in range(300):
        await system.turn(*kit.asks(f"q{number}", answer="words " * 40))
    key = await system.open(Prompt(content="next"))
    narrow = await system.compose(key=key, store=True, window=2048)

    wide = await system.compose(system.replica(), key=key, store=True, window=65_536)
    again = await system.compose(key=key, window=2048)

    assert len(wide.recipe.turns) == 300
    assert again.messages == narrow.messages
    assert len(again.recipe.turns) < 30


async def test_a_request_kept_in_pieces_is_shown_whole(system: System) -> None:
    """The request is never cut; a later turn shows it in short."""
    content = "".join(f"row {number}\n" for number in range(40_000))
    blob, pieces = split(content)
    for piece in pieces:
        await system.audit.handlers()["piece"](Address("piece", BUILDER, system.chain), piece)
    key = await system.open(Prompt(blob=blob))

    now = await system.compose(key=key, window=200_000, store=True)
    await system.append(Response(content="ok"), TurnCommitted(), key=key)
    replayed = await system.compose(turn=1)
    later = await system.compose(prompt="and?", window=200_000)

    assert texts(now) == [content]
    assert (replayed.differs, texts(replayed)) == ("", [content])
    assert texts(later)[0].startswith("row 0\n")
    assert "bytes of entry 1 held back" in texts(later)[0]


async def test_turns_list_what_each_composition_changed(system: System, kit: Any) -> None:
    """State, prompt and entries of every turn, and what was shown in short for the first time."""
    await system.turn(*kit.asks("read it", *kit.reads("line\n" * 400)))
    key = await system.open(Prompt(content="and\nnow?"))
    context = await system.compose(key=key, store=True)
    await system.append(TurnAborted(reason="stopped"), key=key)

    reply = await system.turns()
    page = await system.turns(after=1, limit=1)

    first, second = reply.turns
    assert (first.state, first.prompt, first.entries, first.agent) == ("committed", "read it", (1, 4), "builder")
    assert (first.composed, first.changes) == (False, ())
    assert (second.state, second.prompt, second.entries) == ("aborted", "and now?", (5, 5))
    assert (second.composed, second.tokens, second.window) == (True, context.tokens, 8192)
    assert second.changes == ("referenced entry 3",)
    assert (page.turns, page.more) == ((second,), False)
    assert (await system.turns(limit=1)).more


async def test_an_aborted_turn_never_enters_a_context(system: System) -> None:
    """Neither its entries nor its instructions."""
    key = await system.open(Instructions(content="Shout."), Prompt(content="gone"))
    await system.append(TurnAborted(reason="stopped"), key=key)

    assert texts(await system.compose(prompt="hello")) == ["hello"]


async def test_facts_that_are_still_to_come_are_announced(system: System, kit: Any) -> None:
    """A turn that left before its facts were extracted is named, and named no more afterwards."""
    for number in range(12):
        await system.turn(*kit.asks(f"q{number}", answer="words " * 100))
    await system.project()

    context = await system.compose(prompt="next", window=1024)

    assert context.recipe.pending == tuple(range(1, context.recipe.first_turn))
    assert f"The facts of turns 1–{context.recipe.first_turn - 1} are not drawn yet." in block(context, "earlier")  # noqa: RUF001


async def test_a_log_that_lost_its_end_is_folded_anew(kit: Any) -> None:
    """A worker that saw more than the log still has serves what the log has."""
    system, shorter = System(), System()
    for one in (system, shorter):
        await one.turn(Prompt(content="one"), Response(content="1"))
    await system.turn(Prompt(content="two"), Response(content="2"))
    await system.compose(prompt="next")
    system.store.log.__dict__.update(shorter.store.log.__dict__)

    assert texts(await system.compose(prompt="next")) == ["one", "1", "next"]


async def test_a_viewer_looks_and_stores_nothing(system: System) -> None:
    """It may see a context, not make one part of the log."""
    viewer = Caller("viewer", "eve")
    await system.turn(Prompt(content="one"), Response(content="1"))

    assert texts(await system.compose(caller=viewer, prompt="next"))[-1] == "next"
    with pytest.raises(Denied, match="a viewer may look at a context, and store none"):
        await system.compose(caller=viewer, prompt="next", store=True)


async def test_an_agent_stores_contexts_of_its_own_turns_alone(system: System) -> None:
    """It may look at that of another's turn, and of none."""
    key = await system.open(Prompt(content="one"))
    eve = Caller("agent", "eve")

    assert texts(await system.compose(caller=eve, key=key)) == texts(await system.compose(key=key, store=True))
    with pytest.raises(Denied, match="turn 1 is builder's; the agent 'eve' stores contexts of its own turns"):
        await system.compose(caller=eve, key=key, store=True)
    with pytest.raises(Denied, match="no open turn was named"):
        await system.compose(caller=eve, prompt="next", store=True)


async def test_a_tool_looks_and_stores_nothing(system: System) -> None:
    """It reports results, and has no part in what a model is asked."""
    key = await system.open(Prompt(content="one"))
    tool = Caller("tool", "ci")

    assert texts(await system.compose(caller=tool, key=key)) == ["one"]
    with pytest.raises(Denied, match="a tool may look at a context, and store none"):
        await system.compose(caller=tool, key=key, store=True)


async def test_requests_that_make_no_sense_are_refused_in_one_line(system: System) -> None:
    """A user's mistake is named, with the way out."""
    with pytest.raises(Invalid, match="a window of 12 tokens is too small; the least is 256"):
        await system.compose(window=12)
    with pytest.raises(Invalid, match=r"the target 0.9 must be a share of the window from 0.1 to 0.8"):
        await system.compose(target=0.9)
    with pytest.raises(Invalid, match="a context belongs to a thread"):
        await system.worker.handlers()["compose"](Address("compose", BUILDER, ""), b"{}")
    with pytest.raises(Invalid, match="the request cannot be read"):
        await system.worker.handlers()["compose"](Address("compose", BUILDER, system.chain), b'{"window": "x"}')
    with pytest.raises(Invalid, match=r"Expected `int` >= 0 - at `\$.after.log`"):
        await system.worker.handlers()["compose"](Address("compose", BUILDER, system.chain), b'{"after":{"log":-1}}')
