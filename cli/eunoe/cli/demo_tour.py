"""The scenes of the demo: each does one thing through the real client and workers, and says what it shows."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from importlib import resources

import anyio
import msgspec

from eunoe.audit.anchors import Anchor
from eunoe.audit.export import export, verify_export
from eunoe.audit.verify import Verdict, Verifier
from eunoe.cli import importing_view
from eunoe.cli.asking import ask
from eunoe.cli.distil_view import Made
from eunoe.cli.importing_view import Outcome
from eunoe.client.deleting import Deletion
from eunoe.client.memory import Memory
from eunoe.runtime.doors import SystemClock
from eunoe.runtime.session import Session
from eunoe.schemas.context import Context
from eunoe.schemas.requests import FactReply, FactsReply, Shown, SummaryReply

BUILDER, REVIEWER = "builder", "reviewer"
SESSION = "release-2.4"
DECISION = ("decision", "exit status of --dry-run")
FIRST, THEN = "1 when a run would change anything", "3 when a run would change anything, else 0"
QUESTION = "What is left to do?"
WINDOWS = (8192, 2048)  # tokens
LEARN_SECONDS = 30.0  # seconds that the facts of a recorded thread may take to be known
LOOK_SECONDS = 0.02  # seconds between two looks whether they are


@dataclass(frozen=True, slots=True)
class Prose:
    """What was drawn from what was said, and the summary of it."""

    made: Made
    summary: SummaryReply


Several = tuple[Context, ...] | tuple[Verdict, ...]
Data = Outcome | FactsReply | FactReply | Prose | Deletion | Context | Shown | Anchor | Several


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """One thing shown: what it is, in a sentence or two, the command that shows the same, and the thing itself."""

    title: str
    told: str
    command: str
    data: Data


async def tour(session: Session, memory: Memory) -> AsyncGenerator[Scene, None]:
    """Every scene, in order; each begins when the one before has been shown."""
    yield await _replay(memory, BUILDER)
    yield await _learned(memory)
    yield await _distilled(memory)
    yield await _decided(memory)
    yield await _windows(memory)
    yield await _recalled(memory)
    yield await _other(memory)
    yield await _changed(memory)
    yield await _deleted(memory)
    yield await _anchored(session)
    yield await _verified(session)


async def _replay(memory: Memory, agent: str) -> Scene:
    outcome = await _import(memory, agent)
    return Scene(
        title="An agent works",
        told=f"{agent} is a coding agent. Its recorded conversation goes in: what was asked, what it said, every "
        "tool call and what came back. It goes into an append-only log, one chain of hashes a thread.",
        command=f"eunoe import {agent}.json --agent {agent} --session {SESSION}",
        data=outcome,
    )


async def _learned(memory: Memory) -> Scene:
    facts = await memory.facts(thread=BUILDER, session=SESSION)
    kept = tuple(fact for fact in facts.facts if fact.identity.subject != "file")
    return Scene(
        title="Eunoe learns facts from it",
        told="Nobody wrote these down and no model was asked: they are read from what the tools gave back, when a "
        "turn is over. Each names its source. Facts of the thread belong to this conversation; facts of the "
        f"session hold for every agent of it. (Left out here: {len(facts.facts) - len(kept)} facts about files.)",
        command=f"eunoe facts {BUILDER} --session {SESSION}",
        data=FactsReply(facts=kept, watermark=facts.watermark),
    )


async def _distilled(memory: Memory) -> Scene:
    thread = memory.thread(BUILDER)
    reply = await thread.distil()
    stated = [fact for one in reply.distillations for fact in one.facts]
    facts = [(await memory.fact(fact, thread=BUILDER)).versions[-1] for fact in stated]
    return Scene(
        title="And from what was said",
        told="What people say in prose becomes facts too, and a running summary. A model does that where one is "
        "configured; here, where none is, rules take what is plainly stated, and say that they did. It is done by "
        "itself when turns leave a context.",
        command=f"eunoe distil {BUILDER} && eunoe summary {BUILDER}",
        data=Prose(Made("distil", BUILDER, reply, tuple(facts)), await thread.summary()),
    )


async def _decided(memory: Memory) -> Scene:
    await memory.state_fact(*DECISION, FIRST)
    stated = await memory.state_fact(*DECISION, THEN)
    return Scene(
        title="A person decides",
        told="Dana states a decision, and soon a better one. It is permanent and shared: every agent of the fleet will "
        "see it. What a person says ranks above what tools and models say, and what it said before is kept.",
        command=f"eunoe fact set {DECISION[0]} '{DECISION[1]}' '{THEN}' && eunoe fact history {stated.id[:5]}",
        data=await memory.fact(stated.id),
    )


async def _windows(memory: Memory) -> Scene:
    thread = memory.thread(BUILDER)
    found = [await thread.context(window, prompt=QUESTION) for window in WINDOWS]
    return Scene(
        title="What the model reads, in two windows",
        told="At each request Eunoe composes the context within a window of tokens, drawn here as a bar: the agent's "
        "own instructions (I), what memory knows from earlier (E), turns word for word (L), where things stand now "
        "(N), and the request (R). In the large window every turn stays, with long outputs held back. In the small "
        "one old turns leave, and facts stand for them.",
        command=f"eunoe context {BUILDER} next --window {WINDOWS[0]} --prompt '{QUESTION}'",
        data=tuple(found),
    )


async def _recalled(memory: Memory) -> Scene:
    thread = memory.thread(BUILDER)
    page = await thread.entries(limit=1000)
    largest = max(page.entries, key=lambda entry: entry.size)
    return Scene(
        title="Nothing is lost",
        told=f"The longest output, entry {largest.entry}, is only a reference in those contexts. It is still in the "
        "log, byte for byte, and one call away, for people and for agents.",
        command=f"eunoe show {BUILDER} {largest.entry}",
        data=await thread.show(largest.entry),
    )


async def _other(memory: Memory) -> Scene:
    await _import(memory, REVIEWER)
    thread = memory.thread(REVIEWER, agent=REVIEWER, session=SESSION)
    async with thread.turn("Is anything of the builder's still running on this machine?") as turn:
        await turn.context(WINDOWS[1], wait=LEARN_SECONDS)
        await turn.reply("A service listened on port 8787 when the builder looked; I will check that it is gone.")
    return Scene(
        title="Another agent knows it too",
        told="reviewer is another agent, with a conversation of its own, and now it is asked about something that "
        "only the builder saw. These are the lines that memory put into its context: Dana's decision, facts and a "
        "summary of turns that left, and what the builder's tools found on the machine. The context is composed "
        "again here from the recipe that is kept of it in the log, so it can be seen later what any model was told, "
        "and why.",
        command=f"eunoe context {REVIEWER} {turn.number}",
        data=await thread.context(turn=turn.number),
    )


async def _changed(memory: Memory) -> Scene:
    facts = await memory.facts(thread=REVIEWER)
    fact = next(fact for fact in facts.facts if fact.identity.subject == "tests" and fact.version > 1)
    return Scene(
        title="Facts change, and their history stays",
        told="The reviewer's tests failed at first and passed later. The context says what holds now; the history "
        "says what was said before, by whom, and what replaced it.",
        command=f"eunoe fact history {fact.id[:5]}",
        data=await memory.fact(fact.id),
    )


async def _deleted(memory: Memory) -> Scene:
    facts = await memory.facts(subject=DECISION[0])
    return Scene(
        title="What should not have been said is deleted",
        told="Dana deletes the decision: it was for the whole team to take. From now on no context and no list shows "
        "it. The receipt names every trace of it: where it is kept, and the request in which the reviewer read it.",
        command=f"eunoe fact delete {facts.facts[0].id[:5]}",
        data=await memory.delete_fact(facts.facts[0].id, "to be decided by the whole team"),
    )


async def _anchored(session: Session) -> Scene:
    return Scene(
        title="The log can prove itself",
        told="An anchor is one hash over every chain as it is now. Kept elsewhere, it shows later whether anything "
        "was changed, or cut off at the end.",
        command="eunoe audit anchor",
        data=await ask(session, "anchor", {}, Anchor),
    )


async def _verified(session: Session) -> Scene:
    lines = [line async for line in export(session.store, SystemClock().now(), BUILDER)]
    forged = [line.replace(b"failed", b"passed") for line in lines]
    return Scene(
        title="And somebody tries to cheat",
        told="Checked are the exported records of the builder's thread: first as they are, then a copy in which "
        "every “failed” was changed to “passed”.",
        command=f"eunoe audit export {BUILDER} --out log.jsonl && eunoe audit verify log.jsonl",
        data=tuple(verify_export(copy, Verifier()) for copy in (lines, forged)),
    )


async def _import(memory: Memory, agent: str) -> Outcome:
    """Bring a recorded agent in, and wait until everything is learned from it."""
    with resources.as_file(resources.files("eunoe.cli") / "examples" / f"{agent}.json") as file:
        report = await memory.import_file(file, thread=agent, agent=agent, session=SESSION)
    with anyio.fail_after(LEARN_SECONDS):
        while not await _knows(memory, agent):  # noqa: ASYNC110  # the workers tell nobody when they are done
            await anyio.sleep(LOOK_SECONDS)
    return importing_view.outcome(f"{agent}.json", report)


async def _knows(memory: Memory, thread: str) -> bool:
    states = {state.thread: state for state in (await memory.threads()).threads}
    head = await memory.thread(thread).head()
    return thread in states and states[thread].extracted == head.committed
