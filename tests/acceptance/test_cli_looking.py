"""The commands by which people look, against `eunoe up`, with two recorded agents brought in."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from shell import Shell

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SESSION = "release-2.4"


@pytest.fixture(scope="module")
def eunoe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """A shell whose memory holds the two examples."""
    shell = Shell(tmp_path_factory.mktemp("home"))
    with shell.up():
        for agent in ("builder", "reviewer"):
            done = shell("import", EXAMPLES / f"{agent}.json", "--agent", agent, "--session", SESSION)
            assert done.code == 0, done.err
        _settled(shell)
        yield shell


def _settled(shell: Shell) -> None:
    """Wait until every turn's facts are known."""
    for _ in range(100):
        found = shell("threads", "--json").json["threads"]
        if len(found) >= 2 and all(state["extracted"] == state["committed"] for state in found):
            return
    raise AssertionError("the facts of the examples never came")


def _entries(agent: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads((EXAMPLES / f"{agent}.json").read_text())["messages"]
    return found


# threads and show


def test_threads_are_listed_with_their_figures(eunoe: Shell) -> None:
    """Six prompts are six turns; the agent and the first prompt stand under the id."""
    lines = eunoe("threads").lines

    at = next(index for index, line in enumerate(lines) if line.startswith("builder "))
    assert lines[at].split()[1] == "6"
    assert lines[at + 1].startswith("  builder: We are getting squirrel 2.4 ready.")
    assert max(map(len, lines)) <= 80


def test_threads_come_in_pages(eunoe: Shell) -> None:
    """The last line of a page says how to go on, and the next page holds the rest."""
    first = eunoe("threads", "--limit", "1")

    assert first.lines[-1].startswith("more follow: add --cursor ")
    cursor = first.lines[-1].rpartition(" ")[2]
    second = eunoe("threads", "--cursor", cursor, "--json").json
    names = {first.lines[1].split()[0], *(state["thread"] for state in second["threads"])}
    assert {"builder", "reviewer"} <= names


def test_entries_are_listed_under_their_turns(eunoe: Shell) -> None:
    """The transcript begins with instructions and a prompt."""
    done = eunoe("show", "builder", "--limit", "3")

    assert re.fullmatch(r"thread builder: \d+ entries", done.lines[0])
    assert done.lines[2].startswith("turn 1 · committed · 2026-05-12 08:02 · agent builder · session release-2.4")
    assert [line.split()[1] for line in done.lines[3:6]] == ["instructions", "prompt", "tool.call"]
    assert done.lines[6] == "more follow: add --after 3"


def test_an_entry_is_piped_byte_for_byte(eunoe: Shell) -> None:
    """Entry 2 is the first prompt, and nothing else is printed."""
    prompt = next(message["content"] for message in _entries("builder") if message["role"] == "user")

    done = eunoe("show", "builder", "2")

    assert done.raw == str(prompt).encode()
    assert done.err == ""


def test_an_entry_as_json_says_everything_about_it(eunoe: Shell) -> None:
    """Entry 3 is the first call."""
    found = eunoe("show", "builder", "3", "--json").json

    assert (found["entry"], found["turn"], found["kind"], found["tool"]) == (3, 1, "tool.call", "bash")
    assert (found["agent"], found["session"], found["state"]) == ("builder", SESSION, "committed")


# context


def test_the_next_context_is_drawn_and_told(eunoe: Shell) -> None:
    """A bar of 80 columns whose letters are those of the legend, whose tokens add up to the window."""
    done = eunoe("context", "builder", "next", "--window", "2048", "--prompt", "What is left to do?")

    title, bar, legend = done.lines[0], done.lines[1], " ".join(done.lines[2:4])
    assert re.fullmatch(r"thread builder, next \(turn 7\): [\d,]+ of 2,048 tokens \(openai\)", title)
    assert len(bar) == 80
    letters = re.findall(r"([IELNR·]) [a-z]+ ([\d,]+)", legend.partition("note")[0])
    assert set(bar) == {letter for letter, _ in letters}
    assert sum(int(tokens.replace(",", "")) for _, tokens in letters) == 2048
    assert "What is left to do?" in done.lines
    assert any(line.startswith("- branch current: dry-run") for line in done.lines)


def test_a_context_as_json_is_what_an_api_takes(eunoe: Shell) -> None:
    """Messages, layers with their tokens, the recipe and the watermark; system apart for Anthropic."""
    found = eunoe("context", "builder", "--format", "anthropic", "--prompt", "Go on.", "--json").json

    assert found["thread"] == "builder"
    assert found["system"] == _entries("builder")[0]["content"]
    assert found["messages"][-1]["content"][-1] == {"type": "text", "text": "Go on."}
    assert found["recipe"]["sha256"]
    assert found["watermark"]["log"] > 0
    assert {layer["name"] for layer in found["layers"]} >= {"instructions", "literal", "request"}


def test_a_past_turn_of_an_import_says_that_it_is_reconstructed(eunoe: Shell) -> None:
    """No request was made here at turn 3, and that is said."""
    done = eunoe("context", "builder", "3")

    assert done.code == 0
    assert any(line.startswith("reconstructed: no model saw this") for line in done.lines)
    assert eunoe("context", "builder", "3", "--json").json["reconstructed"] is True


def test_turns_are_listed(eunoe: Shell) -> None:
    """Six turns, each with what was asked."""
    done = eunoe("context", "builder", "turns")

    assert [line.split()[1] for line in done.lines if line.startswith("turn ")] == ["1", "2", "3", "4", "5", "6"]
    assert sum(line.startswith("  asked    ") for line in done.lines) == 6


def test_a_request_larger_than_its_window_is_refused_with_the_figures(eunoe: Shell) -> None:
    """The message names the tokens, the window and the least that is possible."""
    done = eunoe("context", "builder", "--window", "256", "--prompt", "word " * 500)

    assert done.code == 1
    figures = r"take \d+ tokens of a window of 256, .* and the least that a context can be is \d+"
    assert re.search(figures, done.complaint)


# facts


def test_facts_name_their_sources(eunoe: Shell) -> None:
    """Everyone's facts without a filter: the session's and both threads', each with an id and a source."""
    done = eunoe("facts")

    assert [line for line in done.lines if " · " in line] == [
        f"session · {SESSION}",
        "thread · builder",
        "thread · reviewer",
    ]
    assert any(re.match(r"f\w{10} service port 8787 .* bash, turn 5", line) for line in done.lines)
    assert max(map(len, done.lines)) <= 80


def test_facts_are_narrowed_by_thread_scope_and_agent(eunoe: Shell) -> None:
    """Each filter leaves what it says."""
    of_thread = eunoe("facts", "--thread", "builder", "--json").json["facts"]
    of_session = eunoe("facts", "--scope", "session", "--json").json["facts"]
    of_agent = eunoe("facts", "--agent", "reviewer", "--json").json["facts"]

    assert {fact["identity"]["owner"] for fact in of_thread} == {"builder"}
    assert {fact["identity"]["scope"] for fact in of_session} == {"session"}
    assert {fact["agent"] for fact in of_agent} == {"reviewer"}


def test_facts_of_all_scopes_come_in_pages(eunoe: Shell) -> None:
    """Pages of three, one after the other, hold the same facts as one long page."""
    whole = eunoe("facts", "--json").json["facts"]
    found, cursor = [], ""
    while True:
        page = eunoe("facts", "--limit", "5", "--json", *(("--cursor", cursor) if cursor else ())).json
        found += page["facts"]
        cursor = page.get("cursor", "")
        if not cursor:
            break

    assert sorted(fact["id"] for fact in found) == sorted(fact["id"] for fact in whole)


def test_the_history_of_a_fact_tells_what_it_was(eunoe: Shell) -> None:
    """The reviewer's tests failed first and passed then; the beginning of an id is enough."""
    facts = eunoe("facts", "--thread", "reviewer", "--json").json["facts"]
    tests = next(fact for fact in facts if fact["identity"]["subject"] == "tests")

    done = eunoe("fact", "history", tests["id"][:5])

    assert done.lines[0] == "tests make test"
    values = [line.split("  ", 1)[1] for line in done.lines if re.match(r"\d{4}-", line)]
    assert [value.partition(",")[0] for value in values] == ["failed", "passed"]
    assert any("superseded by " + tests["id"] in line for line in done.lines)


# audit


def test_the_tail_of_a_thread_is_in_its_order(eunoe: Shell) -> None:
    """Only that thread's records, the last ones, each on a line."""
    done = eunoe("audit", "tail", "builder", "-n", "4")

    positions = [int(line.split()[0]) for line in done.lines]
    assert len(positions) == 4
    assert positions == sorted(positions)
    assert all("thread builder #" in line for line in done.lines)


def test_the_tail_follows_until_it_is_told_to_stop(eunoe: Shell, tmp_path: Path) -> None:
    """A record that comes later is printed when it comes; Ctrl-C ends it with 130 and no traceback."""
    (tmp_path / "late.jsonl").write_text('{"role":"user","content":"Later."}\n')
    process = eunoe.pipe("audit", "tail", "--follow", "-n", "1", "--json")
    assert process.stdout is not None
    process.stdout.readline()

    assert eunoe("import", tmp_path / "late.jsonl").code == 0
    seen = json.loads(process.stdout.readline())
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate()

    assert seen["chain"] == "thread.late"
    assert (process.returncode, complaint) == (130, b"")


def test_the_log_is_whole_and_says_what_was_checked(eunoe: Shell) -> None:
    """After an anchor, chains are checked against it and against the receipts of the imports."""
    anchored = eunoe("audit", "anchor")
    done = eunoe("audit", "verify")

    assert re.fullmatch(r"root    [0-9a-f]{64}", anchored.lines[0])
    assert done.code == 0
    assert re.search(r"against [1-9]\d* anchors? and [1-9]\d* receipts?", " ".join(done.lines))
    assert done.lines[-1] == "whole: every record follows the one before it, and nothing was changed"


def test_a_root_kept_elsewhere_is_checked(eunoe: Shell) -> None:
    """The one that was printed is found, with what it covers; another is a problem, and exit code 1."""
    root = eunoe("audit", "anchor").lines[0].split()[1]
    found, other = eunoe("audit", "verify", "--root", root.upper()), eunoe("audit", "verify", "--root", "0" * 64)

    assert found.code == 0
    assert re.search(
        r"the root is that of the anchor of \S+ \S+Z, which covers the log to position \d+", " ".join(found.lines)
    )
    assert other.code == 1
    assert other.lines[0].startswith(f"log: no anchor kept here has the root {'0' * 64}: the anchors were rewritten")


def test_a_lost_tail_is_shown_by_a_receipt(eunoe: Shell) -> None:
    """A receipt of a record that the log does not have is a problem, in a line, and exit code 1."""
    receipts = eunoe.data / "receipts.jsonl"
    before = receipts.read_bytes()
    forged = {"chain": "thread.builder", "record": 99, "position": 999, "hash": "0" * 64, "space": "default"}
    receipts.write_bytes(before + json.dumps(forged).encode() + b"\n")
    try:
        done = eunoe("audit", "verify")
    finally:
        receipts.write_bytes(before)

    assert done.code == 1
    assert re.fullmatch(r"thread builder: ends at \d+, a client's receipt says 99", done.lines[0])
    assert done.lines[-1] == "not whole: 1 problem"


def test_an_export_verifies_alone_and_a_changed_one_does_not(eunoe: Shell, tmp_path: Path) -> None:
    """One changed word is found, and the record is named."""
    file, forged = tmp_path / "log.jsonl", tmp_path / "forged.jsonl"

    done = eunoe("audit", "export", "builder", "--out", file)
    forged.write_bytes(file.read_bytes().replace(b"failed", b"passed", 1))

    assert (done.code, done.raw) == (0, b"")
    assert eunoe("audit", "verify", file).code == 0
    found = eunoe("audit", "verify", forged)
    assert found.code == 1
    assert re.fullmatch(
        r"thread builder, record \d+ \(position \d+\): event \d+ does not have its digest: it was changed",
        found.lines[0],
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["forged.jsonl", "log.jsonl"]


def test_a_reader_that_goes_away_is_no_failure(eunoe: Shell) -> None:
    """Closing the pipe of an export after its first line ends it quietly."""
    process = eunoe.pipe("audit", "export")
    assert process.stdout is not None
    assert process.stdout.readline().startswith(b'{"eunoe_export":1')
    process.stdout.close()
    assert process.stderr is not None
    complaint = process.stderr.read()
    process.stderr.close()

    assert (process.wait(), complaint) == (0, b"")


@pytest.mark.parametrize(
    "arguments",
    [
        ["threads"],
        ["facts"],
        ["fact", "conflicts"],
        ["fact", "history", "f66n4"],
        ["fact", "why", "fdu6e"],
        ["kinds"],
        ["status"],
        ["config"],
        ["show", "builder"],
        ["context", "builder", "turns"],
        ["audit", "tail"],
    ],
)
def test_no_line_of_a_piped_list_ends_in_spaces(eunoe: Shell, arguments: list[str]) -> None:
    """What fills a table or a wrapped line on a terminal is not in the way of other programs."""
    assert [line for line in eunoe(*arguments).out.splitlines() if line != line.rstrip()] == []


# What is not there, and what cannot be


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (["show", "nope"], 1, "there is no thread 'nope'; `eunoe threads` lists what there is"),
        (["context", "nope"], 1, "there is no thread 'nope'; `eunoe threads` lists what there is"),
        (["context", "nope", "turns"], 1, "there is no thread 'nope'; `eunoe threads` lists what there is"),
        (["facts", "--thread", "nope"], 1, "there is no thread 'nope'; `eunoe threads` lists what there is"),
        (["audit", "tail", "nope"], 1, "there is no thread 'nope'; `eunoe threads` lists what there is"),
        (["audit", "export", "nope"], 1, "there is no thread 'nope'; `eunoe threads` lists what there is"),
        (["audit", "verify", "--thread", "nope"], 1, "there is no thread 'nope' to check"),
        (["context", "builder", "77"], 1, "there is no turn 77 in this thread; it has 6"),
        (["context", "builder", "last"], 2, "'last' is no turn; give its number, next (the next request) or turns"),
        (["context", "builder", "--format", "xml"], 2, "there is no format 'xml' of messages; the formats are"),
        (["facts", "--scope", "mine"], 2, "there is no scope 'mine'; the scopes are permanent, session, thread"),
        (["fact", "history", "fzzzz"], 1, "there is no fact fzzzz here"),
        (["show", "x" * 129], 2, "the thread id is 129 bytes long; the limit is 128, and ids are never cut"),
        (["show", ""], 2, "the thread id is empty"),
        (["audit", "verify", "--root", "abc"], 2, "a root is 64 hexadecimal digits, as `eunoe audit anchor` prints it"),
        (
            ["audit", "verify", "x.jsonl", "--root", "0" * 64],
            2,
            "--root checks the anchors of the live log, and an export has none of them; give one of the two",
        ),
        (["audit", "verify", "/nowhere"], 2, "there is no file /nowhere"),
        (["audit", "burn"], 2, "no such command 'burn'"),
        (["facts", "--cursor", "garbage"], 2, "'garbage' is no cursor"),
        (["audit", "export", "--out", "."], 2, ". cannot be written: it is a directory; give a file's name"),
    ],
)
def test_what_is_not_there_is_one_line(eunoe: Shell, arguments: list[str], code: int, complaint: str) -> None:
    """The fact, then the way out; 1 where the answer is no, 2 where the question is wrong; nothing on stdout."""
    done = eunoe(*arguments)

    assert done.complaint.startswith(f"eunoe: {complaint}")
    assert done.code == code


def test_a_session_of_which_nothing_is_known_is_said_to_be_unknown(eunoe: Shell) -> None:
    """A name that was misspelt does not look like one without facts."""
    done = eunoe("facts", "--session", "nope")

    assert (done.code, done.err) == (0, "eunoe: nothing is known of a session 'nope'\n")
    assert eunoe("facts", "--session", "release-2.4").err == ""


def test_an_entry_that_is_not_there_says_which_are(eunoe: Shell) -> None:
    """The numbers that exist are named."""
    assert re.fullmatch(
        r"eunoe: the thread 'builder' has no entry 999; it has entries 1 to \d+",
        eunoe("show", "builder", "999").complaint,
    )
