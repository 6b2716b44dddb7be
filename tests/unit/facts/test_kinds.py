"""Kinds as data: what a configuration changes, what it may not, and how kinds are told of."""

from __future__ import annotations

from typing import Any

import pytest

from eunoe.facts.kinds import SHIPPED, Kinds
from eunoe.schemas.errors import Misconfigured


def test_configuration_changes_a_kind_field_by_field() -> None:
    """What is not given stays as shipped; a new name is a new kind."""
    kinds = Kinds({"file": {"distil": True}, "ticket": {"fact_class": "permanent", "description": "A ticket."}})
    assert kinds["file"].distil
    assert kinds["file"].normaliser == "path"
    assert kinds["ticket"].scope == "permanent"
    assert kinds["unheard of"].fact_class == "dynamic"
    assert kinds.name("workdir", "anything") == "current"


def test_kinds_say_what_the_configuration_changed() -> None:
    """Of a changed kind the fields that differ, of an added one all; a shipped value given again changes nothing."""
    described = Kinds(
        {
            "file": {"distil": True, "note": False},
            "task": {"single": True},
            "ticket": {"fact_class": "permanent", "description": "A ticket."},
        }
    ).describe()
    views = {view.name: view for view in described}
    assert [view.name for view in described] == sorted({*SHIPPED, "ticket"})
    assert (views["file"].origin, views["file"].fields, views["file"].scope) == ("changed", ("distil",), "thread")
    assert (views["task"].origin, views["task"].fields) == ("shipped", ())
    assert (views["ticket"].origin, views["ticket"].scope, views["ticket"].normaliser) == ("added", "permanent", "trim")
    fields = {"fact_class", "normaliser", "description", "distil", "note", "single", "record"}
    assert set(views["ticket"].fields) == fields


def test_what_tools_tell_is_no_models_word() -> None:
    """Kinds that tools own are neither noted nor distilled, unless a fleet says so. Others may tell of them."""
    kinds = Kinds({"machine": {"note": True}})
    assert [kinds.takes("file", method) for method in ("noted", "distilled", "stated", "extracted")] == [
        False,
        False,
        True,
        True,
    ]
    assert kinds.takes("machine", "noted")
    assert not kinds.takes("machine", "distilled")
    assert kinds.takes("unheard of", "noted")
    assert not kinds.takes("unheard of", "distilled")


def test_records_are_reviews_own() -> None:
    """A record kind needs a description and no more: of a session, as written, no distiller's and no note's."""
    kinds = Kinds({"lesson": {"record": True, "description": "What was learnt."}})
    for name in ("guidance", "fact", "event", "reference", "lesson"):
        kind = kinds[name]
        assert (kind.record, kind.fact_class, kind.scope, kind.normaliser) == (True, "ephemeral", "session", "trim")
        assert [kinds.takes(name, method) for method in ("noted", "distilled", "stated", "inferred")] == [
            False,
            False,
            True,
            True,
        ]
    assert [name for name, kind in Kinds().items() if kind.record] == ["event", "fact", "guidance", "reference"]


def test_a_fleet_words_a_shipped_record_kind_anew() -> None:
    """It stays a record kind, and is told of as changed in that one field."""
    described = Kinds({"guidance": {"description": "House rules."}}).describe()
    view = next(view for view in described if view.name == "guidance")
    assert (view.record, view.origin, view.fields, view.description) == (
        True,
        "changed",
        ("description",),
        "House rules.",
    )


@pytest.mark.parametrize(
    ("definition", "says"),
    [
        ({"ticket": {"description": "x"}}, "kinds.ticket.fact_class: a new kind needs it"),
        ({"ticket": {"fact_class": "permanent"}}, "kinds.ticket.description: a new kind needs it"),
        ({"file": {"normaliser": "upper"}}, "kinds.file.normaliser: 'upper' is none of them; it must be 'trim', "),
        (
            {"file": {"fact_class": "lasting"}},
            "kinds.file.fact_class: 'lasting' is none of them; it must be 'permanent'",
        ),
        ({"file": {"colour": "red"}}, "kinds.file.colour: there is no such field; those of a kind are fact_class, "),
        ({"file": {"description": ""}}, "kinds.file.description: the description is empty"),
        ({"file": {"description": " \u200b"}}, "kinds.file.description: the description is empty"),
        ({"file": {"description": "x" * 501}}, "kinds.file.description: 'xxx"),
        ({"file": {"description": 3}}, "kinds.file.description: 3 is no text"),
        ({"file": {"note": "maybe"}}, "kinds.file.note: 'maybe' is neither true nor false"),
        ({"file": {"note": None}}, "kinds.file.note: None is neither true nor false"),
        (
            {"note": {"record": True}},
            "kinds.note: memory records are kept by reviews alone, so with `record` go fact_class ephemeral, "
            "normaliser trim, distil false, note false",
        ),
        ({"lesson": {"record": "perhaps", "description": "x"}}, "kinds.lesson.fact_class: a new kind needs it"),
        ({"guidance": {"record": "perhaps"}}, "kinds.guidance.record: 'perhaps' is neither true nor false"),
        ({" x": {}}, "kinds: ' x' cannot name a kind"),
        ({"": {}}, "kinds: '' cannot name a kind"),
        ({"a\x07": {}}, r"kinds: 'a\x07' cannot name a kind; use one line"),
        ({"x" * 65: {}}, "it is 65 bytes long, and the limit is 64"),
    ],
)
def test_a_bad_definition_is_refused_with_its_field(definition: dict[str, dict[str, Any]], says: str) -> None:
    """In one line of bounded length that names the place of what is wrong."""
    with pytest.raises(Misconfigured) as caught:
        Kinds(definition)
    assert says in str(caught.value)
    assert len(str(caught.value)) < 250
