"""Asking for reviews: a job for the turns that were committed, before the record that says that they are extracted."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import msgspec

from eunoe.runtime.doors import Store
from eunoe.runtime.review_settings import Review
from eunoe.runtime.tries import transient
from eunoe.schemas import subjects
from eunoe.schemas.errors import EunoeError
from eunoe.schemas.jobs import ReviewJob

logger = logging.getLogger(__name__)


class Reviews:
    """Asks for the reviews of one space, where they are on. A job of a thread stands for every one before it, so what
    one of them could not ask for the next one does."""

    def __init__(self, store: Store, review: Review) -> None:
        self._store = store
        self._on = review.on
        self._counts = {"reviews_asked": 0, "reviews_not_asked": 0}

    def statistics(self) -> Mapping[str, int]:
        return dict(self._counts)

    async def ask(self, chain: str, ordinal: int) -> None:
        """Have a thread reviewed up to the turn that was committed as this one.

        Raises what passes by itself, so that whoever asks comes again; no other failure keeps facts from being read.
        """
        if not self._on:
            return
        thread = subjects.chain_thread(chain)
        job = msgspec.json.encode(ReviewJob(thread=thread, ordinal=ordinal))
        try:
            await self._store.jobs.submit(subjects.job(self._store.space, "review", thread), job)
        except EunoeError as error:
            if transient(error):
                raise
            self._counts["reviews_not_asked"] += 1
            logger.error("no review of %s was asked for: %s", thread, error, extra={"action": "review_not_asked"})
        else:
            self._counts["reviews_asked"] += 1
