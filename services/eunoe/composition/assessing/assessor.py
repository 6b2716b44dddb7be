"""Deciding about one request before it is composed: by rules, by a model where they settle nothing, once a turn.

What a model made of a request is kept out of the way: it is asked while nobody holds the thread, and whatever goes
wrong with it leaves the request with every tool and the task that it had.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

import anyio
import msgspec

from eunoe.composition.assessing import answering, rules
from eunoe.composition.assessing.brief import Brief
from eunoe.composition.assessing.decided import Assessed
from eunoe.composition.assessing.offered import check, offered
from eunoe.composition.assessing.tasks import task_fact
from eunoe.composition.freshness import newer
from eunoe.composition.recording import Recorder
from eunoe.composition.threads import Threads
from eunoe.facts.kinds import Kinds
from eunoe.models.door import Limits, Model
from eunoe.runtime import aside
from eunoe.schemas import limits, subjects
from eunoe.schemas.context import Assessment, Watermark
from eunoe.schemas.errors import Invalid, Misconfigured, ModelFailed
from eunoe.schemas.requests import ComposeRequest, ToolDefinition

logger = logging.getLogger(__name__)

TASK_SECONDS = 2.0  # seconds that a context waits at least for the task that was inferred for it
NONE = "no model is configured to assess requests; set EUNOE_MODEL, or assess by rules"
_LIMITS = Limits(seconds=limits.ASSESS_SECONDS, output_tokens=answering.OUTPUT_TOKENS, retries=1)

Mode = Literal["off", "rules", "model"]
Look = Callable[[], Awaitable[Brief]]
"""Reads what is known of a request; raises what composing it would."""


class Assessor:
    """Decides about requests of one space; raises `Misconfigured` where a model is to, and ``model`` is None."""

    def __init__(self, mode: Mode, model: Model | None, kinds: Kinds, threads: Threads, recorder: Recorder) -> None:
        if mode == "model" and model is None:
            raise Misconfigured(NONE)
        self._mode = mode
        self._model = model
        self._kinds = kinds
        self._threads = threads
        self._recorder = recorder
        self._counts = dict.fromkeys(("rules", "model", "fallback", "retry"), 0)

    def statistics(self) -> dict[str, int]:
        return {f"assessed_{method}": count for method, count in self._counts.items()}

    async def close(self) -> None:
        if self._model is not None:
            await self._model.close()

    async def assess(self, request: ComposeRequest, look: Look) -> Assessed:
        """What is decided about a request; nothing where that is off, or where no tools were given.

        Looking (without ``store``) asks no model. Raises `Invalid` for tools that cannot be, and where a model is
        asked for and there is none.
        """
        mode = request.assess or self._mode
        check(request.tools, request.unregistered)
        if mode == "model" and self._model is None:
            raise Invalid(NONE)
        if mode == "off" or not request.tools:
            return Assessed(request)
        if request.unregistered:
            return self._decided(request, rules.retried(request.tools))
        request, brief = offered(request), await look()
        if brief.made is not None:
            return Assessed(request, rules.again(brief.made, request.tools))
        ruled = rules.ruled(brief, request.tools)
        if mode == "rules" or ruled.settled or not request.store or self._model is None:
            return self._decided(request, rules.by_rules(ruled, request.tools))
        assessment = await self._by_model(self._model, brief, ruled, request.tools)
        return self._decided(await self._with_task(request, brief, assessment), assessment)

    def _decided(self, request: ComposeRequest, assessment: Assessment) -> Assessed:
        self._counts[assessment.method] += request.store
        return Assessed(request, assessment, new=True)

    async def _by_model(
        self, model: Model, brief: Brief, ruled: rules.Ruled, offered: Sequence[ToolDefinition]
    ) -> Assessment:
        """What a model's answer comes to; a failure, of whatever kind, is no failure of the request."""
        prompt = answering.prompt(brief, offered)
        shown = len(prompt.encode()) + len(answering.SYSTEM.encode())
        begun = anyio.current_time()
        try:
            with aside.beside():
                answer = await model.ask(prompt, answering.Answered, _LIMITS, system=answering.SYSTEM)
        except ModelFailed as error:
            reason, taken = error.detail.get("reason", ""), anyio.current_time() - begun
            logger.warning("a request was not assessed: %s", reason, extra={"action": "assessment_failed"})
            found = rules.failed(ruled, offered, str(error))
            return msgspec.structs.replace(found, model=model.name, ms=round(taken * 1000), bytes=shown)
        return msgspec.structs.replace(
            rules.by_model(brief, ruled, offered, answer.value),
            model=model.name,
            ms=answer.ms,
            bytes=shown,
            input_tokens=answer.usage.input_tokens,
            output_tokens=answer.usage.output_tokens,
        )

    async def _with_task(self, request: ComposeRequest, brief: Brief, assessment: Assessment) -> ComposeRequest:
        """The request, which reflects the task that was inferred for it once that is in the log."""
        event = task_fact(brief, assessment, self._kinds)
        if event is None:
            return request
        async with self._threads.using(subjects.thread_chain(brief.place.thread)) as fold:
            position = await self._recorder.record(fold, (event,), brief.state, lambda: self._threads.refresh(fold))
        after = newer(request.after, Watermark(log=position))
        return msgspec.structs.replace(request, after=after, wait=max(request.wait, TASK_SECONDS))
