"""Facts in words: who said it, what was done to it, and why it is in force or is not."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from eunoe.facts import wording
from eunoe.facts.because import because
from eunoe.facts.document import build
from eunoe.facts.fold import View, fold
from eunoe.facts.labels import Labels
from eunoe.facts.previews import Preview
from eunoe.schemas.facts import Act, Identity, Provenance, Source, Stated

IDENTITY = Identity(scope="thread", owner="t1", subject="tests", name="pytest")
LABELS = Labels({"urgent": 1, "later": 2})
DAY = 86_400_000
State = Callable[..., Stated]
Do = Callable[..., Act]


def viewed(*events: Stated | Act, valid: int | None = None) -> View:
    return fold(build(IDENTITY, events), valid=valid)


def reasons(view: View) -> list[str]:
    return [because(view, version) for version in view.versions]


@pytest.mark.parametrize(
    ("source", "method", "provenance", "expected"),
    [
        (Source(kind="person", principal="ada"), "stated", Provenance(), "person ada"),
        (
            Source(kind="tool", principal="sh"),
            "extracted",
            Provenance(turn=2, entries=(4,)),
            "tool sh, turn 2, entry 4",
        ),
        (Source(kind="tool", principal="sh", agent="x"), "extracted", Provenance(turn=2), "tool sh, turn 2"),
        (Source(kind="model", principal="a"), "noted", Provenance(entries=(1, 2)), "model a, noted"),
        (Source(kind="model", principal="a"), "stated", Provenance(), "model a"),
        (Source(kind="tool"), "extracted", Provenance(), "tool"),
    ],
)
def test_a_source_is_said_in_words(
    state: State, source: Source, method: str, provenance: Provenance, expected: str
) -> None:
    """Class, name, how, and where in the thread; whom it came through only when that is asked for."""
    fact = msgspec.structs.replace(state("x", 1).fact, source=source, method=method, provenance=provenance)
    assert wording.spoken(fact) == expected
    assert ("through x" in wording.spoken(fact, through=True)) == (source.agent == "x")


def test_what_leads_names_every_source(state: State, do: Do) -> None:
    """Each once, strongest first, those of one lineage in order; labels and the pin are of all of them."""
    model = state("passed", 1, kind="model", who="a")
    events: list[Stated | Act] = [
        model,
        state("passed", 2),
        state("passed", 3),
        state("passed", 4, who="make"),
        state("passed", 5, agent="x"),
        do("labelled", model, 6, add=(2, 7)),
        do("pinned", model, 7),
    ]
    view = viewed(*events)
    (fact,) = wording.in_force(view, LABELS)
    assert fact.sources == ("tool bash", "tool make", "tool bash through x", "model a, extracted")
    assert (fact.supports, fact.labels, fact.pinned, fact.from_text) == (5, ("later", "#7"), True, "tool bash")
    own = {one.from_text: (one.sources, one.supports, one.pinned) for one in wording.every(view, LABELS)}
    assert own["model a, extracted"] == (("model a, extracted",), 1, True)


def test_a_view_carries_times_and_where_it_came_from(state: State) -> None:
    """When it holds, when it was recorded, what it cites and replaces, and whether it has a body."""
    made = state("x", 1, valid=(5, 9), recorded=7)
    fact = msgspec.structs.replace(made.fact, cites="f1", replaces="f2")
    stated = msgspec.structs.replace(made, fact=fact, has_content=True)
    (shown,) = wording.every(viewed(stated))
    assert (shown.valid_from, shown.valid_to, shown.recorded, shown.at) == (5, 9, 7, 1)
    assert (shown.cites, shown.replaces, shown.has_content, shown.identity) == ("f1", "f2", True, IDENTITY)


def test_acts_are_shown_with_the_names_of_labels(state: State, do: Do) -> None:
    """In order; ``+`` for what was put on, ``-`` for what was taken off, and the number of one without a name."""
    first = state("x", 1)
    view = viewed(first, do("deleted", first, 3), do("labelled", first, 2, add=(1, 9), remove=(2,)))
    assert [(act.kind, act.by, act.at, act.target, act.labels) for act in wording.acts(view, LABELS)] == [
        ("labelled", "person ada", 2, first.id, ("+urgent", "+#9", "-later")),
        ("deleted", "person ada", 3, first.id, ()),
    ]


def test_it_says_why_a_value_is_in_force(state: State) -> None:
    """Who said it, how often, and when last."""
    once = viewed(state("red", DAY))
    assert reasons(once) == ["said by tool bash, at 1970-01-02 00:00:00Z, and nothing replaced it"]
    agreed = viewed(state("red", DAY), state("RED", 2 * DAY, kind="model", who="a"))
    last = "2 times, last at 1970-01-03 00:00:00Z"
    assert reasons(agreed)[0] == f"said by tool bash and 1 more, {last}, and nothing replaced it"


def test_it_says_by_which_rule_a_value_lost(state: State) -> None:
    """To a later value of its source, to a weightier source, to a later one of the same weight."""
    old, new = state("red", 1000), state("blue", 2000)
    said = f": 'blue' ({new.id}, tool bash, at 1970-01-01 00:00:02Z)"
    assert reasons(viewed(old, new))[0] == f"the same source said another value later{said}"
    model = state("green", 3000, kind="model", who="a")
    other = state("grey", 4000, kind="model", who="b")
    view = viewed(new, model, other)
    assert reasons(view)[1] == f"a source that weighs more says another value{said}"
    assert reasons(view)[0].endswith(f"; 'grey' ({other.id}, model b, extracted) disagrees and weighs less")
    last = viewed(model, other)
    assert reasons(last)[0].startswith("a source of the same weight said another value later: 'grey'")
    assert reasons(last)[1].endswith(f"({model.id}, model a, extracted) disagrees and weighs the same but is older")


def test_it_says_what_ended_a_fact(state: State, do: Do) -> None:
    """Who did it, when, and why, as long as the document has the act."""
    first = state("red", 1000)
    delete = msgspec.structs.replace(do("deleted", first, 2000), reason="never true")
    assert reasons(viewed(first, delete)) == ["it was deleted by person ada at 1970-01-01 00:00:02Z: never true"]
    assert reasons(viewed(first, do("moved", first, 2000))) == [
        "it was moved to another scope by person ada at 1970-01-01 00:00:02Z"
    ]
    proposal = state("red", 1000, kind="model", who="a", proposal=True)
    assert reasons(viewed(proposal))[0].startswith("nobody with the authority has approved it yet: said by model a")
    assert reasons(viewed(proposal, do("approved", proposal, 2000)))[0].startswith("it was approved by person ada")
    many = [do("labelled", first, 3000 + number, add=(1,)) for number in range(70)]
    assert reasons(viewed(first, delete, *many)) == [f"it was deleted ({delete.id})"]


def test_it_says_when_a_value_holds(state: State) -> None:
    """Until then, or from then on."""
    events = [
        state("old", 1, valid=(None, DAY)),
        state("now", 2, valid=(DAY, 2 * DAY)),
        state("new", 3, valid=(2 * DAY, None)),
    ]
    past, _, future = reasons(viewed(*events, valid=DAY))
    assert past == f"it held until 1970-01-02: 'now' ({events[1].id}, tool bash, at 1970-01-01 00:00:00Z)"
    assert future == "it holds from 1970-01-03 on"


def test_it_says_what_a_preview_does(state: State) -> None:
    """It puts another in its place, or takes it away; the view says which of the two."""
    live = state("red", 1)
    about = msgspec.structs.replace(IDENTITY, preview="p")
    own = state("blue", 1000, about=about, replaces=live.id)
    seen = Preview([fold(build(about, [own]))]).over(viewed(live))
    assert reasons(seen)[0] == (
        f"the preview puts another in its place: 'blue' ({own.id}, tool bash, at 1970-01-01 00:00:01Z)"
    )
    assert [(fact.value, fact.identity.preview) for fact in wording.every(seen)] == [("red", ""), ("blue", "p")]
    gone = state("", 1000, about=about, replaces=live.id, removes=True)
    removed = Preview([fold(build(about, [gone]))]).over(viewed(live))
    assert reasons(removed) == [f"the preview takes it away ({gone.id})"]
    assert wording.in_force(removed) == ()
    assert [fact.state for fact in wording.every(removed)] == ["removed"]
