"""What each user may do at the server. Pure: names in, subjects out.

A request's subject names who asks, so the right to publish on it is the right to ask in that name. Verbs
are listed one by one, never as ``*``: a wildcard would also reach the subjects of the log.
"""

from __future__ import annotations

from dataclasses import dataclass

from eunoe.schemas import subjects
from eunoe.schemas.errors import Invalid
from eunoe.schemas.subjects import BUCKETS, LOG_DURABLES, Caller

READ_VERBS = ("head", "show", "records", "threads", "compose", "turns", "facts", "fact")
VERBS = ("append", "piece", *READ_VERBS)
PERSON_VERBS = (*VERBS, "anchor")
WORKER_VERBS = ("append", "piece", "head", "show", "records")
SERVED: dict[str, tuple[str, ...]] = {
    "audit": ("append", "piece", "head", "show", "records", "anchor"),
    "extraction": (),
    "facts": ("facts", "fact", "threads"),
    "composition": ("compose", "turns"),
}


@dataclass(frozen=True, slots=True)
class Grant:
    """Subjects that a user may publish and subscribe; ``deny`` takes some publishes away again.

    ``answers``: it may also publish to the reply subject of what it received.
    """

    publish: tuple[str, ...]
    subscribe: tuple[str, ...]
    deny: tuple[str, ...] = ()
    answers: bool = False


def grant(space: str, caller: Caller) -> Grant:
    """What this caller needs in this space, and nothing else; raises `Invalid` for a worker that there is not."""
    inbox = f"{caller.inbox}.>"
    match caller.role:
        case "worker":
            return _worker(space, caller)
        case "viewer":
            return Grant(_asking(space, caller, READ_VERBS), (inbox,))
        case "person":
            streams = [subjects.log_stream(space), subjects.dead_stream(space), subjects.blobs_stream(space)]
            reading = tuple(subject for stream in streams for subject in _reading(stream))
            seeing = tuple(f"$JS.API.STREAM.INFO.{name}" for name in _streams(space) if name not in streams)
            return Grant(
                (*_asking(space, caller, PERSON_VERBS), *_API, *reading, *seeing, "$SRV.>"), (inbox,), _durables(space)
            )
        case _:
            return Grant(_asking(space, caller, VERBS), (inbox,))


_API = ("$JS.API.INFO",)


def _worker(space: str, caller: Caller) -> Grant:
    name = caller.principal
    if name not in SERVED:
        raise Invalid(f"there is no worker {name!r}; known are {', '.join(SERVED)}")
    using = tuple(subject for stream in _streams(space) for subject in _using(stream))
    serving = tuple(subjects.requests(space, verb) for verb in SERVED[name])
    return Grant(
        (*_asking(space, caller, WORKER_VERBS), *_API, *using, *_writing(space, name), subjects.dead(space, name)),
        (f"{caller.inbox}.>", "$SRV.>", *subjects.deletions(space), *serving),
        answers=True,
    )


def _asking(space: str, caller: Caller, verbs: tuple[str, ...]) -> tuple[str, ...]:
    """Requests in the caller's own name, about any chain."""
    return tuple(subjects.request(space, verb, caller).rpartition(".")[0] + ".>" for verb in verbs)


def _writing(space: str, worker: str) -> tuple[str, ...]:
    """The stored subjects that only this worker writes: the log is audit's, the buckets are the projector's."""
    if worker == "audit":
        kept = (subjects.log_stream(space), subjects.blobs_stream(space))
        erasing = tuple(f"$JS.API.STREAM.MSG.DELETE.{stream}" for stream in kept)
        return (*subjects.log_subjects(space), subjects.pieces_filter(space), *erasing)
    if worker == "facts":
        return tuple(f"$KV.{subjects.bucket(space, scope)}.>" for scope in BUCKETS)
    return (subjects.jobs_filter(space),)


def _using(stream: str) -> tuple[str, ...]:
    """Make a stream that is not there, read it, and consume it."""
    return (f"$JS.API.STREAM.CREATE.{stream}", *_reading(stream), f"$JS.ACK.{stream}.>")


def _reading(stream: str) -> tuple[str, ...]:
    consuming = tuple(f"$JS.API.CONSUMER.{verb}.{stream}.>" for verb in ("CREATE", "INFO", "MSG.NEXT", "DELETE"))
    return (
        f"$JS.API.STREAM.INFO.{stream}",
        f"$JS.API.STREAM.MSG.GET.{stream}",
        f"$JS.API.DIRECT.GET.{stream}",
        f"$JS.API.DIRECT.GET.{stream}.>",
        *consuming,
    )


def _durables(space: str) -> tuple[str, ...]:
    """The workers' own consumers, which a reader of the log must not change, use up or delete."""
    return tuple(
        f"$JS.API.CONSUMER.{verb}.{subjects.log_stream(space)}.{durable}{rest}"
        for durable in LOG_DURABLES
        for verb in ("CREATE", "MSG.NEXT", "DELETE")
        for rest in ("", ".>")
    )


def _streams(space: str) -> tuple[str, ...]:
    streams = (subjects.log_stream, subjects.jobs_stream, subjects.dead_stream, subjects.blobs_stream)
    buckets = (f"KV_{subjects.bucket(space, scope)}" for scope in BUCKETS)
    return (*(stream(space) for stream in streams), *buckets)
