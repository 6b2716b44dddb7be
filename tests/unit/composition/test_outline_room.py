"""Which turns an outline names where there is not room for all of them, and with how many of their words."""

from __future__ import annotations

from eunoe.composition.outline import Asked, lines, within
from eunoe.schemas.context import LeftTurn

TURNS = tuple(LeftTurn(turn=number, entries=(number, number), position=number) for number in range(1, 8))
PROMPTS = {turn.turn: Asked(turn.turn, f"{turn.turn}".ljust(100, "x")) for turn in TURNS}
WHOLE = len('turn 1 (entry 1): ""\n') + 100  # bytes of a line with all its words
LEAST = len('turn 1 (entry 1): ""\n') + 24  # and with the fewest


def named(size: int) -> list[int]:
    return [turn.turn for turn in within(TURNS, PROMPTS, size)]


def test_where_there_is_room_every_turn_is_named_with_all_its_words() -> None:
    size = 7 * WHOLE

    assert named(size) == [1, 2, 3, 4, 5, 6, 7]
    assert lines(TURNS, PROMPTS, size)[6] == f'turn 7 (entry 7): "7{"x" * 99}"'


def test_words_are_given_up_before_turns_and_the_oldest_keeps_its_own() -> None:
    """Six others share what the oldest leaves, 40 bytes of words for each."""
    size = WHOLE + 6 * (LEAST - 24 + 40)
    found = lines(within(TURNS, PROMPTS, size), PROMPTS, size)

    assert found[0] == f'turn 1 (entry 1): "1{"x" * 99}"'
    assert found[1:] == [f'turn {number} (entry {number}): "{number}{"x" * 36}…"' for number in range(2, 8)]


def test_then_turns_in_the_middle_are_not_named() -> None:
    """Room for the oldest and four: the newest two, and those that left first."""
    assert named(WHOLE + 4 * LEAST) == [1, 2, 3, 6, 7]
    assert named(WHOLE + 4 * LEAST - 1) == [1, 2, 6, 7]
    assert named(WHOLE + LEAST) == [1, 7]


def test_without_room_for_the_oldest_none_is_named() -> None:
    assert named(WHOLE) == [1]
    assert named(WHOLE - 1) == []


def test_lines_never_take_more_than_their_room() -> None:
    for size in range(WHOLE, 7 * WHOLE, 13):
        found = lines(within(TURNS, PROMPTS, size), PROMPTS, size)

        assert sum(len(line.encode()) + 1 for line in found) <= size
