"""Asking for work ahead of need: a job for each kind of it, beside the storing of a recipe."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Iterable

import anyio
import msgspec

from eunoe.composition import ahead
from eunoe.runtime.doors import Store
from eunoe.schemas import limits, subjects
from eunoe.schemas.context import Recipe
from eunoe.schemas.errors import EunoeError
from eunoe.schemas.jobs import KINDS, DistilJob

logger = logging.getLogger(__name__)

_encode = msgspec.json.Encoder().encode


class Submitter:
    """Submits the jobs of one space. What it has asked for it does not ask for again; what others asked for it may:
    of one thread the newest job stands for all, and to work on it again changes nothing."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._asked: OrderedDict[str, int] = OrderedDict()
        self._counts = {"jobs_submitted": 0, "jobs_failed": 0}

    def statistics(self) -> dict[str, int]:
        return dict(self._counts)

    async def submit(self, thread: str, recipes: Iterable[Recipe], position: int) -> None:
        """Ask for what these contexts of a thread need soon, if that is more than was asked for.

        It never fails, and takes `limits.SUBMIT_SECONDS` at most; what could not be asked for is, by the next request.
        """
        wanted = ahead.up_to(recipes)
        if wanted <= self._asked.get(thread, 0):
            return
        try:
            with anyio.fail_after(limits.SUBMIT_SECONDS):
                for kind in KINDS:
                    job = DistilJob(thread=thread, up_to=wanted, position=position)
                    await self._store.jobs.submit(subjects.job(self._store.space, kind, thread), _encode(job))
        except Exception as error:
            self._failed(thread, wanted, error)
        else:
            self._counts["jobs_submitted"] += len(KINDS)
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
