"""A desk with workers that review, over a model's API that answers as a test says."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
from desks import AGENT
from fact_desks import FactDesk
from model_server import ModelServer, Reply, serving

from eunoe.distillation.worker import DistillationWorker
from eunoe.facts.visibility import Viewer
from eunoe.runtime.doors import Store, Stored
from eunoe.runtime.review_settings import Review
from eunoe.runtime.settings import Settings
from eunoe.schemas import subjects
from eunoe.schemas.events import Event, Prompt, Response, Reviewed, TurnAborted, TurnCommitted, TurnOpened
from eunoe.schemas.jobs import ReviewJob
from eunoe.schemas.requests import AppendReply, AppendRequest, FactsRequest, FactView, HeadReply
from eunoe.schemas.subjects import Caller

DISTILLATION = Caller("worker", "distillation")
MODEL = "openai:small"


def item(text: str, turn: int, action: str = "add", **fields: Any) -> dict[str, Any]:
    """An item of an answer: a record of guidance, unless the fields say otherwise."""
    return {"action": action, "kind": "guidance", "text": text, "turn": turn, "reason": "it was said", **fields}


def retire(fact: str, reason: str = "it is over") -> dict[str, Any]:
    return {"action": "retire", "id": fact, "reason": reason}


class ReviewingDesk(FactDesk):
    """A space with the audit worker, a projector, and workers that ask ``server``'s model."""

    def __init__(self, folder: Path, server: ModelServer, store: Store | None = None, **settings: Any) -> None:
        super().__init__(folder, store)
        given = {"model": MODEL, "distiller": "off", "review": Review(every="turn"), **settings}
        self.settings = Settings(data=folder, model_url=server.url, **given)
        self.worker = self.new_worker()
        self.server = server
        self._turns = 0

    def answers(self, *items: dict[str, Any]) -> None:
        """What the model answers from now on."""
        self.server.replies[:] = [Reply(json.dumps(items))]
        self.server.in_order = 0

    @asynccontextmanager
    async def reviewer(self, **review: Any) -> AsyncIterator[DistillationWorker]:
        """A worker; with other settings of reviews where some are given."""
        settings = self.settings.model_copy(update={"review": Review(**review)}) if review else self.settings
        worker = DistillationWorker(self.store, _Projected(self), settings, self.clock)
        try:
            yield worker
        finally:
            await worker.drain()

    async def said(
        self, prompt: str, reply: str = "I see.", *, caller: Caller = AGENT, thread: str = "t", **opened: Any
    ) -> None:
        """A committed turn."""
        await self._turn(
            TurnOpened(**opened),
            Prompt(content=prompt),
            Response(content=reply),
            TurnCommitted(),
            caller=caller,
            thread=thread,
        )

    async def gave_up(self, prompt: str, **opened: Any) -> None:
        """An aborted turn."""
        await self._turn(TurnOpened(**opened), Prompt(content=prompt), TurnAborted())

    async def _turn(self, *events: Event, caller: Caller = AGENT, thread: str = "t") -> None:
        self._turns += 1
        key = f"k{self._turns}"
        await self.append(1, *events, thread=thread, turn=key, producer=key, caller=caller)

    async def asked(self, ordinal: int, thread: str = "t") -> Stored:
        """A job, as it is delivered once everything so far is projected."""
        await self.catch_up()
        subject = subjects.job(self.store.space, "review", thread)
        data = msgspec.json.encode(ReviewJob(thread=thread, ordinal=ordinal))
        done = await self.store.jobs.submit(subject, data)
        return Stored(subject, done.seq, data, self.clock.now())

    async def reviewed(self, ordinal: int = 1, **review: Any) -> Reviewed:
        """Have one worker do one job; the last review after it."""
        async with self.reviewer(**review) as worker:
            await worker.handle(await self.asked(ordinal))
        await self.catch_up()
        return (await self.reviews())[-1]

    async def reviews(self) -> list[Reviewed]:
        return [event for events in await self.recorded() for event in events if isinstance(event, Reviewed)]

    async def recorded(self) -> list[tuple[Event, ...]]:
        """What reviews recorded, record by record."""
        return [record.events for record in await self.records() if record.header.caller == DISTILLATION]

    async def kept(self, agent: str = "builder", *, session: str = "s", **fields: Any) -> list[FactView]:
        """The records in force that an agent sees, by what they say."""
        await self.catch_up()
        viewer = Viewer(Caller("agent", agent), "t", session, fields.get("preview", ""))
        found = await self.listed(viewer, FactsRequest(session=session, **fields))
        return sorted((one for one in found if self.kinds[one.identity.subject].record), key=lambda one: one.value)


class _Projected:
    """The way into the log for a worker, after which everything is projected at once."""

    def __init__(self, desk: ReviewingDesk) -> None:
        self._desk = desk
        self._auditor = desk.auditor(DISTILLATION)

    async def append(self, chain: str, request: AppendRequest) -> AppendReply:
        reply = await self._auditor.append(chain, request)
        await self._desk.catch_up()
        return reply

    async def head(self, chain: str, producer: str = "") -> HeadReply:
        return await self._auditor.head(chain, producer)


@asynccontextmanager
async def reviewing(folder: Path, *items: dict[str, Any], **settings: Any) -> AsyncIterator[ReviewingDesk]:
    """A desk whose model answers with these items."""
    with serving(json.dumps(items)) as server:
        yield ReviewingDesk(folder, server, **settings)
