"""Asking for work ahead of need: a job for each kind of it, beside the storing of a recipe."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import anyio

from eunoe.composition import ahead
from eunoe.runtime.doors import Store
from eunoe.runtime.settings import Settings
from eunoe.runtime.wanted import submit
from eunoe.schemas import limits, subjects
from eunoe.schemas.context import Recipe
from eunoe.schemas.errors import EunoeError
from eunoe.schemas.jobs import DistilJob, SummariseJob

logger = logging.getLogger(__name__)

Kind = Literal["distil", "summarise"]
"""The kinds of work that turns which leave ask for."""

_JOBS: Mapping[Kind, type[DistilJob] | type[SummariseJob]] = {"distil": DistilJob, "summarise": SummariseJob}


def kinds(settings: Settings) -> tuple[Kind, ...]:
    """The kinds that are in use. A summary that is written together with the facts is no work of its own; one that is
    written apart is, whether facts are drawn or not."""
    drawing: tuple[Kind, ...] = () if settings.distiller == "off" else ("distil",)
    return (*drawing, "summarise") if settings.summary == "apart" else drawing


class Submitter:
    """Submits the jobs of one space. What it has asked for it does not ask for again; what others asked for it may:
    of one thread the newest job stands for all, and to work on it again changes nothing."""

    def __init__(self, store: Store, kinds: Sequence[Kind]) -> None:
        self._store = store
        self._kinds = kinds
        self._asked: OrderedDict[str, int] = OrderedDict()
        self._counts = {"jobs_submitted": 0, "jobs_failed": 0}

    def statistics(self) -> dict[str, int]:
        return dict(self._counts)

    async def submit(self, thread: str, recipes: Iterable[Recipe], position: int) -> None:
        """Ask for what these contexts of a thread need soon, if that is more than was asked for.

        It never fails, and takes `limits.SUBMIT_SECONDS` at most; what could not be asked for is, by the next request.
        """
        held = list(recipes)
        wanted, window = ahead.up_to(held), max((recipe.window for recipe in held), default=0)
        if not self._kinds or wanted <= self._asked.get(thread, 0):
            return
        try:
            with anyio.fail_after(limits.SUBMIT_SECONDS):
                for kind in self._kinds:
                    job = _JOBS[kind](thread=thread, up_to=wanted, position=position, window=window)
                    await submit(self._store.jobs, subjects.job(self._store.space, kind, thread), job)
        except Exception as error:
            self._failed(thread, wanted, error)
        else:
            self._counts["jobs_submitted"] += len(self._kinds)
            self._remember(thread, wanted)

    def _remember(self, thread: str, wanted: int) -> None:
        self._asked[thread] = wanted
        self._asked.move_to_end(thread)
        while len(self._asked) > limits.SUBMITTED_THREADS:
            self._asked.popitem(last=False)

    def _failed(self, thread: str, wanted: int, error: Exception) -> None:
        self._counts["jobs_failed"] += 1
        logger.warning(
            "turns up to %d of %s could not be sent ahead: %s; the next request does it",
            wanted,
            thread,
            str(error) or f"it took longer than {limits.SUBMIT_SECONDS:g} s",
            exc_info=None if isinstance(error, EunoeError | OSError) else error,
            extra={"action": "ahead_failed"},
        )
