"""`eunoe erase` as people and scripts run it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from shell import Shell

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def eunoe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """A shell whose memory holds an example, thread builder with 71 entries."""
    shell = Shell(tmp_path_factory.mktemp("home"))
    with shell.up():
        assert shell("import", EXAMPLES / "builder.json").code == 0
        yield shell


def test_a_dry_run_says_what_would_go_and_what_no_erasure_reaches(eunoe: Shell) -> None:
    """It needs no reason, and changes nothing."""
    before = eunoe("show", "builder").out

    done = eunoe("erase", "builder#3-4", "--dry-run")

    assert done.lines[0] == "to erase: entries 3-4 of thread builder"
    assert done.lines[1].startswith("  2 entries, ")
    assert "  files that were exported, and spaces into which they were imported" in done.lines
    assert eunoe("show", "builder").out == before


def test_entries_are_erased_and_the_log_is_whole(eunoe: Shell) -> None:
    """The receipt counts what went; show and verify say that something was erased."""
    done = eunoe("erase", "builder#6", "--entry", "8", "--reason", "a key was read", "--yes")
    shown, verified = eunoe("show", "builder", "6"), eunoe("audit", "verify")

    assert (done.code, done.lines[0]) == (0, "erased for good: entries 6, 8 of thread builder")
    assert shown.out == "[entry 6 was erased]"
    assert verified.code == 0
    assert any("hold erased events" in line or "holds erased events" in line for line in verified.lines)


def test_again_there_is_nothing_left_to_erase(eunoe: Shell) -> None:
    """That is an answer, not a failure."""
    eunoe("erase", "builder#9", "--reason", "x", "--yes")

    done = eunoe("erase", "builder#9", "--reason", "x", "--yes")

    assert done.code == 0
    assert done.lines == ["nothing to erase: there is nothing of entry 9 of thread builder, or nothing left"]


def test_a_fact_is_erased_by_the_beginning_of_its_id(eunoe: Shell) -> None:
    """Its JSON receipt has the same figures; afterwards nobody knows it."""
    fact = next(one for one in eunoe("facts", "--thread", "builder", "--json").json["facts"])

    done = eunoe("erase", fact["id"][:7], "--reason", "wrong", "--yes", "--json")

    assert done.json["state"] == "done"
    assert fact["id"] in done.json["facts"]
    assert eunoe("fact", "history", fact["id"]).code == 1


def test_a_fact_that_no_list_shows_is_erased_by_its_whole_id(eunoe: Shell) -> None:
    """One of a preview, and one of a session that ended; one that never was is not there."""
    tried = eunoe("fact", "set", "decision", "colour", "green", "--preview", "trial", "--json").json["id"]
    gone = eunoe("fact", "set", "service", "port", "a secret", "--session", "s1", "--json").json["id"]
    eunoe("session", "end", "s1", "--yes")

    done = [eunoe("erase", fact, "--reason", "wrong", "--yes", "--json") for fact in (tried, gone)]
    never = eunoe("erase", "fzzzzzzzzzz", "--reason", "wrong", "--yes")

    assert [one.json["state"] for one in done] == ["done", "done"]
    assert [one.json["facts"] for one in done] == [[tried], [gone]]
    for unknown in (never, eunoe("erase", tried[:6], "--reason", "wrong", "--yes")):
        assert unknown.code == 1
        assert unknown.err.splitlines()[0].startswith("eunoe: there is no fact f")
        assert "is erased by its whole id" in unknown.err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["builder#3"], "eunoe: say why with --reason"),
        (["builder#3", "--reason", "x"], "eunoe: nobody can be asked here whether to erase; add --yes"),
        (["builder#3", "--reason", "x\ny", "--yes"], "eunoe: the reason is one line"),
        (["builder#0", "--reason", "x", "--yes"], "eunoe: '0' is no number, and no range like 3-7"),
        (["builder#5-3", "--reason", "x", "--yes"], "eunoe: '5-3' is no number, and no range like 3-7"),
        (["--reason", "x", "--yes"], "eunoe: name one thing to erase: WHAT, --thread THREAD, or --owner OWNER"),
        (["builder", "--thread", "builder", "--reason", "x"], "eunoe: name one thing to erase"),
        (["--owner", "a", "--scope", "thread", "--reason", "x"], "eunoe: an owner's facts are permanent ones"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_a_line(eunoe: Shell, arguments: list[str], complaint: str) -> None:
    """With the exit code of wrong usage, and nothing erased."""
    done = eunoe("erase", *arguments)

    assert done.code == 2
    assert done.complaint.startswith(complaint)


def test_who_is_no_person_may_not_erase(eunoe: Shell) -> None:
    """Not even look at what would go."""
    done = eunoe.named("caller", "script")("erase", "builder", "--reason", "x", "--dry-run")

    assert (done.code, done.complaint) == (1, "eunoe: a caller may not erase; only a person may")


def test_an_export_from_before_brings_nothing_back(eunoe: Shell, tmp_path: Path) -> None:
    """Neither what was erased nor what was deleted, whoever imports it where it came from."""
    secret, wrong, kept = (
        eunoe("fact", "set", "entity", name, "said once", "--json").json["id"] for name in ("secret", "wrong", "kept")
    )
    assert eunoe("audit", "export", "--out", tmp_path / "before.jsonl").code == 0
    assert eunoe("erase", secret, "--reason", "asked to", "--yes").code == 0
    assert eunoe("fact", "delete", wrong, "--reason", "wrong").code == 0

    for who in (eunoe, eunoe.named("person", "bob")):
        assert who("import", tmp_path / "before.jsonl").code == 0

    found = eunoe("facts", "--subject", "entity", "--json").json["facts"]
    assert [(one["id"], one["supports"]) for one in found] == [(kept, 1)]


def test_what_is_not_there_is_said(eunoe: Shell) -> None:
    """A thread by its name, and what may be either a fact or a thread."""
    thread, fact = (eunoe("erase", name, "--dry-run") for name in ("nobody", "fabcdefghij"))

    assert thread.complaint == "eunoe: there is no thread 'nobody'; `eunoe threads` lists what there is"
    assert (thread.code, fact.code, fact.out) == (1, 1, "")
    for asked in (["--dry-run"], ["--reason", "x", "--yes"]):
        entry = eunoe("erase", "builder#99999", *asked)
        assert (entry.code, entry.complaint) == (
            1,
            "eunoe: there is no entry 99999 in the thread 'builder'; it has 71 entries",
        )
        assert eunoe("erase", "nobody#1", *asked).code == 1
