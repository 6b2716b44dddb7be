"""What the viewer of a preview sees: the preview's facts in the place of live ones, and everything else as it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from eunoe.facts.document import build
from eunoe.facts.fold import View, fold
from eunoe.facts.previews import Preview
from eunoe.schemas.facts import Act, Identity, Stated

LIVE = Identity(scope="thread", owner="t1", subject="note", name="colour")
OTHER = Identity(scope="thread", owner="t1", subject="note", name="shape")
State = Callable[..., Stated]
Do = Callable[..., Act]


def previewed(about: Identity) -> Identity:
    return msgspec.structs.replace(about, preview="p")


def view(about: Identity, *events: Stated | Act, single: bool = True) -> View:
    return fold(build(about, events), single=single)


def values(found: View) -> list[str]:
    return [head.value for head in found.heads]


def states(found: View) -> list[tuple[str, str, str]]:
    return [(version.value, version.state, version.rule) for version in found.versions]


def test_a_named_fact_is_replaced(state: State) -> None:
    """Whoever said it: the preview's value stands there, and the live one says what took its place."""
    live = state("red", 1, kind="person", who="ada", about=LIVE)
    own = state("blue", 2, kind="model", who="a", about=previewed(LIVE), replaces=live.id)
    preview = Preview([view(previewed(LIVE), own)])
    seen = preview.over(view(LIVE, live))
    assert seen.current is not None
    assert (seen.identity, seen.current.id, seen.conflict) == (LIVE, own.id, False)
    assert states(seen) == [("red", "superseded", "preview"), ("blue", "current", "")]
    assert seen.versions[0].superseded_by == own.id
    assert preview.alone([LIVE]) == ()


def test_a_replacement_may_have_another_name(state: State) -> None:
    """The live fact goes, and the preview's stands under its own identity."""
    live = state("red", 1, about=LIVE)
    own = state("round", 2, about=previewed(OTHER), replaces=live.id)
    preview = Preview([view(previewed(OTHER), own)])
    assert values(preview.over(view(LIVE, live))) == []
    (alone,) = preview.alone([LIVE])
    assert (alone.identity, values(alone)) == (OTHER, ["round"])


def test_a_removed_fact_is_hidden(state: State) -> None:
    """With every source that says the same; it is shown as removed, and the removal itself is no fact."""
    tool, model = state("red", 1, about=LIVE), state("RED", 2, kind="model", who="a", about=LIVE)
    own = state("", 3, kind="model", who="b", about=previewed(LIVE), replaces=model.id, removes=True)
    preview = Preview([view(previewed(LIVE), own)])
    seen = preview.over(view(LIVE, tool, model))
    assert seen.current is None
    assert states(seen) == [("red", "removed", "preview"), ("RED", "removed", "preview")]
    assert preview.alone([]) == ()


def test_what_disagreed_leads_when_the_fact_is_removed(state: State) -> None:
    """As after a delete: another source's other value was there all the time."""
    person = state("red", 1, kind="person", who="ada", about=LIVE)
    tool = state("blue", 2, about=LIVE)
    own = state("", 3, kind="model", who="b", about=previewed(LIVE), replaces=person.id, removes=True)
    seen = Preview([view(previewed(LIVE), own)]).over(view(LIVE, person, tool))
    assert states(seen) == [("red", "removed", "preview"), ("blue", "current", "")]
    assert not seen.conflict


def test_any_assertion_of_a_fact_names_it(state: State) -> None:
    """The second time that it was said, as well as the first."""
    first, again = state("red", 1, about=LIVE), state("red", 2, about=LIVE)
    own = state("", 3, about=previewed(LIVE), replaces=again.id, removes=True)
    assert values(Preview([view(previewed(LIVE), own)]).over(view(LIVE, first, again))) == []


def test_what_names_nothing_joins_the_live_sources(state: State) -> None:
    """Of one lineage the later counts; a person's live value stays before a model's."""
    tool = state("red", 1, about=LIVE)
    newer = state("blue", 2, about=previewed(LIVE))
    seen = Preview([view(previewed(LIVE), newer)]).over(view(LIVE, tool))
    assert states(seen) == [("red", "superseded", "newer"), ("blue", "current", "")]

    person = state("red", 1, kind="person", who="ada", about=LIVE)
    word = state("blue", 2, kind="model", who="a", about=previewed(LIVE))
    kept = Preview([view(previewed(LIVE), word)]).over(view(LIVE, person))
    assert kept.conflict
    assert states(kept) == [("red", "current", ""), ("blue", "superseded", "rank")]


def test_what_the_live_fact_did_later_counts(state: State) -> None:
    """The preview said it before the same lineage moved on."""
    own = state("blue", 2, about=previewed(LIVE))
    seen = Preview([view(previewed(LIVE), own)]).over(view(LIVE, state("green", 3, about=LIVE)))
    assert values(seen) == ["green"]


def test_a_replacement_stays_one_when_its_value_changes(state: State) -> None:
    """The second statement of a preview names nothing, and goes on where the first stands."""
    live = state("red", 1, kind="person", who="ada", about=LIVE)
    first = state("blue", 2, kind="model", who="a", about=previewed(LIVE), replaces=live.id)
    second = state("green", 3, kind="model", who="a", about=previewed(LIVE))
    seen = Preview([view(previewed(LIVE), first, second)]).over(view(LIVE, live))
    assert values(seen) == ["green"]


def test_a_replacement_that_was_taken_back_replaces_nothing(state: State, do: Do) -> None:
    """The live fact is in force again."""
    live = state("red", 1, about=LIVE)
    own = state("blue", 2, kind="model", who="a", about=previewed(LIVE), replaces=live.id)
    seen = Preview([view(previewed(LIVE), own, do("retired", own, 3))]).over(view(LIVE, live))
    assert values(seen) == ["red"]


def test_one_of_several_values_is_replaced(state: State) -> None:
    """Where values stand side by side the others stay."""
    red = state("red", 1, kind="model", who="a", about=LIVE)
    blue = state("blue", 2, kind="model", who="b", about=LIVE)
    own = state("green", 3, kind="model", who="c", about=previewed(LIVE), replaces=red.id)
    seen = Preview([view(previewed(LIVE), own, single=False)]).over(view(LIVE, red, blue, single=False))
    assert sorted(values(seen)) == ["blue", "green"]
    assert not seen.conflict


def test_a_preview_leaves_everything_else_alone(state: State) -> None:
    """A live view that it says nothing of is the very same."""
    live = view(LIVE, state("red", 1, about=LIVE), state("blue", 2, kind="model", who="a", about=LIVE))
    preview = Preview([view(previewed(OTHER), state("round", 3, about=previewed(OTHER)))])
    assert preview.over(live) is live
    assert Preview([]).alone([]) == ()


def test_the_newest_of_two_that_replace_one_fact_stands_there(state: State) -> None:
    """Whatever order the preview's views come in."""
    live = state("red", 1, about=LIVE)
    removal = state("", 2, about=previewed(OTHER), replaces=live.id, removes=True)
    own = state("blue", 3, about=previewed(LIVE), replaces=live.id)
    views: Sequence[View] = [view(previewed(OTHER), removal), view(previewed(LIVE), own)]
    for order in (views, views[::-1]):
        assert states(Preview(order).over(view(LIVE, live)))[0] == ("red", "superseded", "preview")
