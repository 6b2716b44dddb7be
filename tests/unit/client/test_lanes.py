"""The outbox of one chain: whatever fails, each event goes into the log exactly once and in order."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from eunoe.client.lanes import Frozen, Lane, Unit
from eunoe.schemas import limits
from eunoe.schemas.events import FactDeleted, Prompt, Response
from eunoe.schemas.requests import AppendRequest


def unit(text: str, turn: str = "k", size: int = 100) -> Unit:
    return Unit(turn, (Prompt(content=text),), size)


def contents(frozen: Frozen | None) -> list[str]:
    assert frozen is not None
    request = msgspec.json.decode(frozen.data, type=AppendRequest)
    return [event.content for event in request.events if isinstance(event, Prompt)]


def test_nothing_to_send() -> None:
    """An empty lane has no append."""
    assert Lane("p").freeze() is None


def test_what_waits_goes_into_one_append() -> None:
    """Units of one turn that wait together are sent together."""
    lane = Lane("p")
    lane.put(unit("a"))
    lane.put(unit("b"))

    assert contents(lane.freeze()) == ["a", "b"]


def test_what_comes_later_goes_into_the_next_append() -> None:
    """A frozen append keeps its bytes while more is put behind it."""
    lane = Lane("p")
    lane.put(unit("a"))
    first = lane.freeze()
    lane.put(unit("b"))

    assert lane.freeze() == first
    lane.done()
    assert contents(lane.freeze()) == ["b"]


def test_an_append_is_of_one_turn() -> None:
    """The next turn's units wait for an append of their own."""
    lane = Lane("p")
    lane.put(unit("a", "one"))
    lane.put(unit("b", "two"))

    assert contents(lane.freeze()) == ["a"]


def test_an_append_is_all_of_one_kind() -> None:
    """What happened and what is done to facts are not mixed."""
    lane = Lane("p")
    lane.put(unit("a", ""))
    lane.put(Unit("", (FactDeleted(id="f1"),), 100))

    assert contents(lane.freeze()) == ["a"]


def test_an_append_holds_no_more_than_a_record_may() -> None:
    """1,000 events are the most; the unit that would make it more waits."""
    lane = Lane("p")
    lane.put(Unit("k", tuple(Prompt() for _ in range(limits.EVENTS_PER_RECORD)), 100))
    lane.put(unit("b"))
    first = lane.freeze()

    assert first is not None
    assert len(first.units) == 1


def test_a_refused_number_is_used_again() -> None:
    """A refused append is not in the log, so the next one has its number."""
    lane = Lane("p")
    lane.put(unit("a"))
    lane.freeze()
    gone = lane.refused()
    lane.put(unit("b"))
    second = lane.freeze()

    assert [item.events for item in gone] == [(Prompt(content="a"),)]
    assert second is not None
    assert second.n == 1


def test_a_refusal_of_several_is_found_one_by_one() -> None:
    """Units that were refused together are each tried alone, in their order, before they are coalesced again."""
    lane = Lane("p")
    for text in "abc":
        lane.put(unit(text))
    lane.freeze()
    assert lane.refused() == ()
    lane.put(unit("d"))
    tried = []
    for _ in range(3):
        tried.append(contents(lane.freeze()))
        lane.done()

    assert tried == [["a"], ["b"], ["c"]]
    assert contents(lane.freeze()) == ["d"]


def test_a_lane_on_disk_does_not_coalesce() -> None:
    """Each unit is an append of its own, so that its number follows from its place in the file."""
    lane = Lane("p", 7, coalesce=False)
    lane.put(unit("a"))
    lane.put(unit("b"))
    first = lane.freeze()

    assert contents(first) == ["a"]
    assert first is not None
    assert first.n == 7


@dataclass
class Log:
    """A log that does what the audit worker promises: each number once, with the bytes it first had."""

    seen: dict[int, bytes] = field(default_factory=dict)
    events: list[str] = field(default_factory=list)

    def append(self, frozen: Frozen, bad: frozenset[str]) -> bool:
        request = msgspec.json.decode(frozen.data, type=AppendRequest)
        if request.n in self.seen:
            assert self.seen[request.n] == frozen.data
            return True
        texts = [event.content for event in request.events if isinstance(event, Prompt | Response)]
        if bad & set(texts):
            return False
        assert request.n == len(self.seen) + 1
        self.seen[request.n] = frozen.data
        self.events.extend(texts)
        return True


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from(["put", "lost", "deaf", "sent"])), max_size=60),
    st.sets(st.integers(0, 59)),
    st.booleans(),
)
def test_every_event_is_delivered_once_and_in_order(
    steps: list[tuple[str, str]], bad: set[int], coalesce: bool
) -> None:
    """Under any mix of lost requests, lost answers and refusals, the log holds every good event once, in order."""
    lane, log = Lane("p", coalesce=coalesce), Log()
    refused = frozenset(str(number) for number in bad)
    put: list[str] = []

    def send(how: str) -> None:
        frozen = lane.freeze()
        if frozen is None or how == "lost":
            return
        done = log.append(frozen, refused)
        if how == "deaf":
            return
        if done:
            lane.done()
        else:
            lane.refused()

    for turn, step in steps:
        if step == "put":
            put.append(str(len(put)))
            lane.put(unit(put[-1], turn))
        else:
            send(step)
    while lane.freeze() is not None:
        send("sent")

    assert log.events == [text for text in put if text not in refused]
