"""What is wrong with a space, a line for each thing, with the way out. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from eunoe.runtime.settings import Settings

DEFAULT_SPACE = str(Settings.model_fields["space"].default)


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """One kind of worker: how many run, and of the messages that it consumes, those not yet delivered to any
    (``waiting``) and those delivered but not done (``in_hand``). Counts are sums over those that run, since
    they started; ``failed`` counts what could not be derived, ``set_aside`` what models answered that is no fact.

    ``outage`` is since when the model that it asks cannot be used (ms UTC), 0 while it can. ``wrong`` are the filters
    of its consumer in the server where these are not the right ones.
    """

    name: str
    running: int
    waiting: int = 0
    in_hand: int = 0
    requests: int = 0
    errors: int = 0
    conflicts: int = 0
    failed: int = 0
    set_aside: int = 0
    outage: int = 0
    wrong: tuple[str, ...] = ()

    @property
    def backlog(self) -> int:
        return self.waiting + self.in_hand


_MESSAGES = {"distillation": "job", "summarising": "job"}  # what the messages of a worker are called


def faults(workers: Sequence[WorkerStatus], dead: int, space: str = DEFAULT_SPACE) -> list[str]:
    """Workers that do not run (with their backlog), that take other messages than they should, and that wait for a
    model; turns whose facts could not be derived; and dead letters, which is what else fails comes to."""
    eunoe = "eunoe" if space == DEFAULT_SPACE else f"eunoe --space {space}"
    found = [line for worker in workers for line in _of_worker(worker, eunoe)]
    if dead:
        what = (
            "1 piece of work failed and is a dead letter"
            if dead == 1
            else f"{dead} pieces of work failed and are dead letters"
        )
        found.append(f"{what}; `{eunoe} dead list` says which, and why")
    return found


def _of_worker(worker: WorkerStatus, eunoe: str) -> Iterator[str]:
    one = _MESSAGES.get(worker.name, "record")
    if not worker.running:
        waits = f", and {_counted(worker.backlog, one)} for it" if worker.backlog else ""
        yield f"{worker.name} does not run{waits}; start it with `{eunoe} serve {worker.name}`"
    elif worker.wrong:
        waits = f"so {_counted(worker.waiting, one)} for nobody" if worker.waiting else "so nothing comes to it"
        yield (
            f"the consumer {worker.name} takes {', '.join(worker.wrong)} only, {waits}; "
            f"starting the worker again mends it: `{eunoe} serve {worker.name}`"
        )
    if worker.outage:
        since = datetime.fromtimestamp(worker.outage / 1000, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        waits = f", and {_counted(worker.backlog, one)} for it" if worker.backlog else ""
        yield (
            f"the model that {worker.name} asks has not been usable since {since}{waits}; work goes on by itself once "
            "it is, the log of that worker says why it is not, and `eunoe config` which model that is, and where"
        )
    if worker.failed and worker.name == "extraction":
        what = "extraction" if worker.failed == 1 else "extractions"
        yield f"{worker.failed} {what} failed; `{eunoe} threads --json` says of which turns, and why (failed)"


def _counted(count: int, what: str) -> str:
    return f"1 {what} waits" if count == 1 else f"{count} {what}s wait"
