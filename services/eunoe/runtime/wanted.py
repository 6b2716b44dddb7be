"""Asking for work on a thread: a job that asks for no less than the one in whose place it comes."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from eunoe.runtime.doors import Jobs
from eunoe.schemas.jobs import DistilJob, SummariseJob

_Job = TypeVar("_Job", bound=DistilJob | SummariseJob)


async def submit(jobs: Jobs, subject: str, job: DistilJob | SummariseJob) -> None:
    """Let a job wait; raises what `eunoe.runtime.doors.Jobs.submit` does."""
    held = await jobs.held(subject)
    if held is not None:
        job = joined(job, msgspec.json.decode(held, type=type(job)))
    await jobs.submit(subject, msgspec.json.encode(job))


def joined(job: _Job, before: _Job) -> _Job:
    """The job that stands for two of one thread and kind. Pure."""
    job = msgspec.structs.replace(job, up_to=max(job.up_to, before.up_to), window=max(job.window, before.window))
    if isinstance(job, SummariseJob) and isinstance(before, SummariseJob):
        return msgspec.structs.replace(job, least=min(job.least, before.least))
    return job
