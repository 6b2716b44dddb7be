"""What people state, change and delete on the command line, against `eunoe up` with two recorded agents brought in."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from shell import Ran, Shell

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SESSION = "release-2.4"
CONFIG = """\
pinned_tokens = 60
[labels]
release = 1
infra = 2
"""


@pytest.fixture(scope="module")
def eunoe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """Ada's shell; two labels are declared, and 60 tokens may be pinned."""
    shell = Shell(tmp_path_factory.mktemp("home")).named("person", "ada")
    config = shell.home / "config" / "eunoe" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(CONFIG)
    with shell.up():
        for agent in ("builder", "reviewer"):
            done = shell("import", EXAMPLES / f"{agent}.json", "--agent", agent, "--session", SESSION)
            assert done.code == 0, done.err
        for _ in range(100):
            found = shell("threads", "--json").json["threads"]
            if len(found) >= 2 and all(state["extracted"] == state["committed"] for state in found):
                break
        else:
            raise AssertionError("the facts of the examples never came")
        yield shell


def stated(eunoe: Shell, *arguments: str) -> dict[str, Any]:
    done = eunoe("fact", "set", *arguments, "--json")
    assert (done.code, done.err) == (0, ""), arguments
    found: dict[str, Any] = done.json
    return found


def facts(eunoe: Shell, *arguments: str) -> list[dict[str, Any]]:
    done = eunoe("facts", *arguments, "--json")
    assert done.code == 0, done.err
    found: list[dict[str, Any]] = done.json["facts"]
    return found


def values(eunoe: Shell, *arguments: str) -> list[str]:
    return [fact["value"] for fact in facts(eunoe, *arguments)]


def refused(done: Ran, code: int) -> str:
    """The one line with which a command ended."""
    assert done.code == code, (done.code, done.err, done.out)
    return done.complaint.removeprefix("eunoe: ")


# Stating


def test_a_decision_is_stated_found_and_replaced(eunoe: Shell) -> None:
    """Its id is all that a script needs; the second value is version 2 and names the first."""
    first = stated(eunoe, "decision", "Exit Status", "3 when a run would change anything")
    done = eunoe("fact", "set", "decision", "exit status", "4 when a run would change anything")

    assert (first["version"], first["duplicate"]) == (1, False)
    assert first["position"] > 0
    second = re.match(r"stated: (f\w{10})  decision exit status: 4", done.lines[0])
    assert second
    assert done.lines[1:] == [
        "permanent · shared, version 2, current",
        f"before: 3 when a run would change anything ({first['id']}, from person ada)",
        "undo: eunoe fact set --owner shared decision 'exit status' '3 when a run would change anything'",
    ]
    assert values(eunoe, "--subject", "decision") == ["4 when a run would change anything"]

    eunoe(*shlex.split(done.lines[-1].removeprefix("undo: eunoe ")))
    assert values(eunoe, "--subject", "decision") == ["3 when a run would change anything"]


def test_a_change_is_made_only_if_nothing_else_was_meanwhile(eunoe: Shell) -> None:
    """A stale condition names what is in force; the right one holds; none means that there is no fact yet."""
    first = stated(eunoe, "preference", "reviews", "in pairs", "--expected", "none")
    second = stated(eunoe, "preference", "reviews", "alone", "--expected", first["id"][:5])

    line = refused(eunoe("fact", "set", "preference", "reviews", "by mail", "--expected", first["id"]), 1)

    assert second["id"] in line
    assert "alone" in line
    assert values(eunoe, "--subject", "preference") == ["alone"]


def test_a_key_makes_a_change_once(eunoe: Shell) -> None:
    """The same key and fact again is answered with the same id; another fact under it is refused."""
    first = stated(eunoe, "entity", "squirrel", "a backup tool", "--key", "job 17")
    again = stated(eunoe, "entity", "squirrel", "a backup tool", "--key", "job 17")

    assert (again["id"], again["duplicate"], first["duplicate"]) == (first["id"], True, False)
    assert "job 17" in refused(eunoe("fact", "set", "entity", "squirrel", "a rodent", "--key", "job 17"), 1)


def test_a_kind_that_there_is_not_is_told_beside_the_empty_list(eunoe: Shell) -> None:
    """It may be a slip; a kind without facts is none."""
    slip = eunoe("facts", "--subject", "decison")

    assert (slip.code, slip.lines) == (0, ["no facts here"])
    assert slip.err == "eunoe: there is no kind 'decison'; `eunoe kinds` lists those there are\n"
    assert eunoe("facts", "--subject", "memo").err == ""


def test_two_persons_who_say_the_same_are_two_sources(eunoe: Shell) -> None:
    """One takes it back, and it holds by the other's word."""
    first = stated(eunoe, "entity", "fox", "digs")
    ann = eunoe.named("person", "ann")
    second = ann("fact", "set", "entity", "fox", "Digs")

    assert second.lines[2] == f"known before as {first['id']}; it is now from person ann; person ada"
    assert eunoe("fact", "retire", first["id"]).code == 0
    assert "Digs" in values(eunoe, "--subject", "entity")


def test_words_of_any_script_are_kept_as_they_are(eunoe: Shell) -> None:
    """In tables and in JSON, never as escapes."""
    stated(eunoe, "entity", "部署", "周五不发布 🐿 لا نشر")

    assert "周五不发布 🐿 لا نشر" in eunoe("facts", "--subject", "entity").out
    assert "周五不发布 🐿 لا نشر" in eunoe("facts", "--subject", "entity", "--json").out


def test_a_kind_with_one_name_needs_none_and_content_comes_back_whole(eunoe: Shell, tmp_path: Path) -> None:
    """The task of a thread, with a body from a file, which history prints byte for byte."""
    body = "First the scan,\nthen the report.\n"
    (tmp_path / "task.md").write_text(body)

    made = stated(eunoe, "task", "Ship 2.4", "--thread", "builder", "--content-file", str(tmp_path / "task.md"))

    assert made["fact"]["identity"] == {"scope": "thread", "owner": "builder", "subject": "task", "name": "current"}
    assert eunoe("fact", "history", made["id"], "--content").raw == body.encode()
    assert any(line.endswith("+ content") for line in eunoe("facts", "--thread", "builder").lines)


def test_a_fact_holds_for_the_time_that_it_is_given(eunoe: Shell) -> None:
    """Two values that follow each other are no conflict; each is found at a moment of its own, and neither before."""
    freeze = ("decision", "freeze")
    stated(eunoe, *freeze, "from Monday", "--valid-from", "2026-01-05", "--valid-to", "2026-02-01")
    made = stated(
        eunoe, *freeze, "from Friday", "--valid-from", "2026-02-01", "--valid-to", "2026-03-01T00:00:00+01:00"
    )
    shown = eunoe("fact", "history", made["id"], "--valid-at", "2026-02-10").lines
    assert "  holds from 2026-02-01 until 2026-03-01+01:00" in shown

    def at(moment: str) -> list[str]:
        return [fact["value"] for fact in facts(eunoe, "--valid-at", moment) if fact["identity"]["name"] == "freeze"]

    assert [at("2026-01-04"), at("2026-01-31T23:59:59Z"), at("2026-02-01"), at("2026-02-28T23:00:00Z")] == [
        [], ["from Monday"], ["from Friday"], [],
    ]  # fmt: skip


def test_what_was_known_at_a_moment_is_known_for_good(eunoe: Shell) -> None:
    """Before anything was stated nothing was known."""
    stated(eunoe, "entity", "owl", "watches at night")

    assert "watches at night" in values(eunoe, "--subject", "entity")
    assert facts(eunoe, "--scope", "permanent", "--as-of", "2026-01-01") == []


def test_a_thread_is_named_in_its_place_or_with_its_option(eunoe: Shell) -> None:
    """Facts, conflicts and proposals of one thread, as its neighbours take it; the same one twice is one thread."""
    for command in (("facts",), ("fact", "conflicts"), ("fact", "proposed")):
        placed, named = eunoe(*command, "builder", "--json"), eunoe(*command, "--thread", "builder", "--json")
        assert (placed.code, placed.json) == (0, named.json), command
        assert eunoe(*command, "builder", "--thread", "builder", "--json").json == named.json
        assert refused(eunoe(*command, "builder", "--thread", "reviewer"), 2) == (
            "two threads are named, 'builder' and 'reviewer' (with --thread); name the one that is meant"
        )
        assert refused(eunoe(*command, "bulider"), 1) == (
            "there is no thread 'bulider'; `eunoe threads` lists what there is"
        )
        assert refused(eunoe(*command, ""), 2).startswith("the thread id is empty")
    assert {fact["identity"]["owner"] for fact in facts(eunoe, "builder", "--scope", "thread")} == {"builder"}


# Threads that are not there yet


def test_a_slip_of_the_finger_begins_no_thread(eunoe: Shell) -> None:
    """A fact is neither stated in one that is not there nor moved to it, unless a new one is asked for, once."""
    made = stated(eunoe, "entity", "crane", "is out", "--session", SESSION)
    says = "there is no thread 'bulider'; `eunoe threads` lists what there is, and --new begins one with this fact"

    assert refused(eunoe("fact", "set", "task", "Ship 2.4", "--thread", "bulider"), 1) == says
    assert refused(eunoe("fact", "scope", made["id"], "thread", "--thread", "bulider"), 1) == says
    names = [state["thread"] for state in eunoe("threads", "--json").json["threads"]]
    assert "bulider" not in names
    assert "is out" in values(eunoe, "--session", SESSION, "--subject", "entity")

    assert eunoe("fact", "scope", made["id"], "thread", "--thread", "crew", "--new").code == 0
    stated(eunoe, "task", "Lift it", "--thread", "crew")
    stated(eunoe, "task", "Set it down", "--thread", "crew", "--new")
    assert values(eunoe, "crew", "--scope", "thread", "--subject", "task") == ["Set it down"]
    assert values(eunoe, "crew", "--scope", "thread", "--subject", "entity") == ["is out"]


@pytest.mark.parametrize("arguments", [("set", "decision", "a", "b"), ("scope", "fk3vz", "thread")])
def test_a_new_thread_is_one_that_is_named(eunoe: Shell, arguments: tuple[str, ...]) -> None:
    """Where none is named, there is none to begin."""
    assert refused(eunoe("fact", *arguments, "--new"), 2) == (
        "--new begins the thread in which a fact is to hold; name that with --thread"
    )


@pytest.mark.parametrize(("target", "more"), [("permanent", ()), ("session", ("--thread", "crew"))])
def test_a_fact_that_goes_to_no_thread_begins_none(eunoe: Shell, target: str, more: tuple[str, ...]) -> None:
    """Whether one is named, which is then the one that the fact is of now, or not."""
    assert refused(eunoe("fact", "scope", "fk3vz", target, *more, "--new"), 2) == (
        f"--new begins the thread in which a fact is to hold, and {target} means another place"
    )


# Wrong times, blanks, and what is too long


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--valid-from", "2026-01-05T09:00:00"], "2026-01-05T09:00:00"),
        (["--valid-from", "2026-02-30"], "2026-02-30"),
        (["--valid-from", "0000-01-01"], "0000-01-01"),
        (["--valid-to", "+275760-09-13T00:00:00Z"], "+275760-09-13T00:00:00Z"),
        (["--valid-from", "2026-02-02", "--valid-to", "2026-02-01"], "the fact would never hold"),
        (["--thread", ""], "the thread id is empty"),
        (["--session", "  "], "the session id is empty"),
        (["--owner", ""], "the owner id is empty"),
        (["--key", ""], "the key id is empty"),
        (["--content", "a", "--content-file", "b"], "--content and --content-file both give the content"),
        (["--content", "x" * (64 * 1024 + 1)], "64 KiB"),
        (["--content-file", "/nowhere"], "there is no file /nowhere"),
        (["--replaces", "fabcd"], "--preview"),
    ],
)
def test_what_cannot_be_stated_is_refused_in_one_line(eunoe: Shell, arguments: list[str], words: str) -> None:
    """Exit code 2, the value that is wrong in the line, and nothing changed."""
    line = refused(eunoe("fact", "set", "decision", "refused", "never", *arguments), 2)

    assert words in line
    assert all(fact["identity"]["name"] != "refused" for fact in facts(eunoe))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["decision"], "missing argument '[NAME] VALUE'"),
        (["decision", "a", "b", "c"], "give [NAME] VALUE, not 3 words; put what holds spaces in quotes"),
        (["decision", "b"], "facts of the kind decision have a name; give it between the kind and the value"),
        (["decison", "a", "b"], "there is no kind 'decison'; the kinds are branch, decision, entity"),
        (["tests", "make", "passed"], "facts of the kind tests hold in a thread; name it with --thread THREAD"),
        (["decision", "a", ""], "the value of a fact is empty"),
        (["decision", "a", "x" * 201], "the value is 201 characters long; the limit is 200, and the rest goes into"),
        (["decision", "a", "x" * 1_000_000], "the value is 1000000 characters long; the limit is 200"),
        (["decision", "a", "b\nc"], "the value of a fact is one line"),
    ],
)
def test_what_is_no_fact_is_refused_in_one_line(eunoe: Shell, arguments: list[str], words: str) -> None:
    """Each says what it must be."""
    assert refused(eunoe("fact", "set", *arguments), 2).startswith(words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--thread", ""], "the thread id is empty"),
        (["--session", " "], "the session id is empty"),
        (["--agent", ""], "the agent id is empty"),
        (["--scope", ""], "there is no scope ''"),
        (["--subject", ""], "the subject id is empty"),
        (["--label", ""], "the label id is empty"),
        (["--preview", ""], "the preview id is empty"),
        (["--label", "nosuch"], "there is no label 'nosuch' (there are release, infra)"),
        (["--as-of", ""], "'' is no moment; write it as"),
        (["--as-of", "yesterday"], "'yesterday' is no moment; write it as"),
        (["--valid-at", "2026-02-30"], "'2026-02-30' is no moment: there is no day 30 in 2026-02"),
        (["--valid-at", "2026-01-05T09:00"], "'2026-01-05T09:00' does not say in which time zone it is"),
        (["--as-of", "0000-01-01"], "'0000-01-01' is no moment: there is no year 0000"),
        (
            ["--as-of", "2026-01-01T00:00:00+25:00"],
            "'2026-01-01T00:00:00+25:00' is no moment: there is no offset +25:00",
        ),
        (["--subject", "x" * 1_000_000], "the subject id is 1000000 bytes long; the limit is 128"),
        (["--cursor", "x" * 5_000], "'xxx"),
    ],
)
def test_what_narrows_nothing_is_refused(eunoe: Shell, arguments: list[str], words: str) -> None:
    """A blank filter is never taken for none, and so never shows everything (F82); a time has a zone (F86)."""
    assert refused(eunoe("facts", *arguments), 2).startswith(words)


# What is done to facts


def test_labels_are_put_on_taken_off_and_looked_for(eunoe: Shell) -> None:
    """Only declared ones; those that are not say which are, and how one is declared."""
    made = stated(eunoe, "entity", "labelled", "yes")

    assert eunoe("fact", "label", made["id"], "release", "infra").lines[1] == "labels: release, infra"
    assert values(eunoe, "--label", "release", "--label", "infra") == ["yes"]
    assert eunoe("fact", "label", made["id"], "infra", "--remove").lines[1] == "labels: release"
    assert values(eunoe, "--label", "release", "--label", "infra") == []
    line = refused(eunoe("fact", "label", made["id"], "relase"), 2)
    assert "relase" in line
    assert "release" in line
    assert "`labels`" in line
    many = refused(eunoe("fact", "label", made["id"], *(f"l{number}" for number in range(10_000))), 2)
    assert len(many) < 600


def test_pins_have_a_budget_that_says_by_how_much_it_is_exceeded(eunoe: Shell) -> None:
    """Sixty tokens: the pinned fact and its own are named with what they take."""
    first = stated(eunoe, "entity", "pin one", "x" * 180)
    second = stated(eunoe, "entity", "pin two", "y" * 180)

    assert eunoe("fact", "pin", first["id"]).lines[-1] == f"undo: eunoe fact pin {first['id']} --off"
    assert values(eunoe, "--pinned") == ["x" * 180]
    again = eunoe("fact", "pin", first["id"])
    assert (again.code, again.lines[0]) == (0, f"is pinned already: {first['id']}  entity pin one:")
    line = refused(eunoe("fact", "pin", second["id"]), 1)
    assert first["id"] in line
    assert "60" in line
    assert eunoe("fact", "pin", first["id"], "--off").code == 0
    assert eunoe("fact", "pin", second["id"]).code == 0
    assert eunoe("fact", "pin", second["id"], "--off").code == 0


def test_a_fact_moves_to_another_scope_and_its_history_leads_there(eunoe: Shell) -> None:
    """From a thread to everyone: in force there, moved here."""
    made = stated(eunoe, "note", "port", "8787 is taken", "--thread", "builder")

    done = eunoe("fact", "scope", made["id"], "permanent")

    moved = re.match(r"moved: (f\w{10})  note port: 8787 is taken", done.lines[0])
    assert moved, done.out + done.err
    assert done.lines[1] == "permanent · shared, version 1, current"
    assert values(eunoe, "--subject", "note", "--scope", "thread") == []
    history = eunoe("fact", "history", made["id"]).lines
    assert f"  {made['id']}, version 1, moved: see {moved[1]}" in history
    assert any(re.search(r"  moved by person ada$", line) for line in history)


def test_what_is_taken_back_is_gone_and_its_history_says_by_whom(eunoe: Shell) -> None:
    """The reason stands in the history."""
    made = stated(eunoe, "entity", "mistake", "made")

    assert eunoe("fact", "retire", made["id"], "--reason", "it was none").lines[0].startswith("taken back: ")
    assert values(eunoe, "--subject", "entity").count("made") == 0
    assert any(
        line.endswith("  retired by person ada: it was none") for line in eunoe("fact", "history", made["id"]).lines
    )


def test_a_preview_shows_what_would_be_and_leaves_what_is(eunoe: Shell) -> None:
    """Another value in the place of a live fact, and one taken away; seen in the preview only, and taken back."""
    first, second = stated(eunoe, "entity", "color", "red"), stated(eunoe, "entity", "shape", "round")
    blue = stated(eunoe, "entity", "color", "blue", "--preview", "trial", "--replaces", first["id"])

    hidden = eunoe("fact", "delete", second["id"], "--preview", "trial")

    assert hidden.lines[0] == "taken away in the preview trial: entity shape"
    live, trial = values(eunoe, "--subject", "entity"), values(eunoe, "--subject", "entity", "--preview", "trial")
    assert ({"red", "round"} <= set(live), "blue" in live) == (True, False)
    assert ("blue" in trial, {"red", "round"} & set(trial)) == (True, set())
    assert eunoe("fact", "retire", blue["id"], "--preview", "trial").code == 0
    assert "red" in values(eunoe, "--subject", "entity", "--preview", "trial")


def test_a_preview_that_holds_nothing_says_so(eunoe: Shell) -> None:
    """A mistyped name is seen, in a list and in a context, beside what is live; one that holds something is silent."""
    stated(eunoe, "entity", "bird", "blue", "--preview", "birds")
    says = "eunoe: nothing is in the preview 'bird'; what it shows is what is live\n"

    for command in (("facts",), ("facts", "--thread", "builder"), ("context", "builder", "next")):
        wrong, right = (eunoe(*command, "--preview", name) for name in ("bird", "birds"))
        assert (wrong.code, wrong.err, right.err) == (0, says, "")
        assert wrong.out


def test_an_agent_is_told_of_what_a_preview_holds_in_the_thread_that_it_names(eunoe: Shell) -> None:
    """What a person tried there is something; another name is none."""
    agent = eunoe.named("agent", "helper")
    stated(eunoe, "note", "lamp", "off", "--thread", "builder", "--preview", "lamps")

    wrong, right = (agent("context", "builder", "next", "--preview", name) for name in ("lamp", "lamps"))

    assert (right.code, right.err) == (0, "")
    assert wrong.err == "eunoe: nothing is in the preview 'lamp'; what it shows is what is live\n"


def test_a_fact_of_a_preview_is_changed_where_the_preview_is_named(eunoe: Shell) -> None:
    """Elsewhere it is not to be found, which is said; a live fact is not changed by who names a preview."""
    live, tried = stated(eunoe, "entity", "cat", "grey"), stated(eunoe, "entity", "dog", "brown", "--preview", "pets")

    for verb in ("why", "history", "pin", "retire", "delete"):
        line = refused(eunoe("fact", verb, tried["id"]), 1)
        assert line == f"{tried['id']} is a fact of the preview 'pets'; name that preview (--preview)"
    assert refused(eunoe("fact", "pin", live["id"], "--preview", "pets"), 2).startswith(
        f"{live['id']} is no fact of the preview 'pets' but a live one"
    )
    assert eunoe("fact", "why", tried["id"], "--preview", "pets").lines[-1] == (
        f"every version: eunoe fact history {tried['id']} --preview pets"
    )
    pinned = eunoe("fact", "pin", tried["id"], "--preview", "pets")
    assert pinned.lines[-1] == f"undo: eunoe fact pin {tried['id']} --off --preview pets"
    assert eunoe("fact", "label", tried["id"], "infra", "--preview", "pets").lines[-1] == "labels: infra"
    moved = eunoe("fact", "scope", tried["id"], "session", "--session", "zoo", "--preview", "pets", "--json").json
    assert values(eunoe, "--session", "zoo", "--scope", "session") == []
    gone = eunoe("fact", "delete", moved["id"], "--preview", "pets")
    assert (gone.code, gone.lines[0]) == (0, f"deleted: {moved['id']}  entity dog: brown")


def test_a_whole_preview_is_counted_and_dropped(eunoe: Shell) -> None:
    """Owner by owner, what replaces live facts and what takes them away; live ones are seen in it again."""
    first, second = stated(eunoe, "entity", "sun", "hot"), stated(eunoe, "entity", "moon", "cold")
    stated(eunoe, "entity", "sun", "mild", "--preview", "sky", "--replaces", first["id"])
    stated(eunoe, "note", "wind", "weak", "--preview", "sky", "--thread", "builder")
    assert eunoe("fact", "delete", second["id"], "--preview", "sky").code == 0
    again = refused(eunoe("fact", "delete", second["id"], "--preview", "sky"), 2)
    assert again.startswith(f"{second['id']} is not seen in the preview 'sky': there f")
    assert again.endswith(" takes it away")
    shown = eunoe("facts", "--subject", "entity", "--preview", "sky")
    assert any(f"in place of hot ({first['id']})" in line for line in shown.lines)
    assert any(line.startswith(second["id"]) and line.endswith("removed") for line in shown.lines)

    counted = eunoe("fact", "delete", "--preview", "sky", "--dry-run")
    assert counted.lines == [
        "permanent · shared: 2 facts (entity 2)",
        "thread · builder: 1 fact (note 1)",
        "preview sky: 3 facts (entity 2, note 1) would go; nothing was changed",
    ]
    assert refused(eunoe("fact", "delete", "--preview", "sky"), 2).startswith(
        "this would delete 3 facts (entity 2, note"
    )
    assert eunoe("fact", "delete", "--preview", "sky", "--thread", "builder", "--yes").lines[0] == (
        "thread · builder · preview sky: deleted 1 fact (note 1)"
    )
    assert eunoe("fact", "delete", "--preview", "sky", "--yes").lines[1] == "preview sky: deleted 2 facts (entity 2)"
    assert {"hot", "cold"} <= set(values(eunoe, "--subject", "entity", "--preview", "sky"))
    assert eunoe("fact", "delete", "--preview", "sky", "--yes").lines == ["preview sky: no facts here"]


def test_an_agent_changes_its_own_facts_from_where_it_is(eunoe: Shell) -> None:
    """It names the thread or the session; without one, what is of it is not there for the agent."""
    agent = eunoe.named("agent", "helper")
    here = ("--thread", "workbench")
    made = stated(agent, "note", "lamp", "on", *here, "--new")

    assert refused(agent("fact", "pin", made["id"]), 1).startswith(f"there is no fact {made['id']} here")
    assert agent("fact", "why", made["id"], *here).lines[2] == "on"
    assert agent("fact", "history", made["id"], *here).code == 0
    assert agent("fact", "pin", made["id"], *here).lines[0].startswith("pinned: ")
    assert agent("fact", "pin", made["id"], "--off", *here).code == 0
    assert agent("fact", "label", made["id"], "infra", *here).lines[-1] == "labels: infra"
    assert refused(agent("fact", "scope", made["id"], "permanent", *here), 1) == (
        "an agent moves its own facts between thread and session; a person makes one permanent"
    )
    assert refused(agent("fact", "delete", made["id"]), 1).startswith("an agent may not delete facts; it may retire")
    done = agent("fact", "retire", made["id"], *here)
    assert (done.code, done.lines[0]) == (0, f"taken back: {made['id']}  note lamp: on")
    assert refused(agent("fact", "approve", made["id"]), 1).startswith("an agent may not approve proposals")


def test_sources_that_disagree_are_listed_with_the_one_that_leads(eunoe: Shell) -> None:
    """A person's word before what a tool saw; the loser and its source stand under it, and who acted in the history."""
    made = stated(eunoe, "branch", "main", "--thread", "builder")

    conflicts = eunoe("fact", "conflicts", "--thread", "builder").lines

    at = next(index for index, line in enumerate(conflicts) if line.startswith(made["id"]))
    assert conflicts[at].split()[3] == "main"
    assert conflicts[at].endswith("conflict")
    assert "≠ dry-run" in conflicts[at + 1]
    assert eunoe("fact", "why", made["id"]).lines[5].startswith("why: ")


def test_an_agents_proposal_waits_for_a_person(eunoe: Shell) -> None:
    """Known in its own thread only; approved it is a fact of the person's for everyone."""
    planner = eunoe.named("agent", "builder")
    done = planner("fact", "set", "decision", "retries", "three at most", "--thread", "builder")
    assert done.code == 0, done.err

    proposal = next(fact for fact in eunoe("fact", "proposed", "--json").json["facts"])
    assert "three at most" not in values(eunoe, "--scope", "permanent")
    denied = refused(eunoe.named("caller", "ci")("fact", "approve", proposal["id"]), 1)
    assert denied == "a caller may not approve proposals; a person may"
    approved = eunoe("fact", "approve", proposal["id"])

    assert re.match(r"approved: f\w{10}  decision retries: three at most", approved.lines[0])
    assert "three at most" in values(eunoe, "--scope", "permanent")
    assert eunoe("fact", "proposed", "--json").json["facts"] == []
    assert "proposal" in refused(eunoe("fact", "approve", proposal["id"]), 2)


# Deleting


def test_a_deleted_fact_is_in_no_read_and_its_history_tells_who_did_it(eunoe: Shell) -> None:
    """Gone from lists and contexts at once; --all and the history still show it, and the receipt names its traces."""
    made = stated(eunoe, "decision", "deploys", "on Fridays only")
    assert "on Fridays only" in eunoe("context", "builder", "--prompt", "When do we deploy?").out

    done = eunoe("fact", "delete", made["id"][:6], "--reason", "never decided", "--json")

    assert done.code == 0, done.err
    assert {trace["kind"] for trace in done.json["traces"]} >= {"document", "index"}
    assert "on Fridays only" not in values(eunoe)
    assert "on Fridays only" not in eunoe("context", "builder", "--prompt", "When do we deploy?").out
    assert "on Fridays only" in values(eunoe, "--all")
    history = eunoe("fact", "history", made["id"]).lines
    assert any(line.endswith("  deleted by person ada: never decided") for line in history)
    assert history[-1] == "nothing of it is in force"


def test_a_whole_thread_is_counted_first_and_deleted_once_it_is_wanted(eunoe: Shell) -> None:
    """A dry run changes nothing, and without a terminal nobody can be asked."""
    before = values(eunoe, "--thread", "reviewer", "--scope", "thread")
    everywhere = len(facts(eunoe))
    assert before

    dry = eunoe("fact", "delete", "--thread", "reviewer", "--dry-run")
    line = refused(eunoe("fact", "delete", "--thread", "reviewer"), 2)

    assert " ".join(dry.lines).endswith(" would go; nothing was changed")
    assert dry.lines[0].startswith(f"thread · reviewer: {len(before)} facts (")
    assert line.startswith(f"this would delete {len(before)} facts (")
    assert values(eunoe, "--thread", "reviewer", "--scope", "thread") == before
    done = eunoe("fact", "delete", "--thread", "reviewer", "--yes")
    assert done.lines[0].startswith(f"thread · reviewer: deleted {len(before)} facts (")
    assert values(eunoe, "--thread", "reviewer", "--scope", "thread") == []
    assert len(facts(eunoe)) == everywhere - len(before)


def test_a_session_s_and_an_agent_s_facts_are_deleted_each_by_itself(eunoe: Shell) -> None:
    """Others of the same scope keep theirs; what is shared is counted as the agents' own is not."""
    for session in ("sprint-1", "sprint-2"):
        stated(eunoe, "service", "port", "8080", "--session", session)
    for agent in ("alpha", "beta"):
        stated(eunoe, "entity", "cache", "warm", "--owner", agent)

    done = eunoe("fact", "delete", "--session", "sprint-1", "--yes")
    assert done.lines[0] == "session · sprint-1: deleted 1 fact (service 1)"
    assert values(eunoe, "--session", "sprint-1", "--scope", "session") == []
    assert values(eunoe, "--session", "sprint-2", "--scope", "session") == ["8080"]
    done = eunoe("fact", "delete", "--agent", "alpha", "--yes")
    assert done.lines[0] == "permanent · alpha: deleted 1 fact (entity 1)"
    owners = {fact["identity"]["owner"] for fact in facts(eunoe, "--scope", "permanent")}
    assert ("alpha" in owners, "beta" in owners) == (False, True)
    shared = eunoe("fact", "delete", "--scope", "permanent", "--dry-run")
    assert shared.lines[0].startswith("permanent · shared: ")
    assert eunoe("session", "end", "sprint-2", "--yes").code == 0
    assert eunoe("fact", "delete", "--session", "sprint-2", "--yes").lines == ["session · sprint-2: no facts here"]


def test_only_a_person_deletes(eunoe: Shell) -> None:
    """An agent is refused in one line, for one fact and for a whole place, and nothing is gone."""
    made = stated(eunoe, "decision", "keep", "this one")
    agent = eunoe.named("agent", "builder")

    for arguments in ([made["id"]], ["--scope", "permanent", "--yes"]):
        line = refused(agent("fact", "delete", *arguments), 1)
        assert line == (
            "an agent may not delete facts; it may retire its own (`eunoe fact retire ID`), or a person deletes"
        )
    assert "this one" in values(eunoe, "--subject", "decision")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["history", "fzzzzzz"], 1, "there is no fact fzzzzzz here"),
        (["why", "fzzzzzz"], 1, "there is no fact fzzzzzz here"),
        (["delete", "fzzzzzz"], 1, "there is no fact fzzzzzz here"),
        (["pin", "fzz"], 2, "'fzz' is no fact's id; give it, or its first 5 characters"),
        (["label", "fzzzzzz"], 2, "missing argument 'LABEL'"),
        (["approve", ""], 2, "the fact id is empty"),
        (["scope", "fzzzzzz", "world"], 2, "there is no scope 'world'; the scopes are permanent, session, thread"),
        (["scope", "fzzzzzz", "thread", "--owner", "a"], 2, "--owner says whose a permanent fact is, and thread means"),
        (["scope", "fzzzzzz", "thread", "--session", ""], 2, "the session id is empty"),
        (["pin", "fzzzzzz", "--preview", ""], 2, "the preview id is empty"),
        (["why", "fzzzzzz", "--thread", " "], 2, "the thread id is empty"),
        (["delete"], 2, "give the ID of a fact, a place with --thread, --session, --agent or --scope permanent, or a"),
        (
            ["delete", "--scope", "thread"],
            2,
            "name the thread with --thread; a deletion is of one thread at a time, never",
        ),
        (["delete", "--thread", "builder", "--agent", "builder"], 2, "name one place with --thread"),
        (["delete", "fzzzzzz", "--dry-run"], 2, "--dry-run counts a whole place"),
        (["delete", "fzzzzzz", "--thread", "builder"], 2, "give an ID, or a place with"),
        (["delete", "--thread", ""], 2, "the thread id is empty"),
        (["delete", "--thread", "nope"], 1, "there is no thread 'nope'"),
        (["delete", "--scope", ""], 2, "there is no scope ''"),
    ],
)
def test_what_is_not_there_is_one_line(eunoe: Shell, arguments: list[str], code: int, words: str) -> None:
    """A blank narrows nothing and is refused, so it never means everything."""
    assert refused(eunoe("fact", *arguments), code).startswith(words)


def test_what_is_not_for_an_agents_eyes_is_not_there_for_it(eunoe: Shell) -> None:
    """A fact of a thread is neither shown nor changed by its id from elsewhere; what is shared is."""
    private, shared = (
        stated(eunoe, "note", "pin", "4711", "--thread", "builder"),
        stated(eunoe, "entity", "pin", "4712"),
    )
    agent = eunoe.named("agent", "stranger")

    for verb in ("history", "why", "retire", "pin"):
        line = refused(agent("fact", verb, private["id"]), 1)
        assert line.startswith(f"there is no fact {private['id']} here"), verb
    assert agent("fact", "history", shared["id"]).code == 0


def test_the_kinds_and_labels_are_those_of_the_workers(eunoe: Shell) -> None:
    """With the numbers of the labels, and how to add one."""
    lines = eunoe("kinds").lines

    assert any(line.startswith("decision  permanent · one value a name · names in any case") for line in lines)
    assert "labels: release (1), infra (2)" in lines


def test_why_a_fact_is_known_leads_to_bytes_that_can_be_shown(eunoe: Shell) -> None:
    """The bytes that are named are those of the entry that `eunoe show` prints."""
    tests = next(fact for fact in facts(eunoe, "--thread", "builder") if fact["identity"]["subject"] == "tests")

    why = eunoe("fact", "why", tests["id"], "--json").json

    evidence = why["evidence"][0]
    whole = eunoe("show", "builder", str(evidence["entry"])).raw
    assert whole[evidence.get("start", 0) : evidence["end"]].decode() == evidence["text"]
    assert len(whole) == evidence["size"]


def test_a_reader_that_leaves_ends_a_command_without_a_word(eunoe: Shell) -> None:
    """As with ``| head -1``: no traceback, and no failure, wherever the pipe was closed."""
    fact = stated(eunoe, "decision", "piped", "on")["id"]
    commands = (["kinds"], ["kinds", "--json"], ["facts", "--thread", "builder"], ["fact", "why", fact])
    running = [eunoe.pipe(*command) for command in commands]

    for command, process in zip(commands, running, strict=True):
        assert process.stdout is not None
        assert process.stderr is not None
        with process:
            process.stdout.close()
            assert process.stderr.read() == b"", command
        assert process.returncode == 0, command
