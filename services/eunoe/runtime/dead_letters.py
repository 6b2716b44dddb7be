"""Work that failed for good, laid aside with the reason, and with its input or where that is."""

from __future__ import annotations

import msgspec

from eunoe.runtime.doors import Store, Stored
from eunoe.runtime.matching import matches_any
from eunoe.schemas import limits, subjects
from eunoe.schemas.jobs import KINDS
from eunoe.schemas.requests import DeadLetter

ENDED = "the worker ended each time before it was done with this message"
"""The reason of what may kill whoever handles it."""
ERASED = "why it failed was erased with what that quoted"
"""The reason of a job's letter after an erasure in its thread."""


async def write(
    store: Store, worker: str, message: Stored, attempts: int, reason: str, now: int, part: str = ""
) -> None:
    """Lay a message of the log or a job aside, once for each worker and message, or of a job for each ``part`` of it;
    raises what `doors.Log.append` does."""
    of_log = matches_any(subjects.log_subjects(store.space), message.subject)
    letter = DeadLetter(
        v=limits.SCHEMA_VERSION,
        worker=worker,
        reason=reason,
        attempts=attempts,
        time=now,
        subject=message.subject,
        position=message.seq if of_log else 0,
        thread=subjects.chain_thread(subjects.chain_of(message.subject)) if of_log else _thread(store.space, message),
        payload="" if of_log else message.data.decode(errors="replace"),
    )
    place = str(message.seq) if of_log else f"job.{message.seq}.{message.time}.{part}"
    await store.dead.append(subjects.dead(store.space, worker), msgspec.json.encode(letter), msg_id=f"{worker}.{place}")


class _Again(msgspec.Struct):
    """Of a job that has something done again, the letter."""

    letter: DeadLetter


def _thread(space: str, job: Stored) -> str:
    """The thread that a job is about; of one that has something done again, that of its letter."""
    if matches_any([subjects.jobs_filter(space, kind) for kind in KINDS], job.subject):
        return subjects.job_thread(job.subject)
    try:
        return msgspec.json.decode(job.data, type=_Again).letter.thread
    except msgspec.DecodeError:
        return ""
