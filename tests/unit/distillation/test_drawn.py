"""From items to the events of one record: which are facts, of whom, in which scope; and why others are none."""

from __future__ import annotations

import pytest

from eunoe.composition import marks
from eunoe.distillation import drawn
from eunoe.distillation.door import Drawn, Item, Said, Turn
from eunoe.distillation.drawn import Range
from eunoe.facts.kinds import Kinds
from eunoe.schemas import limits
from eunoe.schemas.distilled_events import Distilled, Effort, SetAside
from eunoe.schemas.events import FactRecorded
from eunoe.schemas.facts import Assertion, Identity, Provenance, Source

KINDS = Kinds({"mood": {"fact_class": "ephemeral", "description": "How somebody is."}})
FIRST = Turn(
    number=4,
    ordinal=3,
    at=1_000,
    agent="builder",
    session="s",
    said=(Said(7, 70, 1_100, "person", "We use tabs."), Said(9, 72, 1_300, "model", "Tests pass.")),
    entries=(7, 9),
)
SECOND = Turn(number=2, ordinal=4, at=2_000, preview="try", said=(Said(8, 71, 2_100, "person", "No."),), entries=(8, 8))
RANGE = Range("t", 3, 4, (FIRST, SECOND))


def item(subject: str = "note", value: str = "tabs", **fields: object) -> Item:
    return Item(**{"subject": subject, "name": "Indent", "value": value, "speaker": "person", "turn": 4, **fields})  # type: ignore[arg-type]


def made(*items: Item, by: str = "model", **fields: object) -> tuple[Distilled, list[Assertion]]:
    given = Drawn(items=items, effort=Effort(model="m" if by == "model" else ""), **fields)  # type: ignore[arg-type]
    distilled, *facts = drawn.events(RANGE, given, by, KINDS)  # type: ignore[arg-type]
    assert isinstance(distilled, Distilled)
    return distilled, [event.fact for event in facts if isinstance(event, FactRecorded)]


def test_a_fact_names_who_said_it_when_and_what_it_came_from() -> None:
    """What the person said, in one entry: the distiller states it, at that entry's time."""
    distilled, (fact,) = made(item(entries=(7,)))

    assert fact == Assertion(
        identity=Identity("thread", "t", "note", "indent"),
        value="tabs",
        source=Source(kind="model", principal="distiller"),
        at=1_100,
        fact_class="dynamic",
        method="distilled",
        provenance=Provenance(
            agent="builder",
            session="s",
            thread="t",
            turn=4,
            entries=(7,),
            positions=(70,),
            model="m",
            detail="the person said",
        ),
    )
    assert (distilled.first, distilled.last, distilled.turns, distilled.facts) == (3, 4, ((2, 2), (4, 4)), 1)


def test_what_the_model_concluded_is_stated_by_its_agent() -> None:
    """So that it never takes the place of what the person said, also where a turn has no agent."""
    _, facts = made(item(speaker="model"), item(speaker="model", turn=2))

    assert [fact.source.principal for fact in facts] == ["builder", "model"]
    assert [fact.provenance.detail for fact in facts] == ["the model concluded"] * 2
    assert [fact.provenance.entries for fact in facts] == [(7, 9), (8,)]


def test_a_fact_of_a_turn_as_a_whole_has_its_time() -> None:
    """It names every prompt and reply of the turn, so that it goes with any of them that is erased."""
    _, (fact,) = made(item())

    assert (fact.at, fact.provenance.entries, fact.provenance.positions) == (1_000, (7, 9), (70, 72))


def test_the_kind_decides_the_scope() -> None:
    """A permanent one is a proposal of its thread, an ephemeral one the session's where the turn has one."""
    _, facts = made(item("preference"), item("mood"), item("mood", turn=2))

    assert [(fact.identity.scope, fact.identity.owner, fact.proposal) for fact in facts] == [
        ("thread", "t", True),
        ("session", "s", False),
        ("thread", "t", False),
    ]
    assert [fact.identity.preview for fact in facts] == ["", "", "try"]


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (item("weather"), "an unknown kind"),
        (item("file"), "kind not distilled"),
        (item(turn=9), "a turn that is none of these"),
        (item(value=" \u200b "), "no value"),
        (item(name="   "), "no name"),
        (item(value='"[redacted]".'), "a secret"),
        (item(entries=(8,)), "an entry that is none of its turn"),
    ],
)
def test_what_is_no_fact_is_set_aside_with_its_text_and_the_reason(wrong: Item, reason: str) -> None:
    """One bad item loses none of the others."""
    distilled, facts = made(item(), wrong, item(value="spaces"))

    said = f"{wrong.subject} {wrong.name}: {wrong.value} (turn {wrong.turn}, the person)"
    assert distilled.set_aside == (SetAside(text=said, reason=reason),)
    assert [fact.value for fact in facts] == ["tabs", "spaces"]


def test_values_are_one_line_cut_and_without_secrets_and_records_of_memory() -> None:
    """A model may give anything."""
    quoted = marks.label("facts", "- note a: b")
    _, facts = made(
        item(value=f"one\n {quoted}two"), item(value="word " * 100), item(value="key ghp_abcdefghijklmnop0123")
    )

    assert [fact.value for fact in facts][::2] == ["one two", "key [redacted]"]
    assert len(facts[1].value) == limits.VALUE_LENGTH
    assert facts[1].value.endswith("…")


def test_a_model_gives_so_many_facts_of_a_range_and_rules_of_each_turn() -> None:
    """Of fourteen of one turn and one of the other, a model's first twelve; of rules twelve and one."""
    items = [item(value=str(number)) for number in range(14)] + [item(turn=2)]

    distilled, facts = made(*items, dropped=3)
    assert (len(facts), distilled.facts, distilled.dropped) == (12, 12, 6)
    distilled, facts = made(*items, by="rules")
    assert (len(facts), distilled.dropped) == (13, 2)
    assert {fact.provenance.model for fact in facts} == {"rules"}


def test_facts_come_in_the_order_of_their_turns() -> None:
    """Whatever order they are given in; the same fact twice is one."""
    _, facts = made(item(turn=2, value="new"), item(value="old"), item(value="Old "))

    assert [fact.value for fact in facts] == ["old", "new"]


def test_what_was_set_aside_is_bounded() -> None:
    """Sixteen are kept, the last of which says how many more there were, of an answer and of its items together; no
    text is long."""
    aside = [SetAside(text="x" * 1_000, reason="broken") for _ in range(20)]
    distilled, _ = made(item("weather"), item("weather"), set_aside=aside)

    assert len(distilled.set_aside) == limits.SET_ASIDE
    assert len(distilled.set_aside[0].text) == limits.SET_ASIDE_LENGTH
    assert distilled.set_aside[-1] == SetAside(text="", reason="and 7 more were set aside")


def test_a_value_that_is_all_secret_is_no_fact() -> None:
    """Nothing of it could be kept; that there was one is told, and not what it was."""
    for by in ("model", "rules"):
        distilled, facts = made(item(value="ghp_abcdefghijklmnop0123"), by=by)

        assert facts == []
        assert distilled.set_aside == (
            SetAside(text="note Indent: [redacted] (turn 4, the person)", reason="a secret"),
        )


def test_what_was_set_aside_holds_no_secret_not_even_half_of_one() -> None:
    """One that begins where the text ends that is kept."""
    words = "x" * (limits.SET_ASIDE_LENGTH - 10) + " ghp_abcdefghijklmnop0123"
    distilled, _ = made(set_aside=[SetAside(text=words, reason="broken")])

    assert distilled.set_aside[0].text == "x" * (limits.SET_ASIDE_LENGTH - 10) + " [redacte…"


def test_a_range_that_failed_says_why_and_has_no_facts() -> None:
    """In one line, without secrets."""
    (event,) = drawn.failed(RANGE, "ModelFailed:\nit said ghp_abcdefghijklmnop0123", "model")

    assert isinstance(event, Distilled)
    assert (event.failed, event.facts) == ("ModelFailed: it said [redacted]", 0)
    assert (event.first, event.last, event.turns) == (3, 4, ((2, 2), (4, 4)))
