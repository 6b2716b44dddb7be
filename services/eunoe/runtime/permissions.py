"""What each user may do at the server. Pure: names in, subjects out.

A request's subject names who asks, so the right to publish on it is the right to ask in that name. Verbs
are listed one by one, never as ``*``: a wildcard would also reach the subjects of the log.

JetStream answers to whatever reply subject a request names, a log's included, so the right to ask it anything
(``$JS.API``) is the right to write the log in any name. Only workers have it, and the operator, who reads the
log as a whole and is trusted as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

from eunoe.schemas import subjects
from eunoe.schemas.errors import Invalid
from eunoe.schemas.jobs import JOB_KINDS, KINDS
from eunoe.schemas.subjects import BUCKETS, LOG_DURABLES, SLOTS, Bucket, Caller

READ_VERBS = (
    "head",
    "show",
    "records",
    "threads",
    "compose",
    "turns",
    "facts",
    "fact",
    "why",
    "traces",
    "session",
    "kinds",
    "summary",
    "distillations",
)
VERBS = ("append", "piece", "distil", "summarise", *READ_VERBS)
PERSON_VERBS = (*VERBS, "anchor", "erase", "rebuild", "dead")
WORKER_VERBS = ("append", "piece", "head", "show", "records")
SERVED: dict[str, tuple[str, ...]] = {
    "audit": ("append", "piece", "head", "show", "records", "anchor", "erase", "dead"),
    "extraction": (),
    "facts": (
        *("facts", "fact", "threads", "session", "why", "traces", "kinds", "summary", "distillations"),
        "rebuild",
    ),
    "composition": ("compose", "turns"),
    "distillation": ("distil",),
    "summarising": ("summarise",),
}
OPERATOR = Caller("worker", "operator")  # who tails, verifies and exports the log, and looks at its status
WORKERS = (*SERVED, OPERATOR.principal)  # the principals of the role worker
REBUILDERS = ("audit", OPERATOR.principal)  # those of them that may have the facts made again: audit for an erasure


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
            return _operator(space) if caller == OPERATOR else _worker(space, caller)
        case "viewer":
            return Grant(_asking(space, caller, READ_VERBS), (inbox,))
        case "person":
            return Grant(_asking(space, caller, PERSON_VERBS), (inbox,))
        case _:
            return Grant(_asking(space, caller, VERBS), (inbox,))


def denied(caller: Caller, subject: str) -> str:
    """What to say to a caller whom the server does not let send ``subject`` (in any case of letters)."""
    said = f"the server does not let {caller.role} {caller.principal} send {subject}"
    if caller.role == "worker":
        return f"{said}; give its user what `eunoe ops permissions` prints"
    if not subject.lower().startswith(("$js.api.", "$srv.")):
        return said
    return (
        f"{caller.role} {caller.principal} may not ask the server itself, as `eunoe status` and `eunoe audit tail`, "
        f"`verify` and `export` do; run those with EUNOE_USER={OPERATOR.role}/{OPERATOR.principal}, "
        f"EUNOE_ROLE={OPERATOR.role} and EUNOE_PRINCIPAL={OPERATOR.principal} (`eunoe ops permissions` makes that user)"
    )


_API = ("$JS.API.INFO",)


def _operator(space: str) -> Grant:
    """Reads the log, dead letters and pieces with consumers of its own, and sees how everything else is doing."""
    reading = (subjects.log_stream(space), subjects.dead_stream(space), subjects.blobs_stream(space))
    reads = tuple(subject for stream in reading for subject in _reading(stream))
    others = (*subjects.all_streams(space), subjects.jobs_stream(space))
    sees = tuple(f"$JS.API.STREAM.INFO.{stream}" for stream in others if stream not in reading)
    sees = (*sees, f"$JS.API.CONSUMER.INFO.{subjects.jobs_stream(space)}.>")
    asks = _asking(space, OPERATOR, (*READ_VERBS, "rebuild", "dead"))
    return Grant((*asks, *_API, *reads, *sees, "$SRV.>"), (f"{OPERATOR.inbox}.>",), _durables(space))


def _worker(space: str, caller: Caller) -> Grant:
    name = caller.principal
    if name not in SERVED:
        raise Invalid(f"there is no worker {name!r}; known are {', '.join(WORKERS)}")
    asks = (*WORKER_VERBS, "rebuild") if name in REBUILDERS else WORKER_VERBS
    using = tuple(subject for stream in subjects.all_streams(space) for subject in _using(stream))
    serving = tuple(subjects.requests(space, verb) for verb in SERVED[name])
    return Grant(
        (*_asking(space, caller, asks), *_API, *using, *_writing(space, name), subjects.dead(space, name)),
        (f"{caller.inbox}.>", "$SRV.>", *subjects.deletions(space), *serving),
        answers=True,
    )


def _asking(space: str, caller: Caller, verbs: tuple[str, ...]) -> tuple[str, ...]:
    """Requests in the caller's own name, about any chain."""
    return tuple(subjects.request(space, verb, caller).rpartition(".")[0] + ".>" for verb in verbs)


def _writing(space: str, worker: str) -> tuple[str, ...]:
    """What only this worker writes or takes away: the log is audit's, the buckets are the projector's, and jobs are
    composition's to ask for, reviews extraction's, those that a person asks for theirs who do them, and audit's to have
    done again by the worker that failed. Who takes jobs may let them wait again, as it does when it stops."""
    if worker == "audit":
        jobs = subjects.jobs_stream(space)
        kept = (subjects.log_stream(space), subjects.blobs_stream(space), subjects.dead_stream(space), jobs)
        erasing = tuple(f"$JS.API.STREAM.MSG.DELETE.{stream}" for stream in kept)
        again = tuple(subjects.again_filter(space, failed) for failed in SERVED)
        log, pieces = subjects.log_subjects(space), subjects.pieces_filter(space)
        letters = subjects.dead(space, "*")  # of which an erasure takes what they quote
        return (*log, pieces, letters, *again, *erasing, *_making(jobs), *_reading(jobs))
    if worker == "composition":
        asking = (subjects.jobs_filter(space, kind) for kind in KINDS if kind != "review")
        jobs = subjects.jobs_stream(space)
        return (*asking, *_making(jobs), f"$JS.API.STREAM.MSG.GET.{jobs}")
    taking = _using(subjects.jobs_stream(space)) + _making(subjects.jobs_stream(space))
    if worker == "facts":
        owning = (subject for slot in SLOTS for scope in BUCKETS for subject in _owning(space, scope, slot))
        return (*owning, subjects.again_filter(space, worker), *taking)
    own = ("review",) if worker == "extraction" else JOB_KINDS[worker]
    return (*(subjects.jobs_filter(space, kind) for kind in own), subjects.again_filter(space, worker), *taking)


def _owning(space: str, scope: Bucket, slot: int) -> tuple[str, ...]:
    """Write a bucket, seal it, and delete it: the sets of buckets take turns."""
    bucket = subjects.bucket(space, scope, slot)
    return (f"$KV.{bucket}.>", f"$JS.API.STREAM.UPDATE.KV_{bucket}", f"$JS.API.STREAM.DELETE.KV_{bucket}")


def _making(stream: str) -> tuple[str, ...]:
    """Make a stream that is not there, and change one of an earlier version."""
    return tuple(f"$JS.API.STREAM.{verb}.{stream}" for verb in ("CREATE", "INFO", "UPDATE"))


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
