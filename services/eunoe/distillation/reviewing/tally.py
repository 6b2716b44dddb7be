"""What came of reviews, counted."""

from __future__ import annotations

from collections.abc import Iterable

from eunoe.schemas.events import Event, Reviewed


class Tally:
    """Ranges that were reviewed, and of these that failed; jobs for which too little was said yet; ranges that another
    worker had done first; and how many records were added, replaced, retired and skipped."""

    def __init__(self) -> None:
        self.counts = dict.fromkeys(("ranges", "waiting", "failed", "raced"), 0)
        self._decided = dict.fromkeys(("added", "replaced", "retired", "skipped"), 0)

    def statistics(self) -> dict[str, int]:
        reviews = {f"reviews_{name}": count for name, count in self.counts.items()}
        records = {f"records_{name}": count for name, count in self._decided.items()}
        return {**reviews, **records}

    def count(self, events: Iterable[Event]) -> None:
        """Count a range by the events that it came to."""
        reviews = [event for event in events if isinstance(event, Reviewed)]
        self.counts["ranges"] += 1
        self.counts["failed"] += any(review.failed for review in reviews)
        for decision in (one for review in reviews for one in review.decisions):
            self._decided[decision.action] += 1
