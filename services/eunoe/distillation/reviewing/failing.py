"""Which reviews of a thread failed, and were not done again since, as its log tells."""

from __future__ import annotations

from eunoe.runtime.chains import ChainReader, Head
from eunoe.schemas.distilled_events import Reviewed


async def failed(chains: ChainReader, head: Head, up_to: int) -> list[Reviewed]:
    """The failed reviews of turns up to that ordinal, oldest first; all of the thread is looked through for them.

    Raises `Damaged` where a record is missing.
    """
    found: list[Reviewed] = []
    later: set[tuple[int, int, str]] = set()
    async for record in chains.backward(head):
        reviews = [event for event in record.events if isinstance(event, Reviewed)]
        found += [one for one in reviews if one.failed and one.last <= up_to and _about(one) not in later]
        later.update(map(_about, reviews))
    return found[::-1]


def _about(review: Reviewed) -> tuple[int, int, str]:
    return review.first, review.last, f"{review.agent} {review.turns}"
