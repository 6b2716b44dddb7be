"""Imports on a real server: recorded transcripts once and again, verified, and exported."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from eunoe.audit.export import verify_export
from eunoe.audit.verify import Verifier
from eunoe.client import Memory
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import running
from eunoe.testing import NatsServer


def transcripts() -> list[Path]:
    """Recorded transcripts of three formats, beside the repository or above it."""
    for folder in Path(__file__).resolve().parents:
        found = folder.parent / "shared" / "data"
        if found.is_dir():
            names = ("tau_bench_airline/*.json", "swe_agent/*.traj", "claude_code/*.jsonl")
            return sorted(file for name in names for file in found.glob(name))
    if os.environ.get("CI"):
        pytest.fail("there are no recorded transcripts in ../shared/data")
    pytest.skip("there are no recorded transcripts in ../shared/data")


@pytest.fixture
def settings(nats_server: NatsServer, space: str, tmp_path: Path) -> Settings:
    return Settings(url=nats_server.url, space=space, data=tmp_path, role="person", principal="ada")


async def test_every_recorded_transcript_goes_in_once(settings: Settings) -> None:
    """The second time, by other workers and another client, adds nothing; the exports of the threads verify."""
    files = transcripts()
    async with running(settings, ["audit"]), Memory.connect(settings=settings) as memory:
        first = [await memory.import_file(file) for file in files]
    async with running(settings, ["audit"]), Memory.connect(settings=settings) as memory:
        second = [await memory.import_file(file) for file in files]
        verdicts = [
            verify_export([line async for line in memory.thread(name).export()], Verifier())
            for report in first
            for name in report.threads
        ]

    assert sum(report.appended for report in second) == 0
    assert [report.duplicates for report in second] == [report.appended for report in first]
    assert [(verdict.problems, verdict.records > 0) for verdict in verdicts] == [((), True)] * len(verdicts)


async def test_many_runs_in_one_file(settings: Settings, tmp_path: Path) -> None:
    """Two hundred runs are two hundred threads, each with its own turns in order."""
    run = [{"role": role, "content": f"{role} {turn}"} for turn in range(5) for role in ("user", "assistant")]
    file = tmp_path / "runs.jsonl"
    file.write_text("\n".join(json.dumps({"messages": run}) for _ in range(200)), encoding="utf-8")
    async with running(settings, ["audit"]), Memory.connect(settings=settings) as memory:
        report = await memory.import_file(file)
        found = (await memory.thread("runs.137").entries()).entries

    assert (len(report.threads), report.turns, report.appended, report.problems) == (200, 1000, 1000, [])
    assert [shown.content for shown in found] == [message["content"] for message in run]
    assert {shown.state for shown in found} == {"committed"}
