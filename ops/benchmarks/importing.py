"""Import in events a second, and what the processes hold in memory."""

from __future__ import annotations

import json
import time
from pathlib import Path

from benchmarks.place import Place, Result, resident, settle
from eunoe.client import Memory, import_file

RUNS = 50


def write_runs(path: Path, events: int) -> None:
    """A file of 50 chat runs that become about that many events: six for each turn of four messages."""
    turns = events // RUNS // 6
    with path.open("w") as file:
        for run in range(RUNS):
            messages: list[dict[str, object]] = []
            for number in range(turns):
                call = {"id": f"c{number}", "type": "function"}
                function = {"name": "bash", "arguments": json.dumps({"command": f"ls {run}/{number}"})}
                messages += [
                    {"role": "user", "content": f"What is in folder {number} of run {run}?"},
                    {"role": "assistant", "content": None, "tool_calls": [call | {"function": function}]},
                    {"role": "tool", "tool_call_id": f"c{number}", "content": f"[exit 0]\nfile-{number}\n" * 10},
                    {"role": "assistant", "content": f"Folder {number} holds one file, ten times over."},
                ]
            file.write(json.dumps({"messages": messages}) + "\n")


async def bulk(here: Place, events: int) -> list[Result]:
    """Import a file of about ``events`` events, once into an empty store and once again."""
    idle = resident(here.workers), resident(here.server)
    path = here.folder / "runs.jsonl"
    write_runs(path, events)
    async with Memory.connect(here.url, role="caller", principal="bench") as memory:
        start = time.perf_counter()
        report = await import_file(memory, path)
        first = time.perf_counter() - start
        await settle(here)
        settled = time.perf_counter() - start
        start = time.perf_counter()
        await import_file(memory, path)
        again = time.perf_counter() - start
    return [
        Result(f"import of {report.events:,} events", report.events / first, "events/s"),
        Result("  until every fact of it is there", report.events / settled, "events/s"),
        Result("  the same again, nothing added", report.events / again, "events/s"),
        Result("resident memory of the workers, idle", idle[0], "MiB"),
        Result("resident memory of the server, idle", idle[1], "MiB"),
        Result(f"resident memory of the workers after {report.events:,} events", resident(here.workers), "MiB"),
        Result(f"resident memory of the server after {report.events:,} events", resident(here.server), "MiB"),
    ]
