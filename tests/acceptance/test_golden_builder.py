"""The next request of the shipped example in every format, byte for byte what `tests/golden` says and explains.

What must stand in it is worked out here from the transcript: entry N of the thread is its message N.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from goldens import golden
from shapes import CHECKS

from eunoe.client import Memory
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import running
from eunoe.schemas.context import FORMATS, Context, Format
from eunoe.testing import NatsServer

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FILES: dict[Format, str] = {
    "openai": "builder.openai.jsonc",
    "responses": "builder.responses.jsonc",
    "anthropic": "builder.anthropic.jsonc",
    "text": "builder.txt",
    "markdown": "builder.md",
}
WINDOW = 3_072  # tokens
PROMPT = "Was prune.py changed? And what is left to do?"
GOAL = 1_824  # tokens beside the request: 0.85 of the window, less the request's 19 and a quarter for an average turn
FACTS = 1_228  # bytes of lines: a tenth of the window, 307 tokens of 4 bytes
SAID_AGAIN = 612  # bytes of lines for the summary, and as many for the outline: a twentieth, 153 tokens
QUOTED = 120  # bytes that a line of the outline quotes at most
SECONDS = 60.0  # that the workers may take to settle
OUTPUT = 4_096  # bytes of one output that are ever shown in this window

TRANSCRIPT: list[dict[str, Any]] = json.loads((EXAMPLES / "builder.json").read_text(encoding="utf-8"))["messages"]
PROMPTS = [at for at, message in enumerate(TRANSCRIPT, 1) if message["role"] == "user"]
LAST_TURN = range(64, 72)  # its entries


def said(entry: int) -> str:
    """What an entry holds: words, or the arguments of a call."""
    message = TRANSCRIPT[entry - 1]
    return str(message["content"] or message["tool_calls"][0]["function"]["arguments"])


def turn_of(entry: int) -> int:
    return sum(message["role"] == "user" for message in TRANSCRIPT[:entry])


class Fact(NamedTuple):
    """What a block says of something, from which entry, and the words of it (or of the call before it) that bear it
    out; ``last``: the entry that said so last, where it is another: the first one to do so in its turn."""

    says: str
    source: str
    entry: int
    words: str
    last: int = 0
    note: str = ""

    @property
    def line(self) -> str:
        return f"- {self.says} — from {self.source}, turn {turn_of(self.entry)}, entry {self.entry}{self.note}"


PERSON, BASH, EDITS = "rules: the person said", "tool bash", "tool edit_file"
FROM_PERSON = (  # the newest first
    Fact(
        "decision dry-run 0 nothing change 3 something: with --dry-run, 0 when nothing would change and 3 when"
        " something would",
        PERSON,
        40,
        "Decision: with --dry-run, 0 when nothing would change and 3 when something would.",
        note=" (proposed)",
    ),
    Fact("note user sign release: I sign off the release", PERSON, 2, "I sign off the release."),
    Fact("entity name of user: Dana", PERSON, 2, "I am Dana", note=" (proposed)"),
    Fact(
        "note user squirrel 2.4 ready: We are getting squirrel 2.4 ready",
        PERSON,
        2,
        "We are getting squirrel 2.4 ready.",
    ),
)
FROM_TOOLS = (  # what was said last first
    Fact("branch current: dry-run", BASH, 12, "a new branch 'dry-run'", last=70),
    Fact("workdir current: /home/dana/squirrel", BASH, 4, "cd /home/dana/squirrel && git status", last=68),
    Fact("tests python -m pytest -v tests/test_daemon.py: passed", BASH, 62, "15 passed in"),
    Fact("file src/squirrel/daemon.py: edited", EDITS, 54, "edited src/squirrel/daemon.py: "),
    Fact("tests python -m pytest tests/test_cli.py -q: passed", BASH, 50, "23 passed in"),
    Fact("file docs/usage.md: edited", EDITS, 48, "edited docs/usage.md: "),
    Fact("file src/squirrel/cli.py: edited", EDITS, 18, "edited src/squirrel/cli.py: ", last=44),
    Fact("tests python -m pytest -v: passed", BASH, 38, "147 passed in"),
    Fact("file tests/test_backup.py: edited", EDITS, 36, "edited tests/test_backup.py: "),
)
NO_ROOM = (  # those after them
    Fact("file src/squirrel/store.py: edited", EDITS, 32, "edited src/squirrel/store.py: "),
    Fact("file src/squirrel/backup.py: edited", EDITS, 14, "edited src/squirrel/backup.py: ", last=30),
    Fact("file src/squirrel/prune.py: edited", EDITS, 28, "edited src/squirrel/prune.py: "),
)
OF_SESSION = (
    Fact("service port 8787 http: HTTP 401 from 127.0.0.1:8787/plan", BASH, 60, "401"),
    Fact(
        "service port 8787: python listening on 127.0.0.1",
        BASH,
        56,
        '127.0.0.1:8787      0.0.0.0:*     users:(("python"',
    ),
    Fact(
        "service port 5432: postgres listening on 127.0.0.1",
        BASH,
        56,
        '127.0.0.1:5432      0.0.0.0:*     users:(("postgres"',
    ),
)
SUMMARY = (
    "Turn 1: person: We are getting squirrel 2.4 ready.",
    "Turn 4: model: Done: 3 when a run would copy or remove something, 0 when it would not; a skipped file still gives"
    " 1, as before, and wins over 3.",
    "Turn 5: person: Only reading, behind the same token as the rest.",
    "Turn 5: model: GET /plan answers with the plan as JSON and 401 without the token.",
    "Turn 6: person: Run everything once more, commit, and push the branch for review.",
    "Turn 6: model: The branch dry-run is pushed as 8c41f0e and waits for review; the daemon on port 8787 is stopped.",
)
NO_LINE = "Turn 4: person: Decision: with --dry-run, 0 when nothing would change and 3 when something would."
LEFT = (  # of each turn that left: its first entry and its last, and what the outline quotes of the first
    (
        2,
        9,
        "We are getting squirrel 2.4 ready. Its one feature is a --dry-run flag for `squirrel backup`. Have a look at"
        " how a ba",
    ),
    (10, 23, "Good. Do it on a branch called dry-run. The flag prints what would be copied, linked"),
    (24, 39, "Yes, both. And make the lock test stricter: the store may be read-only for a dry run"),
    (40, 51, "What about the exit status? Our cron wrapper wants to know whether a backup would do"),
    (52, 63, "Can the daemon show the plan as well? Only reading, behind the same token as the res"),
)
OUTLINE = [
    f'turn {turn} (entries {first}–{last}): "{words}…"'  # noqa: RUF001 (an en dash joins the ends)
    for turn, (first, last, words) in enumerate(LEFT, 1)
]
REFERENCE = (
    '[output of entry 68 held back: bash at 2026-05-12 08:14:16Z, ok, 165 lines, 12826 bytes; memory "recall entry 68"'
    ' shows it]\narguments: {"command": "cd /home/dana/squirrel && make test"}\nfirst line: Exit code: 0\n'
    "last line: ============================= 154 passed in 7.02s =============================="
)


@dataclass(frozen=True)
class Shipped:
    """The contexts of the next request after an import; the one in which turn 5 has room too; the first entry and the
    last that each line of a fact was read from; what entry 68 holds; and the whole of the summary."""

    contexts: dict[Format, Context]
    wider: Context
    traced: dict[str, tuple[int, int]]
    recalled: str
    summary: str


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def shipped(nats_server: NatsServer, tmp_path_factory: pytest.TempPathFactory) -> Shipped:
    """The example as the README brings it in."""
    folder = tmp_path_factory.mktemp("shipped")
    settings = Settings(url=nats_server.url, space="shipped", data=folder, role="person", principal="dana")
    async with running(settings) as fleet, Memory.connect(settings=settings) as memory:
        await memory.import_file(EXAMPLES / "builder.json", agent="builder", session="release-2.4")
        thread = memory.thread("builder")
        await thread.distil()
        assert await fleet.settle(SECONDS)
        wider = await thread.context(4_096, prompt=PROMPT, memory_tool=True)
        return Shipped(
            contexts=(contexts := await composed(memory)),
            wider=wider,
            traced={
                fact.line: await traced(memory, fact.id) for one in (contexts["openai"], wider) for fact in one.facts
            },
            recalled=(await thread.show(68)).content,
            summary=(await thread.summary()).versions[0].text,
        )


async def composed(memory: Memory) -> dict[Format, Context]:
    thread = memory.thread("builder")
    return {form: await thread.context(WINDOW, form, prompt=PROMPT, memory_tool=True) for form in FORMATS}


async def traced(memory: Memory, fact: str) -> tuple[int, int]:
    entries = [one.entry for one in (await memory.why(fact, thread="builder", session="release-2.4")).evidence]
    return min(entries), max(entries)


def texts(value: object) -> Iterable[str]:
    """Every string in messages."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from texts(one)


def record(context: Context, kind: str) -> list[str]:
    """The lines of a record, which stands in a context once, behind the one that says what it is."""
    found = re.compile(rf'<eunoe-record kind="{kind}" id="[0-9a-f]{{12}}">\n(.*?)\n</eunoe-record>', re.DOTALL)
    (body,) = (one[1] for text in texts(context.messages) for one in found.finditer(text))
    return body.splitlines()[1:]


def room(lines: Iterable[str]) -> int:
    """The bytes of lines with their line feeds."""
    return sum(len(line.encode()) + 1 for line in lines)


def tokens(messages: list[dict[str, Any]]) -> int:
    """Four bytes each, with the commas between them."""
    return sum(len(msgspec.json.encode(message)) + 1 for message in messages) // 4


@pytest.mark.parametrize("form", FORMATS)
async def test_a_context_is_what_its_file_says(shipped: Shipped, form: Format) -> None:
    """To the byte, with the digest that its recipe has; and the provider takes it."""
    context = shipped.contexts[form]
    messages, system = golden(FILES[form])
    data = messages + (f"\n{system}" if system else "")

    assert msgspec.json.encode(context.messages).decode() == messages
    assert context.system == system
    assert hashlib.sha256(data.encode()).hexdigest() == context.recipe.sha256
    check: Callable[[Any], object] = CHECKS.get(form, len)
    check(context.messages)


async def test_turn_6_alone_is_literal(shipped: Shipped) -> None:
    """With turn 5 beside it the context would be over its goal, even without what the earlier block says of turn 5."""
    context = shipped.contexts["openai"]
    beside = context.tokens - 19  # the request: 74 bytes and a comma
    starts = [at for at, message in enumerate(shipped.wider.messages) if message["role"] == "user"]
    fifth = shipped.wider.messages[starts[1] : starts[2]]
    of_fifth = [line for line in record(context, "earlier") if ", turn 5, " in line or line.startswith("turn 5 ")]

    own = sum(min(len(said(entry).encode()), OUTPUT) for entry in range(2, 72) if entry not in PROMPTS)

    assert own // 6 // 4 > WINDOW // 4
    assert fifth[0]["content"] == said(52)
    assert len(of_fifth) == 3
    assert beside <= GOAL < beside + tokens(fifth) - room(of_fifth) // 4
    assert (context.recipe.turns, context.recipe.left, context.recipe.pending) == ((6,), 5, ())
    assert context.recipe.settings["goal"] == GOAL


async def test_the_earlier_block_says_what_the_turns_before_left(shipped: Shipped) -> None:
    """Facts, summary and outline, each as long as its room; and what the one literal turn shows is not said again."""
    facts = [fact.line for fact in (*FROM_PERSON, *FROM_TOOLS)]
    summary = ["Summary of turns 1–6, by rules:", *(f"  {line}" for line in SUMMARY)]  # noqa: RUF001 (an en dash)
    rule, left, *lines = record(shipped.contexts["openai"], "earlier")

    assert rule.startswith("Earlier turns may reach you only as facts or references.")
    assert left == "5 turns before turn 6 left this context; they are kept."
    assert lines == [*facts, "(3 more facts not shown)", *summary, *OUTLINE]
    assert all(room(facts) <= FACTS < room([*facts, fact.line]) for fact in NO_ROOM)
    assert room(summary) <= SAID_AGAIN < room([*summary, f"  {NO_LINE}"])
    assert room(OUTLINE) <= SAID_AGAIN < room(OUTLINE) + 4  # one character more of four prompts


async def test_every_fact_is_what_its_entry_says(shipped: Shipped) -> None:
    """A tool's, as the output says or the call; and those come first that were said or confirmed last."""
    for fact in (*FROM_PERSON, *FROM_TOOLS, *NO_ROOM, *OF_SESSION):
        assert fact.words in said(fact.entry) or fact.words in said(fact.entry - 1), fact
        assert shipped.traced[fact.line] == (fact.entry, fact.last or fact.entry)
    for order in ([*FROM_TOOLS, *NO_ROOM], OF_SESSION):
        assert list(order) == sorted(order, key=lambda fact: -(fact.last or fact.entry))


async def test_the_summary_is_made_of_what_was_said(shipped: Shipped) -> None:
    """Each line stands in its turn, from whom it names; shown are its first and its newest."""
    roles = {"person": "user", "model": "assistant"}
    for line in SUMMARY:
        lead, who, sentence = line.split(": ", 2)
        spoken = [
            message["content"] or ""
            for entry, message in enumerate(TRANSCRIPT, 1)
            if lead == f"Turn {turn_of(entry)}" and message["role"] == roles[who]
        ]
        assert any(sentence in words for words in spoken), line
    assert shipped.summary.splitlines()[::6] == [SUMMARY[0], NO_LINE]
    assert shipped.summary.splitlines()[-5:] == list(SUMMARY[1:])


def test_the_outline_names_each_turn_that_left() -> None:
    """Its first entry and its last, and the beginning of what was asked: of the oldest all that a line may quote, of
    the others as much as there is room for."""
    assert [(first, last + 1) for first, last, _ in LEFT] == list(pairwise(PROMPTS))
    assert all(said(first).startswith(words) for first, _, words in LEFT)
    assert [len(f"{words}…".encode()) for *_, words in LEFT] == [QUOTED, 87, 87, 87, 87]


async def test_the_last_turn_stands_as_it_was_said(shipped: Shipped) -> None:
    """But for the output that is longer than its reference, which says how to recall it, and that is there whole."""
    asked, *answered, reply = LAST_TURN
    expected: list[dict[str, Any]] = [{"role": "user", "content": said(asked)}]
    for call, result in zip(answered[::2], answered[1::2], strict=True):
        name, id = TRANSCRIPT[call - 1]["tool_calls"][0]["function"]["name"], f"call_{call}"  # noqa: A001
        function = {"name": name, "arguments": said(call)}
        expected += [
            {"role": "assistant", "tool_calls": [{"id": id, "type": "function", "function": function}]},
            {"role": "tool", "tool_call_id": id, "content": REFERENCE if result == 68 else said(result)},
        ]
    expected.append({"role": "assistant", "content": said(reply)})

    assert shipped.contexts["openai"].messages[2:-2] == expected
    assert (len(said(68).encode()), said(68).count("\n") + 1) == (12_826, 165)
    assert TRANSCRIPT[67]["timestamp"] == "2026-05-12T08:14:16Z"
    assert REFERENCE.endswith(said(68).splitlines()[-1])
    assert shipped.recalled == said(68)
    assert all(len(said(result)) < len(REFERENCE) for result in (66, 70))


async def test_the_now_block_has_the_session_and_the_fact_that_is_asked_for(shipped: Shipped) -> None:
    """Of those that had no room, only the one of prune.py shares a word with the request."""
    *_, asked_for = NO_ROOM

    assert record(shipped.contexts["openai"], "now") == [fact.line for fact in (*OF_SESSION, asked_for)]
    assert shipped.contexts["openai"].messages[-1] == {"role": "user", "content": PROMPT}


async def test_every_format_says_the_same(shipped: Shipped) -> None:
    """The instructions untouched, and both records, line by line."""
    for context in shipped.contexts.values():
        assert record(context, "earlier") == record(shipped.contexts["openai"], "earlier")
        assert record(context, "now") == record(shipped.contexts["openai"], "now")
        plain = "\n".join([context.system, *texts(context.messages)]).replace("\n> ", "\n")
        assert said(1) in plain


async def test_it_is_the_same_wherever_it_is_imported(
    shipped: Shipped, nats_server: NatsServer, space: str, tmp_path: Path
) -> None:
    """In another space, by another caller, after another thread of the session, and distilled in two steps: not a byte
    differs, since facts name entries and times of the transcript. The ids are the same too, but of what was distilled:
    such a fact has the id of its place in the record that drew it."""
    settings = Settings(url=nats_server.url, space=space, data=tmp_path, role="caller", principal="app")
    async with running(settings) as fleet, Memory.connect(settings=settings) as memory:
        await memory.import_file(EXAMPLES / "reviewer.json", agent="reviewer", session="release-2.4")
        await memory.import_file(EXAMPLES / "builder.json", agent="another", session="release-2.4")
        await memory.thread("builder").distil(up_to=3)
        await memory.thread("builder").distil()
        assert await fleet.settle(SECONDS)
        elsewhere = await composed(memory)

    for form, context in shipped.contexts.items():
        assert (elsewhere[form].messages, elsewhere[form].system) == (context.messages, context.system)
        ids, others = ([fact.id for fact in one.recipe.earlier] for one in (context, elsewhere[form]))
        assert ids[len(FROM_PERSON) :] == others[len(FROM_PERSON) :]
