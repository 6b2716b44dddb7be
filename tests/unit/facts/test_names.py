"""One thing has one name: normalisers, and kinds as data."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eunoe.facts.kinds import Kinds
from eunoe.facts.names import NORMALISERS
from eunoe.facts.values import cut, normal, one_line, same
from eunoe.schemas.errors import Misconfigured


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("cd /src && pytest -q", "pytest -q"),
        ("cd '/my src' && cd lib; pytest", "pytest"),
        ("set -o pipefail; make test 2>&1 | tail -20", "make test"),
        ("set -euo pipefail && go test ./... 2>&1", "go test ./..."),
        ("pytest | head -n 5", "pytest"),
        ("pytest | grep x", "pytest | grep x"),
        ("cd /only", "cd /only"),
    ],
)
def test_a_command_is_named_without_its_wrapping(given: str, expected: str) -> None:
    """What changes neither what runs nor its outcome is not part of the name."""
    assert NORMALISERS["command"](given, "") == expected


@pytest.mark.parametrize(
    ("given", "root", "expected"),
    [
        ("/repo/src/a.py", "/repo", "src/a.py"),
        ("./src/../src/a.py", "/repo", "src/a.py"),
        ("/repository/a.py", "/repo", "/repository/a.py"),
        ("src\\a.py", "", "src/a.py"),
        ("/a.py", "/", "/a.py"),
    ],
)
def test_a_path_is_relative_to_its_root(given: str, root: str, expected: str) -> None:
    """Only below the root: a root that is merely a prefix of a name does not count (F71)."""
    assert NORMALISERS["path"](given, root) == expected


def test_casefold_strips_quotes_and_punctuation_of_the_edges() -> None:
    """``"Code  Name:"`` and ``code name`` are one; a name of punctuation alone stays what it is."""
    assert NORMALISERS["casefold"]('"Code  Name:"', "") == "code name"
    assert NORMALISERS["casefold"]("...", "") == "..."


@settings(deadline=None)
@given(st.text(max_size=300), st.sampled_from(sorted(NORMALISERS)))
def test_normalising_twice_changes_nothing(name: str, normaliser: str) -> None:
    """Every normaliser is idempotent, in particular a bounded one."""
    normalise = {str(key): value for key, value in NORMALISERS.items()}[normaliser]
    once = normalise(name, "")
    assert normalise(once, "") == once
    assert len(once.encode()) <= 512


def test_values_are_one_line_without_control_characters() -> None:
    """Breaks (U+2028 too) become a space; NUL, ESC and half surrogates go (F47)."""
    assert one_line("a\x00b\x1b[1m\u2028c\r\n d\ud800") == "ab[1m c d"
    assert same("Straße  x", "STRASSE X")
    assert normal("  A\tb ") == "a b"
    assert cut("abcdef", 4) == "abc…"


def test_configuration_changes_a_kind_field_by_field() -> None:
    """What is not given stays as shipped; a new name is a new kind."""
    kinds = Kinds({"file": {"distil": True}, "ticket": {"fact_class": "permanent", "description": "A ticket."}})
    assert kinds["file"].distil
    assert kinds["file"].normaliser == "path"
    assert kinds["ticket"].scope == "permanent"
    assert kinds["unheard of"].fact_class == "dynamic"
    assert kinds.name("workdir", "anything") == "current"


@pytest.mark.parametrize(
    ("definition", "field"),
    [
        ({"ticket": {"description": "x"}}, "kinds.ticket.fact_class"),
        ({"file": {"normaliser": "upper"}}, "kinds.file.normaliser"),
        ({"file": {"colour": "red"}}, "kinds.file.colour"),
        ({" x": {}}, "kinds"),
    ],
)
def test_a_bad_definition_is_refused_with_its_field(definition: dict[str, dict[str, str]], field: str) -> None:
    """The message begins with the place of what is wrong."""
    with pytest.raises(Misconfigured) as caught:
        Kinds(definition)
    assert str(caught.value).startswith(field)
