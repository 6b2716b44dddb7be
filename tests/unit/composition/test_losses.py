"""Threads of which records are missing or cannot be read: contexts go on with the rest, and say what they lack."""

from __future__ import annotations

from typing import Any

import pytest
from composition_desks import System, texts

from eunoe.composition.losses import lost
from eunoe.runtime.doors import Stored
from eunoe.schemas import limits
from eunoe.schemas.context import Context
from eunoe.schemas.errors import NewerSchema
from eunoe.schemas.events import Event, Instructions, Prompt, Response, TurnAborted, TurnCommitted, TurnOpened


@pytest.fixture
async def system() -> System:
    """Three turns, each in two records, and an open one."""
    system = System()
    for number in range(1, 4):
        await system.append(TurnOpened(), Prompt(content=f"q{number}"), key=f"x{number}")
        await system.append(Response(content=f"a{number}"), TurnCommitted(), key=f"x{number}")
    system.opened = 3
    await system.open(Prompt(content="now"))
    return system


async def cold(system: System, **request: Any) -> tuple[Context, dict[str, int]]:
    worker = system.replica()
    asked = {"key": "k4", **request} if "turn" not in request else request
    found = await system.compose(worker, window=4096, **asked)
    return found, dict(worker.statistics())


@pytest.mark.parametrize(
    ("gone", "said", "note"),
    [
        ([1], ["a1", "q2", "a2", "q3", "a3", "now"], "record 1 of this thread is missing"),
        ([3], ["q1", "a1", "a2", "q3", "a3", "now"], "record 3 of this thread is missing"),
        ([1, 2, 4], ["q3", "a3", "now"], "records 1-2, 4 of this thread are missing"),
        ([1, 2, 3, 4, 5, 6], ["now"], "records 1-6 of this thread are missing"),
    ],
)
async def test_records_that_are_missing_are_passed_over(
    system: System, gone: list[int], said: list[str], note: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Whichever they are, what can be read is there, in order, but of turns of which it is not known that they were
    committed; answer, log and counts say what is not."""
    for position in gone:
        await system.store.log.erase(position)

    found, counts = await cold(system)
    again, _ = await cold(system)

    assert [text for text in texts(found) if not text.startswith("<")] == said
    assert f"{note} or cannot be read, and left out; run `eunoe audit verify`" in found.note
    assert found.note in caplog.text
    assert counts["records_lost"] == len(gone)
    assert again.messages == found.messages
    assert again.note == found.note


@pytest.mark.parametrize("way", [{}, {"MARK_EVERY": 16}])
async def test_what_leads_to_older_records_may_be_missing(way: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Instructions from long ago hold, though records are gone over which the way back to them leads."""
    for name, every in way.items():
        monkeypatch.setattr(limits, name, every)
    system = System()
    await system.append(Instructions(content="Be brief."))
    await system.append(TurnOpened(), Instructions(content="Be loud."), key="never")
    await system.append(TurnAborted(), key="never")
    for number in range(2 * limits.BACK_RECORDS):
        await system.turn(Prompt(content=f"q{number}"), Response(content="words " * 40))
    key = await system.open(Prompt(content="now"))
    end = await system.last_seq()
    for at in (16, 32, *range(end - limits.BACK_RECORDS, 32, -limits.BACK_RECORDS)):
        await system.store.log.erase(at)

    found = await system.compose(system.replica(), key=key, window=512)

    assert texts(found)[0] == "Be brief."


@pytest.mark.parametrize(
    ("opening", "said"),
    [([TurnOpened(session="s"), Prompt(content="slow")], []), ([TurnOpened(session="s")], ["slow"])],
)
async def test_an_open_turn_whose_opening_is_missing_goes_on(opening: list[Event], said: list[str]) -> None:
    """Whatever else of it can be read: the records after it still say whose it is, and of which session."""
    system = System()
    await system.append(*opening, key="slow")
    lost_at = await system.last_seq()
    for content in said:
        await system.append(Prompt(content=content), key="slow")
    await system.turn(Prompt(content="quick"), Response(content="done"))
    await system.fact("held by the session", scope="session", owner="s")
    await system.project()
    await system.store.log.erase(lost_at)

    found = await system.compose(key="slow", store=True, window=4096)
    again = await system.compose(system.replica(), key="slow", window=4096)

    shown = texts(found)
    assert [text for text in shown if not text.startswith("<")] == ["quick", "done", *said]
    assert "held by the session" in str(found.messages)
    assert found.note == lost({lost_at})
    assert again.messages == found.messages


async def test_a_past_turn_is_reconstructed_of_what_can_be_read(system: System) -> None:
    """And says what it lacks as well."""
    await system.store.log.erase(1)

    found, _ = await cold(system, turn=3)

    assert [text for text in texts(found) if not text.startswith("<")] == ["a1", "q2", "a2", "q3"]
    assert found.reconstructed
    assert found.note == lost({1})


@pytest.mark.parametrize("gone", [[at] for at in range(2, 8)] + [[3, 4], [4, 5], [3, 4, 5, 6]])
async def test_a_past_turn_is_found_past_what_is_missing(system: System, gone: list[int]) -> None:
    """Wherever the way to it leads over records that are gone; refused is only one that may begin there."""
    for position in gone:
        await system.store.log.erase(position)

    for turn in range(1, 5):
        if {2 * turn - 1, 2 * turn - 2} & set(gone):
            continue
        found, _ = await cold(system, turn=turn)
        assert ("now" if turn == 4 else f"q{turn}") in texts(found)


class Spoiled:
    """A log in which what is stored at some positions is other bytes."""

    def __init__(self, log: Any, bytes_at: dict[int, bytes]) -> None:
        self._log = log
        self._bytes = bytes_at

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    async def get(self, seqs: Any) -> list[Stored | None]:
        found: list[Stored | None] = await self._log.get(seqs)
        return [
            Stored(one.subject, one.seq, self._bytes.get(one.seq, one.data), one.time) if one else None for one in found
        ]


async def test_a_record_that_cannot_be_read_is_passed_over(system: System) -> None:
    """As one that is missing."""
    spoiled: Any = Spoiled(system.store.log, {3: b"{"})
    object.__setattr__(system.store, "log", spoiled)

    found, _ = await cold(system)

    assert "a2" in texts(found)
    assert "q2" not in texts(found)
    assert found.note.startswith("record 3 of this thread is missing or cannot be read")


async def test_a_record_that_a_newer_version_wrote_is_not_passed_over(system: System) -> None:
    """It is no loss: whoever reads it is too old."""
    stored = (await system.store.log.get([4]))[0]
    assert stored is not None
    newer: Any = Spoiled(system.store.log, {4: stored.data.replace(b'"v":1', b'"v":9')})
    object.__setattr__(system.store, "log", newer)

    with pytest.raises(NewerSchema):
        await cold(system)


async def test_a_worker_that_missed_what_is_lost_now_starts_over(system: System) -> None:
    """Of what was appended while nobody asked a record is gone: the same context as that of a new worker."""
    await system.compose(key="k4", window=4096)
    await system.append(Response(content="gone"), key="k4")
    await system.append(Response(content="there"), key="k4")
    await system.store.log.erase(8)

    warm = await system.compose(key="k4", window=4096)
    found, _ = await cold(system)

    assert warm.messages == found.messages
    assert "gone" not in str(warm.messages)
    assert warm.note == found.note == lost({8})


def test_what_is_lost_is_said_in_ranges() -> None:
    """Nothing of nothing, one of one, and ranges of many."""
    rest = "missing or cannot be read, and left out; run `eunoe audit verify`"

    assert lost(set()) == ""
    assert lost({7}) == f"record 7 of this thread is {rest}"
    assert lost({9, 2, 3, 4}) == f"records 2-4, 9 of this thread are {rest}"
