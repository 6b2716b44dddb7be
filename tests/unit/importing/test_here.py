"""A file against its thread: what is here, what is new, and where they differ."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eunoe.client import batches
from eunoe.client.importing.held import Held, entry_key
from eunoe.client.importing.here import Comparison
from eunoe.client.importing.prepare import Planned
from eunoe.schemas.events import (
    Event,
    Prompt,
    Response,
    ToolCall,
    ToolResult,
    TurnAborted,
    TurnCommitted,
    TurnOpened,
    Usage,
)


def part(key: str, *events: Event, committed: bool = True) -> Planned:
    opens = isinstance(events[0], TurnOpened)
    return Planned("thread.t", key, 1, tuple(map(batches.ready, events)), opens, committed)


def turn(key: str, *said: str, aborted: bool = False) -> Planned:
    """A prompt and replies, opened by an agent in a session."""
    entries = [Prompt(content=text) if at == 0 else Response(content=text, at=7) for at, text in enumerate(said)]
    ended = TurnAborted(reason="stopped") if aborted else TurnCommitted()
    opened = TurnOpened(key=key, agent="builder", session="s")
    return part(key, opened, *entries, ended, committed=not aborted)


def held(*turns: Planned, loose: tuple[Planned, ...] = ()) -> Held:
    """The thread after these turns, numbered from 10 on so that places and numbers are not mistaken."""
    found = [entry_key(ready.event) for one in turns for ready in one.readies if isinstance(ready.event, SAID)]
    open_ones = {entry_key(ready.event) for one in loose for ready in one.readies if isinstance(ready.event, SAID)}
    return Held(keys=found, numbers=list(range(10, 10 + len(found))), loose=open_ones)


SAID = (Prompt, Response, ToolCall, ToolResult)
ONE, TWO, THREE = turn("1", "ask 1", "answer 1"), turn("2", "ask 2", "answer 2"), turn("3", "ask 3", "answer 3")


def contents(planned: Planned | None) -> list[str]:
    events = [ready.event for ready in planned.readies] if planned else []
    return [event.content for event in events if isinstance(event, SAID)]


def test_all_of_a_file_is_new_where_nothing_is() -> None:
    """An empty thread takes each turn as it is."""
    compared = Comparison(Held())

    assert [compared.new(one) for one in (ONE, TWO)] == [ONE, TWO]
    assert (compared.differs, compared.older) == (0, False)


def test_the_turns_after_those_that_are_here_are_new() -> None:
    """Two turns are here, the third goes in whole."""
    compared = Comparison(held(ONE, TWO))

    assert [compared.new(one) for one in (ONE, TWO, THREE)] == [None, None, THREE]


def test_the_rest_of_a_turn_that_grew_is_a_turn_of_its_own() -> None:
    """Its key is derived, agent and session are the turn's, and the usage of what is here does not come again."""
    events = (Usage(input_tokens=1), Response(content="more", at=9), TurnCommitted())
    first = Response(content="answer 2", at=7)
    opened = TurnOpened(key="2", agent="builder", session="s")
    grown = part("2", opened, Prompt(content="ask 2"), first, *events)
    compared = Comparison(held(ONE, TWO))
    assert compared.new(ONE) is None

    rest = compared.new(grown)

    assert rest is not None
    assert (rest.key, rest.opens) == ("2.rest", True)
    assert [ready.event for ready in rest.readies] == [
        TurnOpened(key="2.rest", agent="builder", session="s", at=9),
        Response(content="more", at=9),
        TurnCommitted(),
    ]
    assert compared.new(THREE) is THREE


def test_an_older_copy_adds_nothing() -> None:
    """The thread holds all of the file, and more."""
    compared = Comparison(held(ONE, TWO))

    assert compared.new(ONE) is None
    assert (compared.older, compared.differs) == (True, 0)


@pytest.mark.parametrize(
    ("other", "entry"), [(turn("2", "ask 2", "another"), 13), (turn("2", "another", "answer 2"), 12)]
)
def test_another_conversation_differs_from_an_entry_on(other: Planned, entry: int) -> None:
    """The number is that of the thread's entry; nothing is new from then on, whatever follows."""
    compared = Comparison(held(ONE, TWO))

    assert [compared.new(one) for one in (ONE, other, THREE)] == [None, None, None]
    assert (compared.differs, compared.older) == (entry, False)


def test_kind_and_tool_count_and_ids_and_times_do_not() -> None:
    """A call is known by its tool and arguments, whatever its id; the same text of another tool is another entry."""
    call = ToolCall(call="a", tool="bash", content="{}")

    assert entry_key(call) == entry_key(ToolCall(call="b", tool="bash", content="{}", at=5, turn=2, entry=3))
    assert entry_key(call) != entry_key(ToolCall(call="a", tool="edit", content="{}"))
    assert entry_key(Prompt(content="x")) != entry_key(Response(content="x"))


def test_large_content_is_known_by_its_digest() -> None:
    """An entry is the same before and after its content was cut into pieces."""
    entry = Prompt(content="é" * 300_000)

    stored = batches.ready(entry).event

    assert isinstance(stored, Prompt)
    assert stored.blob is not None
    assert entry_key(stored) == entry_key(entry)


def test_an_aborted_turn_that_is_here_is_not_added_again() -> None:
    """The thread's aborted turns are no part of the comparison; what they hold is known all the same."""
    stopped = turn("2", "ask 2", "half", aborted=True)
    compared = Comparison(held(ONE, loose=(stopped,)))

    assert [compared.new(one) for one in (ONE, stopped, THREE)] == [None, None, THREE]


def test_an_aborted_turn_after_what_is_here_is_new() -> None:
    """An interruption that came after the last import goes in as it is."""
    stopped = turn("2", "ask 2", "half", aborted=True)
    compared = Comparison(held(ONE))

    assert [compared.new(one) for one in (ONE, stopped)] == [None, stopped]


def test_a_turn_that_was_cut_and_then_interrupted_keeps_what_is_here() -> None:
    """Its beginning was imported as a turn; what came before the interruption is the rest."""
    stopped = turn("2", "ask 2", "half", "more", aborted=True)
    compared = Comparison(held(ONE, turn("2", "ask 2", "half")))

    assert compared.new(ONE) is None
    rest = compared.new(stopped)
    assert contents(rest) == ["more"]
    assert rest is not None
    assert isinstance(rest.readies[-1].event, TurnAborted)


def test_the_parts_of_an_exported_turn_are_compared_one_after_the_other() -> None:
    """Records of two turns come interleaved; of the one that was here only its rest goes in, under one key."""
    begin = part("1", TurnOpened(key="1", agent="a"), Prompt(content="ask 1"))
    other = part("2", TurnOpened(key="2"), Prompt(content="ask 2"), Response(content="answer 2"), TurnCommitted())
    more, end = part("1", Response(content="answer 1")), part("1", TurnCommitted())
    compared = Comparison(held(begin))

    found = [compared.new(one) for one in (begin, other, more, end)]

    assert [one.key if one else None for one in found] == [None, "2", "1.rest", "1.rest"]
    assert isinstance(found[2], Planned)
    assert [type(ready.event) for ready in found[2].readies] == [TurnOpened, Response]


def test_the_end_of_a_turn_that_is_here_opens_nothing() -> None:
    """All entries of an exported turn are here; the record that commits it is nothing new, even after others were."""
    begin = part("1", TurnOpened(key="1"), Prompt(content="ask 1"))
    compared = Comparison(held(begin))

    assert [compared.new(one) for one in (begin, TWO, part("1", TurnCommitted()))] == [None, TWO, None]


LENGTHS = st.lists(st.integers(1, 4), min_size=1, max_size=6)


@given(lengths=LENGTHS, data=st.data())
def test_any_cut_is_completed_exactly(lengths: list[int], data: st.DataObject) -> None:
    """Whatever part of a conversation is here, what is new is the rest, in order and once."""
    turns = [turn(str(at), *(f"{at}.{entry}" for entry in range(size))) for at, size in enumerate(lengths)]
    keys = held(*turns).keys
    cut = data.draw(st.integers(0, len(keys)))
    compared = Comparison(Held(keys=keys[:cut], numbers=list(range(1, cut + 1))))

    found = [text for one in turns for text in contents(compared.new(one))]

    assert found == [text for one in turns for text in contents(one)][cut:]
    assert (compared.differs, compared.older) == (0, False)


@given(lengths=LENGTHS, data=st.data())
def test_any_cut_of_turns_in_parts_is_completed_exactly(lengths: list[int], data: st.DataObject) -> None:
    """As an export brings them: each turn opens once, ends once, and its new entries are under one key."""
    turns = [turn(str(at), *(f"{at}.{entry}" for entry in range(size))) for at, size in enumerate(lengths)]
    parts = [replace(one, readies=(ready,)) for one in turns for ready in one.readies]
    keys = held(*turns).keys
    cut = data.draw(st.integers(0, len(keys)))
    compared = Comparison(Held(keys=keys[:cut], numbers=list(range(1, cut + 1))))

    found = [new for one in parts if (new := compared.new(one))]

    assert [text for one in found for text in contents(one)] == [t for one in turns for t in contents(one)][cut:]
    for _, of_key in groupby(found, key=lambda one: one.key):
        kinds = [type(ready.event) for one in of_key for ready in one.readies]
        assert (kinds[0], kinds[-1], kinds.count(TurnOpened)) == (TurnOpened, TurnCommitted, 1)
