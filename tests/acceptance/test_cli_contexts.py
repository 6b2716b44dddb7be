"""`eunoe context` over a run of an airline's agent that was said again, with a context before each of its steps."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from replaying import airline, replay
from shell import EUNOE, Shell

from eunoe.client.sync import Memory
from eunoe.runtime.settings import Settings
from eunoe.schemas.context import FORMATS, Context

AIRLINE = Path(__file__).resolve().parents[2] / "examples" / "airline.toml"
THREAD, WINDOW = "flight", 2048


@pytest.fixture(scope="module")
def eunoe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """Every worker; nothing is distilled, which comes when it comes."""
    shell = Shell(tmp_path_factory.mktemp("home"), {"EUNOE_CONFIG": str(AIRLINE), "EUNOE_DISTILLER": "off"})
    with shell.up():
        yield shell


@pytest.fixture(scope="module")
def contexts(eunoe: Shell) -> list[Context]:
    """What the model was given: of eight turns, a context for each of its steps; the last turn has none."""
    with Memory.connect(settings=Settings(data=eunoe.data, role="caller", principal="airline")) as memory:
        return replay(memory, THREAD, airline(0), window=WINDOW)


@pytest.fixture(autouse=True)
def _said(contexts: list[Context]) -> None:
    """Every test looks at a thread that is there."""


def last_of(contexts: list[Context], turn: int) -> Context:
    return [context for context in contexts if context.turn == turn][-1]


def test_the_list_says_of_every_turn_what_its_last_context_was(eunoe: Shell, contexts: list[Context]) -> None:
    """Figures, layers and stable beginning are those of the recipe; the number of contexts is that of the steps."""
    lines = eunoe("context", THREAD, "turns", "--json").json["turns"]

    assert [line["turn"] for line in lines] == [1, 2, 3, 4, 5, 6, 7, 8]
    for line in lines[:-1]:
        last = last_of(contexts, line["turn"])
        assert (line["tokens"], line["window"], line["format"]) == (last.tokens, WINDOW, "openai")
        assert (line["bytes"], line.get("stable", 0)) == (last.recipe.bytes, last.recipe.stable)
        assert line["layers"] == last.recipe.layers
        assert line["contexts"] == sum(context.turn == line["turn"] for context in contexts)
    assert not lines[-1].get("composed", False)


def test_the_list_says_what_each_turn_changed(eunoe: Shell, contexts: list[Context]) -> None:
    """Outputs became references, and then turns left; each has a line under its turn."""
    done = eunoe("context", THREAD, "turns")

    assert max(map(len, done.lines)) <= 80
    assert any(line.startswith("  changed  referenced entr") for line in done.lines)
    first_left = next(context for context in contexts if context.recipe.left)
    at = next(index for index, line in enumerate(done.lines) if line.startswith(f"turn {first_left.turn} "))
    assert any("condensed from" in line for line in done.lines[at : at + 6])


def test_a_past_turn_is_what_its_model_saw(eunoe: Shell, contexts: list[Context]) -> None:
    """Its messages, byte for byte; for people, with bar, remarks, layers, and the facts by their ids."""
    saw = last_of(contexts, 7)

    found = eunoe("context", THREAD, "7", "--json").json
    shown = eunoe("context", THREAD, "7")

    assert (found["id"], found["messages"], found.get("differs", "")) == (saw.id, saw.messages, "")
    assert shown.lines[0] == f"thread {THREAD}, turn 7: {saw.tokens:,} of {WINDOW:,} tokens (openai)"
    assert "counted by: bytes/4" in shown.lines
    assert any(re.match(r"stable: its first [\d,]+ of [\d,]+ bytes \(\d+%\)", line) for line in shown.lines)
    ids = [fact["id"] for fact in found["facts"]]
    assert ids == [fact.id for fact in (*saw.recipe.earlier, *saw.recipe.now)]
    for name in ids:
        assert any(line.startswith(f"{name[:5]}") and "earlier" in line for line in shown.lines)


def test_a_past_turn_is_shown_for_another_window_and_in_every_format(eunoe: Shell) -> None:
    """As it would have been composed then, which is said."""
    for form in FORMATS:
        found = eunoe("context", THREAD, "7", "--window", "1024", "--format", form, "--json").json
        assert (found["window"], found["format"], found["reconstructed"]) == (1024, form, True)
        assert found["tokens"] <= 1024
        assert "Yes, I confirm." in json.dumps(found["messages"])
    done = eunoe("context", THREAD, "7", "--format", "markdown")
    assert done.lines[0].endswith(f"of {WINDOW:,} tokens (markdown)")
    assert any(line.startswith("reconstructed: ") for line in done.lines)


def test_the_next_request_takes_every_wish(eunoe: Shell) -> None:
    """Newest turns are kept, and fewer leave the lower the target; without relevant facts there are none beside it."""
    wishes = (
        "--window",
        "1024",
        "--prompt",
        "And the price of HATHAT?",
        "--keep",
        "1",
        "--target",
        "0.3",
        "--headroom",
        "0",
    )
    found = eunoe("context", THREAD, "next", *wishes, "--no-relevant", "--json").json

    assert found["recipe"]["turns"][-1] == 8
    numbers = found["recipe"]["settings"]
    assert (numbers["target"], numbers["headroom"], numbers["keep"], numbers["relevant"]) == (0.3, 0, 1, 0)
    counted = eunoe("context", THREAD, "--model", "gpt-4o", "--json").json
    assert (counted["recipe"]["model"], counted["counter"]) == ("gpt-4o", counted["recipe"]["counter"])


def test_the_next_request_is_what_its_agent_gets(eunoe: Shell) -> None:
    """Byte for byte what the agent is handed when it asks the same, in its window, format, manner and numbers."""
    asked, agent = "Is it paid?", Settings(data=eunoe.data, role="caller", principal="airline")
    with Memory.connect(settings=agent) as memory:
        thread = memory.thread("goes-on", agent="airline", session="lone")
        for number in range(6):
            with thread.turn(f"Question {number}?", instructions="Be brief.") as turn:
                turn.context(1024, "anthropic", model="haiku", memory_tool=True, keep=1, target=0.3, relevant=False)
                turn.call("bash", {"command": "ls"})
                turn.result("a line of what is there\n" * 40)
                turn.reply("word " * 60)
        found = eunoe("context", "goes-on", "next", "--prompt", asked, "--json").json
        shown = eunoe("context", "goes-on", "--prompt", asked)
        compared = eunoe("context", "goes-on", "--diff", "6", "next", "--prompt", asked)
        plain = eunoe("context", "goes-on", "--prompt", asked, "--format", "openai", "--no-memory-tool")
        with thread.turn(asked) as turn:
            given = turn.context(1024, "anthropic", model="haiku", memory_tool=True, keep=1, target=0.3, relevant=False)
            turn.reply("Yes.")

    assert (found["messages"], found["recipe"]["sha256"]) == (given.messages, given.recipe.sha256)
    assert (found["tokens"], found["recipe"]["stable"]) == (given.tokens, given.recipe.stable)
    assert shown.lines[0] == f"thread goes-on, next (turn 7): {given.tokens:,} of 1,024 tokens (anthropic)"
    assert "composed: as the last context of turn 6; with the memory tool" in shown.lines
    assert compared.lines[0] == "thread goes-on: turn 6 → next (turn 7)"
    assert f"{given.tokens:,}" in compared.lines[1]
    assert "composed as the last context of turn 6; with the memory tool" in compared.lines
    assert "composed: as the last context of turn 6, but for --format, --no-memory-tool; no memory tool" in " ".join(
        plain.lines
    )
    assert "recall entry" in shown.out
    assert "recall entry" not in plain.out


def test_a_turn_that_is_not_over_is_said_to_be_left_out(eunoe: Shell) -> None:
    """What is shown as next is the request of another turn; without a context before it, it is by the settings."""
    agent = Settings(data=eunoe.data, role="caller", principal="airline")
    with Memory.connect(settings=agent) as memory, memory.thread("open").turn("What is open?") as turn:
        turn.call("bash", {"command": "ls"})
        shown = eunoe("context", "open", "--prompt", "And now?")
        turn.reply("This.")

    assert shown.lines[0].startswith("thread open, next (turn 2): ")
    assert "open: turn 1 is not over; " in shown.out
    assert "composed: by the settings, with no recent context to follow; no memory tool" in shown.lines


def test_what_changed_between_two_turns_is_told_by_layer(eunoe: Shell, contexts: list[Context]) -> None:
    """Turns left, facts came in their place, and the last request is a literal turn now."""
    found = eunoe("context", THREAD, "--diff", "6", "7", "--json").json

    assert (found["identical"], found["before"]["turn"], found["after"]["turn"]) == (False, 6, 7)
    layers = {layer["name"]: layer for layer in found["layers"]}
    assert "payment_method certificate_7504069" in layers["earlier"]["added"][0]["text"]
    assert any(part["text"].startswith("Hi! I'm looking to book") for part in layers["literal"]["gone"])
    assert [part["moved"] for part in layers["literal"]["added"] if "please proceed" in part["text"]] == ["request"]
    assert eunoe("context", THREAD, "--diff", "3", "3").lines[-1] == "identical: the same bytes"


def test_the_next_request_is_compared_as_it_is_shown(eunoe: Shell) -> None:
    """In the window of the newest context, whichever turn is beside it."""
    done = eunoe("context", THREAD, "--diff", "7", "next", "--prompt", "Is it paid?")

    assert done.lines[0] == f"thread {THREAD}: turn 7 → next (turn 9)"
    assert "window   2,048" in done.lines
    assert "+ [user] Is it paid?" in done.lines


class Texts(HTMLParser):
    """What a page says, by the element that says it."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.said: list[tuple[str, str]] = []
        self.links: set[str] = set()
        self.ids: set[str] = set()
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links |= {value or "" for name, value in attrs if name in ("href", "src")}
        self.ids |= {value or "" for name, value in attrs if name == "id"}

    def handle_data(self, data: str) -> None:
        self.said.append((self.tags[-1] if self.tags else "", data))


def test_a_page_shows_every_turn_beside_what_was_said(eunoe: Shell, contexts: list[Context], tmp_path: Path) -> None:
    """It replaces a file that was there, and says so in one line; prompts stand in it as they were said."""
    file = tmp_path / "flight.html"
    file.write_text("what was there")

    done = eunoe("context", THREAD, "--html", file)

    assert (done.code, done.raw, done.err) == (0, b"", f"turns 1-8 in {file}\n")
    page = Texts(file.read_bytes())
    assert {f"turn-{number}" for number in range(1, 9)} <= page.ids
    assert page.links <= {f"#{name}" for name in page.ids}
    assert page.tags.count("svg") == 16
    for message in airline(0)[1:]:
        if message["role"] == "user":
            assert any(tag == "pre" and text == message["content"] for tag, text in page.said)


def test_a_page_may_be_of_some_turns_or_of_one(eunoe: Shell) -> None:
    """On standard output; of one turn, beside all that was said in the turns that it shows."""
    some = Texts(eunoe("context", THREAD, "turns", "--html", "-", "--after", "2", "--limit", "2").raw)
    one = Texts(eunoe("context", THREAD, "5", "--html", "-").raw)
    coming = Texts(eunoe("context", THREAD, "next", "--html", "-", "--prompt", "Is it paid?").raw)

    assert {name for name in some.ids if name.startswith("turn-")} == {"turn-3", "turn-4"}
    assert any(text == "turns 3-4 of 8" for _, text in some.said)
    assert {name for name in one.ids if name.startswith("turn-")} == {"turn-5"}
    otherwise = eunoe("context", THREAD, "5", "--json").json["recipe"]["renderings"]
    assert {f"#entry-{entry['entry']}" for entry in otherwise} == one.links - {"#turn-5"}
    assert any(tag == "pre" and text == "Is it paid?" for tag, text in coming.said)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["7", "--prompt", "Hi"], "--prompt goes with next, and turn 7 was asked for; leave it out"),
        (
            ["turns", "--window", "512"],
            "--window goes with one context, and the list of turns was asked for; leave it out",
        ),
        (["next", "--limit", "3"], "--limit goes with turns, and next was asked for; leave it out"),
        (["7", "--diff", "6", "7"], "--diff names the two contexts that it compares; leave '7' out"),
        (
            ["--diff", "6", "7", "--html", "x.html"],
            "--html writes a page of contexts, and --diff compares two; give one of",
        ),
        (["--html", "x.html", "--json"], "--html writes a page, and --json prints JSON; give one of them"),
        (
            ["--html", "x.html", "--window", "512"],
            "--window goes with one context, and a page of turns was asked for; leave it out",
        ),
        (["--diff", "6", "last"], "'last' is no turn; give its number, next (the next request) or turns (the list)"),
        (
            ["7", "--format", "xml"],
            "there is no format 'xml' of messages; the formats are openai, responses, anthropic",
        ),
        (["--model", ""], "a model's name is empty"),
        (["--html", "."], ". cannot be written: it is a directory; give a file's name"),
    ],
)
def test_what_does_not_go_together_is_one_line(eunoe: Shell, arguments: list[str], complaint: str) -> None:
    """And nothing is printed or written."""
    done = eunoe("context", THREAD, *arguments)

    assert done.code == 2
    assert done.complaint.startswith(f"eunoe: {complaint}")


def test_a_turn_that_is_not_there_is_named(eunoe: Shell) -> None:
    """In a difference and for a page as everywhere."""
    for arguments in (["--diff", "3", "77"], ["77", "--html", "-"]):
        done = eunoe("context", THREAD, *arguments)
        assert (done.code, done.complaint) == (
            1,
            "eunoe: there is no turn 77 in this thread; it has 8 (`eunoe context flight next` shows the next request)",
        )


def test_a_narrow_terminal_and_a_pipe_lose_nothing_but_colour(eunoe: Shell) -> None:
    """In 40 columns, no line of the list is longer; into a pipe, no escape is written."""
    narrow = {**eunoe.environment(), "COLUMNS": "40", "TERM": "xterm"}
    command = f"stty cols 40; {EUNOE} context {THREAD} turns"
    seen = subprocess.run(["script", "-qec", command, "/dev/null"], env=narrow, capture_output=True, check=True).stdout
    lines = re.sub(r"\x1b\[[0-9;]*m", "", seen.decode()).replace("\r", "").splitlines()

    assert max(map(len, lines)) <= 40
    assert "  asked    Yes, I confirm. Please go ah…" in lines
    assert "\x1b" not in eunoe("context", THREAD, "turns").out
