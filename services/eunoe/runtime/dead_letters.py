"""Messages that failed for good, laid aside with the reason, and where their input is."""

from __future__ import annotations

import msgspec

from eunoe.runtime.doors import Store, Stored
from eunoe.schemas import limits, subjects
from eunoe.schemas.requests import DeadLetter


async def write(store: Store, worker: str, message: Stored, attempts: int, reason: str, now: int) -> None:
    """Lay a message of the log aside, once for each worker and position; raises what `doors.Log.append` does."""
    letter = DeadLetter(
        v=limits.SCHEMA_VERSION,
        worker=worker,
        reason=reason,
        attempts=attempts,
        time=now,
        subject=message.subject,
        position=message.seq,
        thread=subjects.chain_thread(subjects.chain_of(message.subject)),
    )
    data = msgspec.json.encode(letter)
    await store.dead.append(subjects.dead(store.space, worker), data, msg_id=f"{worker}.{message.seq}")
