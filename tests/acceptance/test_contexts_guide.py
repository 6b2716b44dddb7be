"""What the guide to contexts shows of Python runs as it stands there."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest
from scripted_api import Api, Call, Reply, serving

from eunoe.client import Memory

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
Guide = dict[str, Any]


@pytest.fixture
def guide() -> Guide:
    """The names that its blocks define, one after the other, as in one module."""
    names: Guide = {}
    for block in BLOCK.findall((ROOT / "docs/contexts.md").read_text(encoding="utf-8")):
        exec(compile(block, "docs/contexts.md", "exec"), names)
    return names


def openai_at(api: Api) -> openai.AsyncOpenAI:
    http = openai.DefaultAsyncHttpxClient(trust_env=False)
    return openai.AsyncOpenAI(base_url=f"{api.url}/v1", api_key="k", max_retries=0, http_client=http)


def anthropic_at(api: Api) -> anthropic.AsyncAnthropic:
    http = anthropic.DefaultAsyncHttpxClient(trust_env=False)
    return anthropic.AsyncAnthropic(base_url=api.url, api_key="k", max_retries=0, http_client=http)


@pytest.mark.parametrize(
    ("turn", "client"),
    [("chat_turn", openai_at), ("responses_turn", openai_at), ("anthropic_turn", anthropic_at)],
)
async def test_a_turn_as_it_is_shown_is_taken_by_its_api(
    memory: Memory, guide: Guide, turn: str, client: Callable[[Api], Any]
) -> None:
    """Two tools at once, of which one is the memory, then the answer; the log has what was said, and its usage."""
    calls = (Call("a", "bash", {"command": "ls"}), Call("b", "memory", {"request": "recall entry 2"}))
    thread = memory.thread("guided", agent="builder", session="s")

    with serving([Reply("Nothing yet."), Reply("I look.", calls, "hm"), Reply("Done.")]) as api:
        async with client(api) as asked:
            before = await guide[turn](asked, thread, "Anything to do?")
            after = await guide[turn](asked, thread, "And now?")

    assert (before, after, api.refused) == ("Nothing yet.", "Done.", [])
    entries = [entry for entry in (await thread.entries()).entries if entry.kind != "instructions"]
    assert [(entry.kind, entry.content) for entry in entries if entry.turn == 2] == [
        ("prompt", "And now?"),
        ("response", "I look."),
        ("tool.call", entries[4].content),
        ("tool.call", entries[5].content),
        ("tool.result", "bash is not there yet"),
        ("tool.result", "Anything to do?"),
        ("response", "Done."),
    ]
    assert {tool.get("name") or tool["function"]["name"] for tool in api.asked[0]["tools"]} == {"bash", "memory"}


async def test_only_the_tools_that_a_request_needs_are_registered(memory: Memory, guide: Guide) -> None:
    """By a word of its own, or always, which the memory's is too; after a call of another one, all of them."""
    thread = memory.thread("guided", agent="builder", session="s")

    with serving([Reply("", (Call("a", "bash", {"command": "ls"}),)), Reply("It does.")]) as api:
        async with openai_at(api) as asked:
            said = await guide["chosen_turn"](asked, thread, "Will it rain?")

    registered = [{tool["function"]["name"] for tool in one["tools"]} for one in api.asked]
    assert (said, api.refused) == ("It does.", [])
    assert registered == [{"weather", "ask", "memory"}, {"bash", "weather", "ask", "memory"}]


async def test_a_turn_in_text_is_one_string(memory: Memory, guide: Guide) -> None:
    """With the instructions in it."""
    sent: list[str] = []

    async def complete(text: str) -> tuple[str, int]:
        sent.append(text)
        return "Fine.", 40

    assert await guide["text_turn"](complete, memory.thread("guided"), "How is it?") == "Fine."
    assert guide["INSTRUCTIONS"] in sent[0]
    assert "How is it?" in sent[0]


class Refusal(Exception):
    """What an SDK raises: its text is the provider's."""


@pytest.mark.parametrize(
    ("message", "tokens"),
    [
        ("This model's maximum context length is 2000 tokens. However, your messages resulted in 2,500 tokens.", 2500),
        ("prompt is too long: 2600 tokens > 2000 maximum", 2600),
        ("Your input exceeds the context window of this model.", 2049),
    ],
)
async def test_a_refused_context_is_made_smaller_by_what_the_error_says(
    memory: Memory, guide: Guide, message: str, tokens: int
) -> None:
    """Or, where that says no count, by one token more than the window; another error is raised."""
    thread = memory.thread("guided")
    for number in range(8):
        async with thread.turn(f"Question {number}?") as turn:
            await turn.reply("word " * 200)

    async with thread.turn("And now?") as turn:
        first = await turn.context(2_048)
        with pytest.raises(Refusal, match="no such model"):
            await guide["smaller"](turn, Refusal("no such model"))
        second = await guide["smaller"](turn, Refusal(message))

    assert second.recipe.refused == first.id
    assert second.recipe.bytes < first.recipe.bytes
    assert tokens > 2_048 or second.tokens <= 2_048


async def recalled(guide: Guide, memory: Memory, asked: Sequence[str]) -> list[str]:
    recall: Callable[..., Awaitable[str]] = guide["recall"]
    return [await recall(memory.thread("guided", session="s"), one) for one in asked]


async def test_the_memory_tool_answers_all_that_contexts_name(memory: Memory, guide: Guide) -> None:
    """Entries, turns and facts; what is not there, and what is no request, get a line that says so."""
    async with memory.thread("guided", session="s").turn("What is there?") as turn:
        await turn.call("bash", {"command": "ls"})
        await turn.result("a.py\nb.py")
    await memory.state_fact("decision", "exit status", "3", thread="guided")

    entry, whole, fact, bare = await recalled(
        guide, memory, ["recall entry 3", "recall turn 1", "recall fact decision exit status", '"Recall fact EXIT"']
    )
    lost, gone, none, odd = await recalled(
        guide, memory, ["recall entry 9", "recall turn 9", "recall fact colour", "forget it"]
    )

    assert entry == "a.py\nb.py"
    assert whole.startswith("[entry 1, prompt]\nWhat is there?\n\n[entry 2, tool.call bash]")
    assert whole.endswith("[entry 3, tool.result bash]\na.py\nb.py")
    assert fact == bare == "decision exit status: 3 (from person ada)"
    assert "no entry 9" in lost
    assert (gone, none, odd) == ("there is no turn 9", "no fact is named 'colour'", guide["RECALLS"])


async def test_every_request_of_the_memory_that_contexts_name_is_in_the_guide(memory: Memory) -> None:
    """The three kinds are all that the modules of composition ever write."""
    sources = (ROOT / "services/eunoe/composition").rglob("*.py")
    named = {kind for path in sources for kind in re.findall(r'"?recall (\w+) [{N]', path.read_text(encoding="utf-8"))}

    assert named == {"entry", "turn", "fact"}


async def test_looking_shows_past_and_next_contexts(
    memory: Memory, guide: Guide, capsys: pytest.CaptureFixture[str]
) -> None:
    """The layers of a past turn's, and the next one as Markdown."""
    async with memory.thread("guided").turn("What is there?", instructions="Be brief.") as turn:
        await turn.context(8_192)
        await turn.reply("Two files.")

    await guide["look"](memory.thread("guided"), 1)

    said = capsys.readouterr().out
    assert 'instructions 11 [{"role":"system","content":"Be brief."}]\n' in said  # 41 bytes, four a token
    assert "What is left to do?" in said
