"""A session on the command line, against `eunoe up`: how it stands, what it carries, and its end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from shell import Shell

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def eunoe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """Ada's shell, whose memory holds one recorded agent of the session ``release``."""
    shell = Shell(tmp_path_factory.mktemp("home")).named("person", "ada")
    with shell.up():
        done = shell("import", EXAMPLES / "builder.json", "--agent", "builder", "--session", "release")
        assert done.code == 0, done.err
        yield shell


def test_a_session_shows_how_it_stands(eunoe: Shell) -> None:
    """When it expires, who takes part, what it holds, and the state that was set last."""
    assert eunoe("fact", "set", "service", "web", "port 8080", "--session", "release").code == 0
    done = eunoe("session", "set", "release", '{"step": 2}')

    assert (done.code, done.err) == (0, "")
    assert re.fullmatch(r"session release: open, expires 2\d{3}-\d\d-\d\d \d\d:\d\d:00Z", done.lines[0])
    assert done.lines[2:4] == ["agents: builder", "threads: builder"]
    assert re.fullmatch(r"[1-9]\d* facts? in force", done.lines[4])
    assert re.fullmatch(r"state f[a-z2-7]{10}, set by person ada:", done.lines[5])
    assert done.lines[6] == '{"step":2}'
    assert eunoe("session", "show", "release").lines[5:] == done.lines[5:]
    assert "step" in eunoe("context", "builder", "next").out


def test_a_state_is_set_from_the_one_that_was_seen(eunoe: Shell) -> None:
    """A stale edit is refused with what is there; one that saw it is taken."""
    eunoe("session", "set", "release", '{"step": 3}')
    seen = eunoe("session", "show", "release", "--json").json["record"]["state_id"]

    stale = eunoe("session", "set", "release", "4", "--expected", "none")
    taken = eunoe("session", "set", "release", "4", "--expected", seen, "--json")

    assert stale.code == 1
    assert seen in stale.complaint
    assert (taken.code, taken.json["record"]["state"]) == (0, "4")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("show", "nobody"), 1, "nothing is known of a session 'nobody'"),
        (("end", "nobody", "--yes"), 1, "nothing is known of a session 'nobody'"),
        (("show", ""), 2, "the session id is empty"),
        (("end", "  ", "--yes"), 2, "the session id is empty"),
        (("set", "", "1"), 2, "the session id is empty"),
        (("set", "release", "{broken"), 2, "the state is to be JSON"),
        (("set", "release", '"' + "x" * 20_000 + '"'), 2, "the limit is 16,384"),
        (("end", "release"), 2, "add --yes"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(
    eunoe: Shell, arguments: tuple[str, ...], code: int, says: str
) -> None:
    """Unknown and blank sessions, and a state that is none, with the way out."""
    done = eunoe("session", *arguments)

    assert done.code == code
    assert says in done.complaint


def test_a_session_that_ended_says_so_and_begins_anew(eunoe: Shell) -> None:
    """Its facts and state are gone at once; ending it again changes nothing; a new fact is all that it holds then."""
    assert eunoe("fact", "set", "service", "db", "up", "--session", "brief").code == 0
    done = eunoe("session", "end", "brief", "--yes", "--reason", "all done")
    again = eunoe("session", "end", "brief", "--yes", "--json")
    facts = eunoe("facts", "--scope", "session", "--session", "brief", "--all", "--json")
    assert eunoe("fact", "set", "service", "cache", "up", "--session", "brief").code == 0
    held = eunoe("facts", "--scope", "session", "--session", "brief", "--json").json["facts"]

    assert done.code == 0
    assert re.fullmatch(r"session brief: ended [-:\dT ]+Z by person ada: all done", " ".join(done.lines))
    assert (again.code, again.json["status"], again.json["record"]["reason"]) == (0, "ended", "all done")
    assert (facts.code, facts.json["facts"]) == (0, [])
    assert re.fullmatch(r"eunoe: session brief: ended .* by person ada: all done\n", facts.err)
    assert [fact["identity"]["name"] for fact in held] == ["cache"]
    assert eunoe("session", "show", "brief", "--json").json["status"] == "open"
