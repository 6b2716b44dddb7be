"""Kinds of facts as people read them."""

from __future__ import annotations

from typing import Any

from views import plain

from eunoe.cli import kinds_view
from eunoe.schemas.requests import KindsReply, KindView


def kind(**rest: Any) -> KindView:
    given: dict[str, Any] = {
        "name": "decision", "fact_class": "permanent", "scope": "permanent", "normaliser": "casefold",
        "description": "What was decided.", "distil": True, "note": True, "single": True, "origin": "shipped",
    }  # fmt: skip
    return KindView(**{**given, **rest})


def test_kinds_are_told_in_two_lines_each_in_order_of_their_names() -> None:
    """Where they hold, how many values they have, how names are written; then what they are for."""
    branch = kind(name="branch", fact_class="dynamic", scope="thread", normaliser="single", description="Checked out.")

    assert plain(kinds_view.kinds(KindsReply(kinds=(kind(), branch), labels={"infra": 2, "release": 1}), 80))[:7] == [
        "branch  dynamic, of a thread · one value a name · one name",
        "  Checked out.",
        "decision  permanent · one value a name · names in any case",
        "  What was decided.",
        "",
        "labels: release (1), infra (2)",
        "",
    ]


def test_what_the_configuration_changed_is_named() -> None:
    """A changed kind names its fields; an added one is all the configuration's; tools' own kinds say so."""
    changed = kind(origin="changed", fields=("description", "single"), single=False)
    added = kind(origin="added", distil=False, note=False)

    assert kinds_view.traits(changed) == (
        "permanent · a value of each source · names in any case · changed (description, single)"
    )
    assert kinds_view.traits(added) == ("permanent · one value a name · names in any case · not by models · added")


def test_a_kind_of_records_says_who_keeps_them() -> None:
    """Its names are digests, and neither they nor its values are anybody's to compare."""
    record = kind(name="guidance", fact_class="ephemeral", scope="session", distil=False, note=False, record=True)

    assert kinds_view.traits(record) == "memory record, of a session or an agent · by reviews"


def test_where_no_labels_are_declared_the_way_to_declare_one_is_shown() -> None:
    """The sample is the configuration as it would be written."""
    lines = plain(kinds_view.kinds(KindsReply(kinds=()), 80))

    assert lines[1] == "no labels are declared"
    assert "  [kinds.incident]" in lines
    assert "  [labels]" in lines
