"""Recorded runs of coding agents: their facts, worked out by reading the files."""

from __future__ import annotations

import msgspec
import pytest
from recordings import folder

from eunoe.client.importing import Turn as Imported
from eunoe.client.importing import read
from eunoe.extraction.registry import Registry
from eunoe.extraction.rules import Turn, derive
from eunoe.facts.kinds import Kinds
from eunoe.schemas.events import EntryBase, Event, Extracted, FactRecorded
from eunoe.schemas.records import Header, Record


def facts(name: str) -> list[tuple[str, str, str]]:
    """(subject, name, value) of every fact of a transcript, turn by turn."""
    found: list[tuple[str, str, str]] = []
    for ordinal, item in enumerate((one for one in read(folder() / name) if isinstance(one, Imported)), start=1):
        extracted, *events = derive(Turn("t", 1, ordinal, Registry(), Kinds()), [_record(item.events)])
        assert isinstance(extracted, Extracted)
        assert (extracted.failed, extracted.dropped) == ((), 0)
        for event in events:
            assert isinstance(event, FactRecorded)
            found.append((event.fact.identity.subject, event.fact.identity.name, event.fact.value))
    return found


def _record(events: tuple[Event, ...]) -> Record:
    """All of a turn in one record, numbered as audit does."""
    header = Header(
        v=1,
        space="test",
        chain="thread.t",
        record=1,
        prev="",
        time=2**42,
        role="person",
        principal="ada",
        producer="p",
        n=1,
        request="",
        digests=(),
    )
    numbered: list[Event] = []
    for event in events:
        changes = {"turn": 1} if "turn" in event.__struct_fields__ else {}
        if isinstance(event, EntryBase):
            changes["entry"] = 1 + sum(isinstance(one, EntryBase) for one in numbered)
        numbered.append(msgspec.structs.replace(event, **changes))
    return Record(position=1, header=header, hash="", events=tuple(numbered))


def test_a_coding_agent_with_tool_calls() -> None:
    """Thirteen steps: listed, opened setup.py, made and filled reproduce.py, opened and mended fields.py, ran, removed.

    No exit status is recorded and no test was run, so that no command has an outcome.
    """
    assert [
        (s, n, v.rpartition(", ")[0] if v.startswith("read") else v)
        for s, n, v in facts("swe_agent/marshmallow_1867.traj")
    ] == [
        ("workdir", "current", "/testbed"),
        ("file", "setup.py", "read lines 1-94 of 94, to the end"),
        ("file", "reproduce.py", "created"),
        ("file", "reproduce.py", "edited"),
        ("file", "src/marshmallow/fields.py", "read lines 1457-1556 of 1997"),
        ("file", "src/marshmallow/fields.py", "edited"),
    ]


def test_a_coding_agent_with_text_actions() -> None:
    """Twelve steps: three edits were refused for their syntax and are none; the fourth holds."""
    assert [
        (s, n, v.rpartition(", ")[0] if v.startswith("read") else v) for s, n, v in facts("swe_agent/pydicom_1458.traj")
    ] == [
        ("file", "reproduce_bug.py", "created"),
        ("file", "reproduce_bug.py", "edited"),
        ("workdir", "current", "/pydicom__pydicom"),
        ("file", "pydicom/pixel_data_handlers/numpy_handler.py", "read lines 273-372 of 372, to the end"),
        ("file", "pydicom/pixel_data_handlers/numpy_handler.py", "edited"),
    ]


def test_a_chat_session_with_an_editor() -> None:
    """One edit; a script that was run is neither a test nor a build."""
    assert facts("claude_code/representative_messages.jsonl") == [("file", "/scratch/decorator_example.py", "edited")]


@pytest.mark.parametrize("number", range(24))
def test_an_agent_without_shell_or_files_gives_nothing(number: int) -> None:
    """An airline's tools are nobody's extractors until a configuration maps them."""
    assert facts(f"tau_bench_airline/task_{number:02}.json") == []
