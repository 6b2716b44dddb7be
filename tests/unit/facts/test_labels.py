"""Labels: names for numbers that never change their meaning, refused with their own name when they cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from eunoe.facts.labels import Labels
from eunoe.runtime.configuration import load
from eunoe.schemas.errors import Invalid, Misconfigured


def test_names_and_numbers_are_read_both_ways() -> None:
    """Without regard to case, edges, and how a letter and its accent are composed."""
    labels = Labels({"Urgent": 2, "caf\u00e9": 1})
    assert labels.items() == {"café": 1, "urgent": 2}
    assert [labels.number(name) for name in ("urgent", " URGENT ", "cafe\u0301")] == [2, 2, 1]
    assert labels.names([1, 2, 7]) == ("café", "urgent", "#7")


def test_an_unknown_name_is_refused_with_what_there_is() -> None:
    """And how one is declared, when there are none at all."""
    with pytest.raises(Invalid, match=r"no label 'later' \(there are urgent, warm\); declare it under `labels`"):
        Labels({"warm": 9, "urgent": 1}).number("later")
    with pytest.raises(Invalid, match=r"no label 'later'; declare it under `labels` in the workers' configuration"):
        Labels().number("later")
    with pytest.raises(Invalid, match=r"l20 and 80 more\); ") as caught:
        Labels({f"l{number}": number for number in range(1, 101)}).number("x" * 10_000)
    assert len(str(caught.value)) < 400


def test_a_number_that_lost_its_name_can_still_be_taken_off() -> None:
    """By ``#`` and the number; a declared name works as well, and nothing else does."""
    labels = Labels({"urgent": 1})
    assert [labels.undeclared(name) for name in ("#7", " #1023 ", "Urgent")] == [7, 1_023, 1]
    for wrong in ("#0", "#1024", "#", "#x", "7", "#²", "#" + "9" * 5_000):
        with pytest.raises(Invalid, match="no label"):
            labels.undeclared(wrong)


@pytest.mark.parametrize(
    ("declared", "says"),
    [
        ({"urgent": 0}, "labels.urgent: 0 is no label's number"),
        ({"urgent": 1_024}, "labels.urgent: 1024 is no label's number"),
        ({"urgent": 1, "Urgent ": 2}, "labels.Urgent : 'urgent' is declared twice"),
        ({"urgent": 1, "warm": 1}, "labels.warm: 1 is the number of 'urgent'"),
        ({"": 1}, "labels.: a label's name is one line"),
        ({"a\nb": 1}, r"labels.'a\nb': a label's name is one line"),
        ({"a  b": 1}, "labels.a  b: a label's name is one line"),
        ({"\u200b": 1}, "a label's name is one line"),
        ({"x" * 65: 1}, "65 characters long; the limit is 64"),
        ({"#7": 7}, "labels.#7: a name does not begin with #"),
    ],
)
def test_a_label_that_cannot_be_is_refused_by_name(declared: dict[str, int], says: str) -> None:
    """When it is declared, not when it is used."""
    with pytest.raises(Misconfigured) as caught:
        Labels(declared)
    assert says in str(caught.value)


def test_labels_are_checked_when_the_configuration_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a file as from a variable; the names are kept as they are compared."""
    file = tmp_path / "config.toml"
    file.write_text("[labels]\nUrgent = 3\n", encoding="utf-8")
    monkeypatch.setenv("EUNOE_CONFIG", str(file))
    assert load().settings.labels == {"urgent": 3}
    monkeypatch.setenv("EUNOE_LABELS", '{"warm": 3}')
    with pytest.raises(Misconfigured, match=r"labels \(EUNOE_LABELS\) is not valid: labels.warm: 3 is the number of"):
        load()
    monkeypatch.setenv("EUNOE_LABELS", '{"warm": "hot"}')
    with pytest.raises(Misconfigured, match=r"labels.warm 'hot' .* a whole number"):
        load()
