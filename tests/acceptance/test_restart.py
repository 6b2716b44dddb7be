"""All workers on an embedded server that is killed under them: what was accepted is kept, once, and worked off."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import anyio
import msgspec

from eunoe.runtime.embedded import embedded
from eunoe.runtime.session import Session, session
from eunoe.runtime.settings import Settings
from eunoe.runtime.workers import running
from eunoe.schemas import subjects
from eunoe.schemas.errors import OutcomeUnknown, Unreachable, WorkerMissing
from eunoe.schemas.events import Prompt, Response, TurnCommitted, TurnOpened
from eunoe.schemas.requests import AppendRequest, ThreadsReply

THREADS = ("a", "b", "c")
TURNS = 20
ACK_WAIT_SECONDS = 30  # after which a message whose acknowledgement died with the server is delivered again


async def _append(opened: Session, thread: str, n: int) -> None:
    """Append one turn, under the same key until it is accepted."""
    events = (TurnOpened(), Prompt(content=f"question {n}"), Response(content=f"answer {n}"), TurnCommitted())
    request = AppendRequest(v=1, producer="p", n=n, turn=f"k{n}", events=events)
    while True:
        try:
            await opened.auditor.append(subjects.thread_chain(thread), request)
        except (Unreachable, OutcomeUnknown, WorkerMissing):
            continue
        return


async def test_a_server_killed_under_load_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    """Workers and clients go on by themselves on the server that is started again."""
    settings = Settings(data=tmp_path / "data", role="person", principal="ada")
    async with embedded(settings) as server:
        here = settings.at(server.url, server.user, server.password)
        async with running(here) as fleet, session(here) as opened:
            halfway = anyio.Event()

            async def talk(thread: str) -> None:
                for n in range(1, TURNS + 1):
                    await _append(opened, thread, n)
                    if n == TURNS // 2:
                        halfway.set()

            async with anyio.create_task_group() as tasks:
                for thread in THREADS:
                    tasks.start_soon(talk, thread)
                await halfway.wait()
                os.kill(server.endpoint.pid, signal.SIGKILL)
            assert await fleet.settle(ACK_WAIT_SECONDS + 30)
            subject = subjects.request(opened.space, "threads", opened.caller)
            states = msgspec.json.decode(await opened.requester.request(subject, b"{}"), type=ThreadsReply).threads

    assert sorted((state.thread, state.committed, state.entries, state.extracted) for state in states) == [
        (thread, TURNS, 2 * TURNS, TURNS) for thread in THREADS
    ]
