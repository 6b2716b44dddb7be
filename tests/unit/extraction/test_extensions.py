"""What an installed package brings for extraction, found by its entry point."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from extracting import derived, facts_of
from turns import call, used

from eunoe.extraction import extensions
from eunoe.extraction.calls import Call
from eunoe.extraction.found import Around, Extractor, Found, Profile
from eunoe.extraction.registry import Registry
from eunoe.schemas.errors import Misconfigured

MODULE = """
from eunoe.extraction.found import Extractor, Found, Profile


def read(call, around):
    yield Found("note", call.argument("lamp"), call.text)


profile = Profile("home", {"peek": "read", "switch": "lamp"}, (Extractor("lamps", read, frozenset({"lamp"})),))
other = object()
"""


def installed(folder: Path, value: str, monkeypatch: pytest.MonkeyPatch, module: str = "acme_lamps") -> None:
    """A distribution with one module and one entry point, on the path as an install would have it."""
    (folder / f"{module}.py").write_text(MODULE, encoding="utf-8")
    about = folder / f"{module}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(f"[eunoe.extraction]\nhome = {value}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))


def test_nothing_is_brought_where_nothing_is_installed() -> None:
    assert extensions.load() == ()


def test_an_entry_point_brings_shapes_and_extractors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tools of a shipped shape, and of one of its own with the extractor that reads it."""
    installed(tmp_path, "acme_lamps:profile", monkeypatch)

    registry = Registry(profiles=extensions.load())

    assert facts_of(call("peek", {"path": "/a"}, "x"), registry) == [
        ("file", "/a", "read lines 1-1, to the end, 1 bytes")
    ]
    assert facts_of(call("home.switch", {"lamp": "hall"}, "on"), registry) == [("note", "hall", "on")]


def test_the_body_that_an_extractor_gives_is_without_secrets() -> None:
    """A package may hand over what a tool printed as it is."""

    def read(call: Call, around: Around) -> Iterator[Found]:
        yield Found("note", "login", "done", call.text)

    registry = Registry(profiles=(Profile("home", {"login": "in"}, (Extractor("logins", read, frozenset({"in"})),)),))
    _, facts = derived(*used(1, "login", {}, "welcome\npassword: hunter2\n"), registry=registry)

    assert [fact.content for fact in facts] == ["welcome\npassword: [redacted]\n"]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("acme_broken:other", "is no eunoe.extraction.found.Profile but object"),
        ("acme_broken:missing", "cannot be loaded: AttributeError: "),
        ("acme_nowhere:profile", "cannot be loaded: ModuleNotFoundError: "),
    ],
)
def test_an_entry_point_that_gives_no_profile_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str, reason: str
) -> None:
    """It is named, with the reason."""
    installed(tmp_path, value, monkeypatch, module="acme_broken")

    with pytest.raises(Misconfigured) as caught:
        extensions.load()

    assert str(caught.value).startswith(f"the extension home (eunoe.extraction: {value}) {reason}")
