"""Facts and histories as people read them."""

from __future__ import annotations

from typing import Any

from views import plain

from eunoe.cli import facts_view
from eunoe.schemas.facts import Identity, Source
from eunoe.schemas.requests import FactReply, FactsReply, FactView

NINE = 1_769_850_307_000  # 2026-01-31 09:05:07 UTC
TESTS = Identity("thread", "builder", "tests", "make test")


def view(**rest: Any) -> FactView:
    given: dict[str, Any] = {
        "id": "faaaaaaaaaa", "identity": TESTS, "value": "passed", "version": 1, "state": "current",
        "source": Source(kind="tool", principal="bash"), "at": NINE, "position": 4,
        "sources": ("tool bash, turn 1, entry 4",), "supports": 1,
    }  # fmt: skip
    return FactView(**{**given, **rest})


def test_facts_stand_under_their_owners_the_widest_first() -> None:
    """Permanent before thread; a fact that simply holds has no mark, and the column of marks is gone."""
    decision = Identity("permanent", "shared", "decision", "exit status")
    dana = Source(kind="person", principal="dana")
    facts = (view(turn=1), view(id="fbbbbbbbbbb", identity=decision, value="3 when dry", source=dana))

    assert plain(facts_view.facts(FactsReply(facts=facts), 80)) == [
        "permanent · shared",
        "id          subject  name        value      source",
        "fbbbbbbbbbb decision exit status 3 when dry person dana",
        "",
        "thread · builder",
        "id          subject name      value  source",
        "faaaaaaaaaa tests   make test passed bash, turn 1",
        "",
        "2 facts",
    ]


def test_facts_of_an_owner_are_in_order_of_their_names() -> None:
    """Facts about one subject stand together."""
    names = ("b.py", "a.py")
    facts = tuple(view(identity=Identity("thread", "t", "file", name)) for name in names)

    lines = plain(
        facts_view.facts(FactsReply(facts=(*facts, view(identity=Identity("thread", "t", "branch", "now")))), 80)
    )

    assert [line.split()[1:3] for line in lines[2:5]] == [["branch", "now"], ["file", "a.py"], ["file", "b.py"]]


def test_conflicts_and_proposals_are_marked() -> None:
    """Who disagrees stands under the value; a proposal and what is superseded say so."""
    facts = (
        view(conflict=True, others=("failed — from model",), sources=("tool bash", "caller ci")),
        view(id="fcccccccccc", state="proposed", source=Source(kind="model")),
        view(id="fdddddddddd", state="superseded", source=Source(kind="model")),
    )

    assert plain(facts_view.facts(FactsReply(facts=facts, cursor="thread:8"), 80)) == [
        "thread · builder",
        "id          subject name      value                 source  state",
        "faaaaaaaaaa tests   make test passed                bash +1 conflict",
        "                              ≠ failed — from model",
        "fcccccccccc tests   make test passed                model   (proposed)",
        "fdddddddddd tests   make test passed                model   superseded",
        "",
        "3 facts; more follow: add --cursor thread:8",
    ]


def test_a_table_of_long_facts_keeps_ids_whole_at_80_columns() -> None:
    """Long names and values wrap; an id is never broken, for it is to be typed."""
    long = Identity("thread", "builder", "tests", "python -m pytest tests/test_backup.py::test_something_very_long -v")
    facts = (view(identity=long, value="2 failed, 71 passed in 3.20s", conflict=True),)

    lines = plain(facts_view.facts(FactsReply(facts=facts), 80))

    assert any(line.startswith("faaaaaaaaaa ") for line in lines)
    assert max(map(len, lines)) <= 80


def test_no_facts_say_so() -> None:
    """An empty answer is a sentence, not an empty table."""
    assert plain(facts_view.facts(FactsReply(facts=()), 80)) == ["no facts here"]


def test_a_history_is_told_oldest_first() -> None:
    """Each version has its time, value, sources, and what ended it."""
    versions = (
        view(value="failed", state="superseded", superseded_by="fbbbbbbbbbb", rule="rank", agent="ann"),
        view(id="fbbbbbbbbbb", version=2, supports=2, thread="builder", agent="ann"),
    )

    assert plain(facts_view.history(FactReply(identity=TESTS, versions=versions), 80)) == [
        "tests make test",
        "thread · builder",
        "",
        "2026-01-31 09:05:07Z  failed",
        "  from tool bash, turn 1, entry 4 (agent ann)",
        "  faaaaaaaaaa, version 1, superseded by fbbbbbbbbbb (of higher rank)",
        "",
        "2026-01-31 09:05:07Z  passed",
        "  from tool bash, turn 1, entry 4 (agent ann, thread builder)",
        "  said 2 times",
        "  fbbbbbbbbbb, version 2, current",
    ]


def test_a_conflict_in_a_history_says_who_settles_it() -> None:
    """The value that leads is in conflict, the other is named."""
    reply = FactReply(identity=TESTS, versions=(view(conflict=True, others=("failed — from model",)),), conflict=True)

    assert plain(facts_view.history(reply, 80))[3:] == [
        "2026-01-31 09:05:07Z  passed",
        "  from tool bash, turn 1, entry 4",
        "  disagrees: failed — from model",
        "  faaaaaaaaaa, version 1, current, in conflict",
        "",
        "its sources disagree; the highest rank leads, then the newest",
    ]
