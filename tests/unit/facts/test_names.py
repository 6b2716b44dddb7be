"""One thing has one name: normalisers, and when two texts are the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eunoe.facts.names import NORMALISERS, Normaliser
from eunoe.facts.values import cut, normal, one_line, same


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
    """``"Code  Name:"`` and ``code name`` are one; of a name of such punctuation alone nothing is left."""
    assert NORMALISERS["casefold"]('"Code  Name:"', "") == "code name"
    assert NORMALISERS["casefold"]("...", "") == NORMALISERS["casefold"](' "?" ', "") == ""
    assert NORMALISERS["casefold"]("C++", "") == "c++"


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


@pytest.mark.parametrize(
    ("left", "right"), [("Caf\u00e9", "cafe\u0301"), ("\u212bngstr\u00f6m", "A\u030angstro\u0308m")]
)
def test_texts_are_compared_however_they_are_composed(left: str, right: str) -> None:
    """An accented letter, and a letter with its accent, are one text: as values, and in names of people and things."""
    assert same(left, right)
    assert NORMALISERS["casefold"](left, "") == NORMALISERS["casefold"](right, "")
    assert NORMALISERS["trim"]("x\u0301", "") == NORMALISERS["trim"]("x\u0301 ", "")


def test_files_and_commands_keep_the_spelling_they_have() -> None:
    """A file system keeps two spellings apart, so they are two names."""
    for normalise in (NORMALISERS["path"], NORMALISERS["command"]):
        assert normalise("caf\u00e9", "") != normalise("cafe\u0301", "")


def test_long_names_that_differ_late_stay_apart() -> None:
    """What was cut off is told by a digest: 512 bytes at most, and between characters."""
    one, other = (NORMALISERS["command"]("pytest " + "é" * 300 + end, "") for end in ("a", "b"))
    assert one != other
    assert one.startswith("pytest é")
    assert len(one.encode()) <= 512


@pytest.mark.parametrize("normaliser", ["trim", "casefold", "command", "path"])
def test_a_name_that_shows_nothing_is_empty(normaliser: Normaliser) -> None:
    """Space, breaks, control characters and those without a shape."""
    assert NORMALISERS[normaliser](" \u200b\x00\u2028\ufeff", "") == ""
